"""From ground rules to the circuit: whole levels of atoms at once.

Atoms are derived in dependency order; cycles among them, when nothing else is left, are set to
their least fixpoints.
"""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.cycles import open_cycles, refuse_negation
from neurogame.circuit.definitions import Definitions, Progress
from neurogame.circuit.fixpoint import solve_cycles
from neurogame.gdl.terms import Rules
from neurogame.graph.graph import AND, FALSE, OR
from neurogame.graph.groups import group_starts
from neurogame.graph.prune import prune_by_level
from neurogame.graph.store import GateStore
from neurogame.ground.limits import GroundLimits, Watch
from neurogame.ground.program import GroundProgram


def build_circuit(
    program: GroundProgram, rules: Rules | None = None, limits: GroundLimits | None = None
) -> Circuit:
    """Return the circuit that computes legal moves, next state, terminal and goals.

    Args:
        program: the ground program.
        rules: the rules that it comes from, to name places in messages.
        limits: what it may cost.

    Raises:
        GroundingError: if an atom depends on its own negation; the message names the cycle.
        LimitError: if a limit is reached.

    Reference:
        Michulke and Thielscher, section 3.1 and table 1 (``prop``), with shared sub-formulas.
    """
    builder = _Builder(program, rules, Watch(limits or GroundLimits()))
    builder.run()
    literal_of = np.append(builder.literal_of, FALSE)
    goals = [atom for role in program.goals for _, atom in role]
    atoms = np.concatenate([program.legal, program.next, [program.terminal], goals])
    return Circuit(
        roles=program.roles,
        fluents=program.fluents,
        moves=program.moves,
        initial=program.initial,
        graph=prune_by_level(builder.gates.graph(literal_of[atoms.astype(np.int64)])),
        named_goals=tuple(tuple(value for value, _ in role) for role in program.goals),
        atoms=program.atoms,
        key=program.key,
    )


AT_ONCE = 500_000
"""Rules whose bodies are made at once."""


@final
class _Builder:
    """Derives the literal of every atom."""

    def __init__(self, program: GroundProgram, rules: Rules | None, watch: Watch) -> None:
        values = len(program.rule_body) + program.rule_count
        watch.check_sort(values, "building the circuit, sorting the ground rules")
        self.definitions = Definitions(program)
        self.program = program
        self.rules = rules
        self.watch = watch
        inputs = self.definitions.inputs
        self.gates = GateStore(1 + inputs)
        self.literal_of = np.full(len(program.atoms), FALSE, np.int64)
        self.literal_of[:inputs] = 2 * np.arange(1, 1 + inputs)
        self.progress = Progress(self.definitions)

    def run(self) -> None:
        """Derive all atoms, level by level; cycles when nothing else is left."""
        ready = self.progress.first()
        cycles: list[Int64s] | None = None
        while True:
            while len(ready):
                self._derive(ready)
                ready = self.progress.release(ready)
            if self.progress.done.all():
                return
            if cycles is None:
                cycles = open_cycles(self.definitions, self.progress)
                for cycle in cycles:
                    refuse_negation(self.definitions, cycle, self.rules)
            closed = [c for c in cycles if self._waits_for_itself(c)]
            solve_cycles(
                closed, self.definitions, self.gates, self.literal_of, self._derive, self.watch
            )
            atoms = np.concatenate(closed)
            self._name(atoms)
            ready = self.progress.release(atoms)
            cycles = [c for c in cycles if not self.progress.done[c[0]]]

    def _waits_for_itself(self, cycle: Int64s) -> bool:
        """Return whether all that a cycle needs from outside has been derived."""
        body, _ = self.definitions.body(self.definitions.rules(cycle)[0])
        inside = np.isin(body >> 1, cycle)
        return int(self.progress.waiting[cycle].sum()) == int(inside.sum())

    def _derive(self, atoms: Int64s) -> None:
        """Set the literals of atoms whose bodies are known: an OR over ANDs."""
        rules, per_atom = self.definitions.rules(atoms)
        # Parts have the same gates as all at once, in less memory.
        parts = [self._bodies(rules[n : n + AT_ONCE]) for n in range(0, len(rules), AT_ONCE)]
        bodies = np.concatenate([np.zeros(0, np.int64), *parts])
        self._look()
        self.literal_of[atoms] = self.gates.make(OR, bodies, group_starts(per_atom))
        self._name(atoms)

    def _bodies(self, rules: Int64s) -> Int64s:
        """Return the literals of the bodies of some rules; int64 ``[n]``."""
        self._look()
        body, sizes = self.definitions.body(rules)
        literals = self.literal_of[body >> 1] ^ (body & 1)
        sources = self.program.rule_source[rules].astype(np.int64)
        return self.gates.make(AND, literals, group_starts(sizes), sources)

    def _look(self) -> None:
        self.watch.check(f"building the circuit, with {self.gates.count:,} gates so far")

    def _name(self, atoms: Int64s) -> None:
        """Name gates by their atoms; a real atom replaces an auxiliary one."""
        table = self.program.atoms
        literals = self.literal_of[atoms]
        current = self.gates.atoms_of(literals)
        known_auxiliary = (current >= 0) & table.auxiliary[np.maximum(current, 0)]
        real = ~table.auxiliary[atoms]
        self.gates.name(literals, atoms, known_auxiliary & real)
