"""A player that searches with Monte-Carlo tree search."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import final

from neurogame.errors import PlayerError
from neurogame.judges.moves import MoveJudge
from neurogame.players.search_player import Outfit, SearchPlayer
from neurogame.search.home_search import GameSearch, from_home
from neurogame.search.match_start import MatchStart
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game
from neurogame.waiting import during, say

_SHARE = 0.5
"""Share of the time for the start that learning, and gating, may take."""


@final
class MctsPlayer(SearchPlayer):
    """Monte-Carlo tree search, with or without an evaluator.

    Its report is about refinement and gating. With seconds to start in, knowledge is learned from
    no more games than fit half of them, and gating takes at most half of what is left once judges
    and a search are made.
    """

    HEEDED = ("seconds", "nodes", "simulations")

    def __init__(
        self,
        outfit: Outfit,
        *,
        judges: Callable[[Game, int, float | None], Mapping[str, MoveJudge]] | None = None,
        settings: MctsSettings | None = None,
        gate: float = 60.0,
        trained: bool = False,
    ) -> None:
        """Make a player.

        Args:
            outfit: what it brings along; with or without a source.
            judges: makes the judges of moves of a game, by name, from a seed and the time at which
                learning has to end, as ``time.monotonic`` tells it, or None; once per game with
                seed 0; None: there are none.
            settings: how to search. If nothing in them asks for the evaluator, gating decides
                what it is used for, if anything.
            gate: seconds that gating may take, once per game, where there is something to decide.
            trained: whether the evaluator has learned, so that gating trusts it.

        Raises:
            PlayerError: the settings need an evaluator or judges and there are none.
        """
        super().__init__(outfit)
        self._settings = settings or MctsSettings()
        self._gate, self._trained = gate, trained
        self._make_judges = judges
        self._judges: Mapping[str, MoveJudge] | None = None
        self._decided = self._settings
        if self._settings.needs_evaluator and outfit.source is None:
            raise PlayerError(
                f"player {outfit.name}: cutoff, bias, minimax, experience and tree=values need an "
                "evaluator; name one, as in mcts:cilp,cutoff=2"
            )
        if judges is None and (self._settings.judges or self._settings.is_gated):
            raise PlayerError(
                f"player {outfit.name}: tree or playout need judges of moves; give a maker"
            )
        # Where nothing says what the evaluator is for, matches decide.
        self._tries_evaluator = outfit.source is not None and not self._settings.needs_evaluator

    def _make_search(self, game: Game, match: MatchStart, end: float | None) -> GameSearch:
        if game is not self._game:
            self._decided = self._settings
            if self._make_judges is not None:
                learned = None if end is None else end - _SHARE * (match.seconds or 0.0)
                self._judges = self._make_judges(game, 0, learned)
            if self._settings.is_gated:
                self._decide(game, match.seed, end, of_evaluator=False)
            if self._tries_evaluator:
                self._decide(game, match.seed, end, of_evaluator=True)
        search = Mcts(
            game,
            settings=self._decided,
            evaluator=self._evaluator,
            judges=self._judges,
            seed=match.seed,
        )
        return from_home(search, self._mapping)

    def _decide(self, game: Game, seed: int, end: float | None, *, of_evaluator: bool) -> None:
        """Have gating decide what is left to it, in time if there is an end.

        Args:
            game: the game.
            seed: decides trials.
            end: when they have to be over, as ``time.monotonic`` tells it, or None.
            of_evaluator: whether it is about the evaluator, and not about the action heuristic.
        """
        # Imported here: it plays matches itself.
        from neurogame.players.gate.gate import open_evaluator_gate, open_gate
        from neurogame.players.gate.trials import TrialTerms
        from neurogame.players.gate.uses import ungated

        gate, latest, judges = self._gate, None, self._judges or {}
        if end is not None:
            begun = time.monotonic()
            plain = ungated(self._decided)
            Mcts(game, settings=plain, evaluator=self._evaluator, judges=judges)
            now = time.monotonic()
            # The search that is decided on has to be made after that.
            latest = end - (now - begun)
            gate = min(gate, max(_SHARE * (latest - now), 0.0))
        terms = TrialTerms(
            seed=seed,
            seconds=gate,
            limit=self._expected,
            evaluator=self._evaluator,
            judges=judges,
            latest=latest,
        )
        with during(f"{self.name}: trials of its uses", gate) if gate > 0 else nullcontext():
            if of_evaluator:
                report = open_evaluator_gate(game, self._decided, terms, trained=self._trained)
            else:
                report = open_gate(game, self._decided, terms)
        if gate > 0:
            say(f"{self.name}: {report.headline}")
        self._decided = report.settings
        self.report = "\n".join(filter(None, [self.report, str(report)]))
