"""Independent parts of a game of one role: what moves of one part change and read, no other does.

A move *touches* a fluent if the next state may have another value of it than this one. A move, the
fluents that it touches, and what decides whether it is legal and what it does to them belong
together; what is connected so is a factor. Clocks run in all factors alike. What goals and the end
of the game say of several factors at once does not connect them: whoever uses factors has to put
them together again.

*Reference:* Cox, Schkufza, Madsen and Genesereth, "Factoring general games using propositional
automata" (2009); Günther, Schiffel and Thielscher, "Factoring general games" (2009).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Bools, Int64s, Int64s1
from neurogame.circuit.circuit import Circuit
from neurogame.gdl.connected import least_connected
from neurogame.graph.graph import Graph
from neurogame.graph.levels import levels
from neurogame.graph.prune import needed
from neurogame.regress.clockwork import clockwork
from neurogame.regress.specialise import next_of_moves


@final
@dataclass(frozen=True, eq=False)
class Factor:
    """A part of a game.

    Attributes:
        fluents: that its moves change or read, clocks left out; ascending, int64 ``[f]``.
        moves: ascending, int64 ``[m]``; none where nothing changes.
        matters: whether a goal or the end of the game depends on it.
    """

    fluents: Int64s1
    moves: Int64s1
    matters: bool


def independent_factors(circuit: Circuit) -> tuple[Factor, ...]:
    """Return the factors of a game, by their first fluent.

    Args:
        circuit: a game of one role.

    Returns:
        Factors that have fluents; none if the game is too large for it.
    """
    formulas = next_of_moves(circuit)
    if not formulas.specialised:
        return ()
    fluents, inputs = len(circuit.fluents), circuit.input_count
    counted = np.zeros(inputs, np.bool_)
    counted[1:] = True
    clocks = np.flatnonzero(clockwork(circuit))
    counted[1 + clocks] = False
    literals = formulas.literals
    touched = literals != 2 * (1 + np.arange(fluents))[:, None]
    touched[clocks] = False
    fluent, move = np.nonzero(touched)
    links = [np.stack([1 + fluents + move, 1 + fluent])]
    changes = formulas.graph.with_outputs(literals[fluent, move])
    links += _links(changes, 1 + fluents + move, counted, -1, inputs)
    # No move is made where the game is over, so that what is not legal then connects nothing.
    moves = 1 + fluents + np.arange(circuit.move_count)
    legal = circuit.graph.with_outputs(circuit.legal)
    ends = circuit.terminal >> 1
    links += _links(legal, moves, counted, ends, inputs + changes.gate_count)
    total = inputs + changes.gate_count + legal.gate_count
    label = least_connected(total, *np.concatenate(links, axis=1))[:inputs]
    outcome = np.append(circuit.goal_literals, circuit.terminal)
    read = needed(circuit.graph.with_outputs(outcome))[1 : 1 + fluents]
    own = np.flatnonzero(counted[1 : 1 + fluents])
    factors = []
    for first in own[np.sort(np.unique(label[1 + own], return_index=True)[1])].tolist():
        inside = label == label[1 + first]
        held = np.flatnonzero(inside[1 : 1 + fluents])
        factors.append(
            Factor(
                fluents=held,
                moves=np.flatnonzero(inside[1 + fluents :]),
                matters=bool(read[held].any()),
            )
        )
    return tuple(factors)


def _links(
    graph: Graph, readers: Int64s1, counted: Bools, ignored: int, first: int
) -> list[Int64s]:
    """Return what is connected by formulas: each with its reader, and gates with what they read.

    Args:
        graph: its outputs are the formulas.
        readers: a vertex for each of them.
        counted: inputs that connect; bool ``[I]``.
        ignored: a gate's node that connects nothing, whatever it reads; -1: none.
        first: the vertex of the first gate; inputs are vertices by their own numbers.

    Returns:
        Pairs of vertices; int64 ``[2, n]`` each.
    """
    alive = np.zeros(graph.node_count, np.bool_)
    alive[: graph.input_count] = counted
    vertex = np.arange(graph.node_count)
    vertex[graph.input_count :] += first - graph.input_count
    links = []
    for gates in levels(graph):
        inputs, start = graph.inputs_of(gates)
        read, nodes = inputs >> 1, graph.input_count + gates
        owner = np.repeat(nodes, np.diff(start))
        joins = alive[read] & (owner != ignored)
        alive[nodes] = np.logical_or.reduceat(joins, start[:-1])
        links.append(np.stack([vertex[owner[joins]], vertex[read[joins]]]))
    nodes = graph.outputs >> 1
    joins = alive[nodes]
    return [*links, np.stack([readers[joins], vertex[nodes[joins]]])]
