"""From ground rules to the circuit: whole levels of atoms at once.

Atoms are derived in dependency order. Positive cycles among atoms (transitive closures, capture
chains) are unrolled: starting from false, the atoms of a strongly connected component are
re-derived as often as the component has atoms, which reaches their least fixpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.circuit.circuit import AND, FALSE, OR, Circuit
from neurogame.circuit.gates import GateStore
from neurogame.circuit.groups import gather_groups, group_starts
from neurogame.circuit.prune import prune
from neurogame.errors import GroundingError
from neurogame.gdl.graph import strong_components
from neurogame.ground.atoms import IntArray
from neurogame.ground.program import GroundProgram


def build_circuit(program: GroundProgram) -> Circuit:
    """Return the circuit that computes legal moves, next state, terminal and goals.

    Raises:
        GroundingError: if an atom depends on its own negation; the message names the cycle.

    Reference:
        Michulke and Thielscher, section 3.1 and table 1 (``prop``), with shared sub-formulas.
    """
    builder = _Builder(program)
    builder.run()
    gates = builder.gates.arrays()
    signal = np.append(builder.signal, FALSE)
    circuit = Circuit(
        roles=program.roles,
        fluents=program.fluents,
        moves=program.moves,
        initial=program.initial,
        gate_kind=gates["kind"].astype(np.uint8),
        gate_start=gates["start"],
        gate_inputs=gates["inputs"],
        gate_level=gates["level"],
        gate_atom=gates["atom"],
        gate_rule=gates["rule"],
        legal=signal[program.legal],
        next=signal[program.next],
        terminal=int(signal[program.terminal]),
        goals=tuple(tuple((v, int(signal[a])) for v, a in role) for role in program.goals),
        atoms=program.atoms,
        key=program.key,
    )
    return prune(circuit)


def find_cycles(program: GroundProgram) -> list[list[int]]:
    """Return the strongly connected components of more than one atom, or with a self-loop."""
    return _Builder(program).cycles()


@final
@dataclass(frozen=True)
class _Edges:
    """Which rules use an atom: ``rules[start[a]:start[a + 1]]``."""

    start: IntArray
    rules: IntArray


@final
class _Builder:
    """Derives the signal (literal) of every atom."""

    def __init__(self, program: GroundProgram) -> None:
        self.program = program
        self.inputs = len(program.fluents) + program.move_count
        self.gates = GateStore(1 + self.inputs)
        count = len(program.atoms)
        self.signal = np.full(count, FALSE, np.int64)
        self.signal[: self.inputs] = 2 * np.arange(1, 1 + self.inputs)
        by_head = np.argsort(program.rule_head, kind="stable")
        self.rules_by_head = by_head
        self.head_start = np.searchsorted(program.rule_head[by_head], np.arange(count + 1))
        self.auxiliary = np.array([p.startswith("*") for p in program.atoms.predicates], np.bool_)
        self._count_dependencies()

    def _count_dependencies(self) -> None:
        program = self.program
        sizes = np.diff(program.rule_start)
        edge_rule = np.repeat(np.arange(program.rule_count), sizes)
        body = program.rule_body >> 1
        derived = body >= self.inputs
        edge_rule, body = edge_rule[derived], body[derived]
        order = np.argsort(body, kind="stable")
        count = len(program.atoms)
        self.uses = _Edges(np.searchsorted(body[order], np.arange(count + 1)), edge_rule[order])
        self.waiting = np.bincount(program.rule_head[edge_rule], minlength=count)

    def run(self) -> None:
        """Derive all atoms, level by level; cycles when nothing else is left."""
        count = len(self.program.atoms)
        done = np.zeros(count, np.bool_)
        done[: self.inputs] = True
        ready = np.flatnonzero((self.waiting == 0) & ~done)
        components: list[list[int]] | None = None
        while True:
            while len(ready):
                self._derive(ready)
                done[ready] = True
                ready = self._release(ready, done)
            if done.all():
                return
            if components is None:
                components = self._components(np.flatnonzero(~done))
            component = np.array(components.pop(0), np.int64)
            if len(component) == 1 and done[component[0]]:
                continue
            if not done[component].any():
                self._unroll(component)
                done[component] = True
                ready = self._release(component, done)

    def cycles(self) -> list[list[int]]:
        """Return the components of atoms that depend on themselves."""
        done = np.zeros(len(self.program.atoms), np.bool_)
        done[: self.inputs] = True
        ready = np.flatnonzero((self.waiting == 0) & ~done)
        while len(ready):
            done[ready] = True
            ready = self._release(ready, done)
        left = self._components(np.flatnonzero(~done))
        return [c for c in left if len(c) > 1 or c[0] in self._body_atoms(c[0])]

    def _release(self, atoms: IntArray, done: np.ndarray) -> IntArray:
        """Tell the users of atoms that these are derived; return who waits no longer."""
        rules = gather_groups(self.uses.start, self.uses.rules, atoms)
        if not len(rules):
            return np.zeros(0, np.int64)
        heads = self.program.rule_head[rules]
        np.subtract.at(self.waiting, heads, 1)
        heads = np.unique(heads)
        free: IntArray = heads[(self.waiting[heads] == 0) & ~done[heads]]
        return free

    def _derive(self, atoms: IntArray) -> None:
        """Set the signals of atoms whose bodies are known: an OR over ANDs."""
        program = self.program
        rules = gather_groups(self.head_start, self.rules_by_head, atoms)
        per_atom = self.head_start[atoms + 1] - self.head_start[atoms]
        body = gather_groups(program.rule_start, program.rule_body, rules)
        sizes = program.rule_start[rules + 1] - program.rule_start[rules]
        literals = self.signal[body >> 1] ^ (body & 1)
        bodies = self.gates.make(AND, literals, group_starts(sizes), program.rule_source[rules])
        self.signal[atoms] = self.gates.make(OR, bodies, group_starts(per_atom))
        self._name(atoms)

    def _name(self, atoms: IntArray) -> None:
        """Name gates by their atoms; a real atom replaces an auxiliary one."""
        table = self.program.atoms
        signals = self.signal[atoms]
        current = self.gates.atoms_of(signals)
        known_auxiliary = (current >= 0) & self.auxiliary[table.predicate[np.maximum(current, 0)]]
        real = ~self.auxiliary[table.predicate[atoms]]
        self.gates.name(signals, atoms, known_auxiliary & real)

    def _unroll(self, component: IntArray) -> None:
        """Iterate the atoms of one component from false to their least fixpoint."""
        self._refuse_negation(component)
        for _ in range(len(component) + 1):
            before = self.signal[component]
            self._derive(component)
            if (self.signal[component] == before).all():
                break

    def _refuse_negation(self, component: IntArray) -> None:
        program = self.program
        members = set(component.tolist())
        for atom in component.tolist():
            for rule in self.rules_by_head[self.head_start[atom] : self.head_start[atom + 1]]:
                body = program.rule_body[program.rule_start[rule] : program.rule_start[rule + 1]]
                for literal in body.tolist():
                    if literal & 1 and literal >> 1 in members:
                        names = [program.atoms.text(a) for a in component[:6].tolist()]
                        more = " ..." if len(component) > 6 else ""
                        raise GroundingError(
                            f"{program.atoms.text(atom)} depends on its own negation through "
                            f"{', '.join(names)}{more}: negation must be stratified"
                        )

    def _body_atoms(self, atom: int) -> list[int]:
        rules = self.rules_by_head[self.head_start[atom] : self.head_start[atom + 1]]
        body = gather_groups(self.program.rule_start, self.program.rule_body, rules) >> 1
        return [int(a) for a in body]

    def _components(self, atoms: IntArray) -> list[list[int]]:
        """Return the strongly connected components among some atoms, dependencies first."""
        left = set(atoms.tolist())
        edges = {a: [b for b in self._body_atoms(a) if b in left] for a in left}
        return strong_components(sorted(left), edges)
