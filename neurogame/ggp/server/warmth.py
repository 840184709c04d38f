"""What the process that others are copied from has loaded, and telling the server about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import final

from neurogame.errors import NeurogameError, on_one_line


@final
@dataclass
class Warmth:
    """How far loading has come in this process, or in the one that it was copied from.

    Attributes:
        is_complete: whether loading has come to its end.
        remarks: what could not be prepared, with the reason.
    """

    is_complete: bool = False
    remarks: list[str] = field(default_factory=list)


WARMTH = Warmth()
"""Of this process."""


def report(connection: Connection, given: tuple[str, bool]) -> None:
    """Tell the server what was loaded; a child's function.

    Args:
        connection: gets why the player cannot be made, empty if it can, and all remarks.
        given: the player string; whether this process should be a copy of one that is warm.
    """
    player, expected = given
    remarks = list(WARMTH.remarks)
    if expected and not WARMTH.is_complete and not remarks:
        remarks.append(
            "nothing was loaded beforehand: the process that others are copied from cannot import "
            "neurogame; matches work, but every one starts seconds later"
        )
    connection.send((_refusal(player), remarks))


def _refusal(player: str) -> str:
    """Return why a player cannot be made; empty if it can.

    Asked in a process of its own: the player may take hold of a device, and then its process must
    not be copied any more.
    """
    try:
        from neurogame.players.players import make_player

        if make_player(player).name == "human":
            return f"player {player}: people cannot play over HTTP; name another player"
    except NeurogameError as error:
        return str(error)
    except Exception as error:
        return f"player {player} cannot be made: {on_one_line(error)}"
    return ""
