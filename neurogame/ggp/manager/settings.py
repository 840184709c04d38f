"""The conditions under which the manager lets players play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.settings import Settings, setting

_LONGEST_CLOCK = 86_400


@final
@dataclass(frozen=True, kw_only=True)
class ManagerSettings(Settings):
    """The conditions of a match."""

    start_clock: int = setting(
        30,
        "whole seconds until START must be answered. There is no grace.",
        least=1,
        most=_LONGEST_CLOCK,
    )
    play_clock: int = setting(15, "whole seconds for a move", least=1, most=_LONGEST_CLOCK)
    grace: float = setting(
        1.0,
        "seconds that a move may come later and still count; GGP-Base gives 1",
        least=0,
        most=_LONGEST_CLOCK,
    )
    preview_clock: int | None = setting(
        None,
        "whole seconds for a look at the rules before START, or None: no PREVIEW is sent. Many "
        "players do not know this message and let the time pass.",
        least=1,
        most=_LONGEST_CLOCK,
    )
    patience: float = setting(
        5.0,
        "seconds to wait before a match for players that are busy",
        least=0,
        most=_LONGEST_CLOCK,
    )
    scramble: int | None = setting(
        None, "seed for replacing all names in what players are sent, or None", least=0
    )
    upper_case: bool = setting(False, "whether players are sent everything in capitals")
    strict: bool = setting(
        False,
        "whether players are forgiven no more than GGP-Base forgives: moves must be spelled "
        "exactly as sent, unless scrambled, and chunked or broken-off replies are read as they "
        "stand",
    )
    max_plies: int = setting(1000, "longest match in joint moves; a longer one is aborted", least=1)
    game_url: str | None = setting(
        None, "where a games server describes the game, for the record, or None"
    )
    tournament: str | None = setting(None, "name of the tournament, for the record, or None")
