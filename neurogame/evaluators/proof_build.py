"""Builds the proof graph of a circuit's goals: the paper's *prop* on a shared graph.

Static facts have already become constants in the circuit. What is left to do: keep only what
the goals need, undo the splitting of long rule bodies, and collapse nodes with one child.

*Reference:* Michulke & Thielscher, section 3.1, table 1.
"""

from __future__ import annotations

import numpy as np

from neurogame.circuit.circuit import AND, FALSE, OR, TRUE, Circuit
from neurogame.errors import GameError
from neurogame.evaluators.proof import FALSE_LITERAL, TRUE_LITERAL, GoalRoot, ProofGraph

INLINE_SLACK = 4096
"""Edges that inlining may add to the number of edges it starts with (and may also double)."""


def build_proof_graph(circuit: Circuit) -> ProofGraph:
    """Return the proof graph of all goals of a game.

    Args:
        circuit: the game's circuit.

    Raises:
        GameError: a goal depends on a move, which GDL forbids.
    """
    return _Builder(circuit).build()


class _Builder:
    """Rewrites the circuit's goal cone gate by gate, children first."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self.fluent_count = len(circuit.fluents)
        self.rewritten: dict[int, int] = {FALSE: FALSE_LITERAL}
        self.inlined: dict[int, tuple[int, ...]] = {}
        self.known: dict[tuple[int, tuple[int, ...]], int] = {}
        self.kinds: list[int] = []
        self.inputs: list[tuple[int, ...]] = []
        self.levels: list[int] = []
        self.atoms: list[int] = []
        self.rules: list[int] = []

    def build(self) -> ProofGraph:
        """Rewrite all goals and pack the result into arrays."""
        circuit = self.circuit
        goals = [
            (role, value, literal)
            for role, pairs in enumerate(circuit.goals)
            for value, literal in pairs
        ]
        cone = self._cone([literal for _, _, literal in goals])
        uses = self._uses(cone, [literal for _, _, literal in goals])
        budget = sum(len(circuit.inputs_of(node)) for node in cone) + INLINE_SLACK
        for node in cone:
            budget = self._rewrite(node, uses[node], budget)
        roots = tuple(GoalRoot(role, value, self._root(literal)) for role, value, literal in goals)
        return self._pack(roots)

    def _cone(self, literals: list[int]) -> list[int]:
        """Return the gates' nodes that the literals depend on, children first."""
        circuit, found = self.circuit, set[int]()
        stack = [x >> 1 for x in literals]
        while stack:
            node = stack.pop()
            if node in found or node <= self.fluent_count:
                continue
            if node < circuit.first_gate:
                raise GameError("a goal depends on a move; GDL allows 'does' in 'next' rules only")
            found.add(node)
            stack.extend((circuit.inputs_of(node) >> 1).tolist())
        return sorted(found)

    def _uses(self, cone: list[int], roots: list[int]) -> dict[int, int]:
        """Return how many edges of the cone read each gate; a goal counts as one edge."""
        uses = dict.fromkeys(cone, 0)
        for literal in roots:
            if literal >> 1 in uses:
                uses[literal >> 1] += 1
        for node in cone:
            for child in (self.circuit.inputs_of(node) >> 1).tolist():
                if child in uses:
                    uses[child] += 1
        return uses

    def _rewrite(self, node: int, uses: int, budget: int) -> int:
        """Give a gate its literal in the proof graph; return the edges inlining may still add."""
        circuit, gate = self.circuit, node - self.circuit.first_gate
        kind = int(circuit.gate_kind[gate])
        children: set[int] = set()
        for literal in circuit.inputs_of(node).tolist():
            inside = self.inlined.get(literal >> 1)
            if inside is not None and not literal & 1 and self._kind_of(literal >> 1) == kind:
                children.update(inside)
            else:
                children.add(self._literal(literal))
        atom, rule = int(circuit.gate_atom[gate]), int(circuit.gate_rule[gate])
        if atom >= 0 and kind == OR:
            # An atom with several rules; a rule noted here is one that merely uses the atom.
            rule = -1
        literal = self._node(kind, children, atom, rule)
        self.rewritten[node] = literal
        auxiliary = atom >= 0 and circuit.atoms.is_auxiliary(atom)
        growth = (len(children) - 1) * max(uses - 1, 0)
        # A literal that did not become a fresh node of this kind has nothing to inline.
        if auxiliary and growth <= budget and self._is_node(literal, kind, children):
            self.inlined[node] = tuple(sorted(children))
            return budget - growth
        return budget

    def _kind_of(self, node: int) -> int:
        return int(self.circuit.gate_kind[node - self.circuit.first_gate])

    def _literal(self, literal: int) -> int:
        """Return a circuit literal as a literal of the proof graph."""
        if literal in (2 * FALSE, TRUE):
            return FALSE_LITERAL if literal == 2 * FALSE else TRUE_LITERAL
        node, complement = literal >> 1, literal & 1
        if 1 <= node <= self.fluent_count:
            return 2 * (node - 1) + complement
        return self.rewritten[node] ^ complement

    def _is_node(self, literal: int, kind: int, children: set[int]) -> bool:
        return self.known.get((kind, tuple(sorted(children)))) == literal

    def _node(self, kind: int, children: set[int], atom: int, rule: int) -> int:
        """Return the literal of an and/or of literals, simplified."""
        neutral = TRUE_LITERAL if kind == AND else FALSE_LITERAL
        children.discard(neutral)
        if neutral ^ 1 in children or any(x ^ 1 in children for x in children):
            return neutral ^ 1
        if not children:
            return neutral
        if len(children) == 1:
            return next(iter(children))
        return self._add(kind, tuple(sorted(children)), atom, rule)

    def _add(self, kind: int, children: tuple[int, ...], atom: int, rule: int) -> int:
        known = self.known.get((kind, children))
        if known is not None:
            return known
        inner = [(x >> 1) - self.fluent_count for x in children]
        self.levels.append(1 + max((self.levels[i] for i in inner if i >= 0), default=0))
        literal = 2 * (self.fluent_count + len(self.kinds))
        self.known[(kind, children)] = literal
        self.kinds.append(kind)
        self.inputs.append(children)
        self.atoms.append(atom)
        self.rules.append(rule)
        return literal

    def _root(self, literal: int) -> int:
        """Return a goal's literal; a goal that is a single fluent gets a node of its own."""
        root = self._literal(literal)
        if 0 <= root < 2 * self.fluent_count:
            # Without a neuron its network would have no weight to train or to look at.
            return self._add(AND, (root,), -1, -1)
        return root

    def _pack(self, roots: tuple[GoalRoot, ...]) -> ProofGraph:
        """Drop the nodes that inlining made unnecessary and return the arrays."""
        counts = np.asarray([len(x) for x in self.inputs], dtype=np.int64)
        whole = ProofGraph(
            roles=self.circuit.roles,
            fluents=self.circuit.fluents,
            kind=np.asarray(self.kinds, dtype=np.uint8),
            start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            children=np.asarray([x for node in self.inputs for x in node], dtype=np.int64),
            level=np.asarray(self.levels, dtype=np.int64),
            atom=np.asarray(self.atoms, dtype=np.int64),
            rule=np.asarray(self.rules, dtype=np.int64),
            goals=roots,
            atoms=self.circuit.atoms,
        )
        return _restricted(whole, whole.cone([goal.literal for goal in roots]))


def _restricted(
    graph: ProofGraph, kept: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> ProofGraph:
    """Return a proof graph with some inner nodes only; they must be closed under children."""
    first = len(graph.fluents)
    renumber = np.full(first + graph.size, -1, dtype=np.int64)
    renumber[:first] = np.arange(first)
    renumber[first + kept] = first + np.arange(len(kept))
    children = graph.children[graph.edges_of(kept)]
    goals = tuple(
        GoalRoot(
            goal.role,
            goal.value,
            goal.literal
            if goal.literal < 0
            else 2 * int(renumber[goal.literal >> 1]) + (goal.literal & 1),
        )
        for goal in graph.goals
    )
    return ProofGraph(
        roles=graph.roles,
        fluents=graph.fluents,
        kind=graph.kind[kept],
        start=np.concatenate([[0], np.cumsum(graph.fan_in[kept])]).astype(np.int64),
        children=2 * renumber[children >> 1] + (children & 1),
        level=graph.level[kept],
        atom=graph.atom[kept],
        rule=graph.rule[kept],
        goals=goals,
        atoms=graph.atoms,
    )
