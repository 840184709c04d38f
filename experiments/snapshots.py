"""Learning in lanes with snapshots: what the experiments on the learner's parts have in common."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.simulate.game import Game


@dataclass(frozen=True, kw_only=True, eq=False)
class Snapshot:
    """What a learner was after some time.

    Attributes:
        seconds: processor seconds of learning, with those spent before.
        games: of self-play so far.
        evaluator: its averaged weights.
    """

    seconds: float
    games: int
    evaluator: RulesNetwork


def snapshots(
    game: Game,
    given: Mapping[str, Any],
    seed: int,
    marks: Sequence[float],
    *,
    spent: float = 0.0,
    begin: Callable[[Game, RulesNetwork, int], None] | None = None,
) -> Iterator[Snapshot]:
    """Learn on one core with the fitted recipe, and yield what was learned at each mark.

    Args:
        game: what is learned.
        given: settings that differ from the recipe's, see :func:`neurogame.learn.recipe.fitted`.
        seed: of the run.
        marks: processor seconds, rising.
        spent: processor seconds that count before learning begins.
        begin: changes the evaluator before it learns, given the seed, too.
    """
    config = fitted(game, given, seed=seed)
    evaluator = fresh_rules_network(game, config)
    if begin is not None:
        begin(game, evaluator, seed)
    learner = LaneLearner(game, config, evaluator)
    for mark in marks:
        while spent + learner.counters.seconds < mark:
            if learner.is_outgrown():
                learner = learner.doubled()
            learner.round()
        counters = learner.counters
        yield Snapshot(
            seconds=spent + counters.seconds,
            games=counters.matches,
            evaluator=copy.deepcopy(learner.averaged).requires_grad_(False),
        )
