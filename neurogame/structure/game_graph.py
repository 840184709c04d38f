"""A game drawn as one coloured graph, in which neither names nor orders have a part.

Its nodes are the gates of the circuit, its literals, fluents, moves and roles. Whatever maps this
graph onto itself maps the game onto itself. The circuit is first brought into a form that
depends less on how the rules were written: conjunctions alone, merged where one reads another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Bools, Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.gdl.coloured_graph import ColouredGraph, with_both_ways
from neurogame.graph.graph import FALSE, Graph
from neurogame.graph.groups import gather_groups
from neurogame.graph.prune import needed
from neurogame.graph.rewrite import substituted
from neurogame.structure.normal_form import normal_form

_READ, _NEXT, _LEGAL, _OWN, _TERMINAL, _RECURSIVE, _GOAL = range(7)
"""Kinds of edges; goals take one for each goal value."""
FIXED = 7
"""The first colour of things that have a colour of their own."""
_LABELS = 2 * (_GOAL + 102)


@final
@dataclass(frozen=True, eq=False)
class GameGraph:
    """What a game is drawn as.

    ``F`` fluents, ``M`` moves, ``R`` roles. The last ``F + M + R`` nodes are the fluents, the moves
    of all roles, and the roles: the *things*.

    Attributes:
        graph: the nodes, among which are gates, and what they have to do with each other.
        first: number of the first fluent's node.
        counts: ``F``, ``M``, ``R``.
        telling: the things to tell apart: roles, and fluents that have any influence; bool
            ``[F + M + R]``.
    """

    graph: ColouredGraph
    first: int
    counts: tuple[int, int, int]
    telling: Bools


def draw_game(
    circuit: Circuit,
    *,
    constant: Bools | None = None,
    conditions: Sequence[Int64s] | None = None,
    initial: bool = False,
) -> GameGraph:
    """Draw a circuit.

    Args:
        circuit: the game, as it is or with its recursive conditions as inputs and outputs.
        constant: fluents that keep their initial value: they stay where they are, and so do
            moves that are never legal then; bool ``[F]``, none by default.
        conditions: if given, the goals and the end are drawn as these conditions alone, literals
            ``2 f`` and ``2 f + 1`` of fluents that hold or do not; else as they are.
        initial: whether fluents that hold initially have another colour than others.
    """
    moves, fluents, roles = circuit.move_count, len(circuit.fluents), len(circuit.roles)
    dynamics = moves + fluents
    outputs = circuit.graph.outputs
    last = dynamics + 1 + sum(map(len, circuit.goal_values))
    whole = circuit.graph
    if conditions is not None:
        whole = whole.with_outputs(outputs[:dynamics])
        # What the goals alone call recursively is left out with them.
        if needed(whole)[1 + dynamics : whole.input_count].any():
            whole = whole.with_outputs(np.concatenate([outputs[:dynamics], outputs[last:]]))
    leaves = 2 * np.arange(whole.input_count)
    fixed = np.zeros(fluents, np.bool_) if constant is None else constant
    leaves[1 : 1 + fluents][fixed] = circuit.initial[fixed]
    form = normal_form(substituted(whole, leaves))
    out = form.outputs
    live = out[:moves] != FALSE
    drawing = _Drawing(form, (fluents, moves, roles), conditions or ())
    live_moves, changing = np.flatnonzero(live), np.flatnonzero(~fixed)
    drawing.output(drawing.move(live_moves), out[live_moves], _LEGAL)
    drawing.output(drawing.fluent(changing), out[moves + changing], _NEXT)
    drawing.edge(drawing.move(live_moves), drawing.role(circuit.role_of_move[live_moves]), 2 * _OWN)
    if conditions is None:
        values = np.array([v for role in circuit.goal_values for v in role], np.int64)
        owner = np.repeat(np.arange(roles), np.diff(circuit.goal_offsets))
        drawing.output(np.zeros(1, np.int64), out[dynamics : dynamics + 1], _TERMINAL)
        drawing.output(drawing.role(owner), out[dynamics + 1 : last], _GOAL + values)
    recursive = np.arange(1 + dynamics, form.input_count)
    if len(out) == dynamics:
        recursive = recursive[:0]
    drawing.output(recursive, out[len(out) - len(recursive) :], _RECURSIVE)
    telling = np.zeros(dynamics + roles, np.bool_)
    telling[:fluents] = influential(circuit) & ~fixed
    telling[dynamics:] = True
    drawn = drawing.graph(np.concatenate([fixed, ~live]), telling)
    if initial:
        drawn.graph.kinds[drawn.first + np.flatnonzero(circuit.initial)] += FIXED + dynamics
    return drawn


def influential(circuit: Circuit) -> Bools:
    """Return the fluents on which legal moves, the end or goals depend, now or later; ``[F]``."""
    graph, moves, fluents = circuit.graph, circuit.move_count, len(circuit.fluents)
    following = graph.outputs[moves : moves + fluents] >> 1
    others = np.concatenate([graph.outputs[:moves], graph.outputs[moves + fluents :]])
    marks = np.zeros(graph.node_count, np.bool_)
    fresh = np.unique(others >> 1)
    while len(fresh):
        marks[fresh] = True
        gates = fresh[fresh >= graph.input_count] - graph.input_count
        reached = fresh[(fresh > 0) & (fresh <= fluents)] - 1
        below = gather_groups(graph.start, graph.inputs, gates) >> 1
        fresh = np.unique(np.concatenate([below, following[reached]]))
        fresh = fresh[~marks[fresh]]
    return marks[1 : 1 + fluents]


@final
class _Drawing:
    """The nodes and edges of a graph, as they are drawn."""

    def __init__(
        self, form: Graph, counts: tuple[int, int, int], conditions: Sequence[Int64s]
    ) -> None:
        self._form = form
        self._first = form.node_count + len(conditions)
        self._counts = counts
        self._edges: list[tuple[Int64s, Int64s, Int64s]] = []
        reader = np.repeat(np.arange(form.gate_count) + form.input_count, form.fan_in)
        self.output(reader, form.inputs, _READ)
        for number, literals in enumerate(conditions):
            node = np.full(len(literals), form.node_count + number)
            self.edge(node, self.fluent(literals >> 1), 2 * _READ + (literals & 1))

    def fluent(self, index: Int64s) -> Int64s:
        """Return the nodes of fluents."""
        return self._first + index

    def move(self, index: Int64s) -> Int64s:
        """Return the nodes of moves."""
        return self._first + self._counts[0] + index

    def role(self, index: Int64s) -> Int64s:
        """Return the nodes of roles."""
        return self._first + self._counts[0] + self._counts[1] + index

    def edge(self, source: Int64s, target: Int64s, label: Int64s | int) -> None:
        """Draw edges."""
        self._edges.append((source, target, np.broadcast_to(label, source.shape)))

    def output(self, source: Int64s, literals: Int64s, kind: Int64s | int) -> None:
        """Draw edges to literals: those of fluents and moves lead to their own nodes."""
        node = literals >> 1
        inner = (node > 0) & (node <= self._counts[0] + self._counts[1])
        target = np.where(inner, self._first + node - 1, node)
        self.edge(source, target, 2 * np.asarray(kind) + (literals & 1))

    def graph(self, alone: Bools, telling: Bools) -> GameGraph:
        """Return what was drawn.

        Args:
            alone: fluents and moves that get colours of their own; bool ``[F + M]``.
            telling: as in the graph.
        """
        fluents, moves, roles = self._counts
        count = self._first + fluents + moves + roles
        colour = np.zeros(count, np.int64)
        colour[0] = 1
        colour[self._form.input_count : self._form.node_count] = 2
        colour[self._form.node_count : self._first] = 6
        colour[self._first :] = np.repeat([3, 4, 5], [fluents, moves, roles])
        fixed = np.flatnonzero(alone)
        colour[self._first + fixed] = FIXED + fixed
        source, target, label = (np.concatenate(part) for part in zip(*self._edges, strict=True))
        drawn = with_both_ways(colour, source, label, target, _LABELS)
        return GameGraph(drawn, self._first, self._counts, telling)
