"""Scores of moves from the values of moves and of the states that they lead to, compiled.

:func:`score_children` is called by its address, see
:mod:`~neurogame.kernels.leaves.move_scores`. States that moves lead to are made in a block of its
own; a child's sums are its parent's but for the fluents in which they differ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.knowledge.records import record_at, scores_request_at
from neurogame.kernels.lane_rows import hash_row
from neurogame.kernels.leaves.bits import lowest_bit, mixed
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.memory import array_at
from neurogame.kernels.leaves.move_scores import CompiledScores
from neurogame.kernels.leaves.picking import count_moves, drawn, masked, nth_move
from neurogame.kernels.leaves.request import COMPILED, STEP, request_at
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.compiled import entry, inner, uncounted_inlined
from neurogame.kernels.twin.random_words import G1, G2

Reals = npt.NDArray[np.float32]

_ONE = np.uint64(1)
_G1, _G2 = np.uint64(G1), np.uint64(G2)
_MANY = 1 << 40
_CHILDREN = 256

BUNDLE = np.dtype(
    [
        *((name, np.int64) for name in ("rules", "width", "replies", "goals", "offsets")),
        *((name, np.int64) for name in ("table", "start", "outer", "moves", "factors")),
        *((name, np.int64) for name in ("sums", "child", "rows", "slots", "reply")),
    ]
)
"""What :func:`score_children` works with: numbers, and addresses of arrays; one per thread.

