"""How far the end is where the outcome is proved, and which way to look to know it better.

A proved node has the plies to the end in the lines of its proof: one more than the child that
proves it, where several do the nearest one if the deciding role gets its best there, and else the
farthest. That is an upper bound of what a win takes: a proof is made by the first win that is seen.

So once the root is proved and some role, the winner, has won, simulations *pursue* the win: they
enter proved nodes too, and draw two bounds of the plies to the winner's win nearer to each other,
``least`` and ``most``. A node that is not known to be won has no upper bound (:data:`NEVER`), one
that is known not to be no lower bound either. Of the winner's moves, the one with the smallest
lower bound is followed, as all must be raised before the upper bound is known to be exact, or one
is found that lowers it; of another role's moves the one with the greatest upper bound, as it is
what that role would play, and of those the one that has already been shown to last longest.

*Reference:* Stockman, "A minimax algorithm better than alpha-beta?" (1979), SSS*: best-first
search by bounds; Berliner, "The B* tree search algorithm" (1979): two bounds, and an end as soon as
they separate the moves of the root.
"""

from __future__ import annotations

import numpy as np

from neurogame.native.bits import whole
from neurogame.native.compiled import inner
from neurogame.search.mcts.compiled.search import ALONE, Search
from neurogame.search.mcts.compiled.search import NEVER as NOT_EARLY
from neurogame.search.mcts.compiled.tree import (
    BOUND,
    COUNT,
    EXACT,
    KNOWN,
    LEAST,
    MOST,
    NO_LINK,
    PENDING,
    ROLE,
    TERMINAL,
    WINNER,
    Edges,
    Tree,
    decider_of,
    deciders_of,
    edges_of,
    linked,
    node_at,
    record_at,
    results_of,
)

NEVER = BOUND
"""Plies to a win where there is none, or none is known."""
_LONGEST = BOUND - 1
"""Plies that stand for as many and more."""
_MOST_WINNERS = 7
"""Roles whose wins can be pursued, the first ones."""
_ONE, _HALF = np.float32(1), np.float32(0.5)


@inner
def most_plies(tree: Tree, node: int) -> int:
    """Return the plies from a proved node to the end, at most, in the lines of its proof."""
    return (whole(node_at(tree.heap, node).flags) >> MOST) & BOUND


@inner
def set_most_plies(tree: Tree, node: int, plies: int) -> None:
    """Write what :func:`most_plies` returns; very many plies become fewer."""
    header = node_at(tree.heap, node)
    header.flags = (header.flags & ~(BOUND << MOST)) | (min(plies, _LONGEST) << MOST)


@inner
def plies_by_child(tree: Tree, record: int, child: int) -> int:
    """Return how far the end is from a node that is proved by a child, where one role decides.

    Args:
        tree: the tree.
        record: of the node.
        child: has the values that the node is to have; there may be others that have them too.
    """
    decider, edges = decider_of(tree, record, 0), edges_of(tree, record, 1, 0)
    role, plies = decider.head >> ROLE, most_plies(tree, child)
    value = results_of(tree, child).values[role]
    for edge in range(decider.tried):
        if edges.moves[edge] & KNOWN and edges.links[edge] != NO_LINK:
            other = linked(tree, edges.links[edge])
            if results_of(tree, other).values[role] == value:
                further = most_plies(tree, other)
                best = value >= tree.best[role]
                plies = min(plies, further) if best else max(plies, further)
    return plies + 1


@inner
def bounds_of(tree: Tree, node: int, winner: int) -> tuple[int, int]:
    """Return the bounds of the plies from a node to the winner's win."""
    flags = whole(node_at(tree.heap, node).flags)
    least, most = 1, NEVER
    if flags & EXACT:
        if results_of(tree, node).values[winner] < tree.best[winner]:
            return NEVER, NEVER
        most = (flags >> MOST) & BOUND
    if flags & TERMINAL:
        least = most
    elif flags >> WINNER == winner + 1:
        least = max((flags >> LEAST) & BOUND, 1)
    return least, most


@inner
def _bounds_at(tree: Tree, edges: Edges, edge: int, winner: int) -> tuple[int, int]:
    """Return the bounds of what an edge leads to."""
    if edges.links[edge] == NO_LINK:
        return 0, NEVER
    return bounds_of(tree, linked(tree, edges.links[edge]), winner)


@inner
def _set_least(tree: Tree, node: int, winner: int, plies: int) -> None:
    """Write a lower bound of the plies to the winner's win."""
    header = node_at(tree.heap, node)
    kept = whole(header.flags) & ~((BOUND << LEAST) | (-1 << WINNER))
    header.flags = kept | (plies << LEAST) | ((winner + 1) << WINNER)


