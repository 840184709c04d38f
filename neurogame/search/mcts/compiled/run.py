"""Monte-Carlo tree search, block by block, until simulations or time are used up."""

from __future__ import annotations

from neurogame.judges.states import evaluate
from neurogame.kernels.leaves.machine import play_uniform, step
from neurogame.kernels.leaves.move_statistics import Policy, learn
from neurogame.kernels.leaves.playouts import play_cut, play_out
from neurogame.native.arrays import cast
from neurogame.native.bits import whole
from neurogame.native.clock import nanoseconds
from neurogame.native.compiled import inner
from neurogame.native.entries import entry
from neurogame.native.random import random_word
from neurogame.search.mcts.compiled.ahead import keep_ahead, make_room, take_ahead
from neurogame.search.mcts.compiled.all_moves import learn_all_moves
from neurogame.search.mcts.compiled.backup import back_up, collect
from neurogame.search.mcts.compiled.descend import descend
from neurogame.search.mcts.compiled.distance import pursued
from neurogame.search.mcts.compiled.expand import gather_leaves, insert
from neurogame.search.mcts.compiled.next_leaves import gather_next, take_back
from neurogame.search.mcts.compiled.nodes import chosen_key
from neurogame.search.mcts.compiled.pace import choose_pace, note_pace
from neurogame.search.mcts.compiled.priors import add_priors
from neurogame.search.mcts.compiled.search import (
    OVER,
    STEP,
    UCT,
    Options,
    Parts,
    Search,
    simulation_of,
)
from neurogame.search.mcts.compiled.ties import has_ties
from neurogame.search.mcts.compiled.tree import EXACT, Tree, node_at

DONE, TIME, SOLVED, FAILED, FULL = 0, 1, 2, 3, 4
"""Why :func:`run` returns: nothing left to do, no time left, the root proved and its best moves
known, an error in Python code; then the tree is to be thrown away; no room for the nodes of another
block."""

_BRIEF, _TIMED_TOGETHER = 5_000, 16
"""Nanoseconds of a block below which its times stand for those of so many that follow, too."""
policy_of = cast(Policy)


def parts(options: Options, *, guided: bool) -> Parts:
    """Return the parts of a search, compiled at the first call.

    Args:
        options: of the search.
        guided: whether playouts have a policy.
    """
    nothing = entry(do_nothing)
    return Parts(
        descend=entry(descend),
        gather_leaves=entry(gather_leaves),
        insert=entry(insert),
        play=entry(play_by_policy if guided else play_on),
        take_leaf=nothing if options.traced and guided else entry(take_leaf),
        collect=entry(collect),
        learn_all_moves=nothing if options.kind == UCT else entry(learn_all_moves),
        back_up=entry(back_up),
        add_priors=entry(add_priors) if options.judged else nothing,
    )


def run(search: Search) -> None:
    """Search until a limit is reached; ``search.code`` says which.

    Args:
        search: its root has a record.
    """
    tree, options, totals, parts = search.tree, search.options, search.totals, search.parts
    deadline, stands_for, untimed = search.deadline, 1, 0
    while True:
        weight = stands_for if untimed == 0 else 0
        search.winner, search.ties = -1, 0
        if node_at(tree.heap, tree.root).flags & EXACT:
            search.winner = pursued(search)
            search.ties = int(search.winner < 0 and has_ties(search))
            if search.winner < 0 and not search.ties:
                search.code = SOLVED
                return
        count = min(search.lanes, search.simulations - totals.simulations)
        count = min(count, search.nodes - totals.created)
        begun = _clock(weight)
        if count <= 0 or (search.until and begun >= search.until):
            search.code = DONE if count <= 0 else TIME
            return
        pace = 0
        if deadline:
            pace = choose_pace(search.pace, count, deadline - begun)
            if pace < 0:
                search.code = DONE
                return
            count = min(count, 1 << pace)
        if search.heeds and _is_full(tree, count):
            search.code = FULL
            return
        search.sims.count = count
        parts.descend(search)
        parts.gather_leaves(search)
        chosen = _clock(weight)
        totals.select += weight * (chosen - begun)
        if search.sims.leaves > 0:
            _expand(search, weight, chosen)
        played = _clock(weight)
        parts.collect(search)
        if options.kind != UCT:
            parts.learn_all_moves(search)
        if search.guided:
            learn(policy_of(search.policy), search.block, count)
        parts.back_up(search)
        totals.simulations += count
        totals.blocks += 1
        over = _clock(weight)
        totals.back_up += weight * (over - played)
        if deadline:
            note_pace(search.pace, pace, over - begun)
        elif weight == 0:
            untimed -= 1
        else:
            is_plain = search.guided == 0 and options.judged == 0
            stands_for = _TIMED_TOGETHER if is_plain and over - begun < _BRIEF else 1
            untimed = stands_for - 1
        if _has_failed(search):
            search.code = FAILED
            return


