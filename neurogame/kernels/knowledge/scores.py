"""Scores of moves from the values of moves and of the states that they lead to, compiled.

:func:`score_children` is what a :class:`~neurogame.kernels.leaves.move_scores.MoveScores` calls
where the judge is knowledge. States that moves lead to are made in a block of its own; a child's
sums are its parent's but for the fluents in which they differ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from neurogame.array_types import Float32s1, Float32s2, Float32s3, Int64s1
from neurogame.circuit.circuit import Circuit
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.machine import StateMachine, step
from neurogame.kernels.leaves.move_scores import CompiledScores, MoveScores
from neurogame.kernels.leaves.picking import masked
from neurogame.kernels.leaves.replies import others_choose, write_reply
from neurogame.kernels.native.arrays import cast
from neurogame.kernels.native.bits import lowest_bit
from neurogame.kernels.native.compiled import inner, uncounted_inlined
from neurogame.kernels.native.entries import entry
from neurogame.kernels.native.struct import Struct

Reals = npt.NDArray[np.float32]

_ONE = np.uint64(1)
_CHILDREN = 256


class ChildScores(Struct):
    """What :func:`score_children` works with; one per thread.

    ``R`` roles, ``F`` fluents, ``M`` moves of all roles, ``H`` hidden units, ``N`` children at
    once.

    Attributes:
        rules: with a block of their own.
        replies: number of replies drawn where others have a choice.
        goals: whether a terminal state has the value of its goal.
        factor: what the value of a state counts for.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        table: what each fluent adds to the sums for each role; float32 ``[R, F, 1 + H]``.
        start: sums of no fluent; float32 ``[R, 1 + H]``.
        outer: weights of the hidden units; float32 ``[R, H]``.
        moves: what each move adds to its score; float32 ``[M]``.
        sums: of a parent; float32 ``[1 + H]``.
        child: sums of a child; float32 ``[1 + H]``.
        places: which given state each child is of; int64 ``[N]``.
        slots: which legal move leads to it; int64 ``[N]``.
        reply: a joint move; int64 ``[R]``.
    """

    rules: StateMachine
    replies: int
    goals: int
    factor: float
    offsets: Int64s1
    table: Float32s3
    start: Float32s2
    outer: Float32s2
    moves: Float32s1
    sums: Float32s1
    child: Float32s1
    places: Int64s1
    slots: Int64s1
    reply: Int64s1


_child_scores = cast(ChildScores)


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreWeights:
    """What scores are made of; ``F`` fluents, ``M`` moves of all roles, ``H`` hidden units.

    Attributes:
        table: what each fluent adds to the sums of a state for each role: to the logit, then to
            the hidden units; float32 ``[R, F, 1 + H]``.
        start: sums of a state without fluents; float32 ``[R, 1 + H]``.
        outer: what each hidden unit above 0 adds to the logit; float32 ``[R, H]``.
        moves: what each move adds to its score; float32 ``[M]``.
        factor: what the value of the state that follows counts for.
        goals: whether the value of a terminal state is its goal.
        replies: number of replies drawn where other roles have a choice, at least 1.
    """

    table: Reals
    start: Reals
    outer: Reals
    moves: Reals
    factor: float
    goals: bool
    replies: int


def compile_scores(circuit: Circuit, weights: ScoreWeights) -> CompiledScores | None:
    """Return compiled scores of moves, with memory for one thread.

    Args:
        circuit: the game.
        weights: copied.

    Returns:
        None where the rules are not compiled.
    """
    leaves = Leaves(circuit, _CHILDREN, depth=1, playouts=0)
    if not leaves.is_compiled:
        return None
    roles, width = weights.start.shape
    judge = ChildScores(
        rules=leaves.rules,
        replies=weights.replies,
        goals=weights.goals,
        factor=float(np.float32(weights.factor)),
        offsets=circuit.move_offsets,
        table=np.array(weights.table, np.float32, order="C"),
        start=np.array(weights.start, np.float32, order="C"),
        outer=np.array(weights.outer, np.float32, order="C"),
        moves=np.array(weights.moves, np.float32, order="C"),
        sums=np.zeros(width, np.float32),
        child=np.zeros(width, np.float32),
        places=np.zeros(_CHILDREN, np.int64),
        slots=np.zeros(_CHILDREN, np.int64),
        reply=np.zeros(roles, np.int64),
    )
    return CompiledScores(score=entry(score_children), judge=judge, kept=(leaves,))


def score_children(scores: MoveScores) -> None:
    """Score the given moves by the states that they lead to."""
    own, role, total = _child_scores(scores.judge), scores.role, scores.count
    rows, states, legal, out = scores.rows, scores.states, scores.legal, scores.out
    offsets, moves, reply, places, slots = own.offsets, own.moves, own.reply, own.places, own.slots
    parents, joint, words = own.rules.block.parents, own.rules.block.joint, states.shape[1]
    factor, roles = np.float32(own.factor), len(offsets) - 1
    begin, end = offsets[role], offsets[role + 1]
    filled = 0
    for place in range(total):
        row = rows[place]
        replies = own.replies if others_choose(legal, row, role, offsets) else 1
        share = factor / np.float32(replies)
        for number in range(replies):
            if factor != 0:
                write_reply(states, legal, row, role, offsets, number, reply)
            slot = 0
            for word in range(begin >> 6, (end + 63) >> 6):
                bits = masked(legal[row, word], word, begin, end)
                while bits:
                    move = 64 * word + lowest_bit(bits)
                    bits &= bits - _ONE
                    if number == 0:
                        out[place, slot] = moves[move]
                    if factor != 0:
                        for part in range(words):
                            parents[filled, part] = states[row, part]
                        for other in range(roles):
                            joint[filled, other] = reply[other]
                        joint[filled, role] = move
                        places[filled], slots[filled] = place, slot
                        filled += 1
                        if filled == len(places):
                            _add_values(own, filled, role, share, out)
                            filled = 0
                    slot += 1
            # Values of other shares must not wait together with these.
            if filled > 0 and (own.replies > 1 or place + 1 == total):
                _add_values(own, filled, role, share, out)
                filled = 0


@inner
def _add_values(own: ChildScores, count: int, role: int, share: np.float32, out: Float32s2) -> None:
    """Make the moves of the block and add the values of what follows to the scores."""
    block = own.rules.block
    step(own.rules, block, count)
    parents, states, terminal, goals = block.parents, block.states, block.terminal, block.goals
    places, slots, sums, child = own.places, own.slots, own.sums, own.child
    table, start, outer = own.table[role], own.start[role], own.outer[role]
    width, words, has_goals = len(sums), states.shape[1], own.goals != 0
    last = -1
    for lane in range(count):
        if has_goals and terminal[lane]:
            value = goals[lane, role]
        else:
            if places[lane] != last:
                last = places[lane]
                for part in range(width):
                    sums[part] = start[part]
                for word in range(words):
                    _add(table, word, parents[lane, word], np.float32(1), sums)
            for part in range(width):
                child[part] = sums[part]
            for word in range(words):
                before, after = parents[lane, word], states[lane, word]
                _add(table, word, after & ~before, np.float32(1), child)
                _add(table, word, before & ~after, np.float32(-1), child)
            value = _squashed(child, outer)
        out[places[lane], slots[lane]] += share * value


@uncounted_inlined
def _add(table: Float32s2, word: int, bits: np.uint64, sign: np.float32, sums: Float32s1) -> None:
    """Add what the fluents of a word add to sums."""
    while bits:
        fluent = np.uint64(64 * word + lowest_bit(bits))
        bits &= bits - _ONE
        for part in range(len(sums)):
            sums[part] += sign * table[fluent, part]


@uncounted_inlined
def _squashed(sums: Float32s1, outer: Float32s1) -> np.float32:
    """Return the value of a state from its sums."""
    logit = sums[0]
    for unit in range(len(outer)):
        logit += outer[unit] * max(sums[unit + 1], np.float32(0))
    return np.float32(1.0 / (1.0 + math.exp(-float(logit))))
