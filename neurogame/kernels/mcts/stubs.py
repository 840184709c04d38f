"""Making nodes, and reading the legal moves that their stubs hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.mcts.bits import whole
from neurogame.kernels.mcts.layout import (
    EXACT,
    FLAGS,
    HEAP,
    INDEX,
    NODES,
    OWN_ENDS,
    RECORD,
    TERMINAL,
    VALUES,
)
from neurogame.kernels.native.bits import lowest_bit
from neurogame.kernels.native.compiled import compiled, inner

_ONE = np.uint64(1)


@inner
def counts_at(node: int, roles: int, hinted: int) -> int:
    """Return the place of a stub's numbers of legal moves; the moves follow."""
    return node + VALUES + (2 * roles if hinted else roles)


@inner
def listed_move(heap: Any, start: int, number: int, wide: int) -> Any:
    """Return a move of a stub.

    Args:
        heap: of the tree.
        start: where the stub's moves begin.
        number: which of them, all roles' moves together.
        wide: whether a move takes a word.
    """
    if wide:
        return whole(heap[start + number])
    return whole(heap[start + (number >> 1)] >> ((number & 1) << 4)) & 0xFFFF


@inner
def first_moves(heap: Any, counts: int, roles: int, wide: int, moves: Any) -> None:
    """Write the first legal move of each role, the only one if it has no choice.

    Args:
        heap: of the tree.
        counts: place of the stub's numbers of moves.
        roles: of the game.
        wide: whether a move takes a word.
        moves: written; int32 ``[R]``.
    """
    number = 0
    for role in range(roles):
        moves[role] = listed_move(heap, counts + roles, number, wide)
        number += heap[counts + role]


@inner
def _read_legal(legal: Any, lane: int, offsets: Any, scratch: Any) -> int:
    """Write the number of each role's moves, then the moves; return their total.

    It is -1 where some role has no move: no joint move leads on from there.
    """
    roles = len(offsets) - 1
    scratch[:roles] = 0
    total, role = 0, 0
    for word in range(legal.shape[1]):
        bits = legal[lane, word]
        while bits != 0:
            move = (word << 6) + lowest_bit(bits)
            bits &= bits - _ONE
            while move >= offsets[role + 1]:
                role += 1
            scratch[role] += 1
            scratch[roles + total] = move
            total += 1
    for role in range(roles):
        if scratch[role] == 0:
            return -1
    return total


@compiled
def make_node(tree: Any, block: Any, lane: int, scratch: Any, hinted: int, wide: int) -> Any:
    """Make a node of a leaf of the block; return its name, 0 where there is no room.

    Args:
        tree: see :class:`~neurogame.kernels.mcts.tree.Tree`.
        block: leaves that the rules have looked at.
        lane: which of them.
        scratch: int32 ``[M + R]``.
        hinted: whether stubs have hints.
        wide: whether a stub has one move to a word.
    """
    used, heap, offsets = tree.used, tree.heap, tree.offsets
    index, node, roles = used[NODES], used[HEAP], len(offsets) - 1
    total = -1 if block.terminal[lane] else _read_legal(block.legal, lane, offsets, scratch)
    counts = counts_at(node, roles, hinted)
    words = 0 if total < 0 else roles + (total if wide else (total + 1) >> 1)
    if index >= len(tree.stubs) or counts + words > len(heap):
        return 0
    heap[node + INDEX], heap[node + RECORD], heap[node + OWN_ENDS] = index, 0, 0
    heap[node + FLAGS] = 0 if total >= 0 else TERMINAL | EXACT
    for role in range(roles):
        tree.reals[node + VALUES + role] = 0 if total >= 0 else block.goals[lane, role]
    if total >= 0:
        for role in range(roles):
            heap[counts + role] = scratch[role]
        _write_moves(heap, counts + roles, scratch, roles, total, wide)
    for word in range(tree.states.shape[1]):
        tree.states[index, word] = block.states[lane, word]
    tree.stubs[index] = node
    used[NODES], used[HEAP] = index + 1, counts + words
    return node


@inner
def _write_moves(heap: Any, start: int, scratch: Any, first: int, total: int, wide: int) -> None:
    """Write moves into a stub."""
    if wide:
        for number in range(total):
            heap[start + number] = scratch[first + number]
        return
    for pair in range(total >> 1):
        low, high = scratch[first + 2 * pair], scratch[first + 2 * pair + 1]
        heap[start + pair] = low | (high << 16)
    if total & 1:
        heap[start + (total >> 1)] = scratch[first + total - 1]
