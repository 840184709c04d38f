"""What a playout policy knows of moves, and how it learns from finished simulations: MAST and more.

A policy (:class:`Policy`) makes moves by their means (MAST), by the means of N-grams (NST), by good
replies (LGR), by the scores of a judge, alone or mixed with means, or at random. Searches call
:func:`learn`. Playouts ask for contexts (:func:`begin_contexts`, :func:`push_context`), for the
score of a move after them (:func:`gram_score`) and for a good reply to them (:func:`find_reply`).

A *context* is a hash of the moves that were chosen last: of one ply, or of two. Plies at which
nobody had a choice, and roles without one, leave none, so that in turn-taking games the context of
one ply is the opponent's last move.

*References:* MAST: Finnsson and Bjornsson, "Simulation-based approach to general game playing",
2008. N-grams: Tak, Winands and Bjornsson, "N-grams and the last-good-reply policy applied in
general game playing", 2012: up to three moves, of which a longer sequence counts from seven visits
on. Good replies, with forgetting: Drake, "The last-good-reply policy for Monte-Carlo Go", 2009;
Baier and Drake, "The power of forgetting", 2010.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from neurogame.array_types import (
    Float32s1,
    Float32s2,
    Float64s2,
    Int32s1,
    Int32s2,
    Int64s1,
    UInt64s1,
    UInt64s2,
)
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.kernels.leaves.move_scores import MoveScores
from neurogame.kernels.native.compiled import uncounted, uncounted_inlined
from neurogame.kernels.native.random import mixed
from neurogame.kernels.native.struct import Struct
from neurogame.kernels.twin.random_words import G1, G2

_HALF = np.float32(0.5)
_MANY = np.float32(1 << 23)
"""Results from which both sums are halved, which keeps the mean: one more would soon be below their
precision."""
UNIFORM, MAST, NST, LGR, SCORED = range(5)
"""What a policy chooses moves by."""

_G1, _G2, _ONE = np.uint64(G1), np.uint64(G2), np.uint64(1)
_FEWEST = 7
_PROBES = 4


class Policy(Struct):
    """How playouts choose, with what has been learned; one type for all; one per thread.

    ``M`` moves of all roles, ``R`` roles, ``N`` leaves, ``T`` places of a table, ``A`` most moves
    of one role; ``A`` is 1 where there is no judge.

    Attributes:
        kind: ``UNIFORM``, ``MAST``, ``NST``, ``LGR`` or ``SCORED``.
        gibbs: 1 to draw by ``exp(100 mean / tau)``, 0 to take the best.
        epsilon: probability of any move instead.
        tau: temperature on the scale 0..100.
        blend: share of the judge's score in the score of a move, the rest being its mean.
        scaling: of the judge's scores, ``RANGE``, ``MAX`` or ``RAW``.
        visits: times that each move was made; float32 ``[M]``.
        sums: sum of its role's values; float32 ``[M]``.
        scores: mean of each move, 1 where it was never made; of Gibbs playouts without a judge
            the weight; ``[M]``.
        keys: context and move of each N-gram of two and three moves, 0 for none; uint64 ``[T]``.
        gram_visits: times that each was made; float32 ``[T]``.
        gram_sums: sum of its role's values; float32 ``[T]``.
        reply_keys: role and context of each good reply, 0 for none; uint64 ``[T]``.
        replies: the move; int32 ``[T]``.
        results: number and sum of each role's values so far; float64 ``[2, R]``.
        chance: the role that is chance, whose moves are always random; -1 if there is none.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        contexts: of each lane that plays, one and two plies back; uint64 ``[N, 2]``.
        lanes: which leaf each lane that plays is; int64 ``[N]``.
        legal: its packed legal moves; uint64 ``[N, Mw]``.
        counts: number of its legal moves of each role; int32 ``[N, R]``.
        chosen: the moves of one lane, -1 where there was no choice; int32 ``[R]``.
        estimates: an evaluator's values of the states in which playouts were cut; float32
            ``[N, R]``.
        gathered: lanes for which the judge is asked; int64 ``[N]``.
        marks: its scores; float32 ``[N, A]``.
        judge: of the moves.
        rules: of the playouts' own block.
        block: in which playouts make their steps.
        walk: plays the lanes on, as :mod:`~neurogame.kernels.leaves.playouts` says.
        choose: chooses the moves of one ply, as :mod:`~neurogame.kernels.leaves.choosing` says.
        learn_all: see :func:`learn`.
        leaves: given: the caller's block.
        count: given: number of leaves.
        seed: given: of the playouts.
        plies: given: most plies.
        ply: given: number of the ply in which moves are chosen.
        left: number of lanes that play.
        keep: given: the part of what was learned that is not forgotten, 0..1.
    """

    kind: int
    gibbs: int
    epsilon: float
    tau: float
    blend: float
    scaling: int
    visits: Float32s1
    sums: Float32s1
    scores: Float32s1
    keys: UInt64s1
    gram_visits: Float32s1
    gram_sums: Float32s1
    reply_keys: UInt64s1
    replies: Int32s1
    results: Float64s2
    chance: int
    offsets: Int64s1
    contexts: UInt64s2
    lanes: Int64s1
    legal: UInt64s2
    counts: Int32s2
    chosen: Int32s1
    estimates: Float32s2
    gathered: Int64s1
    marks: Float32s2
    judge: MoveScores
    rules: StateMachine
    block: Block
    walk: Callable[[Policy], None]
    choose: Callable[[Policy], None]
    learn_all: Callable[[Policy], None]
    leaves: Block
    count: int
    seed: int
    plies: int
    ply: int
    left: int
    keep: float


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
    policy.leaves, policy.count = block, count
    policy.learn_all(policy)


def learn_all(policy: Policy) -> None:
    """Learn of the moves of the given leaves' simulations; see :func:`learn`."""
    block, depth = policy.leaves, policy.leaves.depth
    for lane in range(policy.count):
        if depth[lane] >= 0:
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
    if policy.visits[move] >= _MANY:
        policy.visits[move] *= _HALF
        policy.sums[move] *= _HALF
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
def gram_place(policy: Policy, context: np.uint64, move: int, add: bool) -> Any:
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
            if policy.gram_visits[place] >= _MANY:
                policy.gram_visits[place] *= _HALF
                policy.gram_sums[place] *= _HALF
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