@inner
def _is_full(tree: Tree, count: int) -> bool:
    """Return whether a tree has no room for a number of nodes more, or its tables have none."""
    size, joints, places = tree.size + count, tree.joint_count + count, len(tree.table)
    return tree.full != 0 or size > tree.most_nodes or 2 * max(size, joints) > places


@inner
def _has_failed(search: Search) -> bool:
    """Return whether rules, evaluator or judges have raised an error."""
    if (search.rules.failed | search.values.failed | search.judging.scores.failed) != 0:
        return True
    return search.guided != 0 and policy_of(search.policy).judge.failed != 0


@inner
def _clock(weight: int) -> int:
    """Return the time where it is wanted; telling it takes as long as a way down a small tree."""
    return nanoseconds() if weight else 0


@inner
def _expand(search: Search, weight: int, chosen: int) -> None:
    """Make the leaves' steps, insert their states in the tree, and play them on.

    Args:
        search: its simulations have leaves.
        weight: of the times that this takes; 0: they are not wanted.
        chosen: when leaves had been gathered.
    """
    sims, totals, block, leaves = search.sims, search.totals, search.block, search.sims.leaves
    is_alone = search.ahead.leaves > 0 and _is_new_state(search)
    if is_alone:
        search.parts.take_leaf(search)
    else:
        step(search.rules, leaves)
        totals.rules += weight * (_clock(weight) - chosen)
    stepped = _clock(weight)
    if search.tree.hinted:
        evaluate(search.values, block.states, block.lanes, leaves, sims.estimates)
        totals.evaluations += leaves
        valued = _clock(weight)
        totals.evaluate += weight * (valued - stepped)
        stepped = valued
    search.parts.insert(search)
    inserted = _clock(weight)
    totals.insert += weight * (inserted - stepped)
    wanted = 0
    for leaf in range(leaves):
        over = simulation_of(sims, sims.at_leaf[leaf]).end == OVER
        wanted += not over and not block.terminal[leaf]
    if wanted > 0 and not is_alone:
        search.parts.play(search)
    totals.playouts += wanted
    totals.play += weight * (_clock(weight) - inserted)


@inner
def _is_new_state(search: Search) -> bool:
    """Return whether the only leaf is a new state, and its simulation an ordinary one."""
    is_plain = search.winner < 0 and search.ties == 0
    return is_plain and simulation_of(search.sims, 0).end == STEP


def take_leaf(search: Search) -> None:
    """Make the step of a block's only leaf and play it on, with others ahead of their need.

    What that takes is told, unless the leaf was waiting.

    Args:
        search: the tree is as it was when the simulation had descended; new are only records.
    """
    tree, sims, block, ahead = search.tree, search.sims, search.block, search.ahead
    first = simulation_of(sims, 0)
    if take_ahead(ahead, chosen_key(tree, sims, first, first.length - 1), block):
        return
    totals, begun = search.totals, nanoseconds()
    make_room(ahead)
    gather_next(search)
    chosen = nanoseconds()
    step(search.rules, sims.leaves)
    stepped = nanoseconds()
    search.parts.play(search)
    played = nanoseconds()
    keep_ahead(ahead, block, sims.leaves)
    take_back(search)
    sims.first, sims.count, sims.leaves = 0, 1, 1
    totals.rules += stepped - chosen
    totals.play += played - stepped
    totals.select += nanoseconds() - played + chosen - begun


@inner
def _seed(search: Search) -> int:
    """Return what decides the playouts of a block."""
    return whole(random_word(search.options.seed, search.totals.blocks, 0))


def play_on(search: Search) -> None:
    """Play the leaves on, uniformly to the end."""
    plies = search.options.numbers.plies
    play_uniform(search.rules, search.sims.leaves, _seed(search), plies)


def play_by_policy(search: Search) -> None:
    """Play the leaves on as their policy says, to the end or to a cut-off."""
    block, policy, leaves = search.block, policy_of(search.policy), search.sims.leaves
    plies, cutoff = search.options.numbers.plies, search.options.cutoff
    if cutoff < 0:
        play_out(block, policy, leaves, _seed(search), plies)
    else:
        cut = min(cutoff, plies)
        valued = play_cut(block, policy, search.values, leaves, _seed(search), cut)
        search.totals.evaluations += valued


def do_nothing(search: Search) -> None:
    """Stand for a part that a search does not need."""
