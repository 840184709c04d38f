"""Learning by self-play until a given time: what refinement and start clocks do."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

from torch import Tensor

from neurogame.evaluators.parts.evaluator import PartsEvaluator
from neurogame.learn.lane_learner import ROUND_PLIES, LaneLearner
from neurogame.learn.recipe import fitted, fresh_parts
from neurogame.simulate.game import Game

_LANES = 128
"""Games at once, at most: a round is short."""
_INPUTS_PER_SECOND = 100_000
"""Inputs of a circuit's gates whose structure is found in a second, at the least."""


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class TimedLearning:
    """What learning until a time came to.

    Attributes:
        evaluator: with averaged weights.
        games: of self-play, at least 1.
        steps: what the sizes of steps follow from, to go on with.
    """

    evaluator: PartsEvaluator
    games: int
    steps: Mapping[str, Tensor]


def is_too_slow(game: Game, seconds: float) -> bool:
    """Return whether a game is so large that even its structure takes longer than that."""
    return game.circuit.graph.edge_count > _INPUTS_PER_SECOND * seconds


def learn_until(
    game: Game,
    until: float,
    *,
    begun: PartsEvaluator | None = None,
    steps: Mapping[str, Tensor] | None = None,
    seed: int = 0,
    cores: int = 1,
) -> TimedLearning | None:
    """Learn by self-play, with the recipe that fits the game, until a time.

    Args:
        game: the game; not :func:`too slow <is_too_slow>` for the time.
        until: when to end, as ``time.monotonic`` tells it; a round that would probably end later
            is not begun. The first ones are short.
        begun: an evaluator of the game that goes on learning; it is not changed. None: parts that
            fit the game begin to learn.
        steps: what earlier learning of that evaluator returned; None: sizes are found anew.
        seed: decides the games.
        cores: processor cores to play on.

    Returns:
        None if no game has ended by then.
    """
    config = fitted(game, seed=seed)
    lanes = min(config.lanes, _LANES * cores)
    config = replace(config, lanes=lanes, cores=min(cores, lanes))
    own = fresh_parts(game, config) if begun is None else copy.deepcopy(begun)
    learner = LaneLearner(game, config, own.requires_grad_())
    if steps is not None:
        learner.take_steps(steps)
    plies, expected, now = 1, 0.0, time.monotonic()
    while now + expected < until:
        learner.round(plies)
        began, now = now, time.monotonic()
        more = min(2 * plies, ROUND_PLIES)
        plies, expected = more, (now - began) * more / plies
    if learner.counters.matches == 0:
        return None
    return TimedLearning(
        evaluator=learner.averaged, games=learner.counters.matches, steps=learner.steps()
    )
