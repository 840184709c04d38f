"""A player that searches with alpha-beta on an evaluator."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import final

from neurogame.evaluators.base import Evaluator
from neurogame.players.pace import measure_pace
from neurogame.players.refining import refine_in_time
from neurogame.players.started import started
from neurogame.search.alphabeta import AlphaBeta
from neurogame.search.limit import Limit
from neurogame.search.result import SearchResult
from neurogame.search.settings import SearchSettings
from neurogame.simulate.game import Game, State

DEFAULT_LIMIT = Limit(depth=1)
"""Used where neither the player nor the match says how long to think."""


@final
class AlphaBetaPlayer:
    """Alpha-beta with one evaluator; its tree lives as long as the match.

    Attributes:
        last: the result of the last search of this match, or None.
        report: what came of refinement, as text for people; empty if nothing was refined.
    """

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
    ) -> None:
        """Make a player.

        Args:
            source: makes the evaluator of a game from a seed.
            name: its player string.
            limit: its own limit; the stricter of this and the match's counts.
            settings: how to search.
            fresh: whether to make a new evaluator for every match, with the match's seed;
                otherwise it is made once per game with seed 0.
            device: where to compute.
            refine: seconds of self-play by which a new evaluator is refined before the first
                match; in a start clock no more than fits.
        """
        self.report = ""
        self.last: SearchResult | None = None
        self._source = source
        self._name = name
        self._limit = limit or Limit()
        self._settings = settings
        self._fresh = fresh
        self._device = device
        self._refine = refine
        self._role = 0
        self._game: Game | None = None
        self._evaluator: Evaluator | None = None
        self._search: AlphaBeta | None = None

    @property
    def name(self) -> str:
        """The player string."""
        return self._name

    def start(self, game: Game, role: int, seed: int, seconds: float | None = None) -> None:
        """Prepare a match; see :class:`neurogame.players.player.Player`."""
        end = None if seconds is None else time.monotonic() + seconds
        if self._evaluator is None or self._fresh or game is not self._game:
            self._evaluator = self._source(game, seed if self._fresh else 0)
            self._game = game
            self.report = refine_in_time(game, self._evaluator, self._refine, seed, end)
        self._role = role
        self.last = None
        self._search = AlphaBeta(
            game, self._evaluator, settings=self._settings, seed=seed, device=self._device
        )
        if seconds is not None:
            measure_pace(self._search, game, role)

    def choose(self, state: State, limit: Limit) -> int:
        """Search and return the best move found.

        Args:
            state: the present, non-terminal state.
            limit: the match's limit.

        Raises:
            PlayerError: ``start`` was not called.
        """
        search = started(self._search, self._name, "choose")
        merged = self._limit.merged(limit)
        if merged.seconds is None and merged.nodes is None and merged.depth is None:
            merged = DEFAULT_LIMIT
        self.last = search.search(state, self._role, merged)
        return self.last.move

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        """Search until told to stop; the next :meth:`choose` goes on from there.

        Args:
            state: the present, non-terminal state.
            stop: whether to return.

        Raises:
            PlayerError: ``start`` was not called.
        """
        started(self._search, self._name, "ponder").ponder(state, self._role, stop)

    def stop(self) -> None:
        """Drop the search tree; the evaluator stays for the next match."""
        self._search = None
