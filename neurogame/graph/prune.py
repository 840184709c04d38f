"""Removing dead gates, and ordering the rest by level."""

from __future__ import annotations

import dataclasses

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.ground.atoms import IntArray


def prune(circuit: Circuit) -> Circuit:
    """Return the circuit without the gates that no output needs, sorted by level.

    The order within a level stays, so the result is the same in every run.
    """
    first = circuit.first_gate
    alive = _alive(circuit)
    kept = np.flatnonzero(alive)
    kept = kept[np.argsort(circuit.gate_level[kept], kind="stable")]
    node = np.arange(circuit.node_count)
    node[first:] = -1
    node[first + kept] = first + np.arange(len(kept))

    def moved(literals: IntArray) -> IntArray:
        result: IntArray = 2 * node[literals >> 1] + (literals & 1)
        return result

    sizes = np.diff(circuit.gate_start)[kept]
    inputs = moved(gather_groups(circuit.gate_start, circuit.gate_inputs, kept))
    order = np.lexsort((inputs, np.repeat(np.arange(len(kept)), sizes)))
    return dataclasses.replace(
        circuit,
        gate_kind=circuit.gate_kind[kept],
        gate_start=group_starts(sizes),
        gate_inputs=inputs[order],
        gate_level=circuit.gate_level[kept],
        gate_atom=circuit.gate_atom[kept],
        gate_rule=circuit.gate_rule[kept],
        legal=moved(circuit.legal),
        next=moved(circuit.next),
        terminal=int(moved(np.array([circuit.terminal]))[0]),
        goals=tuple(
            tuple((v, int(moved(np.array([x]))[0])) for v, x in role) for role in circuit.goals
        ),
    )


def outputs(circuit: Circuit) -> IntArray:
    """Return all output literals: legal, next, terminal, goals."""
    goals = [literal for role in circuit.goals for _, literal in role]
    return np.concatenate([circuit.legal, circuit.next, [circuit.terminal], goals]).astype(np.int64)


def _alive(circuit: Circuit) -> np.ndarray:
    """Return which gates some output depends on; from the highest level down."""
    first = circuit.first_gate
    alive = np.zeros(circuit.node_count, np.bool_)
    alive[outputs(circuit) >> 1] = True
    order = np.argsort(circuit.gate_level, kind="stable")
    bounds = np.searchsorted(
        circuit.gate_level[order], np.arange(1, 2 + circuit.gate_level.max(initial=0))
    )
    for low, high in zip(bounds[-2::-1], bounds[:0:-1], strict=True):
        gates = order[low:high]
        gates = gates[alive[first + gates]]
        alive[gather_groups(circuit.gate_start, circuit.gate_inputs, gates) >> 1] = True
    return alive[first:]
