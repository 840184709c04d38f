"""Where a player listens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import final

from neurogame.errors import PlayerError

DEFAULT_PORT = 9147
"""The port of players by custom."""

_FORM = re.compile(
    r"(?P<scheme>http://)?(?P<host>\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+)(?::(?P<port>\d{1,5}))?(?P<path>/\S*)?",
    re.ASCII,
)


@final
@dataclass(frozen=True)
class Address:
    """The address of a player.

    Attributes:
        host: name or number of the machine, without the brackets of IPv6.
        port: 1 to 65535.
        path: what the request line asks for; ``/`` for all players known.
    """

    host: str
    port: int = DEFAULT_PORT
    path: str = "/"

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read ``http://HOST:PORT``, ``HOST:PORT`` or ``http://HOST``.

        Args:
            text: the address; without a port it means :data:`DEFAULT_PORT`. A bare word is
                refused: it is rather a player string than the name of a machine.

        Raises:
            PlayerError: the text is no such address.
        """
        parts = _FORM.fullmatch(text)
        bare = parts is None or not (parts["scheme"] or parts["port"])
        port = int(parts["port"] or DEFAULT_PORT) if parts else 0
        if parts is None or bare or not 1 <= port <= 65535:
            raise PlayerError(
                f"{text!r} is no address of a player; write HOST:PORT or http://HOST:PORT, such as "
                f"http://127.0.0.1:{DEFAULT_PORT}, or 'random' for a player of the manager's own"
            )
        return cls(parts["host"].strip("[]"), port, parts["path"] or "/")

    def __str__(self) -> str:
        """Return the address as a URL, without the path that all players have."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{self.path.rstrip('/')}"
