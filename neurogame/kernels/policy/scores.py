"""Scores of moves read off the state itself, compiled: no move is made to be judged.

:func:`score_by_policy` is what a :class:`~neurogame.judges.moves.MoveScores` calls
where the judge is a learned policy. The hidden units of a state are computed once; each legal move
then costs one row of weights, so that a state with thousands of moves stays cheap.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import (
    Float32s1,
    Float32s2,
    Float32s3,
    Int32s1,
    Int32s2,
    Int64s1,
    UInt64s2,
)
from neurogame.judges.moves import CompiledScores, MoveScores
from neurogame.kernels.leaves.picking import masked
from neurogame.kernels.rules_network.load import mode_of
from neurogame.native.arrays import cast
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import callee
from neurogame.native.entries import entry
from neurogame.native.struct import Struct

_ONE, _NONE = np.uint64(1), np.float32(0)


class PolicyWeights(Struct):
    """The weights of a policy, and memory for the hidden units of a state; one per thread.

    ``F`` fluents, ``Q`` modes, ``S`` sets of weights, ``H`` hidden units, ``M`` moves of all
    roles, ``R`` roles. Modes, perspectives and sets are those of
    :class:`~neurogame.kernels.rules_network.weights.RulesNetworkWeights`.

    Attributes:
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        mode_fluent: the fluent that says that it is a mode; int32 ``[Q]``, empty where there is
            one mode only.
        seen_as: the fluent as which each counts in a mode, -1 if it does not count; int32
            ``[Q, F]``.
        sets: the set of weights of a mode; int32 ``[Q]``.
        embedding: what fluents add to the hidden units' inputs; float32 ``[S, F, H]``.
        bias: the inputs where no fluent holds; float32 ``[Q, H]``.
        readout: what hidden units add to the scores of moves; float32 ``[M, H]``.
        moves: what is added to each score; float32 ``[M]``.
        units: of the present state; float32 ``[H]``.
    """

    offsets: Int64s1
    mode_fluent: Int32s1
    seen_as: Int32s2
    sets: Int32s1
    embedding: Float32s3
    bias: Float32s2
    readout: Float32s2
    moves: Float32s1
    units: Float32s1


_weights = cast(PolicyWeights)


def compile_policy(weights: PolicyWeights) -> CompiledScores:
    """Return a policy as a judge of moves for compiled code.

    Args:
        weights: its own, for one thread.
    """
    return CompiledScores(score=entry(score_by_policy), judge=weights)


def score_by_policy(scores: MoveScores) -> None:
    """Score the given moves."""
    policy, role, legal, out = _weights(scores.judge), scores.role, scores.legal, scores.out
    begin, end = policy.offsets[role], policy.offsets[role + 1]
    for place in range(scores.count):
        row, slot = scores.rows[place], 0
        _see(policy, scores.states, row)
        for word in range(begin >> 6, (end + 63) >> 6):
            bits = masked(legal[row, word], word, begin, end)
            while bits:
                out[place, slot] = _score(policy, 64 * word + lowest_bit(bits))
                bits &= bits - _ONE
                slot += 1


@callee(sums=True)
def _see(policy: PolicyWeights, states: UInt64s2, row: int) -> None:
    """Compute the hidden units of a state."""
    mode = mode_of(policy.mode_fluent, states, row)
    view, units, embedding, bias = policy.seen_as, policy.units, policy.embedding, policy.bias
    weights = policy.sets[mode]
    for unit in range(len(units)):
        units[unit] = bias[mode, unit]
    for word in range(states.shape[1]):
        bits = states[row, word]
        while bits:
            fluent = view[mode, 64 * word + lowest_bit(bits)]
            bits &= bits - _ONE
            if fluent < 0:
                continue
            for unit in range(len(units)):
                units[unit] += embedding[weights, fluent, unit]
    for unit in range(len(units)):
        units[unit] = max(units[unit], _NONE)


@callee(sums=True)
def _score(policy: PolicyWeights, move: int) -> np.float32:
    """Return the score of a move of the present state."""
    readout, units = policy.readout, policy.units
    total: np.float32 = policy.moves[move]
    for unit in range(len(units)):
        total += readout[move, unit] * units[unit]
    return total
