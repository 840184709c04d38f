"""What ``neurogame serve`` is asked to do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import final

from neurogame.ggp.protocol.limits import ReadingLimits
from neurogame.settings import Settings, setting

_NAME = re.compile(r"[^\s();]+")
_ORIGIN = re.compile(r"\*|null|[a-z][a-z0-9+.-]*://[!-.0-~]+|")


@final
@dataclass(frozen=True, kw_only=True)
class ServeSettings(Settings):
    """How a player is served over HTTP."""

    player: str = setting("auto", "the player string: who chooses the moves")
    host: str = setting(
        "127.0.0.1",
        "the address to listen at; 127.0.0.1 is reached from this machine only, 0.0.0.0 from "
        "everywhere",
    )
    port: int = setting(9147, "the port to listen at; 0 takes a free one", least=0, most=65535)
    name: str = setting("neurogame", "the player's name in answers to INFO: one word")
    allow_origin: str = setting(
        "",
        "the web pages that may ask for moves: an origin such as https://example.org, * for all "
        "pages, nothing for none",
    )
    memory: int | None = setting(
        None,
        "what the search of a match may use; bytes; None for half of the machine's. A tree search "
        "reserves 600 MB: with less than about 1 GB moves are random.",
        above=0,
    )
    log: Path | None = setting(
        None, "the folder for the logs of matches, made when needed; None for no logs"
    )
    silence: float | None = setting(
        None,
        "seconds without a message after which a match is dropped; None for start clock + 3 play "
        "clocks + 60 s",
        above=0,
    )
    reserve: float = setting(
        0.1,
        "the least part of a clock that is kept for the way of the answer; seconds. Of clocks so "
        "short that this were more than a twentieth, a twentieth.",
        least=0,
    )
    seed: int = setting(0, "decides all random choices of the player")
    limits: ReadingLimits = setting(ReadingLimits(), "what a request may cost")

    def check(self) -> None:
        """Refuse a name that is not one word, and what is no origin."""
        if not _NAME.fullmatch(self.name):
            raise self.refused("name", "one word without blanks and parentheses")
        if not _ORIGIN.fullmatch(self.allow_origin):
            raise self.refused("allow_origin", "an origin such as https://example.org, or *")
