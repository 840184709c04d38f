"""A player that searches with Monte-Carlo tree search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import final

from neurogame.errors import PlayerError
from neurogame.evaluators.base import Evaluator
from neurogame.kernels.leaves.move_scores import MoveJudge
from neurogame.search.limit import Limit
from neurogame.search.mcts import Mcts
from neurogame.search.mcts_settings import MctsSettings
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game
from neurogame.simulate.states import State

DEFAULT_LIMIT = Limit(simulations=1000)
"""Used where neither the player nor the match says how long to think."""


@final
class MctsPlayer:
    """Monte-Carlo tree search, with or without an evaluator; its tree lives as long as the match.

    Attributes:
        last: the result of the last search of this match, or None.
        gate_report: what gating decided, as text for people; empty if nothing was gated.
    """

    def __init__(
        self,
        source: Callable[[Game, int], Evaluator] | None = None,
        *,
        judges: Callable[[Game, int], Mapping[str, MoveJudge]] | None = None,
        name: str = "mcts",
        limit: Limit | None = None,
        settings: MctsSettings | None = None,
        fresh: bool = False,
        gate: float = 60.0,
    ) -> None:
        """Make a player.

        Args:
            source: makes the evaluator of a game from a seed; None: there is none.
            judges: makes the judges of moves of a game from a seed, by name; None: there are none.
            name: its player string.
            limit: its own limit; the stricter of this and the match's counts.
            settings: how to search.
            fresh: whether to make a new evaluator for every match, with the match's seed;
                otherwise it is made once per game with seed 0, as judges always are.
            gate: seconds that gating may take, once per game, where the settings ask for it.

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
        self.gate_report = ""
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

    def start(self, game: Game, role: int, seed: int) -> None:
        """Prepare a match; see :class:`neurogame.play.player.Player`."""
        if self._source is not None and (
            self._evaluator is None or self._fresh or game is not self._game
        ):
            self._evaluator = self._source(game, seed if self._fresh else 0)
        if self._make_judges is not None and (self._judges is None or game is not self._game):
            self._judges = self._make_judges(game, 0)
            self._decide(game, self._judges, seed)
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

    def _decide(self, game: Game, judges: Mapping[str, MoveJudge], seed: int) -> None:
        """Have gating decide what the settings leave to it."""
        if not self._settings.is_gated:
            return
        # Imported here: it plays matches itself.
        from neurogame.play.gate.gate import open_gate

        report = open_gate(
            game,
            self._settings,
            judges,
            seed=seed,
            seconds=self._gate,
            limit=self._limit or None,
            evaluator=self._evaluator,
        )
        self._decided, self.gate_report = report.settings, str(report)

    def choose(self, state: State, limit: Limit) -> int:
        """Search and return the best move found.

        Args:
            state: the present, non-terminal state.
            limit: the match's limit; a depth is not looked at.

        Raises:
            PlayerError: ``start`` was not called.
        """
        if self._search is None:
            raise PlayerError(f"player {self._name}: choose() before start(); start a match first")
        merged = self._limit.merged(limit)
        if merged.seconds is None and merged.nodes is None and merged.simulations is None:
            merged = DEFAULT_LIMIT
        self.last = self._search.search(state, self._role, merged)
        return self.last.move

    def stop(self) -> None:
        """Drop the tree; the evaluator stays for the next match."""
        self._search = None