def forget(policy: Policy) -> None:
    """Forget a part of what was learned of moves; of no part that is kept, good replies too."""
    keep = policy.keep
    factor = np.float32(keep)
    for move in range(len(policy.visits)):
        policy.visits[move] *= factor
        policy.sums[move] *= factor
        policy.scores[move] = score(policy, policy.visits[move], policy.sums[move])
    for place in range(len(policy.keys)):
        policy.gram_visits[place] *= factor
        policy.gram_sums[place] *= factor
    for row in range(2):
        for role in range(policy.results.shape[1]):
            policy.results[row, role] *= keep
    if keep == 0:
        for place in range(len(policy.keys)):
            policy.keys[place] = 0
        for place in range(len(policy.reply_keys)):
            policy.reply_keys[place] = 0


@uncounted_inlined
def score(policy: Policy, visits: np.float32, sums: np.float32) -> np.float32:
    """Return what a move with such a mean counts for; an unknown one counts as always won.

    *Reference:* Finnsson and Bjornsson, "Simulation-based approach to general game playing", 2008
    (MAST, Gibbs); Tak, Winands and Bjornsson, "N-grams and the last-good-reply policy applied in
    general game playing", 2012 (epsilon-greedy is stronger).
    """
    mean = sums / visits if visits > np.float32(1e-3) else np.float32(1.0)
    if policy.gibbs and policy.kind != SCORED:
        # Of a mean of 1 it is 1, so that no weight overflows.
        return np.float32(math.exp(100.0 * (mean - 1.0) / policy.tau))
    return np.float32(mean)
