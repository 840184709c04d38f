"""What ``neurogame serve`` is asked to do."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from neurogame.errors import ConfigurationError
from neurogame.ggp.protocol.limits import ReadingLimits

_NAME = re.compile(r"[^\s();]+")


@final
@dataclass(frozen=True, kw_only=True)
class ServeSettings:
    """How a player is served over HTTP.

    Attributes:
        player: the player string: who chooses the moves.
        host: the address to listen at; 127.0.0.1 is reached from this machine only, 0.0.0.0
            from everywhere.
        port: the port to listen at, 0 to 65535; 0 takes a free one.
        name: the player's name in answers to INFO: one word.
        memory: what the search of a match may use; bytes, above 0; None for half of the machine's.
            A tree search reserves 600 MB: with less than about 1 GB moves are random.
        log: the folder for the logs of matches, made when needed; None for no logs.
        silence: seconds without a message after which a match is dropped, above 0; None for
            start clock + 3 play clocks + 60 s.
        reserve: the least part of a clock that is kept for the way of the answer; seconds, 0 or
            more. Of clocks so short that this were more than a twentieth, a twentieth.
        seed: decides all random choices of the player.
        limits: what a request may cost.
    """

    player: str = "auto"
    host: str = "127.0.0.1"
    port: int = 9147
    name: str = "neurogame"
    memory: int | None = None
    log: Path | None = None
    silence: float | None = None
    reserve: float = 0.1
    seed: int = 0
    limits: ReadingLimits = field(default_factory=ReadingLimits)

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ConfigurationError: a field is out of its range.
        """
        if not 0 <= self.port <= 65535:
            raise ConfigurationError(f"port {self.port}: a number from 0 to 65535 is needed")
        if not _NAME.fullmatch(self.name):
            raise ConfigurationError(
                f"name {self.name!r}: one word without blanks and parentheses is needed"
            )
        if self.memory is not None and self.memory <= 0:
            raise ConfigurationError(f"memory {self.memory}: bytes above 0 are needed")
        if self.silence is not None and not 0 < self.silence < math.inf:
            raise ConfigurationError(f"silence {self.silence}: seconds above 0 are needed")
        if not 0 <= self.reserve < math.inf:
            raise ConfigurationError(f"reserve {self.reserve}: seconds of 0 or more are needed")
        if not self.host:
            raise ConfigurationError("host '': an address such as 127.0.0.1 is needed")
