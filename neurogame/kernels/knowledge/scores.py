"""Scores of moves from the values of moves and of the states that they lead to, compiled.

:func:`score_children` is what a :class:`~neurogame.judges.moves.MoveScores` calls
where the judge is knowledge. A child's sums are its parent's but for the fluents in which they
differ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Float32s, Float32s1, Float32s2, Float32s3
from neurogame.circuit.circuit import Circuit
from neurogame.judges.moves import CompiledScores, MoveScores
from neurogame.kernels.leaves.next_states import (
    NextStates,
    begin_next,
    fill_next,
    make_next_states,
)
from neurogame.kernels.leaves.picking import masked
from neurogame.native.arrays import cast
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import callee, inner
from neurogame.native.entries import entry
from neurogame.native.struct import Struct

_ONE = np.uint64(1)
_CHILDREN = 256


class ChildScores(Struct):
    """What :func:`score_children` works with; one per thread.

    ``R`` roles, ``F`` fluents, ``M`` moves of all roles, ``H`` hidden units.

    Attributes:
        next: the states that moves lead to.
        goals: whether a terminal state has the value of its goal.
        factor: what the value of a state counts for.
        table: what each fluent adds to the sums for each role; float32 ``[R, F, 1 + H]``.
        start: sums of no fluent; float32 ``[R, 1 + H]``.
        outer: weights of the hidden units; float32 ``[R, H]``.
        moves: what each move adds to its score; float32 ``[M]``.
        sums: of a parent; float32 ``[1 + H]``.
        child: sums of a child; float32 ``[1 + H]``.
    """

    next: NextStates
    goals: int
    factor: float
    table: Float32s3
    start: Float32s2
    outer: Float32s2
    moves: Float32s1
    sums: Float32s1
    child: Float32s1


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

    table: Float32s
    start: Float32s
    outer: Float32s
    moves: Float32s
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
    following, leaves = make_next_states(circuit, weights.replies, _CHILDREN)
    if not leaves.is_compiled:
        return None
    width = weights.start.shape[1]
    judge = ChildScores(
        next=following,
        goals=weights.goals,
        factor=float(np.float32(weights.factor)),
        table=np.array(weights.table, np.float32, order="C"),
        start=np.array(weights.start, np.float32, order="C"),
        outer=np.array(weights.outer, np.float32, order="C"),
        moves=np.array(weights.moves, np.float32, order="C"),
        sums=np.zeros(width, np.float32),
        child=np.zeros(width, np.float32),
    )
    return CompiledScores(score=entry(score_children), judge=judge, kept=(leaves,))


def score_children(scores: MoveScores) -> None:
    """Score the given moves by the states that they lead to."""
    knowledge = _child_scores(scores.judge)
    _write_moves(knowledge, scores)
    if knowledge.factor == 0:
        return
    begin_next(knowledge.next)
    count = fill_next(knowledge.next, scores)
    while count > 0:
        _add_values(knowledge, count, scores.role, scores.out)
        count = fill_next(knowledge.next, scores)


@inner
def _write_moves(knowledge: ChildScores, scores: MoveScores) -> None:
    """Write what moves themselves add to their scores."""
    role, legal, moves, out = scores.role, scores.legal, knowledge.moves, scores.out
    begin, end = knowledge.next.offsets[role], knowledge.next.offsets[role + 1]
    for place in range(scores.count):
        row, slot = scores.rows[place], 0
        for word in range(begin >> 6, (end + 63) >> 6):
            bits = masked(legal[row, word], word, begin, end)
            while bits:
                out[place, slot] = moves[64 * word + lowest_bit(bits)]
                bits &= bits - _ONE
                slot += 1


@inner
def _add_values(knowledge: ChildScores, count: int, role: int, out: Float32s2) -> None:
    """Add the values of the states of a block to the scores of the moves that lead to them."""
    following, block = knowledge.next, knowledge.next.rules.block
    factor = np.float32(knowledge.factor)
    parents, states, terminal, goals = block.parents, block.states, block.terminal, block.goals
    places, slots, sums, child = following.places, following.slots, knowledge.sums, knowledge.child
    table, start, outer = knowledge.table[role], knowledge.start[role], knowledge.outer[role]
    width, words, has_goals = len(sums), states.shape[1], knowledge.goals != 0
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
        out[places[lane], slots[lane]] += factor / following.parts[lane] * value


@callee
def _add(table: Float32s2, word: int, bits: np.uint64, sign: np.float32, sums: Float32s1) -> None:
    """Add what the fluents of a word add to sums."""
    while bits:
        fluent = np.uint64(64 * word + lowest_bit(bits))
        bits &= bits - _ONE
        for part in range(len(sums)):
            sums[part] += sign * table[fluent, part]


@callee
def _squashed(sums: Float32s1, outer: Float32s1) -> np.float32:
    """Return the value of a state from its sums."""
    logit = sums[0]
    for unit in range(len(outer)):
        logit += outer[unit] * max(sums[unit + 1], np.float32(0))
    return np.float32(1.0 / (1.0 + math.exp(-float(logit))))