@inner
def narrow(tree: Tree, record: int, winner: int) -> None:
    """Draw a node's bounds nearer to each other, by those of its children.

    Args:
        tree: changed.
        record: of the node.
        winner: the role whose win is pursued.
    """
    if deciders_of(tree, record) != 1:
        return
    node, decider = record_at(tree.heap, record).node, decider_of(tree, record, 0)
    edges, is_winner = edges_of(tree, record, 1, 0), decider.head >> ROLE == winner
    least, most = (NEVER, NEVER) if is_winner else (0, 0)
    # An untried move may end the game at once, or never.
    if decider.tried < decider.head & COUNT:
        least, most = 0, NEVER
    for edge in range(decider.tried):
        low, high = _bounds_at(tree, edges, edge, winner)
        least = min(least, low) if is_winner else max(least, low)
        most = min(most, high) if is_winner else max(most, high)
    known_least, known_most = bounds_of(tree, node, winner)
    if known_least == NEVER:
        return
    if least + 1 > known_least:
        _set_least(tree, node, winner, NEVER if least == NEVER else min(least + 1, _LONGEST))
    if most + 1 < known_most and known_most < NEVER:
        set_most_plies(tree, node, most + 1)


@inner
def close(tree: Tree, record: int, winner: int) -> None:
    """Have nobody look any further from a node, from where no way leads on.

    Its children are known by now, unless some were dropped, or several roles decide.
    """
    narrow(tree, record, winner)
    node = record_at(tree.heap, record).node
    least, most = bounds_of(tree, node, winner)
    if least < most:
        _set_least(tree, node, winner, most)


@inner
def is_open(tree: Tree, node: int, winner: int) -> bool:
    """Return whether the plies to the winner's win are not known exactly."""
    least, most = bounds_of(tree, node, winner)
    return least < most


@inner
def pursue(tree: Tree, record: int, winner: int) -> int:
    """Return the edge to follow where a win is pursued, -1 if no way leads on.

    Args:
        tree: the number of tried edges is changed.
        record: where to choose.
        winner: the role whose win is pursued.
    """
    if deciders_of(tree, record) != 1:
        return -1
    decider, edges = decider_of(tree, record, 0), edges_of(tree, record, 1, 0)
    count, tried, is_winner = decider.head & COUNT, decider.tried, decider.head >> ROLE == winner
    best, first, second, third = -1, 0, 0, _HALF
    # The winner's untried moves come first: their lower bound is 0.
    if not (is_winner and tried < count):
        for edge in range(tried):
            if edges.links[edge] == NO_LINK and edges.moves[edge] & KNOWN:
                # What a tree that was full has dropped is not searched once more.
                continue
            low, high = _bounds_at(tree, edges, edge, winner)
            if high < NEVER and edges.moves[edge] & KNOWN == 0:
                # Proved on another way: the way up tells the node.
                low = low - NEVER if is_winner else low
            elif low >= high:
                continue
            visits, mean = edges.visits[edge], _HALF
            if visits > 0:
                mean = edges.sums[edge] / np.float32(visits)
            # Simulations of a block part at the winner's moves: all of these count.
            one = -low - (edges.moves[edge] & PENDING) if is_winner else high
            other = 0 if is_winner else low
            better = one > first or (one == first and other > second)
            if best < 0 or better or (one == first and other == second and mean > third):
                best, first, second, third = edge, one, other, mean
    if tried < count and (is_winner or best < 0 or first < NEVER):
        decider.tried = tried + 1
        return whole(tried)
    return best


@inner
def winner_at(search: Search) -> int:
    """Return the role that wins from a proved root, -1 if there is none.

    That is the role that gets the best that it can, and nothing else is left to the others. There
    is none where the roles have common interests, or where several decide at once.
    """
    tree, options = search.tree, search.options
    record, roles, winner = node_at(tree.heap, tree.root).record, len(tree.best), -1
    if options.early == NOT_EARLY or roles < 2 or record == 0 or deciders_of(tree, record) != 1:
        return -1
    values = results_of(tree, tree.root).values
    for role in range(min(roles, _MOST_WINNERS)):
        won = values[role] >= tree.best[role] and tree.best[role] > 0
        if won and (options.early == ALONE or values[role] >= _ONE):
            winner = role
    return winner


@inner
def pursued(search: Search) -> int:
    """Return the role whose win is to be pursued from a proved root, -1 if there is none.

    There is none where nobody has won, or where it is known which moves the root's role has to
    choose from, as no other can last longer or win sooner.
    """
    tree, winner = search.tree, winner_at(search)
    if winner < 0:
        return -1
    record = node_at(tree.heap, tree.root).record
    decider, edges = decider_of(tree, record, 0), edges_of(tree, record, 1, 0)
    if decider.head >> ROLE == winner:
        return winner if is_open(tree, tree.root, winner) else -1
    # The root loses. A move whose upper bound is below another's lower one surely loses sooner.
    latest = 0
    for edge in range(decider.tried):
        low, _ = _bounds_at(tree, edges, edge, winner)
        latest = max(latest, low)
    for edge in range(decider.tried):
        if edges.links[edge] != NO_LINK:
            low, high = _bounds_at(tree, edges, edge, winner)
            if low < high and high >= latest:
                return winner
    return -1
