"""What a policy learns of moves from finished simulations, in the context of the moves before.

Searches call :func:`learn`; playouts ask for contexts (:func:`begin_contexts`,
:func:`push_context`), for the score of a move after them (:func:`gram_score`) and for a good reply
to them (:func:`find_reply`).

*References:* N-grams: Tak, Winands and Bjornsson, "N-grams and the last-good-reply policy applied
in general game playing", 2012: up to three moves, of which a longer sequence counts from seven
visits on. Good replies, with forgetting: Drake, "The last-good-reply policy for Monte-Carlo Go",
2009; Baier and Drake, "The power of forgetting", 2010.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.policy import LGR, NST, SCORED, UNIFORM, Policy, score
from neurogame.kernels.native.compiled import uncounted, uncounted_inlined
from neurogame.kernels.native.layout import Int32s1
from neurogame.kernels.native.random import mixed
from neurogame.kernels.twin.random_words import G1, G2

_G1, _G2, _ONE = np.uint64(G1), np.uint64(G2), np.uint64(1)
_FEWEST = 7
_PROBES = 4


@uncounted
def learn(policy: Policy, block: Block, count: int) -> None:
    """Learn of the moves of the first leaves' simulations, of the tree and the playout alike.

    Args:
        policy: of the playouts.
        block: with ``path`` and ``depth``, ``made`` and ``plies``, and ``values``; a leaf of a
            depth below 0 is left out.
        count: number of leaves.
    """
    if policy.kind == UNIFORM or (policy.kind == SCORED and policy.blend >= 1):
        return
    for lane in range(count):
        if block.depth[lane] >= 0:
            _learn_simulation(policy, block, lane)


@uncounted_inlined
def _learn_simulation(policy: Policy, block: Block, lane: int) -> None:
    policy.contexts[0, 0] = policy.contexts[0, 1] = 0
    depth, plies = block.depth[lane], min(block.plies[lane], block.made.shape[1])
    for ply in range(depth + plies):
        for role in range(len(policy.chosen)):
            if ply < depth:
                policy.chosen[role] = block.path[lane, ply, role]
            else:
                policy.chosen[role] = block.made[lane, ply - depth, role]
        for role in range(len(policy.chosen)):
            if policy.chosen[role] >= 0:
                _learn_move(policy, role, policy.chosen[role], block.values[lane, role])
        push_context(policy, 0)
    for role in range(len(policy.chosen)):
        policy.results[0, role] += 1
        policy.results[1, role] += block.values[lane, role]


@uncounted_inlined
def _learn_move(policy: Policy, role: int, move: int, value: float) -> None:
    """Learn of one move, made after the contexts of row 0."""
    policy.visits[move] += np.float32(1)
    policy.sums[move] += np.float32(value)
    policy.scores[move] = score(policy, policy.visits[move], policy.sums[move])
    if policy.kind == NST:
        learn_grams(policy, 0, move, value)
    elif policy.kind == LGR:
        games = policy.results[0, role]
        usual = policy.results[1, role] / games if games > 0 else 0.5
        learn_reply(policy, 0, role, move, value - usual)


@uncounted_inlined
def joint_context(moves: Int32s1) -> Any:
    """Return the hash of the moves of a ply, 0 if nobody had a choice.

    Args:
        moves: move numbers, -1 for a role without a choice; int32 ``[R]``.
    """
    total = np.uint64(0)
    for role in range(len(moves)):
        if moves[role] >= 0:
            total = mixed(total + np.uint64(moves[role] + 1) * _G1)
    return total


@uncounted_inlined
def push_context(policy: Policy, row: int) -> None:
    """Add the moves in ``chosen`` to a lane's contexts; a ply without a choice leaves none."""
    moves = joint_context(policy.chosen)
    if moves != 0:
        policy.contexts[row, 1] = mixed(policy.contexts[row, 0] + moves * _G1)
        policy.contexts[row, 0] = moves


@uncounted_inlined
def begin_contexts(policy: Policy, block: Block, lane: int, row: int) -> None:
    """Set a lane's contexts to those at the end of its path in the tree."""
    policy.contexts[row, 0] = policy.contexts[row, 1] = 0
    depth, found = block.depth[lane], 0
    last = depth
    while last > 0 and found < 3:
        last -= 1
        _read_path(policy, block, lane, last)
        found += joint_context(policy.chosen) != 0
    for ply in range(last, depth):
        _read_path(policy, block, lane, ply)
        push_context(policy, row)


