"""A game under canonical numbers: what is found with them does not depend on names.

Samples of play, ties between equals and seeds all depend on numbering. So everything is found on
a copy of the circuit whose fluents and moves are numbered by what the rules do with them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import replaced
from neurogame.graph.groups import group_starts
from neurogame.ground.atoms import AtomTable, TermTable


def renumbered(circuit: Circuit, fluents: Int64s, moves: Int64s) -> Circuit:
    """Return the same game with its fluents and moves in another order.

    Args:
        circuit: the game.
        fluents: the fluents in their new order; int64 ``[F]``.
        moves: the moves of all roles in their new order, role by role as before; int64 ``[M]``.
    """
    graph = circuit.graph
    count = circuit.move_count
    node = np.arange(graph.node_count)
    node[1 + fluents] = 1 + np.arange(len(fluents))
    node[1 + len(fluents) + moves] = 1 + len(fluents) + np.arange(count)
    inputs = replaced(graph.inputs, 2 * node)
    outputs = replaced(graph.outputs, 2 * node)
    end = count + len(fluents)
    outputs = np.concatenate([outputs[:count][moves], outputs[count:end][fluents], outputs[end:]])
    texts = [text for role in circuit.moves for text in role]
    bounds = circuit.move_offsets.tolist()
    return replace(
        circuit,
        fluents=tuple(circuit.fluents[f] for f in fluents.tolist()),
        moves=tuple(tuple(texts[m] for m in moves[a:b].tolist()) for a, b in pairwise(bounds)),
        initial=circuit.initial[fluents],
        graph=replace(graph, inputs=inputs, outputs=outputs),
        atoms=_renumbered_atoms(circuit.atoms, fluents),
    )


def _renumbered_atoms(atoms: AtomTable, fluents: Int64s) -> AtomTable:
    """Return the atoms of fluents alone, with terms and names numbered as they turn up."""
    terms = atoms.terms
    term_of: dict[int, int] = {}
    name_of: dict[int, int] = {}
    functor: list[int] = []
    arguments: list[list[int]] = []

    def numbered(term: int) -> int:
        known = term_of.get(term)
        if known is not None:
            return known
        begin, end = int(terms.start[term]), int(terms.start[term + 1])
        inner = [numbered(a) for a in terms.arguments[begin:end].tolist()]
        term_of[term] = len(functor)
        name = int(terms.functor[term])
        functor.append(name_of.setdefault(name, len(name_of)))
        arguments.append(inner)
        return term_of[term]

    tops = atoms.arguments[atoms.start[:-1][fluents]] if len(fluents) else fluents
    top = [numbered(term) for term in tops.tolist()]
    sizes = np.array(list(map(len, arguments)), np.int64)
    table = TermTable(
        tuple(terms.names[name] for name in name_of),
        np.array(functor, np.int64),
        group_starts(sizes),
        np.array([a for inner in arguments for a in inner], np.int64),
    )
    predicate = atoms.predicates[int(atoms.predicate[0])] if len(fluents) else "true"
    return AtomTable(
        table,
        (predicate,),
        np.zeros(len(top), np.int64),
        np.arange(len(top) + 1),
        np.array(top, np.int64),
    )
