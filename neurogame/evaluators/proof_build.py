"""Builds the proof graph of a circuit's goals: the paper's *prop* on a shared graph.

Static facts have already become constants in the circuit. What is left to do: keep only what
the goals need, undo the splitting of long rule bodies, and collapse nodes with one child.

*Reference:* Michulke & Thielscher, section 3.1, table 1.
"""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError
from neurogame.evaluators.proof import THE_END, Goal, ProofGraph
from neurogame.evaluators.redirect import redirect
from neurogame.graph.graph import AND, OR, TRUE, Graph, replaced
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.graph.levels import steps
from neurogame.graph.prune import needed, needed_gates, with_gates, with_sorted_inputs
from neurogame.graph.store import GateStore

INLINE_SLACK = 4096
"""Edges that inlining may add to the number of edges it starts with (and may also double)."""


def build_proof_graph(
    circuit: Circuit, budget: int | None = None, *, end: bool = False
) -> ProofGraph:
    """Return the proof graph of all goals of a game.

    Args:
        circuit: the game's circuit.
        budget: inner nodes at most; sub-formulas beyond them become leaves
            (:func:`~.redirect.redirect`). None: no limit.
        end: whether the condition that ends the game is wanted, too, as the last goal.

    Raises:
        GameError: a goal depends on a move, which GDL forbids.
        LimitError: there are more goals than the budget has nodes.
    """
    return _Builder(circuit, end).build(budget)


