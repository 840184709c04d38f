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
from neurogame.search.mcts.compiled.all_moves import learn_all_moves
from neurogame.search.mcts.compiled.backup import back_up, collect
from neurogame.search.mcts.compiled.descend import descend
from neurogame.search.mcts.compiled.distance import pursued
from neurogame.search.mcts.compiled.expand import gather_leaves, insert
from neurogame.search.mcts.compiled.pace import choose_pace, note_pace
from neurogame.search.mcts.compiled.priors import add_priors
from neurogame.search.mcts.compiled.search import OVER, UCT, Options, Parts, Search, simulation_of
from neurogame.search.mcts.compiled.ties import has_ties
from neurogame.search.mcts.compiled.tree import EXACT, Tree, node_at

DONE, TIME, SOLVED, FAILED, FULL = 0, 1, 2, 3, 4
"""Why :func:`run` returns: nothing left to do, no time left, the root proved and its best moves
known, an error in Python code; then the tree is to be thrown away; no room for the nodes of another
block."""

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
    deadline = search.deadline
    while True:
        search.winner, search.ties = -1, 0
        if node_at(tree.heap, tree.root).flags & EXACT:
            search.winner = pursued(search)
            search.ties = int(search.winner < 0 and has_ties(search))
            if search.winner < 0 and not search.ties:
                search.code = SOLVED
                return
        count = min(search.lanes, search.simulations - totals.simulations)
        count = min(count, search.nodes - totals.created)
        begun = nanoseconds()
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
        chosen = nanoseconds()
        totals.select += chosen - begun
        if search.sims.leaves > 0:
            _expand(search, chosen)
        played = nanoseconds()
        parts.collect(search)
        if options.kind != UCT:
            parts.learn_all_moves(search)
        if search.guided:
            learn(policy_of(search.policy), search.block, count)
        parts.back_up(search)
        totals.simulations += count
        totals.blocks += 1
        over = nanoseconds()
        totals.back_up += over - played
        if deadline:
            note_pace(search.pace, pace, over - begun)
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
def _expand(search: Search, chosen: int) -> None:
    """Make the leaves' steps, insert their states in the tree, and play them on."""
    sims, totals, block, leaves = search.sims, search.totals, search.block, search.sims.leaves
    step(search.rules, block, leaves)
    stepped = nanoseconds()
    totals.rules += stepped - chosen
    if search.tree.hinted:
        evaluate(search.values, block.states, block.lanes, leaves, sims.estimates)
        totals.evaluations += leaves
        valued = nanoseconds()
        totals.evaluate += valued - stepped
        stepped = valued
    search.parts.insert(search)
    inserted = nanoseconds()
    totals.insert += inserted - stepped
    wanted = 0
    for leaf in range(leaves):
        over = simulation_of(sims, sims.at_leaf[leaf]).end == OVER
        wanted += not over and not block.terminal[leaf]
    if wanted > 0:
        search.parts.play(search)
    totals.playouts += wanted
    totals.play += nanoseconds() - inserted


@inner
def _seed(search: Search) -> int:
    """Return what decides the playouts of a block."""
    return whole(random_word(search.options.seed, search.totals.blocks, 0))


def play_on(search: Search) -> None:
    """Play the leaves on, uniformly to the end."""
    block, plies = search.block, search.options.numbers.plies
    play_uniform(search.rules, block, search.sims.leaves, _seed(search), plies)


def play_by_policy(search: Search) -> None:
    """Play the leaves on as their policy says, to the end or to a cut-off."""
    rules, block, policy, leaves = (
        search.rules,
        search.block,
        policy_of(search.policy),
        search.sims.leaves,
    )
    plies, cutoff = search.options.numbers.plies, search.options.cutoff
    if cutoff < 0:
        play_out(rules, block, policy, leaves, _seed(search), plies)
    else:
        cut = min(cutoff, plies)
        valued = play_cut(rules, block, policy, search.values, leaves, _seed(search), cut)
        search.totals.evaluations += valued


def do_nothing(search: Search) -> None:
    """Stand for a part that a search does not need."""
