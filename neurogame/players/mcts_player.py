"""A player that searches with Monte-Carlo tree search."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import final

from neurogame.errors import PlayerError
from neurogame.evaluators.base import Evaluator
from neurogame.kernels.leaves.move_scores import MoveJudge
from neurogame.players.pace import measure_pace
from neurogame.players.refining import refine_in_time
from neurogame.players.started import started
from neurogame.search.limit import Limit
from neurogame.search.mcts import Mcts
from neurogame.search.mcts_settings import MctsSettings
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State

DEFAULT_LIMIT = Limit(simulations=1000)
"""Used where neither the player nor the match says how long to think."""
_SHARE = 0.5
"""Share of the time for the start that learning, and gating, may take."""


@final
class MctsPlayer:
    """Monte-Carlo tree search, with or without an evaluator; its tree lives as long as the match.

    Attributes:
        last: the result of the last search of this match, or None.
        report: what came of refinement and of gating, as text for people; empty if there was
            neither.
    """

    def __init__(
        self,
        source: Callable[[Game, int], Evaluator] | None = None,
        *,
        judges: Callable[[Game, int, float | None], Mapping[str, MoveJudge]] | None = None,
        name: str = "mcts",
        limit: Limit | None = None,
        settings: MctsSettings | None = None,
        fresh: bool = False,
        gate: float = 60.0,
        refine: float = 0.0,
    ) -> None:
        """Make a player.

        Args:
            source: makes the evaluator of a game from a seed; None: there is none.
            judges: makes the judges of moves of a game, by name, from a seed and the time at which
                learning has to end, as ``time.monotonic`` tells it, or None; None: there are none.
            name: its player string.
            limit: its own limit; the stricter of this and the match's counts.
            settings: how to search.
            fresh: whether to make a new evaluator for every match, with the match's seed;
                otherwise it is made once per game with seed 0, as judges always are.
            gate: seconds that gating may take, once per game, where the settings ask for it.
            refine: seconds of self-play by which a new evaluator is refined before the first
                match; in a start clock no more than fits.

        Raises:
            PlayerError: the settings need an evaluator or judges and there are none, or an
                evaluator is not needed.
        """
        self.last: SearchResult | None = None
        self._source = source
        self._name = name
        self._limit = limit or Limit()
        self._settings = settings or MctsSettings()
        self._fresh = fresh
        self._role = 0
        self._game: Game | None = None
        self._gate = gate
        self._make_judges = judges
        self._refine = refine
        self.report = ""
        self._evaluator: Evaluator | None = None
        self._judges: Mapping[str, MoveJudge] | None = None
        self._decided = self._settings
        self._search: Mcts | None = None
        if self._settings.needs_evaluator and source is None:
            raise PlayerError(
                f"player {name}: cutoff, bias and minimax need an evaluator; name one, as in "
                "mcts:cilp,cutoff=2"
            )
        if judges is None and (self._settings.judges or self._settings.is_gated):
            raise PlayerError(f"player {name}: tree or playout need judges of moves; give a maker")
        if source is not None and not self._settings.needs_evaluator:
            raise PlayerError(
                f"player {name}: nothing asks for the evaluator; set cutoff, bias or minimax"
            )

    @property
    def name(self) -> str:
        """The player string."""
        return self._name

    def start(self, game: Game, role: int, seed: int, seconds: float | None = None) -> None:
        """Prepare a match; see :class:`neurogame.players.player.Player`.

        With ``seconds``, knowledge is learned from no more games than fit half of them, and gating
        takes at most half of what is left once judges and a search are made.
        """
        end = None if seconds is None else time.monotonic() + seconds
        if self._source is not None and (
            self._evaluator is None or self._fresh or game is not self._game
        ):
            self._evaluator = self._source(game, seed if self._fresh else 0)
            self.report = refine_in_time(game, self._evaluator, self._refine, seed, end)
        if self._make_judges is not None and (self._judges is None or game is not self._game):
            learned = None if end is None or seconds is None else end - _SHARE * seconds
            self._judges = self._make_judges(game, 0, learned)
            self._decide(game, self._judges, seed, end)
        self._game = game
        self._role = role
        self.last = None
        self._search = Mcts(
            game,
            settings=self._decided,
            evaluator=self._evaluator,
            judges=self._judges,
            seed=seed,
        )
        if seconds is not None:
            measure_pace(self._search, game, role)

    def _decide(
        self, game: Game, judges: Mapping[str, MoveJudge], seed: int, end: float | None
    ) -> None:
        """Have gating decide what the settings leave to it, in time if there is an end."""
        if not self._settings.is_gated:
            return
        # Imported here: it plays matches itself.
        from neurogame.players.gate.gate import open_gate, ungated

        gate, latest = self._gate, None
        if end is not None:
            begun = time.monotonic()
            Mcts(game, settings=ungated(self._settings), evaluator=self._evaluator, judges=judges)
            now = time.monotonic()
            # The search that is decided on has to be made after that.
            latest = end - (now - begun)
            gate = min(gate, max(_SHARE * (latest - now), 0.0))
        report = open_gate(
            game,
            self._settings,
            judges,
            seed=seed,
            seconds=gate,
            limit=self._limit or None,
            evaluator=self._evaluator,
            latest=latest,
        )
        self._decided = report.settings
        self.report = "\n".join(filter(None, [self.report, str(report)]))

    def choose(self, state: State, limit: Limit) -> int:
        """Search and return the best move found.

        Args:
            state: the present, non-terminal state.
            limit: the match's limit; a depth is not looked at.

        Raises:
            PlayerError: ``start`` was not called.
        """
        search = started(self._search, self._name, "choose")
        merged = self._limit.merged(limit)
        if merged.seconds is None and merged.nodes is None and merged.simulations is None:
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
        """Drop the tree; the evaluator stays for the next match."""
        self._search = None
