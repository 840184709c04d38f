"""Circuits put together from arrays, and with other outputs than before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import Graph, unnamed
from neurogame.ground.atoms import AtomTable, TermTable

Goals = Sequence[Sequence[tuple[int, int]]]
NONE = np.zeros(0, np.int64)
START = np.zeros(1, np.int64)
NO_ATOMS = AtomTable(TermTable((), NONE, START, NONE), (), NONE, START, NONE)


def graph_of(
    input_count: int,
    kind: Sequence[int] | np.ndarray,
    rows: Sequence[Sequence[int] | np.ndarray],
    outputs: Sequence[int] | np.ndarray,
    atom: np.ndarray | None = None,
    rule: np.ndarray | None = None,
) -> Graph:
    """Return the graph of gates that read these rows of literals, inputs before their readers."""
    level = np.zeros(input_count + len(rows), np.int64)
    for gate, row in enumerate(rows):
        level[input_count + gate] = 1 + level[np.asarray(row) >> 1].max()
    return Graph(
        input_count=input_count,
        kind=np.asarray(kind, np.uint8),
        start=np.cumsum([0, *map(len, rows)], dtype=np.int64),
        inputs=np.concatenate([NONE, *rows]).astype(np.int64),
        level=level[input_count:],
        outputs=np.asarray(outputs, np.int64),
        atom=unnamed(len(rows)) if atom is None else atom,
        rule=unnamed(len(rows)) if rule is None else rule,
    )


def with_outputs(
    circuit: Circuit,
    *,
    legal: np.ndarray | None = None,
    following: np.ndarray | None = None,
    terminal: int | None = None,
    goals: Goals | None = None,
) -> Circuit:
    """Return a circuit some of whose outputs are other literals of it."""
    pairs = circuit.goals if goals is None else goals
    outputs = np.concatenate(
        [
            circuit.legal if legal is None else legal,
            circuit.next if following is None else following,
            [circuit.terminal if terminal is None else terminal],
            [literal for own in pairs for _, literal in own],
        ]
    )
    return replace(
        circuit,
        graph=circuit.graph.with_outputs(outputs.astype(np.int64)),
        named_goals=tuple(tuple(value for value, _ in own) for own in pairs),
    )


def inputs_of(circuit: Circuit, node: int) -> np.ndarray:
    """Return the literals that the gate of a node reads."""
    literals, _ = circuit.graph.inputs_of(np.array([node - circuit.input_count]))
    return literals
