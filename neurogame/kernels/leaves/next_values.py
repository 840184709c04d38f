"""Moves judged by the evaluator's values of the states that they lead to, compiled.

:func:`score_next` is what a :class:`~neurogame.kernels.leaves.move_scores.MoveScores` calls where
the judge is an evaluator of states. States that moves lead to are made in a block of its own.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s2, Int64s1
from neurogame.circuit.circuit import Circuit
from neurogame.kernels.leaves.evaluator import Valuer, make_values
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.machine import StateMachine, failed, step
from neurogame.kernels.leaves.move_scores import CompiledScores, MoveScores
from neurogame.kernels.leaves.picking import masked
from neurogame.kernels.leaves.replies import others_choose, write_reply
from neurogame.kernels.leaves.values import Values, evaluate, has_failed
from neurogame.kernels.native.arrays import cast
from neurogame.kernels.native.bits import lowest_bit
from neurogame.kernels.native.compiled import inner
from neurogame.kernels.native.entries import entry
from neurogame.kernels.native.struct import Struct

_ONE = np.uint64(1)
_CHILDREN = 1024
REPLIES = 4
"""Replies drawn where other roles have a choice."""


class NextStates(Struct):
    """What :func:`score_next` works with; one per thread.

    ``R`` roles, ``N`` states at once.

    Attributes:
        rules: with a block of their own.
        values: the evaluator.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        found: values of the states; float32 ``[N, R]``.
        places: which given state each follows; int64 ``[N]``.
        slots: which legal move leads to it; int64 ``[N]``.
        reply: a joint move; int64 ``[R]``.
    """

    rules: StateMachine
    values: Values
    offsets: Int64s1
    found: Float32s2
    places: Int64s1
    slots: Int64s1
    reply: Int64s1


_next_states = cast(NextStates)


def compile_next_values(circuit: Circuit, evaluator: Valuer) -> CompiledScores:
    """Return an evaluator as a judge of moves, with memory for one thread.

    Args:
        circuit: the game.
        evaluator: of its states.
    """
    leaves, values = (
        Leaves(circuit, _CHILDREN, depth=1, playouts=0),
        make_values(evaluator, circuit),
    )
    roles = len(circuit.roles)
    judge = NextStates(
        rules=leaves.rules,
        values=values.values,
        offsets=circuit.move_offsets,
        found=np.zeros((_CHILDREN, roles), np.float32),
        places=np.zeros(_CHILDREN, np.int64),
        slots=np.zeros(_CHILDREN, np.int64),
        reply=np.zeros(roles, np.int64),
    )

    def check() -> None:
        leaves.check()
        values.check()

    return CompiledScores(score=entry(score_next), judge=judge, kept=(leaves, values), check=check)


def score_next(scores: MoveScores) -> None:
    """Score the given moves by the values, for their role, of the states that they lead to.

    A state that is terminal has the value of its goal.  Where others have a choice it is the mean
    over some replies that follow from the state.
    """
    own, role, total = _next_states(scores.judge), scores.role, scores.count
    rows, states, legal, out = scores.rows, scores.states, scores.legal, scores.out
    offsets, reply, places, slots = own.offsets, own.reply, own.places, own.slots
    parents, joint, words = own.rules.block.parents, own.rules.block.joint, states.shape[1]
    roles, begin, end = len(offsets) - 1, offsets[role], offsets[role + 1]
    filled, replies = 0, 1
    for place in range(total):
        row = rows[place]
        wanted = REPLIES if others_choose(legal, row, role, offsets) else 1
        # States of other shares must not wait together.
        if wanted != replies and filled > 0:
            _add_values(own, filled, role, np.float32(1) / np.float32(replies), out)
            filled = 0
        replies = wanted
        for number in range(replies):
            write_reply(states, legal, row, role, offsets, number, reply)
            slot = 0
            for word in range(begin >> 6, (end + 63) >> 6):
                bits = masked(legal[row, word], word, begin, end)
                while bits:
                    if number == 0:
                        out[place, slot] = np.float32(0)
                    for part in range(words):
                        parents[filled, part] = states[row, part]
                    for other in range(roles):
                        joint[filled, other] = reply[other]
                    joint[filled, role] = 64 * word + lowest_bit(bits)
                    bits &= bits - _ONE
                    places[filled], slots[filled] = place, slot
                    filled, slot = filled + 1, slot + 1
                    if filled == len(places):
                        _add_values(own, filled, role, np.float32(1) / np.float32(replies), out)
                        filled = 0
    if filled > 0:
        _add_values(own, filled, role, np.float32(1) / np.float32(replies), out)
    if has_failed(own.values) or failed(own.rules):
        scores.failed = 1


@inner
def _add_values(own: NextStates, count: int, role: int, share: np.float32, out: Float32s2) -> None:
    """Make the moves of the block and add the values of what follows to the scores."""
    block, found = own.rules.block, own.found
    step(own.rules, block, count)
    evaluate(own.values, block.states, block.lanes, count, found)
    for lane in range(count):
        value = block.goals[lane, role] if block.terminal[lane] else found[lane, role]
        out[own.places[lane], own.slots[lane]] += share * value
