"""The conditions under which the manager lets players play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.errors import ConfigurationError

_LONGEST_CLOCK = 86_400


@final
@dataclass(frozen=True, kw_only=True)
class ManagerSettings:
    """The conditions of a match.

    Attributes:
        start_clock: whole seconds until START must be answered, 1 to 86400. There is no grace.
        play_clock: whole seconds for a move, 1 to 86400.
        grace: seconds that a move may come later and still count; GGP-Base gives 1.
        preview_clock: whole seconds for a look at the rules before START, or None: no PREVIEW
            is sent. Many players do not know this message and let the time pass.
        patience: seconds to wait before a match for players that are busy, 0 or more.
        scramble: seed for replacing all names in what players are sent, or None.
        upper_case: whether players are sent everything in capitals.
        strict: whether players are forgiven no more than GGP-Base forgives: moves must be
            spelled exactly as sent, unless scrambled, and chunked or broken-off replies are
            read as they stand.
        max_plies: longest match in joint moves, at least 1; a longer one is aborted.
        game_url: where a games server describes the game, for the record, or None.
        tournament: name of the tournament, for the record, or None.
    """

    start_clock: int = 30
    play_clock: int = 15
    grace: float = 1.0
    preview_clock: int | None = None
    patience: float = 5.0
    scramble: int | None = None
    upper_case: bool = False
    strict: bool = False
    max_plies: int = 1000
    game_url: str | None = None
    tournament: str | None = None

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ConfigurationError: a field is out of its range.
        """
        for name in ("start_clock", "play_clock", "preview_clock"):
            value = getattr(self, name)
            if value is None and name == "preview_clock":
                continue
            if not isinstance(value, int) or not 1 <= value <= _LONGEST_CLOCK:
                raise ConfigurationError(
                    f"{name}={value}; whole seconds from 1 to {_LONGEST_CLOCK} are needed, "
                    "the protocol knows no others"
                )
        for name in ("grace", "patience"):
            if not 0 <= getattr(self, name) <= _LONGEST_CLOCK:
                raise ConfigurationError(
                    f"{name}={getattr(self, name)}; seconds from 0 to {_LONGEST_CLOCK} are needed"
                )
        if self.scramble is not None and self.scramble < 0:
            raise ConfigurationError(f"scramble={self.scramble}; a seed of at least 0 is needed")
        if self.max_plies < 1:
            raise ConfigurationError(f"max_plies={self.max_plies}; at least 1 is needed")