``rules``: request of the rules of its own block; ``width``: ``1 + H`` sums of a state, of ``H``
hidden units; ``replies``: number of replies drawn where others have a choice; ``goals``: whether a
terminal state has the value of its goal; ``offsets``: first move of each role; ``table``: what
each fluent adds to the sums for each role, float32 ``[R, F, 1 + H]``; ``start``: sums of no
fluent, float32 ``[R, 1 + H]``; ``outer``: weights of the hidden units, float32 ``[R, H]``;
``moves``: what each move adds to its score, float32 ``[M]``; ``factors``: what the value of a
state counts for, float32 ``[1]``; ``sums``, ``child``: sums of a parent and of a child, float32
``[1 + H]``; ``rows``, ``slots``: where each child's value goes, int64 ``[N]``; ``reply``: a joint
move, int64 ``[R]``.
"""

_bundle_at = record_at(BUNDLE)


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
    leaves = Leaves(circuit, _CHILDREN, depth=1)
    if leaves.kind != COMPILED:
        return None
    roles, width = weights.start.shape
    arrays: dict[str, npt.NDArray[Any]] = {
        "offsets": np.cumsum([0, *(len(own) for own in circuit.moves)]).astype(np.int64),
        "table": np.array(weights.table, np.float32, order="C"),
        "start": np.array(weights.start, np.float32, order="C"),
        "outer": np.array(weights.outer, np.float32, order="C"),
        "moves": np.array(weights.moves, np.float32, order="C"),
        "factors": np.array([weights.factor], np.float32),
        "sums": np.zeros(width, np.float32),
        "child": np.zeros(width, np.float32),
        "rows": np.zeros(_CHILDREN, np.int64),
        "slots": np.zeros(_CHILDREN, np.int64),
        "reply": np.zeros(roles, np.int64),
    }
    bundle = np.zeros(1, BUNDLE)
    bundle["rules"] = leaves.rules.request.ctypes.data
    bundle["width"], bundle["replies"] = width, weights.replies
    bundle["goals"] = weights.goals
    for name, array in arrays.items():
        bundle[name] = array.ctypes.data
    return CompiledScores(
        function=entry(score_children, counted=False),
        bundle=bundle.ctypes.data,
        kept=(bundle, leaves, arrays),
    )


def score_children(address: int) -> None:
    """Score the legal moves of a role in the states of the request at an address."""
    asked = scores_request_at(address)[0]
    own = _bundle_at(asked.bundle)[0]
    rules = request_at(own.rules)[0]
    rows = array_at(asked.rows, (asked.count,), np.int64)
    states = array_at(asked.states, (_MANY, asked.state_stride >> 3), np.uint64)
    legal = array_at(asked.legal, (_MANY, asked.legal_stride >> 3), np.uint64)
    offsets = array_at(own.offsets, (rules.roles + 1,), np.int64)
    moves = array_at(own.moves, (rules.moves,), np.float32)
    out = array_at(asked.out, (_MANY, asked.out_stride >> 2), np.float32)
    parents = array_at(rules.at_parents, (rules.leaves, rules.state_words), np.uint64)
    joint = array_at(rules.at_joint, (rules.leaves, rules.roles), np.int32)
    places = array_at(own.rows, (rules.leaves,), np.int64)
    slots = array_at(own.slots, (rules.leaves,), np.int64)
    reply = array_at(own.reply, (rules.roles,), np.int64)
    factor = array_at(own.factors, (1,), np.float32)[0]
    role = asked.role
    begin, end = offsets[role], offsets[role + 1]
    filled = 0
    for place in range(asked.count):
        row = rows[place]
        replies = own.replies if _others_choose(legal, row, role, offsets) else 1
        share = factor / np.float32(replies)
        for number in range(replies):
            if factor != 0:
                _reply(states[row], legal, row, role, offsets, number, reply)
            slot = 0
            for word in range(begin >> 6, (end + 63) >> 6):
                bits = masked(legal[row, word], word, begin, end)
                while bits:
                    move = 64 * word + lowest_bit(bits)
                    bits &= bits - _ONE
                    if number == 0:
                        out[place, slot] = moves[move]
                    if factor != 0:
                        for part in range(rules.state_words):
                            parents[filled, part] = states[row, part]
                        for other in range(rules.roles):
                            joint[filled, other] = reply[other]
                        joint[filled, role] = move
                        places[filled], slots[filled] = place, slot
                        filled += 1
                        if filled == rules.leaves:
                            _add_values(own, rules, filled, role, share, out)
                            filled = 0
                    slot += 1
            # Values of other shares must not wait together with these.
            if filled > 0 and (own.replies > 1 or place + 1 == asked.count):
                _add_values(own, rules, filled, role, share, out)
                filled = 0


@inner
def _others_choose(legal: Any, row: Any, role: Any, offsets: Any) -> Any:
    """Return whether another role has a choice."""
    for other in range(len(offsets) - 1):
        if other != role and count_moves(legal, row, offsets[other], offsets[other + 1]) > 1:
            return True
    return False


@inner
def _reply(
    state: Any, legal: Any, row: Any, role: Any, offsets: Any, number: Any, reply: Any
) -> None:
    """Write moves of the other roles: their only one, or one that follows from the state."""
    key = np.uint64(0)
    for other in range(len(offsets) - 1):
        if other == role:
            continue
        begin, end = offsets[other], offsets[other + 1]
        count = count_moves(legal, row, begin, end)
        chosen = 0
        if count > 1:
            if key == 0:
                key = hash_row(state)
            added = np.uint64(number + 1) * _G1 + np.uint64(other + 1) * _G2
            chosen = drawn(mixed(key + added), count)
        reply[other] = nth_move(legal, row, begin, end, chosen)


@inner
def _add_values(own: Any, rules: Any, count: Any, role: Any, share: Any, out: Any) -> None:
    """Make the moves of the block and add the values of what follows to the scores."""
    rules.task, rules.count = STEP, count
    call_address(rules.step, own.rules)
    shape = (rules.leaves, rules.state_words)
    parents = array_at(rules.at_parents, shape, np.uint64)
    states = array_at(rules.at_states, shape, np.uint64)
    terminal = array_at(rules.at_terminal, (rules.leaves,), np.bool_)
    goals = array_at(rules.at_goals, (rules.leaves, rules.roles), np.float32)
    places = array_at(own.rows, (rules.leaves,), np.int64)
    slots = array_at(own.slots, (rules.leaves,), np.int64)
    table = array_at(own.table, (rules.roles, rules.fluents, own.width), np.float32)[role]
    start = array_at(own.start, (rules.roles, own.width), np.float32)[role]
    outer = array_at(own.outer, (rules.roles, own.width - 1), np.float32)[role]
    sums = array_at(own.sums, (own.width,), np.float32)
    child = array_at(own.child, (own.width,), np.float32)
    last = -1
    for lane in range(count):
        if own.goals != 0 and terminal[lane]:
            value = goals[lane, role]
        else:
            if places[lane] != last:
                last = places[lane]
                for part in range(own.width):
                    sums[part] = start[part]
                for word in range(rules.state_words):
                    _add(table, word, parents[lane, word], np.float32(1), sums)
            for part in range(own.width):
                child[part] = sums[part]
            for word in range(rules.state_words):
                before, after = parents[lane, word], states[lane, word]
                _add(table, word, after & ~before, np.float32(1), child)
                _add(table, word, before & ~after, np.float32(-1), child)
            value = _squashed(child, outer)
        out[places[lane], slots[lane]] += share * value


@uncounted_inlined
def _add(table: Any, word: Any, bits: Any, sign: Any, sums: Any) -> None:
    """Add what the fluents of a word add to sums."""
    while bits:
        fluent = np.uint64(64 * word + lowest_bit(bits))
        bits &= bits - _ONE
        for part in range(len(sums)):
            sums[part] += sign * table[fluent, part]


@uncounted_inlined
def _squashed(sums: Any, outer: Any) -> Any:
    """Return the value of a state from its sums."""
    logit = sums[0]
    for unit in range(len(outer)):
        logit += outer[unit] * max(sums[unit + 1], np.float32(0))
    return np.float32(1.0 / (1.0 + math.exp(-float(logit))))
