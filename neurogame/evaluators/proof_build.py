"""Builds the proof graph of a circuit's goals: the paper's *prop* on a shared graph.

Static facts have already become constants in the circuit. What is left to do: keep only what
the goals need, undo the splitting of long rule bodies, and collapse nodes with one child.

*Reference:* Michulke & Thielscher, section 3.1, table 1.
"""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.circuit.circuit import AND, OR, TRUE, Circuit
from neurogame.errors import GameError
from neurogame.evaluators.proof import THE_END, GoalRoot, ProofGraph
from neurogame.evaluators.redirect import redirect
from neurogame.graph.formulas import Formulas
from neurogame.graph.gates import GateStore
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.ground.atoms import IntArray

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
        self.keys = [(role, value) for role, own in enumerate(circuit.goals) for value, _ in own]
        wanted = [literal for pairs in circuit.goals for _, literal in pairs]
        if end:
            self.keys.append((THE_END, 0))
            wanted.append(circuit.terminal)
        literals = np.array(wanted, np.int64)
        self.cone = Formulas.of_circuit(circuit, literals)
        needed = self.cone.needed()
        first_move = 1 + len(circuit.fluents)
        if needed[first_move : circuit.first_gate].any():
            raise GameError(
                "a goal or the end depends on a move; GDL allows 'does' in 'next' rules only"
            )
        gates = np.flatnonzero(needed[circuit.first_gate :])
        read = gather_groups(circuit.gate_start, circuit.gate_inputs, gates)
        # A goal counts as one more edge.
        self.uses = np.bincount(np.append(read, literals) >> 1, minlength=circuit.node_count)
        self.budget = len(read) + INLINE_SLACK
        self.store = GateStore(first_move)
        self.signal = np.zeros(circuit.node_count, np.int64)
        self.signal[:first_move] = 2 * np.arange(first_move)
        # The gate of the circuit that first made each gate of the store.
        self.origin = [np.zeros(0, np.int64)]
        # What each inlined gate is replaced by: literals of the store.
        self.part_of = np.full(circuit.node_count, -1, np.int64)
        self.part_start = np.zeros(1, np.int64)
        self.part_literals = np.zeros(0, np.int64)
        predicates = circuit.atoms.predicates
        self.auxiliary = np.array([name.startswith("*") for name in predicates], np.bool_)

    def build(self, budget: int | None) -> ProofGraph:
        """Rewrite all goals and pack the result into arrays."""
        for gates in self.cone.levels():
            for kind in (AND, OR):
                own = gates[self.circuit.gate_kind[gates] == kind]
                if len(own):
                    self._rewrite(kind, own)
        graph, origin = self._pack()
        return graph if budget is None else redirect(graph, origin, budget)

    def _rewrite(self, kind: int, gates: IntArray) -> None:
        """Give gates of one kind and level their literals in the store."""
        literals, start = self._children(kind, gates)
        before = self.store.first_gate + self.store.count
        made = self.store.make(kind, literals, start)
        node, maker = np.unique(made >> 1, return_index=True)
        self.origin.append(gates[maker[node >= before]])
        self.signal[self.circuit.first_gate + gates] = made
        # A literal that did not become a gate over its children has nothing to inline.
        highest = np.maximum.reduceat(literals >> 1, start[:-1])
        atom = self.circuit.gate_atom[gates]
        part = (atom >= 0) & (made & 1 == 0) & (made >> 1 > highest)
        part[part] = self.auxiliary[self.circuit.atoms.predicate[atom[part]]]
        self._inline(gates, np.flatnonzero(part), literals, start)

    def _inline(
        self, gates: IntArray, parts: IntArray, literals: IntArray, start: IntArray
    ) -> None:
        """Let the readers of some gates read their children instead, within the budget."""
        nodes = self.circuit.first_gate + gates[parts]
        sizes = np.diff(start)[parts]
        growth = (sizes - 1) * np.maximum(self.uses[nodes] - 1, 0)
        cheap = np.cumsum(growth) <= self.budget
        self.budget -= int(growth[cheap].sum())
        self.part_of[nodes[cheap]] = len(self.part_start) - 1 + np.arange(cheap.sum())
        ends = self.part_start[-1] + np.cumsum(sizes[cheap])
        self.part_start = np.append(self.part_start, ends)
        found = gather_groups(start, literals, parts[cheap])
        end = int(self.part_start[-1])
        if end > len(self.part_literals):
            room = np.zeros(max(end, len(self.part_literals)), np.int64)
            self.part_literals = np.concatenate([self.part_literals, room])
        self.part_literals[end - len(found) : end] = found

    def _children(self, kind: int, gates: IntArray) -> tuple[IntArray, IntArray]:
        """Return the children of gates; inlined gates of the same kind give way to theirs."""
        circuit = self.circuit
        inputs = gather_groups(circuit.gate_start, circuit.gate_inputs, gates)
        owner = np.repeat(np.arange(len(gates)), np.diff(circuit.gate_start)[gates])
        node = inputs >> 1
        inner = (self.part_of[node] >= 0) & (inputs & 1 == 0)
        inner[inner] = circuit.gate_kind[node[inner] - circuit.first_gate] == kind
        parts = self.part_of[node[inner]]
        sizes = self.part_start[parts + 1] - self.part_start[parts]
        owner = np.append(owner[~inner], np.repeat(owner[inner], sizes))
        order = np.argsort(owner, kind="stable")
        whole = self.signal[node[~inner]] ^ (inputs[~inner] & 1)
        below = gather_groups(self.part_start, self.part_literals, parts)
        counts = np.bincount(owner, minlength=len(gates))
        return np.append(whole, below)[order], group_starts(counts)

    def _pack(self) -> tuple[ProofGraph, IntArray]:
        """Return what inlining left necessary, and the circuit's node of each inner node."""
        circuit, gates, first = self.circuit, self.store.arrays(), self.store.first_gate
        origin = np.concatenate(self.origin)
        roots = self.signal[self.cone.literals >> 1] ^ (self.cone.literals & 1)
        # Without a neuron the network of a single fluent would have no weight to train.
        alone = np.unique(roots[(roots > TRUE) & (roots < 2 * first)])
        here = np.isin(roots, alone)
        roots[here] = 2 * (first + len(origin) + np.searchsorted(alone, roots[here]))
        extra = np.ones(len(alone), np.int64)
        sizes = np.append(np.diff(gates["start"]), extra)
        # The order of the circuit, whichever kind was rewritten first.
        order = np.lexsort((origin, circuit.gate_level[origin]))
        order = np.append(order, len(origin) + np.arange(len(alone)))
        atom = np.append(circuit.gate_atom[origin], -extra)[order]
        rule = np.append(circuit.gate_rule[origin], -extra)[order]
        node = np.arange(first + len(order))
        node[first + order] = first + np.arange(len(order))
        start = group_starts(sizes)
        children = gather_groups(start, np.append(gates["inputs"], alone), order)
        # Literals of the graph count from the first fluent: the constant is left out.
        children = 2 * node[children >> 1] + (children & 1) - 2
        owner = np.repeat(np.arange(len(order)), sizes[order])
        roots = 2 * node[roots >> 1] + (roots & 1) - 2
        kind = np.append(gates["kind"], AND * extra)[order]
        graph = ProofGraph(
            roles=circuit.roles,
            fluents=circuit.fluents,
            kind=kind.astype(np.uint8),
            start=group_starts(sizes[order]),
            children=children[np.lexsort((children, owner))],
            level=np.append(gates["level"], extra)[order],
            atom=atom,
            # An atom with several rules; a rule noted here is one that merely uses the atom.
            rule=np.where((atom >= 0) & (kind == OR), -1, rule),
            goals=tuple(
                GoalRoot(role, value, literal)
                for (role, value), literal in zip(self.keys, roots.tolist(), strict=True)
            ),
            atoms=circuit.atoms,
        )
        kept = graph.cone([goal.literal for goal in graph.goals])
        origin = np.append(origin, -extra)[order]
        return graph.restricted(kept), circuit.first_gate + origin[kept]
