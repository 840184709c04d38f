"""Features as an evaluator: a rules network, with their weights in place of learned ones."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s, Int64s
from neurogame.circuit.circuit import HasCircuit
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.sums import sum_network
from neurogame.features.evidence import find_evidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.store import known_evidence
from neurogame.features.weights import WeightedFeatures, weigh
from neurogame.simulate.game import Game
from neurogame.waiting import during

SECONDS = 1.0
"""Of random games at each start, from which weights come, where nobody says more."""


def make_feature_evaluator(game: Game, seed: int = 0, *, recall: bool = False) -> RulesNetwork:
    """Return the evaluator whose features are found in the rules and weighed in random games.

    Args:
        game: the game.
        seed: of the random games.
        recall: whether what earlier starts have seen of the game counts, and is added to, see
            :mod:`~neurogame.features.store`.

    Raises:
        GameError: the rules suggest no feature, or none tells who wins.
    """
    config = EvidenceConfig(seconds=SECONDS)

    what = "random games for the weights of features"
    if recall:
        evidence = known_evidence(game, config, seed=seed, what=what)
    else:
        with during(f"{game.name}: {what}", SECONDS):
            evidence = find_evidence(game, config, seed=seed)
    return feature_evaluator(game, weigh(evidence))


def feature_evaluator(game: HasCircuit, weighted: WeightedFeatures) -> RulesNetwork:
    """Return the evaluator whose logit is a weighted sum of features.

    Args:
        game: the game.
        weighted: its features with their weights.
    """
    fluents = len(game.circuit.fluents)
    linear = weighted.weights @ np.stack([feature.fluents for feature in weighted.features])
    return sum_network(
        weighted.constants[None],
        linear[None],
        [(column, rows[None]) for column, rows in _look_ups(weighted, fluents)],
        roles=len(game.circuit.roles),
        opposed=weighted.opposed,
    )


def _look_ups(weighted: WeightedFeatures, fluents: int) -> list[tuple[Int64s, Float32s]]:
    """Return every row that any feature reads: addends ``[F]`` and what it adds, ``[O, n]``.

    Features that read the same row share it.
    """
    rows: dict[bytes, tuple[Int64s, Float32s]] = {}
    for number, feature in enumerate(weighted.features):
        tables = feature.lookups
        if tables is None:
            continue
        for column, values in tables.columns(fluents):
            share = weighted.weights[:, number, None] * values[None]
            row = rows.setdefault(column.tobytes(), (column, np.zeros_like(share)))
            row[1][:] += share
    return list(rows.values())
