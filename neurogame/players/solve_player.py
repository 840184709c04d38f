"""A player for games of one role: it looks for the best line of moves and follows it."""

from __future__ import annotations

import time
from typing import final

from neurogame.errors import PlayerError
from neurogame.players.search_player import Outfit, SearchPlayer
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.puzzles.solver import PuzzleSolver
from neurogame.simulate.game import Game, State
from neurogame.waiting import during, say

_SHARE = 0.9
"""Share of what is left of the start's seconds that is spent on looking for a line."""


@final
class SolvePlayer(SearchPlayer):
    """Breadth-first search by layers, anew in each match."""

    HEEDED = ("seconds", "nodes")

    def __init__(self, *, name: str = "solve", limit: Limit | None = None) -> None:
        """Make a player.

        Args:
            name: its player string.
            limit: its own limit; the stricter of this and the match's counts.
        """
        super().__init__(Outfit(name=name, limit=limit))

    def _use_start(self, state: State, end: float) -> None:
        """Look for a line as long as the start's seconds allow."""
        super()._use_start(state, end)
        solver = self._search
        assert isinstance(solver, PuzzleSolver)
        left = _SHARE * (end - time.monotonic())
        stop = time.monotonic() + left
        with during(f"{self.name}: looks for a line in {state.game.name}", max(left, 0.0)):
            solver.ponder(state, self._role, lambda: time.monotonic() >= stop)
        self.report = solver.headline
        say(f"{self.name}: {self.report}")

    def _make_search(self, game: Game, match: MatchStart, end: float | None) -> PuzzleSolver:
        if len(game.roles) != 1:
            raise PlayerError(
                f"player {self.name}: {game.name} has {len(game.roles)} roles"
                f"{', chance one of them' * (game.chance is not None)}; solve is for games of one "
                "role, take mcts or auto"
            )
        return PuzzleSolver(game, match.seed)
