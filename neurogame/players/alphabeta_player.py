"""A player that searches with alpha-beta on an evaluator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, final

from neurogame.evaluators.base import Evaluator
from neurogame.players.search_player import FindHome, SearchPlayer
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.home_search import HomeSearch, from_home
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game

if TYPE_CHECKING:
    from neurogame.learn.matches.learner import MatchLearner


@final
class AlphaBetaPlayer(SearchPlayer):
    """Alpha-beta with one evaluator; its report is about refinement."""

    HEEDED = ("seconds", "nodes", "depth")

    def __init__(
        self,
        source: Callable[[Game, int], Evaluator],
        *,
        name: str = "alphabeta",
        limit: Limit | None = None,
        settings: SearchSettings | None = None,
        fresh: bool = False,
        device: str = "cpu",
        refine: float = 0.0,
        learn: Callable[[Game], MatchLearner] | None = None,
        home: FindHome | None = None,
    ) -> None:
        """Make a player.

        Args:
            source: makes the evaluator of a game from a seed.
            name: see :class:`~neurogame.players.search_player.SearchPlayer`, as for ``limit``,
                ``fresh`` and ``refine``.
            limit: its own limit.
            settings: how to search.
            fresh: whether every match has an evaluator of its own.
            device: where to compute.
            refine: seconds of self-play before the first match.
            learn: makes what learns from matches, or None.
            home: finds the game that the source has learned, or None.
        """
        super().__init__(
            source, name=name, limit=limit, fresh=fresh, refine=refine, learn=learn, home=home
        )
        self._settings = settings
        self._device = device

    def _make_search(
        self, game: Game, seed: int, seconds: float | None, end: float | None
    ) -> AlphaBeta | HomeSearch:
        assert self._evaluator is not None, "there is a source"
        search = AlphaBeta(
            game,
            self._evaluator,
            settings=self._settings,
            seed=seed,
            device=self._device,
        )
        return from_home(search, self._mapping)
