"""Terms that the formulas of most moves share, and that say little about which move is best.

A disjunct that the formulas of all moves have is the same for all of them: without it, their
values shift and stretch alike, and the ranking stays. If a move changes the disjunct into another
one, that is where the moves differ, and it is kept. The same holds for conjuncts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurogame.array_types import Bools, Int64s
from neurogame.graph.graph import FALSE, Graph
from neurogame.graph.groups import group_starts
from neurogame.graph.positive import positive
from neurogame.graph.rewrite import rewrite_nodes
from neurogame.graph.store import GateStore
from neurogame.regress.action_formulas import ActionFormulas

_MOST_TERMS = 1_000_000


def without_shared_terms(own: ActionFormulas, kind: int, share: float) -> ActionFormulas | None:
    """Leave the terms out that many moves have in common.

    Args:
        own: formulas of a role's moves.
        kind: ``OR`` for disjuncts, ``AND`` for conjuncts of whole formulas.
        share: terms of at least this share of the moves' formulas are left out, 0..1; the moves
            whose formulas are constant do not count.

    Returns:
        The smaller formulas; None if there are no such terms, or too many terms to look at.
    """
    used, place = np.unique(own.outputs, return_inverse=True)
    terms = _terms(own.graph, used, kind)
    if terms is None:
        return None
    weight = np.bincount(place.reshape(-1), minlength=len(used))
    weight[_is_constant(own, used)] = 0
    count = np.zeros(own.graph.node_count, np.int64)
    for members, number in zip(terms, weight.tolist(), strict=True):
        count[members] += number
    dropped = (count >= share * weight.sum()) & (count > 1)
    if not dropped.any():
        return None
    store, literal = remade(own, np.zeros(own.graph.edge_count, np.bool_))
    kept = [members[~dropped[members]] for members in terms]
    start = group_starts(np.array([len(members) for members in kept]))
    made = store.make(kind, literal[np.concatenate(kept)], start)
    return packed(own, store, made[place].reshape(own.outputs.shape))


def remade(own: ActionFormulas, gone: Bools) -> tuple[GateStore, Int64s]:
    """Make all gates again without some of their inputs, simplified, over the circuit's inputs.

    Args:
        own: any.
        gone: which edges are left out; bool ``[E]``.

    Returns:
        The store, and the literal of every node in it.
    """
    graph, store = own.graph, GateStore(int((own.leaves >> 1).max(initial=0)) + 1)
    owner = np.repeat(np.arange(graph.gate_count), graph.fan_in)[~gone]
    start = group_starts(np.bincount(owner, minlength=graph.gate_count))
    left = replace(graph, start=start, inputs=graph.inputs[~gone])
    return store, rewrite_nodes(left, np.append(FALSE, own.leaves), store)


def packed(own: ActionFormulas, store: GateStore, literals: Int64s) -> ActionFormulas:
    """Return formulas with these literals of a store, ``[N, M]``, in place of their own."""
    graph, leaves = positive(store.graph(literals.reshape(-1)))
    return replace(own, graph=graph, leaves=leaves)


def _is_constant(own: ActionFormulas, nodes: Int64s) -> Bools:
    """Return which nodes are leaves of the constant; bool ``[n]``."""
    constant = np.zeros(own.graph.node_count, np.bool_)
    constant[1 : own.graph.input_count] = own.leaves >> 1 == FALSE
    found: Bools = constant[nodes]
    return found


def _terms(graph: Graph, nodes: Int64s, kind: int) -> list[Int64s] | None:
    """Return the nodes that nested gates of one kind combine, for each of some nodes."""
    own = np.zeros(graph.node_count, np.bool_)
    own[graph.input_count :] = graph.kind == kind
    found, total = [], 0
    for node in nodes:
        terms, below = [], np.array([node])
        while len(below):
            terms.append(below[~own[below]])
            inputs, _ = graph.inputs_of(below[own[below]] - graph.input_count)
            below = np.unique(inputs >> 1)
        found.append(np.unique(np.concatenate(terms)))
        total += len(found[-1])
        if total > _MOST_TERMS:
            return None
    return found
