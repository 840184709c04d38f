"""Gating: heuristics where they help in this game, plain search where they do not.

A heuristic made from the rules, or an evaluator, helps in some games and misleads in others. So
before a match begins its use is put to the test, in the game that is to be played:

1. Rank correlation, for judges of moves. The judge's scores of all moves of random states are
   compared with random playouts of these moves. A judge that surely ranks them the wrong way
   round, or never distinguishes any, is switched off at once.
2. Short matches. The remaining uses play against the plain search from random openings in all
   roles, until one is surely better.

What is believed of a use before and after these matches decides (:mod:`neurogame.players.belief`).
So where nothing helps, or time is too short to tell, the search stays plain; but an evaluator that
has learned is trusted until matches speak against it.

*Reference:* the question is left open by Trutman and Schiffel, "Creating Action Heuristics for
General Game Playing Agents", section "Conclusion" ("prone to be misleading").
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

from neurogame.players.belief import USUAL, learned_belief
from neurogame.players.gate.evidence import MOST_PLAYOUTS, ScoreEvidence, measure_evidence
from neurogame.players.gate.trials import Trials, TrialTerms, play_trials
from neurogame.players.gate.uses import (
    LEARNED_USE,
    action_uses,
    evaluator_uses,
    ungated,
)
from neurogame.search.mcts.settings import GATED_JUDGE, MctsSettings
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import play_out

_NO_TRIALS = Trials(racers=())
_RANKING, _TRIAL, _FEWEST_PLAYOUTS = 0.2, 64, 2048
"""Where the end is fixed: the share of the time for the playouts that rank moves, the playouts by
which their speed is measured, and how many there must be to say anything."""


@final
@dataclass(frozen=True, kw_only=True)
class GateReport:
    """What gating decided, and on what grounds.

    Attributes:
        about: what is used or not: ``heuristic`` or ``evaluator``.
        settings: how to search, without anything gated.
        chosen: what was switched on; ``off`` for nothing.
        evidence: rank correlation with random playouts; None if it was not measured.
        trials: what matches came to.
        seconds: time spent.
    """

    about: str
    settings: MctsSettings
    chosen: str
    evidence: ScoreEvidence | None
    trials: Trials
    seconds: float

    @property
    def headline(self) -> str:
        """One line for people: what was decided."""
        return f"{self.about}: {self.chosen} ({self.seconds:.1f} s)"

    def __str__(self) -> str:
        """Return a few lines for people."""
        lines = [self.headline]
        if self.evidence is not None:
            lines.append(
                f"rank correlation with playouts {self.evidence.correlation:+.2f} in "
                f"{self.evidence.states} choices, best move's gain {self.evidence.gain:+.3f}"
            )
        return "\n".join([*lines, *self.trials.lines()])


def open_gate(game: Game, settings: MctsSettings, terms: TrialTerms) -> GateReport:
    """Decide how to use the action heuristic where the settings say ``gated``.

    Args:
        game: the game.
        settings: ``playout``, ``tree`` or both are ``gated``.
        terms: how it is tried; the judges hold ``action`` if there is such a heuristic for the
            game. On top of its seconds come the playouts by which moves are ranked, where these are
            slow. With an end, what is undecided then stays plain.
    """
    begun = time.monotonic()
    plain, seconds, latest = ungated(settings), terms.seconds, terms.latest
    judge = terms.judges.get(GATED_JUDGE)
    if not all(game.initial_state().legal_moves):
        judge = None  # No move is ever made by which it could be tried.
    most = MOST_PLAYOUTS
    if judge is not None and seconds > 0 and latest is not None:
        most = _affordable(game, seconds, terms.seed)
    if judge is None or seconds <= 0 or most < _FEWEST_PLAYOUTS:
        return _report("heuristic", plain, {}, None, _NO_TRIALS, begun)
    evidence = measure_evidence(game, judge, seed=terms.seed, most=most)
    late = latest is not None and time.monotonic() > latest
    uses = {} if late or evidence.is_against else action_uses(settings)
    trials = _NO_TRIALS
    if uses:
        left = seconds - (time.monotonic() - begun)
        trials = play_trials(game, plain, uses, replace(terms, seconds=left), {})
    return _report("heuristic", plain, uses, evidence, trials, begun)


def open_evaluator_gate(
    game: Game, settings: MctsSettings, terms: TrialTerms, *, trained: bool = False
) -> GateReport:
    """Decide how a tree search uses an evaluator, if at all, where its settings do not say.

    Args:
        game: the game.
        settings: nothing in them asks for an evaluator.
        terms: how it is tried; with an evaluator, and judges of moves where the settings ask for
            them.
        trained: whether the evaluator has learned. Then its values are trusted, in the use that is
            for them, unless matches speak against that: with little time, or none, too. A tree
            that the settings choose leaves no room for that use.
    """
    begun = time.monotonic()
    uses = evaluator_uses(settings)
    # The other uses are for those that know little.
    priors = {LEARNED_USE: learned_belief(USUAL)} if trained and LEARNED_USE in uses else {}
    trials = play_trials(game, settings, uses, terms, priors)
    return _report("evaluator", settings, uses, None, trials, begun)


def _report(
    about: str,
    plain: MctsSettings,
    uses: Mapping[str, MctsSettings],
    evidence: ScoreEvidence | None,
    trials: Trials,
    begun: float,
) -> GateReport:
    """Return what follows from trials."""
    best = trials.best
    return GateReport(
        about=about,
        settings=plain if best is None else uses[best],
        chosen="off" if best is None else best,
        evidence=evidence,
        trials=trials,
        seconds=time.monotonic() - begun,
    )


def _affordable(game: Game, seconds: float, seed: int) -> int:
    """Return how many playouts for each role take no more than a part of the time."""
    simulator = game.simulator()
    play_out(simulator, 1, seed)
    begun = time.monotonic()
    play_out(simulator, _TRIAL, seed)
    share = _RANKING * seconds / len(game.players)
    return min(int(_TRIAL * share / (time.monotonic() - begun)), MOST_PLAYOUTS)
