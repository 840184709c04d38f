"""Moves that lose alike: what they are worth against somebody who does not see the win.

A proof often comes before a move has been tried more than a few times. So where the root has lost
and several moves last longest, simulations make one of these and play on from there, without the
tree; the mean of what that brings takes the place of the results before the proof. The move that
leaves fewest ways to win then is the best one: of a double threat one side is blocked.
"""

from __future__ import annotations

from neurogame.array_types import Float32s1
from neurogame.native.bits import whole
from neurogame.native.compiled import inner
from neurogame.search.mcts.compiled.distance import most_plies, winner_at
from neurogame.search.mcts.compiled.search import Search, Simulation
from neurogame.search.mcts.compiled.tree import (
    COUNT,
    KNOWN,
    NO_LINK,
    PENDING,
    ROLE,
    Edges,
    Tree,
    decider_of,
    edges_of,
    linked,
    node_at,
    record_at,
    results_of,
    sums_of,
)

ENOUGH = 256
"""Simulations of each move."""
# No number of simulations. A field of its own would make all records longer.
_COMPARED = -1
"""Stands in ``Record.ends`` of a proved child whose sums are those of such simulations."""


@inner
def _record_at(tree: Tree, edges: Edges, edge: int) -> int:
    """Return the record of the proved child that an edge leads to, 0 if there is none."""
    if edges.links[edge] == NO_LINK or edges.moves[edge] & KNOWN == 0:
        return 0
    return whole(node_at(tree.heap, linked(tree, edges.links[edge])).record)


@inner
def _latest(tree: Tree, edges: Edges, count: int) -> int:
    """Return the plies of the children that are farthest from the end."""
    latest = 0
    for edge in range(count):
        if _record_at(tree, edges, edge) > 0:
            latest = max(latest, most_plies(tree, linked(tree, edges.links[edge])))
    return latest


@inner
def next_tied(tree: Tree, record: int) -> int:
    """Return the edge of a lost root to simulate next, -1 if there is nothing left to compare.

    Args:
        tree: the tree.
        record: of the root, where one role decides.
    """
    edges, count = edges_of(tree, record, 1, 0), decider_of(tree, record, 0).head & COUNT
    latest, best, fewest, tied = _latest(tree, edges, count), -1, ENOUGH, 0
    for edge in range(count):
        place = _record_at(tree, edges, edge)
        if place > 0 and most_plies(tree, linked(tree, edges.links[edge])) == latest:
            header, begun = record_at(tree.heap, place), edges.moves[edge] & PENDING
            made = begun + (whole(header.visits) if header.ends == _COMPARED else 0)
            tied += 1
            if made < fewest:
                best, fewest = edge, made
    return best if tied > 1 else -1


@inner
def has_ties(search: Search) -> bool:
    """Return whether moves of a proved root that lose alike are to be compared."""
    tree, winner = search.tree, winner_at(search)
    if winner < 0:
        return False
    record = node_at(tree.heap, tree.root).record
    return decider_of(tree, record, 0).head >> ROLE != winner and next_tied(tree, record) >= 0


@inner
def count_tied(search: Search, sim: Simulation, result: Float32s1) -> None:
    """Count what a simulation of a move of the lost root has brought back.

    Args:
        search: its tree is changed.
        sim: the simulation.
        result: of it; ``[R]``.
    """
    tree, record = search.tree, whole(search.sims.paths[0, sim.number, 0])
    edge = whole(search.sims.paths[0, sim.number, 1])
    edges, header = edges_of(tree, record, 1, 0), record_at(tree.heap, record)
    role = decider_of(tree, record, 0).head >> ROLE
    # Simulations on their way are in the lowest bits of both.
    header.status -= 1
    edges.moves[edge] -= 1
    edges.visits[edge] += 1
    # The value is proved.
    edges.sums[edge] += results_of(tree, linked(tree, edges.links[edge])).values[role]
    place = _record_at(tree, edges, edge)
    child, sums = record_at(tree.heap, place), sums_of(tree, place).sums
    # The first one puts the results before the proof out of the way, of which there may be one.
    first = child.ends != _COMPARED
    child.visits = 1 if first else child.visits + 1
    child.ends = _COMPARED
    for other in range(len(tree.best)):
        sums[other] = result[other] if first else sums[other] + result[other]
