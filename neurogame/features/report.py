"""The evidence on the features of a game in words and as a JSON object."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from neurogame.array_types import Float64s
from neurogame.chance import playing_roles
from neurogame.features.evidence import FeatureEvidence
from neurogame.features.values import FeatureValues
from neurogame.simulate.game import Game

_BATCH = 4096
_PHASE_NAMES = ("first quarter", "second", "third", "last")


def feature_costs(evidence: FeatureEvidence, game: Game) -> Float64s:
    """Return microseconds of each feature for a state, in large batches; float64 ``[K]``.

    What is known of a state anyway, such as its legal moves, does not count.
    """
    simulator = game.simulator()
    states = simulator.initial(_BATCH)
    look = simulator.look(states)
    costs = []
    for feature in evidence.features:
        values = FeatureValues([feature])
        began = time.process_time()
        values.of(states, look)
        costs.append(1e6 * (time.process_time() - began) / _BATCH)
    return np.array(costs)


def evidence_lines(
    evidence: FeatureEvidence, costs: Float64s, roles: tuple[str, ...], most: int
) -> list[str]:
    """Return a table of the strongest features; correlations with each player's goal.

    Args:
        evidence: on the features of a game.
        costs: microseconds of each; float64 ``[K]``.
        roles: of the game.
        most: features that are shown.
    """
    order, players = _order(evidence), playing_roles(roles)
    adds = dict(zip(evidence.chosen, evidence.adds, strict=True))
    lines = [
        f"{len(evidence.features)} features, {len(evidence.chosen)} chosen; "
        f"{evidence.games:,} random games",
        "* chosen, in this order, with what each adds to those above it, as a correlation",
        "correlation with each role's goal (interval), stability, µs a state, feature",
    ]
    for k in order[:most]:
        columns = "  ".join(
            f"{name} {evidence.strength[k, r]:+.3f} "
            f"({evidence.low[k, r]:+.2f} .. {evidence.high[k, r]:+.2f})"
            for r, name in enumerate(roles)
            if r in players
        )
        reason = f"   [{evidence.reasons[k]}]" if evidence.reasons[k] else ""
        lines.append(
            f"{f'* {adds[k]:+.3f}' if k in adds else ' ' * 8}  {columns}  "
            f"{evidence.stability[k]:.2f}  {costs[k]:5.2f}  "
            f"{evidence.features[k].text}{reason}"
        )
    if len(order) > most:
        lines.append(f"... and {len(order) - most} more (--all, --json)")
    return lines


def evidence_record(
    evidence: FeatureEvidence, costs: Float64s, roles: tuple[str, ...]
) -> dict[str, Any]:
    """Return all features with what is known of them as a JSON object."""
    adds = dict(zip(evidence.chosen, evidence.adds, strict=True))
    return {
        "games": evidence.games,
        "features": [
            {
                "feature": evidence.features[k].text,
                "kind": evidence.features[k].kind.value,
                "chosen": k in adds,
                "adds": adds.get(k),
                "reason": evidence.reasons[k],
                "stability": float(evidence.stability[k]),
                "microseconds": float(costs[k]),
                "roles": {
                    name: {
                        "strength": float(evidence.strength[k, r]),
                        "interval": [float(evidence.low[k, r]), float(evidence.high[k, r])],
                        "at the end": float(evidence.ends[k, r]),
                        "of the mean": float(evidence.means[k, r]),
                        "by quarter": {
                            phase: float(value)
                            for phase, value in zip(
                                _PHASE_NAMES, evidence.phases[:, k, r], strict=True
                            )
                        },
                    }
                    for r, name in enumerate(roles)
                    if r in playing_roles(roles)
                },
            }
            for k in _order(evidence)
        ],
    }


def _order(evidence: FeatureEvidence) -> list[int]:
    """Return the chosen features, then the others by their strength."""
    others = np.argsort(-np.abs(evidence.strength).max(axis=1), kind="stable").tolist()
    return [*evidence.chosen, *(k for k in others if k not in evidence.chosen)]
