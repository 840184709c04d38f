"""Monte-Carlo tree search, block by block, until simulations or time are used up."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.leaves.machine import failed, play_uniform, step
from neurogame.kernels.leaves.move_scores import scores_failed
from neurogame.kernels.leaves.move_statistics import learn
from neurogame.kernels.leaves.playouts import play_cut, play_out
from neurogame.kernels.leaves.values import evaluate, has_failed
from neurogame.kernels.mcts.all_moves import learn_all_moves
from neurogame.kernels.mcts.backup import back_up, collect
from neurogame.kernels.mcts.bits import random_word, whole
from neurogame.kernels.mcts.board import board, insert
from neurogame.kernels.mcts.descend import descend
from neurogame.kernels.mcts.flight import END, OVER, RIDER, Total
from neurogame.kernels.mcts.layout import EXACT, FLAGS, ROOT
from neurogame.kernels.mcts.pace import choose_pace, note_pace
from neurogame.kernels.mcts.search import search_at
from neurogame.kernels.mcts.tree import UCT, Wide
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.clock import nanoseconds
from neurogame.kernels.native.compiled import compiled, entry, inner

_SIMULATIONS, _BLOCKS = int(Total.SIMULATIONS), int(Total.BLOCKS)
_PLAYOUTS, _EVALUATIONS, _CREATED = (
    int(Total.PLAYOUTS),
    int(Total.EVALUATIONS),
    int(Total.CREATED),
)
_SELECT, _RULES, _INSERT = int(Total.SELECT), int(Total.RULES), int(Total.INSERT)
_PLAY, _EVALUATE, _BACK_UP = int(Total.PLAY), int(Total.EVALUATE), int(Total.BACK_UP)
_COUNT, _LEAVES = int(Total.COUNT), int(Total.LEAVES)

DONE, TIME, SOLVED, FAILED = 0, 1, 2, 3
"""Why :func:`run` returns: nothing left to do, no time left, values of the root proved, an error
in Python code; then the tree is to be thrown away."""

_PARTS = (descend, board, insert, collect, back_up)


def parts(kind: int) -> Wide:
    """Return the addresses of the parts of a search, compiled at the first call.

    Args:
        kind: :data:`~neurogame.kernels.mcts.tree.UCT`, ``RAVE`` or ``GRAVE``.
    """
    known = [entry(part) for part in _PARTS]
    known.append(entry(learn_all_moves) if kind != UCT else 0)
    return np.array(known, np.int64)


@compiled
def run(
    address: int,
    calls: Any,
    rules: Any,
    block: Any,
    values: Any,
    policy: Any,
    lanes: int,
    simulations: int,
    nodes: int,
    until: int,
    deadline: int,
) -> int:
    """Search.

    Args:
        address: of a :class:`~neurogame.kernels.mcts.search.Search`; its root has a record.
        calls: what :func:`parts` has returned.
        rules: of the game.
        block: of the search.
        values: the evaluator.
        policy: of the playouts; None where they are uniform and neither recorded nor cut, which
            is another compiled function.
        lanes: most simulations of a block.
        simulations: the total at which to stop.
        nodes: the total of created nodes at which to stop.
        until: the time at which to return, as
            :func:`~neurogame.kernels.native.clock.nanoseconds` tells it; 0 for none.
        deadline: the time at which the search must be over; 0 for none. Blocks are then as large
            as pays in this game, and none is begun that would end too late.

    Returns:
        :data:`DONE`, :data:`TIME`, :data:`SOLVED` or :data:`FAILED`.
    """
    search = search_at(address)
    heap, used, totals = search.tree.heap, search.tree.used, search.flight.totals
    while True:
        if heap[used[ROOT] + FLAGS] & EXACT:
            return SOLVED
        count = min(lanes, simulations - totals[_SIMULATIONS], nodes - totals[_CREATED])
        if count <= 0:
            return DONE
        begun = nanoseconds()
        if until and begun >= until:
            return TIME
        pace = 0
        if deadline:
            pace = choose_pace(totals, count, deadline - begun)
            if pace < 0:
                return DONE
            count = min(count, 1 << pace)
        totals[_COUNT] = count
        call_address(calls[0], address)
        call_address(calls[1], address)
        chosen = nanoseconds()
        totals[_SELECT] += chosen - begun
        if totals[_LEAVES] > 0:
            _expand(address, calls, rules, block, values, policy, chosen)
        played = nanoseconds()
        call_address(calls[3], address)
        if search.options.kind != UCT:
            call_address(calls[5], address)
        if policy is not None:
            learn(policy, block, count)
        call_address(calls[4], address)
        totals[_SIMULATIONS] += count
        totals[_BLOCKS] += 1
        over = nanoseconds()
        totals[_BACK_UP] += over - played
        if deadline:
            note_pace(totals, pace, over - begun)
        if failed(rules) or has_failed(values) or scores_failed(search.judging.scores):
            return FAILED
        if policy is not None and scores_failed(policy.judge):
            return FAILED


@inner
def _expand(
    address: int, calls: Any, rules: Any, block: Any, values: Any, policy: Any, chosen: int
) -> None:
    """Make the leaves' steps, insert their states in the tree, and play them on."""
    search = search_at(address)
    totals, sims, leaves = search.flight.totals, search.flight.sims, search.flight.totals[_LEAVES]
    step(rules, block, leaves)
    stepped = nanoseconds()
    totals[_RULES] += stepped - chosen
    if search.options.hinted:
        evaluate(values, block.states, block.lanes, leaves, search.flight.estimate)
        totals[_EVALUATIONS] += leaves
        valued = nanoseconds()
        totals[_EVALUATE] += valued - stepped
        stepped = valued
    call_address(calls[2], address)
    inserted = nanoseconds()
    totals[_INSERT] += inserted - stepped
    wanted = 0
    for lane in range(leaves):
        wanted += sims[sims[lane, RIDER], END] != OVER and not block.terminal[lane]
    if wanted > 0:
        _play(search.options, totals, rules, block, values, policy, leaves)
    totals[_PLAYOUTS] += wanted
    totals[_PLAY] += nanoseconds() - inserted


@inner
def _play(
    options: Any, totals: Any, rules: Any, block: Any, values: Any, policy: Any, leaves: int
) -> None:
    """Play the leaves on."""
    seed = whole(random_word(options.seed, totals[_BLOCKS], 0))
    if policy is None:
        play_uniform(rules, block, leaves, seed, options.plies)
    elif options.cutoff < 0:
        play_out(rules, block, policy, leaves, seed, options.plies)
    else:
        plies = min(options.cutoff, options.plies)
        totals[_EVALUATIONS] += play_cut(rules, block, policy, values, leaves, seed, plies)
