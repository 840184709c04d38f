"""Refinement: an evaluator learns from matches with itself for as long as a clock allows.

What came of it must beat what it was, in matches of the two; otherwise the old weights stay. So
refinement costs time, but rarely strength.
"""

from __future__ import annotations

import copy
import math
import time
from dataclasses import dataclass
from typing import final

import torch

from neurogame.evaluators.base import Evaluator
from neurogame.learn.comparison import Comparison, compare
from neurogame.learn.config import TrainConfig
from neurogame.learn.learner import Learner, derived_seed
from neurogame.learn.self_play import uses_margin
from neurogame.simulate.game import Game

_LEARNING = 0.7
"""Share of the time for learning; the rest is for the matches that judge it."""
_CONCURRENT = 16
_MATCHES = 64
"""Matches that judge, at most; those that are not finished in time do not count."""
_FEWEST = 16
_WIDEST = 10
"""Most joint moves at the beginning with which looking two plies ahead is still worth it."""
_GROWTH = 3
"""How many times more moves there may be later."""
_PLY_SHARE = 0.05
"""Share of the time that one ply of all matches may take."""
_FEWEST_CONCURRENT = 2
_EVALUATION = 103


@final
@dataclass(frozen=True, kw_only=True)
class Refinement:
    """What refinement came to.

    Attributes:
        matches: of self-play.
        updates: of the weights.
        comparison: of the refined against the former weights; None if there was no time for it.
        is_kept: whether the refined weights stay.
        seconds: that it took.
    """

    matches: int
    updates: int
    comparison: Comparison | None
    is_kept: bool
    seconds: float

    def __str__(self) -> str:
        """Return one line for people."""
        found = "not compared" if self.comparison is None else self.comparison.text()
        kept = "kept" if self.is_kept else "dropped"
        return (
            f"refined by {self.matches} matches with itself, {self.updates} updates, in "
            f"{self.seconds:.1f} s; against the former weights {found}: {kept}"
        )


def refine_evaluator(
    game: Game, evaluator: Evaluator, seconds: float, seed: int = 0
) -> Refinement | None:
    """Refine an evaluator in place.

    Args:
        game: the game.
        evaluator: of the game; a mapped one is refined where it came from.
        seconds: time for it, checks included; matches are cut off when it is over.
        seed: decides the matches.

    Returns:
        What came of it; None if the evaluator has no weights to learn, or the game is too slow
        for that time.
    """
    started = time.monotonic()
    if not any(parameter.requires_grad for parameter in evaluator.parameters()):
        return None
    before = copy.deepcopy(evaluator.state_dict())
    depth, concurrent = _size(game, evaluator, seconds)
    if concurrent < _FEWEST_CONCURRENT:
        return None
    config = TrainConfig(seed=seed, depth=depth, concurrent=concurrent)
    learner = Learner(game, config, evaluator)
    learn_until = started + _LEARNING * seconds
    while time.monotonic() < learn_until:
        learner.round(lambda: time.monotonic() >= learn_until)
    evaluator.eval()
    found = None
    if learner.counters.updates:
        found = compare(
            game,
            evaluator,
            learner.initial,
            matches=_MATCHES,
            seed=derived_seed(seed, _EVALUATION, 0),
            opening_plies=4,
            # The clock is running.
            opening_nodes=0,
            max_plies=config.max_plies,
            margin=uses_margin(game, config),
            depth=config.depth,
            stop=lambda: time.monotonic() >= started + seconds,
        )
    kept = found is not None and found.matches >= _FEWEST and _is_better(found)
    if not kept:
        evaluator.load_state_dict(before)
    return Refinement(
        matches=learner.counters.matches,
        updates=learner.counters.updates,
        comparison=found,
        is_kept=kept,
        seconds=time.monotonic() - started,
    )


def _is_better(found: Comparison) -> bool:
    """Return whether the score is above one half by more than its standard error."""
    return found.score - (found.score - found.low) / 1.96 > 0.5


def _size(game: Game, evaluator: Evaluator, seconds: float) -> tuple[int, int]:
    """Return how deep to look, and how many matches can be played side by side in a time."""
    width = math.prod(len(moves) for moves in game.initial_state().legal_moves)
    depth = 2 if width <= _WIDEST else 1
    simulator = game.simulator()
    states = simulator.initial(64)
    # Twice: whatever is made at the first use does not count.
    for _ in range(2):
        begun = time.monotonic()
        simulator.look(states)
        with torch.no_grad():
            evaluator(states.to_bool())
    cost = (time.monotonic() - begun) / 64
    ply = cost * _GROWTH * max(width, 1) ** depth
    return depth, min(int(_PLY_SHARE * seconds / ply), _CONCURRENT)
