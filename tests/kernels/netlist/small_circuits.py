"""Random circuits small enough to look at every state."""

from __future__ import annotations

import dataclasses

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.ground.atoms import AtomTable, TermTable
from tests.circuit.by_hand import inputs_of, with_outputs
from tests.kernels.twin.random_circuits import random_circuit


def named_circuit(seed: int, gates: int) -> Circuit:
    """Return a random circuit whose fluents are atoms of constants.

    As in a game, what is legal, the end and the goals depend on no move.
    """
    circuit = random_circuit(seed, gates)
    count = len(circuit.fluents)
    numbers = np.arange(count)
    terms = TermTable(
        circuit.fluents, numbers, np.zeros(count + 1, np.int64), np.zeros(0, np.int64)
    )
    atoms = AtomTable(terms, ("true",), np.zeros(count, np.int64), np.arange(count + 1), numbers)
    still = np.ones(circuit.graph.node_count, np.bool_)
    still[1 + count : circuit.input_count] = False
    for node in range(circuit.input_count, circuit.graph.node_count):
        still[node] = still[inputs_of(circuit, node) >> 1].all()
    nodes = np.flatnonzero(still)
    # Gates rather than fluents, where there are some.
    nodes = nodes[nodes >= circuit.input_count] if nodes[-1] >= circuit.input_count else nodes
    rng = np.random.default_rng(seed)

    def pick() -> int:
        return int(2 * rng.choice(nodes) + rng.integers(0, 2))

    return with_outputs(
        dataclasses.replace(circuit, atoms=atoms),
        terminal=pick(),
        legal=np.array([pick() for _ in circuit.legal], np.int64),
        goals=tuple(tuple((value, pick()) for value, _ in own) for own in circuit.goals),
    )


def every_state(circuit: Circuit) -> np.ndarray:
    """Return all sets of fluents; bool ``[2^F, F]``."""
    count = len(circuit.fluents)
    states: np.ndarray = np.arange(1 << count)[:, None] >> np.arange(count) & 1 == 1
    return states


def every_joint_move(circuit: Circuit) -> np.ndarray:
    """Return all joint moves as the moves made; bool ``[J, M]``."""
    parts = [np.eye(len(moves), dtype=np.bool_) for moves in circuit.moves]
    grid = np.indices([len(moves) for moves in circuit.moves]).reshape(len(parts), -1)
    return np.concatenate([part[own] for part, own in zip(parts, grid, strict=True)], axis=1)
