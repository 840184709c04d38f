"""Goals that are too large for a network: their deeper parts become inputs.

*Reference:* Michulke & Thielscher, section 5: clauses with too many instances "are redirected to
the automated theorem proving system [...] we do not transform the clause, but add it as an input
node".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurogame.array_types import Int64s
from neurogame.errors import LimitError
from neurogame.evaluators.proof import ProofGraph, Redirected
from neurogame.graph.graph import TRUE
from neurogame.graph.levels import all_levels, with_levels
from neurogame.graph.prune import rewired_gates, with_sorted_inputs


def redirect(proof: ProofGraph, circuit_node: Int64s, budget: int) -> ProofGraph:
    """Return a proof graph of at most so many gates that says the same.

    The gates nearest to the goals are kept, atom by atom with the bodies of its rules. What they
    read below becomes a leaf, whose truth :class:`~.reasoner.Reasoner` computes.

    Args:
        proof: a proof graph without redirected leaves.
        circuit_node: node of the circuit that each gate stands for; int64 ``[G]``.
        budget: gates at most.

    Raises:
        LimitError: there are more goals than the budget has gates.
    """
    graph, first = proof.graph, proof.graph.input_count
    if graph.gate_count <= budget:
        return proof
    roots = np.unique(graph.outputs[graph.outputs > TRUE] >> 1) - first
    if len(roots) > budget:
        raise LimitError(
            f"the goals need {len(roots):,} neurons at least, one for each goal value of each "
            f"role, but only {budget:,} are allowed; raise the limit"
        )
    kept = _nearest(proof, roots, budget)
    inside = np.zeros(graph.node_count, np.bool_)
    inside[:first] = inside[first + kept] = True
    read = np.unique(graph.inputs_of(kept)[0] >> 1)
    cut = read[~inside[read]] - first
    signal = 2 * np.arange(graph.node_count)
    signal[first + cut] = 2 * (first + np.arange(len(cut)))
    signal[first + kept] = 2 * (first + len(cut) + np.arange(len(kept)))
    smaller = rewired_gates(graph, kept, first + len(cut), signal)
    return replace(
        proof,
        graph=with_sorted_inputs(with_levels(smaller)),
        redirected=Redirected(circuit_node[cut], graph.atom[cut], graph.rule[cut]),
    )


def _nearest(proof: ProofGraph, roots: Int64s, budget: int) -> Int64s:
    """Return the gates to keep, ascending: the roots, then whole atoms, nearest first."""
    graph, size = proof.graph, proof.graph.gate_count
    named = graph.atom >= 0
    named[named] = ~proof.atoms.auxiliary[graph.atom[named]]
    named[roots] = True
    # Key of a gate: how many atoms lie above the one that it belongs to, and which one that is.
    key = np.full(size, np.iinfo(np.int64).max)
    key[roots] = roots
    for gates in all_levels(graph)[::-1]:
        inputs, start = graph.inputs_of(gates)
        child = (inputs >> 1) - graph.input_count
        above = np.repeat(key[gates], np.diff(start))[child >= 0]
        child = child[child >= 0]
        offered = np.where(named[child], (above // size + 1) * size + child, above)
        np.minimum.at(key, child, offered)
    is_root = np.zeros(size, np.bool_)
    is_root[roots] = True
    order = np.lexsort((-graph.level, key, ~is_root))
    kept, following = order[:budget], key[order[budget]]
    if not is_root[following % size]:
        kept = kept[key[kept] != following]
    return np.sort(kept)
