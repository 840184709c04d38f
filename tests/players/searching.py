"""A search that knows which moves are good, and may choose the worst."""

from __future__ import annotations

from collections.abc import Callable

from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State


class Searching:
    """Searches as MCTS does, and then takes the best or the worst move."""

    def __init__(self, game: Game, *, is_good: bool = False) -> None:
        settings = MctsSettings(capacity=10_000)
        self._search, self._is_good = Mcts(game, settings=settings, seed=1), is_good

    def search(self, state: State, role: int, limit: Limit) -> SearchResult:
        found = self._search.search(state, role, Limit(simulations=50))
        worst = min(found.scores, key=lambda move: found.scores[move])
        return found if self._is_good else SearchResult(**{**vars(found), "move": worst})

    def forget(self, *, proofs: bool = True) -> None:
        self._search.forget(proofs=proofs)

    def ponder(self, state: State, role: int, stop: Callable[[], bool]) -> None:
        raise AssertionError

    def rehearse(self, state: State, role: int, seconds: float) -> None:
        raise AssertionError
