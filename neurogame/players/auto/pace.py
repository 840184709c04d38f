"""How long the searches of trials may take, so that enough rounds fit the time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import final

from neurogame.players.probe import Probe
from neurogame.players.race import MATCHES_PER_ROUND

FEWEST = 3
"""Rounds without which nothing is decided."""
LONGEST = 0.25
"""Most seconds per move in trials."""
_ROUNDS = 5
"""Rounds that should fit the time for every candidate; most drop out soon."""
_GOOD, _SHORTEST = 0.02, 0.004
"""Seconds per move in trials: a tree search makes a thousand simulations in the least, but what is
learned looks stronger then than with more time."""
_FEW = 2
"""Candidates beyond which a further one must leave each search a good time."""


@final
@dataclass(frozen=True, kw_only=True)
class TrialPace:
    """How long searches of trials may take.

    Attributes:
        costs: of a match.
        deadline: when trials end, as ``time.monotonic`` tells it.
        longest: most seconds of a search.
    """

    costs: Probe
    deadline: float
    longest: float

    def move_time(self, others: int) -> float:
        """Return the seconds of a search with which trials fit the time; 0 if none do.

        Where long matches leave less than the shortest good time in all rounds, fewer are played.
        """
        matches = MATCHES_PER_ROUND * others
        if not self.costs.choices or not matches:
            return 0.0
        left = self.deadline - time.monotonic()
        whole, least = (
            (left / (matches * rounds) - self.costs.overhead) / self.costs.choices
            for rounds in (_ROUNDS, FEWEST)
        )
        return min(max(whole, min(least, _SHORTEST)), self.longest)

    def suits(self, others: int) -> bool:
        """Return whether there is time for trials of so many, and good ones for more than a few."""
        return self.fits(others, _SHORTEST if others <= _FEW else _GOOD)

    def fits(self, others: int, least: float = _SHORTEST) -> bool:
        """Return whether each search can have the least time.

        Args:
            others: candidates.
            least: in seconds; what is longer than the longest counts as that.
        """
        return self.costs.choices > 0 and self.move_time(others) >= min(least, self.longest)
