"""Random circuits as games: every shape of rule that the analysis might be wrong about."""

from __future__ import annotations

import dataclasses

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.ground.atoms import AtomTable, TermTable
from tests.circuit.by_hand import inputs_of, with_outputs
from tests.kernels.twin.random_circuits import random_circuit


def random_game(seed: int, gates: int) -> Circuit:
    """Return a random circuit whose fluents are terms of one function, ``(f 0) (f 1) ...``.

    Some of its next values are made persistent, exclusive or constant, so that there is something
    to prove; the legal moves are made easier to reach.
    """
    rng = np.random.default_rng(seed)
    circuit = random_circuit(seed, gates)
    count = len(circuit.fluents)
    names = ("f", *(str(i) for i in range(count)))
    # Terms: a constant per number, then (f i); fluent i is the atom (true (f i)).
    terms = TermTable(
        names,
        np.concatenate([np.arange(1, 1 + count), np.zeros(count, np.int64)]).astype(np.int64),
        np.concatenate([np.zeros(1 + count, np.int64), np.arange(1, 1 + count)]).astype(np.int64),
        np.arange(count),
    )
    atoms = AtomTable(
        terms, ("true",), np.zeros(count, np.int64), np.arange(count + 1), count + np.arange(count)
    )
    following = circuit.next.copy()
    for fluent in range(count):
        choice = rng.integers(0, 6)
        if choice == 0:
            following[fluent] = 2 * (1 + fluent)
        elif choice == 1:
            following[fluent] = 2 * (1 + (fluent + 1) % count)
        elif choice == 2:
            following[fluent] = 0
        elif choice == 3:
            following[fluent] = 2 * (1 + count + int(rng.integers(0, circuit.move_count)))
    # Before the moves are made nothing may depend on them.
    free = np.ones(circuit.graph.node_count, np.bool_)
    free[1 + count : circuit.input_count] = False
    for node in range(circuit.input_count, circuit.graph.node_count):
        free[node] = free[inputs_of(circuit, node) >> 1].all()

    def usable(literals: np.ndarray) -> np.ndarray:
        return np.where(free[literals >> 1], literals, literals & 1)

    legal = usable(circuit.legal)
    legal[rng.random(len(legal)) < 0.3] = 1
    return with_outputs(
        dataclasses.replace(circuit, atoms=atoms),
        following=following,
        legal=legal,
        terminal=int(usable(np.array([circuit.terminal]))[0]),
        goals=tuple(
            tuple((v, int(usable(np.array([x]))[0])) for v, x in own) for own in circuit.goals
        ),
    )