@uncounted_inlined
def _read_path(policy: Policy, block: Block, lane: int, ply: int) -> None:
    for role in range(len(policy.chosen)):
        policy.chosen[role] = block.path[lane, ply, role]


@uncounted_inlined
def gram_place(policy: Policy, context: Any, move: int, add: bool) -> Any:
    """Return the place of a move after a context, -1 if there is none.

    Args:
        policy: of the playouts.
        context: of one or two plies.
        move: its number.
        add: whether to make one; where the places nearby are taken, the least visited is given up.
    """
    key = mixed(context + np.uint64(move + 1) * _G2) | np.uint64(1)
    mask = np.uint64(len(policy.keys) - 1)
    worst: Any = -1
    for probe in range(_PROBES):
        place = np.int64(((key >> np.uint64(1)) + np.uint64(probe)) & mask)
        if policy.keys[place] == key:
            return place
        if policy.keys[place] == 0:
            worst = place
            break
        if worst < 0 or policy.gram_visits[place] < policy.gram_visits[worst]:
            worst = place
    if not add:
        return -1
    policy.keys[worst] = key
    policy.gram_visits[worst] = policy.gram_sums[worst] = 0
    return worst


@uncounted_inlined
def gram_score(policy: Policy, row: int, move: int) -> Any:
    """Return the score of a move: the mean of the means of all sequences that it ends."""
    total: Any = np.float32(0.0)
    known: Any = np.float32(0.0)
    if policy.visits[move] > np.float32(1e-3):
        total, known = policy.sums[move] / policy.visits[move], np.float32(1.0)
    for length in range(2):
        if policy.contexts[row, length] != 0:
            place = gram_place(policy, policy.contexts[row, length], move, False)
            if place >= 0 and policy.gram_visits[place] >= _FEWEST:
                total += policy.gram_sums[place] / policy.gram_visits[place]
                known += np.float32(1.0)
    return score(policy, known, total)


@uncounted_inlined
def learn_grams(policy: Policy, row: int, move: int, value: float) -> None:
    """Add a result to the sequences that a move ends."""
    for length in range(2):
        if policy.contexts[row, length] != 0:
            place = gram_place(policy, policy.contexts[row, length], move, True)
            policy.gram_visits[place] += np.float32(1)
            policy.gram_sums[place] += np.float32(value)


@uncounted_inlined
def reply_key(policy: Policy, row: int, role: int) -> Any:
    """Return the key of a role's reply to the last moves, 0 if there are none."""
    context = policy.contexts[row, 0]
    if context == 0:
        return np.uint64(0)
    return mixed(context + np.uint64(role + 1) * _G2) | _ONE


@uncounted_inlined
def find_reply(policy: Policy, row: int, role: int) -> Any:
    """Return the move that last answered the last moves well, -1 if it is not legal now."""
    key = reply_key(policy, row, role)
    place = np.int64((key >> _ONE) & np.uint64(len(policy.replies) - 1))
    if key == 0 or policy.reply_keys[place] != key:
        return -1
    move = policy.replies[place]
    legal = policy.legal[row, move >> 6] >> np.uint64(move & 63) & _ONE
    return np.int64(move) if legal else -1


@uncounted_inlined
def learn_reply(policy: Policy, row: int, role: int, move: int, better: float) -> None:
    """Keep a reply of a game that went better than usual, forget one that went worse.

    Args:
        policy: of the playouts.
        row: whose contexts are those before the reply.
        role: who replied.
        move: the reply.
        better: the role's value minus its mean value so far.
    """
    key = reply_key(policy, row, role)
    if key == 0:
        return
    place = np.int64((key >> _ONE) & np.uint64(len(policy.replies) - 1))
    if better > 0:
        policy.reply_keys[place], policy.replies[place] = key, move
    elif better < 0 and policy.reply_keys[place] == key and policy.replies[place] == move:
        policy.reply_keys[place] = np.uint64(0)
