"""Drift of the weights of each rule in several runs: is the change the same in all?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.evaluators.base import Evaluator
from neurogame.inspect.change.agreement import RunAgreement, agreement
from neurogame.inspect.weights import summaries, weight_table, weighted_networks
from neurogame.inspect.weights_report import rule_texts
from neurogame.simulate.game import Game


@final
@dataclass(frozen=True, kw_only=True)
class RuleChange:
    """How far the weights of one rule moved, over runs.

    Attributes:
        network: the goal whose network it is, or ``"(shared)"``.
        source: text of the rule, or name of the relation where no single rule is behind it.
        change: of the mean absolute weight: positive where learning made the rule count for more.
    """

    network: str
    source: str
    change: RunAgreement


def rule_agreement(game: Game, pairs: Sequence[tuple[Evaluator, Evaluator]]) -> list[RuleChange]:
    """Return the change of each rule's weights over runs, the largest mean change first.

    Args:
        game: the game.
        pairs: each evaluator now and before learning. Empty where an evaluator has no
            weights that come from rules.
    """
    texts = rule_texts(game)
    by_rule: dict[tuple[str, str], list[float]] = {}
    for current, initial in pairs:
        now, then = weighted_networks(current), weighted_networks(initial)
        if now is None or then is None:
            return []
        for row in summaries(weight_table(now, then), texts):
            by_rule.setdefault((row.network, row.source), []).append(row.current - row.initial)
    changes = [
        RuleChange(network=network, source=source, change=agreement(np.array(numbers)))
        for (network, source), numbers in by_rule.items()
    ]
    return sorted(changes, key=lambda one: -abs(one.change.mean))
