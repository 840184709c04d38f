"""A player that makes uniformly random legal moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import State


@final
class RandomPlayer:
    """Uniformly random legal moves, decided by the match's seed alone."""

    name = "random"

    def __init__(self) -> None:
        self._role = 0
        self._random = np.random.default_rng(0)

    def start(self, match: MatchStart) -> None:
        """Prepare a match; see :class:`neurogame.players.player.Player`."""
        self._role = match.role
        self._random = np.random.default_rng(match.seed)

    def choose(self, state: State, limit: Limit) -> int:
        """Return a random legal move, whatever the limit."""
        return int(self._random.choice(state.legal_moves[self._role]))

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        """Return at once: there is nothing to think about."""

    def stop(self) -> None:
        """Nothing to clean up."""
