"""A circuit evaluated gate by gate, straight from the definition: the tests' twin."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import AND


@dataclass(frozen=True)
class Values:
    """Outputs of a circuit for a batch of states and moves."""

    legal: np.ndarray
    next: np.ndarray
    terminal: np.ndarray
    goals: list[set[tuple[str, int]]]


def evaluate_circuit(circuit: Circuit, states: np.ndarray, does: np.ndarray) -> Values:
    """Return the outputs for bool ``[B, F]`` states and bool ``[B, M]`` moves."""
    batch = len(states)
    nodes = np.zeros((circuit.graph.node_count, batch), np.bool_)
    nodes[1 : circuit.input_count] = np.concatenate([states, does], axis=1).T

    def value(literals: np.ndarray) -> np.ndarray:
        result: np.ndarray = nodes[literals >> 1] ^ (literals & 1).astype(np.bool_)[:, None]
        return result

    graph = circuit.graph
    for gate, (begin, end) in enumerate(pairwise(graph.start.tolist())):
        inputs = value(graph.inputs[begin:end])
        combined = inputs.all(axis=0) if graph.kind[gate] == AND else inputs.any(axis=0)
        nodes[circuit.input_count + gate] = combined
    goals: list[set[tuple[str, int]]] = [set() for _ in range(batch)]
    for role, pairs in zip(circuit.roles, circuit.goals, strict=True):
        for goal, literal in pairs:
            holds = value(np.array([literal]))[0]
            for b in np.flatnonzero(holds):
                goals[b].add((role, goal))
    return Values(
        value(circuit.legal).T, value(circuit.next).T, value(np.array([circuit.terminal]))[0], goals
    )
