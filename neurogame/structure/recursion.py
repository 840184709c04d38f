"""Recursive conditions as the rules state them, not as they were solved.

A condition such as "connected with the edge" refers to itself. The circuit contains its solution,
a long formula that depends on the order in which it was eliminated: it shows neither what is next
to what nor the symmetries of the board. Here such conditions are inputs, and what the rules say
about each is one more output.
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.cycles import find_cycles
from neurogame.circuit.definitions import Definitions, Progress
from neurogame.gdl.dependencies import recursive_conditions
from neurogame.gdl.terms import Rules
from neurogame.graph.graph import AND, FALSE, OR
from neurogame.graph.groups import group_starts
from neurogame.graph.prune import prune
from neurogame.graph.store import GateStore
from neurogame.ground.ground import ground
from neurogame.ground.program import GroundProgram

_MOST_EDGES = 2_000_000
"""The rules of larger circuits are not looked at again."""


def recursive_form(circuit: Circuit, rules: Rules | None) -> Circuit:
    """Return the circuit with its recursive conditions as inputs and outputs.

    Args:
        circuit: the game.
        rules: what it was made from; without them it stays as it is.

    Returns:
        The same circuit if there is no recursion. Else one whose graph has ``K`` more inputs,
        after the moves, and ``K`` more outputs, at the end: the conditions, and what each is if
        the others are known. It cannot be used to play.
    """
    if (
        rules is None
        or circuit.graph.edge_count > _MOST_EDGES
        or not recursive_conditions(rules.rules)
    ):
        return circuit
    program = ground(rules)
    cycles = find_cycles(program)
    if not cycles or program.fluents != circuit.fluents or program.moves != circuit.moves:
        return circuit
    # Parts into which rules were split lie on cycles as well, but none only on such parts.
    cut = np.sort(np.concatenate(cycles))
    cut = cut[~program.atoms.auxiliary[cut]]
    derived = _Derived(program, cut)
    goals = [atom for role in program.goals for _, atom in role]
    wanted = np.concatenate([program.legal, program.next, [program.terminal], goals])
    literals = np.append(derived.literal_of, FALSE)[wanted.astype(np.int64)]
    outputs = np.concatenate([literals, derived.definition(cut)])
    return replace(circuit, graph=prune(derived.gates.graph(outputs)))


@final
class _Derived:
    """The literal of every atom, those of cycles being inputs."""

    def __init__(self, program: GroundProgram, cut: Int64s) -> None:
        self.program, self.definitions = program, Definitions(program)
        inputs = self.definitions.inputs
        self.gates = GateStore(1 + inputs + len(cut))
        self.literal_of = np.full(len(program.atoms), FALSE, np.int64)
        self.literal_of[:inputs] = 2 * np.arange(1, 1 + inputs)
        self.literal_of[cut] = 2 * (1 + inputs + np.arange(len(cut)))
        progress = Progress(self.definitions)
        ready = progress.first()
        progress.done[cut] = True
        self._derive(progress, ready)
        self._derive(progress, progress.release(cut))

    def _derive(self, progress: Progress, ready: Int64s) -> None:
        while len(ready):
            self.literal_of[ready] = self.definition(ready)
            ready = progress.release(ready)

    def definition(self, atoms: Int64s) -> Int64s:
        """Return what the rules say about atoms: an OR over ANDs; int64 ``[n]``."""
        rules, per_atom = self.definitions.rules(atoms)
        body, sizes = self.definitions.body(rules)
        literals = self.literal_of[body >> 1] ^ (body & 1)
        bodies = self.gates.make(AND, literals, group_starts(sizes))
        return self.gates.make(OR, bodies, group_starts(per_atom))
