"""The truth of the leaves of action formulas: what each fluent is worth, held or not."""

from __future__ import annotations

import numpy as np

from neurogame.analysis.analyse import GameAnalysis
from neurogame.array_types import Float64s, Int64s
from neurogame.evaluators.actions.config import ActionConfig

HALF = 0.5
"""The truth of what is not known."""


def leaf_truth(
    leaves: Int64s, analysis: GameAnalysis, config: ActionConfig, role_moves: range = range(0)
) -> Float64s:
    """Return the truth of literals where their input does not hold, and where it does.

    Of a move the truth is that of its probability, if :attr:`ActionConfig.unknown` is
    ``"legal"``: in between.

    Args:
        leaves: literals of the circuit's inputs; int64 ``[K]``.
        analysis: tells which fluents are persistent; only what is certain counts, as a formula
            that is wrongly false stays so.
        config: what they are worth.
        role_moves: inputs that are moves of the role itself, of which one is made.

    Returns:
        ``[K, 2]`` in 0..1.

    Reference:
        Trutman and Schiffel, section "Evaluation"; a persistent true fluent that does not hold,
        and a persistent false one that holds, may still change: they count like any other.
    """
    fluents = len(analysis.never)
    inputs, negated = leaves >> 1, (leaves & 1).astype(np.bool_)
    truth = np.empty((len(leaves), 2))
    truth[:] = (0.0, 1.0) if config.unknown == "legal" else HALF
    held = (inputs >= 1) & (inputs <= fluents)
    truth[held] = 1 - config.p, config.p
    if config.persistence:
        truth[held, 0] = np.where(
            analysis.persistent_false_certain[inputs[held] - 1], 0, truth[held, 0]
        )
        truth[held, 1] = np.where(
            analysis.persistent_true_certain[inputs[held] - 1], 1, truth[held, 1]
        )
    truth[(inputs >= role_moves.start) & (inputs < role_moves.stop)] = 0, 1
    truth[inputs == 0] = 0
    truth[negated] = 1 - truth[negated]
    return truth
