"""Refinement before a match: self-play in a given time, kept only if it made the evaluator better.

A rules network goes on learning from where it is; in place of any other one, a rules
network that fits the game learns from the beginning, and takes its place if it beats it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import final

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.rules_network.evaluator import as_rules_network
from neurogame.learn.comparison import Comparison, compare
from neurogame.learn.timed_learning import TimedLearner, is_too_slow
from neurogame.search.lockstep.counter_random import derived_seed
from neurogame.search.opposition import opposed
from neurogame.simulate.game import Game

_LEARNING = 0.7
"""Share of the time for learning; the rest is for the matches that judge it."""
_MATCHES = 64
"""Matches that judge, at most; those that are not finished in time do not count."""
_FEWEST = 16
_EVALUATION = 103


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Refinement:
    """What refinement came to.

    Attributes:
        evaluator: what to play with: the refined one if it is kept, else the former.
        games: of self-play.
        comparison: of the refined against the former evaluator.
        is_kept: whether the refined one is kept.
        seconds: that it took.
    """

    evaluator: Evaluator
    games: int
    comparison: Comparison
    is_kept: bool
    seconds: float

    def __str__(self) -> str:
        """Return one line for people."""
        kept = "kept" if self.is_kept else "dropped"
        return (
            f"refined by {self.games:,} games with itself in {self.seconds:.1f} s; against the "
            f"former evaluator {self.comparison.text()}: {kept}"
        )


def refine_evaluator(
    game: Game, evaluator: Evaluator, seconds: float, seed: int = 0
) -> Refinement | None:
    """Learn by self-play what may take an evaluator's place; the evaluator is not changed.

    Args:
        game: the game.
        evaluator: of the game.
        seconds: time for it, checks included; matches are cut off when it is over.
        seed: decides the games.

    Returns:
        What came of it; None if the game is too slow for that time.
    """
    started = time.monotonic()
    if is_too_slow(game, seconds):
        return None
    timed = TimedLearner(game, begun=as_rules_network(evaluator), seed=seed)
    timed.learn(started + _LEARNING * seconds)
    games = timed.learner.counters.matches
    if not games:
        return None
    refined: Evaluator = timed.learner.averaged
    comparison = compare(
        game,
        refined,
        evaluator,
        matches=_MATCHES,
        seed=derived_seed(seed, _EVALUATION, 0),
        opening_plies=4,
        # The clock is running: no search for openings that are decided, and one ply ahead.
        opening_nodes=0,
        margin=opposed(game),
        stop=lambda: time.monotonic() >= started + seconds,
    )
    kept = comparison.matches >= _FEWEST and comparison.low > 0.5
    return Refinement(
        evaluator=refined if kept else evaluator,
        games=games,
        comparison=comparison,
        is_kept=kept,
        seconds=time.monotonic() - started,
    )
