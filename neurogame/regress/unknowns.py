"""Formulas without the inputs of which nothing, or everything, is known.

An unknown that survives the simplification of three-valued logic has no value. Here it is left
out of the gates that read it, as if it were their neutral element.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neurogame.analysis.analyse import GameAnalysis
from neurogame.array_types import Bools
from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import AND, FALSE, TRUE, Graph, replaced
from neurogame.graph.levels import steps
from neurogame.graph.prune import prune
from neurogame.graph.rewrite import substituted
from neurogame.graph.store import GateStore
from neurogame.regress.specialise import MoveFormulas


def without_unknowns(graph: Graph, unknown: Bools) -> tuple[Graph, Bools]:
    """Leave unknown inputs out of formulas.

    A gate of nothing but unknowns is unknown itself. Whether an unknown is negated makes no
    difference.

    Args:
        graph: the formulas; any.
        unknown: which inputs are unknown; bool ``[I]``.

    Returns:
        The same number of formulas, over the known inputs only, and which of them are unknown
        themselves, and false here; bool ``[N]``.

    Reference:
        Trutman and Schiffel, section "Algorithm", steps 2(c) and 3, which leave open what
        becomes of an unknown that remains.
    """
    first = graph.input_count
    store = GateStore(first)
    literal_of = 2 * np.arange(graph.node_count)
    dropped = np.zeros(len(literal_of), np.bool_)
    dropped[:first] = unknown
    for kind, gates in steps(graph):
        inputs, start = graph.inputs_of(gates)
        gone = dropped[inputs >> 1]
        literals = np.where(gone, TRUE if kind == AND else FALSE, replaced(inputs, literal_of))
        literal_of[first + gates] = store.make(kind, literals, start)
        dropped[first + gates] = np.logical_and.reduceat(gone, start[:-1])
    nothing = dropped[graph.outputs >> 1]
    literals = np.where(nothing, FALSE, replaced(graph.outputs, literal_of))
    return prune(store.graph(literals)), nothing


def without_moves(circuit: Circuit, moves: MoveFormulas) -> tuple[MoveFormulas, Bools]:
    """Leave the moves of all other roles out of the formulas of a role's moves.

    Args:
        circuit: the game.
        moves: ``N`` formulas for each of ``M`` moves.

    Returns:
        The formulas, and of which of them nothing is left; bool ``[N, M]``.
    """
    unknown = np.zeros(circuit.input_count, np.bool_)
    unknown[1 + len(circuit.fluents) :] = circuit.role_of_move != moves.role
    known, nothing = without_unknowns(moves.graph, unknown)
    return replace(moves, graph=known), nothing.reshape(moves.literals.shape)


def with_constants(graph: Graph, analysis: GameAnalysis) -> Graph:
    """Replace the fluents that certainly never or always hold by constants.

    Args:
        graph: over the inputs of the game's circuit.
        analysis: of the game.
    """
    leaves = 2 * np.arange(graph.input_count)
    leaves[1 + np.flatnonzero(analysis.never)] = FALSE
    leaves[1 + np.flatnonzero(analysis.always)] = TRUE
    return substituted(graph, leaves)