@final
class _Builder:
    """Rewrites the circuit's goal cone level by level, children first.

    Literals made here are those of a store whose inputs are the constant and the fluents.
    """

    def __init__(self, circuit: Circuit, end: bool) -> None:
        self.circuit = circuit
        values = enumerate(circuit.goal_values)
        self.goals = [Goal(role, value) for role, role_values in values for value in role_values]
        literals = circuit.goal_literals
        if end:
            self.goals.append(Goal(THE_END, 0))
            literals = np.append(literals, circuit.terminal)
        self.source = circuit.graph.with_outputs(literals)
        read = needed(self.source)
        first_move = 1 + len(circuit.fluents)
        if read[first_move : circuit.input_count].any():
            raise GameError(
                "a goal or the end depends on a move; GDL allows 'does' in 'next' rules only"
            )
        nodes = self.source.node_count
        edges, _ = self.source.inputs_of(np.flatnonzero(read[circuit.input_count :]))
        # A goal counts as one more edge.
        self.uses = np.bincount(np.append(edges, literals) >> 1, minlength=nodes)
        self.budget = len(edges) + INLINE_SLACK
        self.store = GateStore(first_move)
        self.signal = np.zeros(nodes, np.int64)
        self.signal[:first_move] = 2 * np.arange(first_move)
        # The gate of the circuit that first made each gate of the store.
        self.origin = [np.zeros(0, np.int64)]
        # What each inlined gate is replaced by: literals of the store.
        self.part_of = np.full(nodes, -1, np.int64)
        self.part_start = np.zeros(1, np.int64)
        self.part_literals = np.zeros(0, np.int64)

    def build(self, budget: int | None) -> ProofGraph:
        """Rewrite all goals and pack the result into arrays."""
        for kind, gates in steps(self.source):
            self._rewrite(kind, gates)
        graph, origin = self._pack()
        return graph if budget is None else redirect(graph, origin, budget)

    def _rewrite(self, kind: int, gates: Int64s) -> None:
        """Give gates of one kind and level their literals in the store."""
        literals, start = self._children(kind, gates)
        before = self.store.input_count + self.store.count
        made = self.store.make(kind, literals, start)
        node, maker = np.unique(made >> 1, return_index=True)
        self.origin.append(gates[maker[node >= before]])
        self.signal[self.source.input_count + gates] = made
        # A literal that did not become a gate over its children has nothing to inline.
        highest = np.maximum.reduceat(literals >> 1, start[:-1])
        atom = self.source.atom[gates]
        part = (atom >= 0) & (made & 1 == 0) & (made >> 1 > highest)
        part[part] = self.circuit.atoms.auxiliary[atom[part]]
        self._inline(gates, np.flatnonzero(part), literals, start)

    def _inline(self, gates: Int64s, parts: Int64s, literals: Int64s, start: Int64s) -> None:
        """Let the readers of some gates read their children instead, within the budget."""
        nodes = self.source.input_count + gates[parts]
        sizes = np.diff(start)[parts]
        growth = (sizes - 1) * np.maximum(self.uses[nodes] - 1, 0)
        cheap = np.cumsum(growth) <= self.budget
        self.budget -= int(growth[cheap].sum())
        self.part_of[nodes[cheap]] = len(self.part_start) - 1 + np.arange(cheap.sum())
        ends = self.part_start[-1] + np.cumsum(sizes[cheap])
        self.part_start = np.append(self.part_start, ends)
        children = gather_groups(start, literals, parts[cheap])
        end = int(self.part_start[-1])
        if end > len(self.part_literals):
            room = np.zeros(max(end, len(self.part_literals)), np.int64)
            self.part_literals = np.concatenate([self.part_literals, room])
        self.part_literals[end - len(children) : end] = children

    def _children(self, kind: int, gates: Int64s) -> tuple[Int64s, Int64s]:
        """Return the children of gates; inlined gates of the same kind give way to theirs."""
        source = self.source
        inputs, start = source.inputs_of(gates)
        owner = np.repeat(np.arange(len(gates)), np.diff(start))
        node = inputs >> 1
        inner = (self.part_of[node] >= 0) & (inputs & 1 == 0)
        inner[inner] = source.kind[node[inner] - source.input_count] == kind
        parts = self.part_of[node[inner]]
        sizes = self.part_start[parts + 1] - self.part_start[parts]
        owner = np.append(owner[~inner], np.repeat(owner[inner], sizes))
        order = np.argsort(owner, kind="stable")
        whole = replaced(inputs[~inner], self.signal)
        below = gather_groups(self.part_start, self.part_literals, parts)
        counts = np.bincount(owner, minlength=len(gates))
        return np.append(whole, below)[order], group_starts(counts)

    def _pack(self) -> tuple[ProofGraph, Int64s]:
        """Return what inlining left necessary, and the circuit's node of each gate."""
        source, circuit = self.source, self.circuit
        origin = np.concatenate(self.origin)
        roots = replaced(source.outputs, self.signal)
        made = self.store.graph(roots)
        # Without a neuron the network of a single fluent would have no weight to train.
        alone = np.unique(roots[(roots > TRUE) & (roots < 2 * made.input_count)])
        here = np.isin(roots, alone)
        roots[here] = 2 * (made.node_count + np.searchsorted(alone, roots[here]))
        extra = np.ones(len(alone), np.int64)
        kind = np.append(made.kind, AND * extra).astype(np.uint8)
        atom = np.append(source.atom[origin], -extra)
        rule = np.append(source.rule[origin], -extra)
        whole = Graph(
            input_count=made.input_count,
            kind=kind,
            start=group_starts(np.append(made.fan_in, extra)),
            inputs=np.append(made.inputs, alone),
            level=np.append(made.level, extra),
            outputs=roots,
            atom=atom,
            # An atom with several rules; a rule noted here is one that merely uses the atom.
            rule=np.where((atom >= 0) & (kind == OR), -1, rule),
        )
        # The order of the circuit, whichever kind was rewritten first.
        order = np.lexsort((origin, source.level[origin]))
        order = np.append(order, len(origin) + np.arange(len(alone)))
        graph = with_sorted_inputs(with_gates(whole, order))
        kept = needed_gates(graph)
        proof = ProofGraph(
            roles=circuit.roles,
            fluents=circuit.fluents,
            graph=with_gates(graph, kept),
            goals=tuple(self.goals),
            atoms=circuit.atoms,
        )
        return proof, source.input_count + np.append(origin, -extra)[order][kept]
