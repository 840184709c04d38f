"""A player that searches with alpha-beta on an evaluator."""

from __future__ import annotations

from typing import final

from neurogame.players.search_player import Outfit, SearchPlayer
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.home_search import GameSearch, from_home
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game


@final
class AlphaBetaPlayer(SearchPlayer):
    """Alpha-beta with one evaluator; its report is about refinement."""

    HEEDED = ("seconds", "nodes", "depth")

    def __init__(
        self, outfit: Outfit, *, settings: SearchSettings | None = None, device: str = "cpu"
    ) -> None:
        """Make a player.

        Args:
            outfit: with a source.
            settings: how to search.
            device: where to compute.
        """
        super().__init__(outfit)
        self._settings, self._device = settings, device

    def _make_search(self, game: Game, match: MatchStart, end: float | None) -> GameSearch:
        assert self._evaluator is not None, "there is a source"
        search = AlphaBeta(
            game,
            self._evaluator,
            settings=self._settings,
            seed=match.seed,
            device=self._device,
        )
        return from_home(search, self._mapping)
