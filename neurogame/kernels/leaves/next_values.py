"""Moves judged by the evaluator's values of the states that they lead to, compiled.

:func:`score_next` is what a :class:`~neurogame.judges.moves.MoveScores` calls where
the judge is an evaluator of states.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s2
from neurogame.circuit.circuit import Circuit
from neurogame.judges.moves import CompiledScores, MoveScores
from neurogame.judges.states import Valuer, Values, evaluate
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.kernels.leaves.next_states import (
    NextStates,
    begin_next,
    fill_next,
    make_next_states,
)
from neurogame.kernels.leaves.picking import count_moves
from neurogame.native.arrays import cast
from neurogame.native.entries import entry
from neurogame.native.struct import Struct, array_of

_CHILDREN = 1024
REPLIES = 4
"""Replies drawn where other roles have a choice."""


class NextValuation(Struct):
    """What :func:`score_next` works with; one per thread.

    Attributes:
        next: the states that moves lead to.
        values: the evaluator.
        outputs: values of the states; float32 ``[N, R]``.
    """

    next: NextStates
    values: Values
    outputs: Float32s2


_valuation = cast(NextValuation)


def compile_next_values(circuit: Circuit, evaluator: Valuer) -> CompiledScores:
    """Return an evaluator as a judge of moves, with memory for one thread.

    Args:
        circuit: the game.
        evaluator: of its states.
    """
    following, leaves = make_next_states(circuit, REPLIES, _CHILDREN)
    values = SearchEvaluator(evaluator, circuit)
    outputs = np.zeros((len(array_of(following, "places")), len(circuit.roles)), np.float32)
    judge = NextValuation(next=following, values=values.values, outputs=outputs)

    def check() -> None:
        leaves.check()
        values.check()

    return CompiledScores(score=entry(score_next), judge=judge, kept=(leaves, values), check=check)


def score_next(scores: MoveScores) -> None:
    """Score the given moves by the values, for their role, of the states that they lead to.

    A state that is terminal has the value of its goal. Where others have a choice it is the mean
    over some replies that follow from the state.
    """
    valuation, role, out = _valuation(scores.judge), scores.role, scores.out
    following, block, outputs = valuation.next, valuation.next.rules.block, valuation.outputs
    places, slots, parts = following.places, following.slots, following.parts
    offsets = following.offsets
    for place in range(scores.count):
        row = scores.rows[place]
        for slot in range(count_moves(scores.legal, row, offsets[role], offsets[role + 1])):
            out[place, slot] = np.float32(0)
    begin_next(following)
    count = fill_next(following, scores)
    while count > 0:
        evaluate(valuation.values, block.states, block.lanes, count, outputs)
        for lane in range(count):
            value = block.goals[lane, role] if block.terminal[lane] else outputs[lane, role]
            out[places[lane], slots[lane]] += np.float32(1) / parts[lane] * value
        count = fill_next(following, scores)
    if valuation.values.failed != 0 or following.rules.failed != 0:
        scores.failed = 1
