"""Random circuits, valid but without any game behind them."""

from __future__ import annotations

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import AND
from tests.circuit.by_hand import NO_ATOMS, graph_of


def random_circuit(seed: int, gates: int) -> Circuit:
    """Return a circuit with all kinds of gates, wide ones over the moves included."""
    rng = np.random.default_rng(seed)
    fluents = int(rng.integers(0, 7))
    moves = [int(n) for n in rng.integers(1, 13, size=rng.integers(1, 4))]
    first_move = 1 + fluents
    first_gate = first_move + sum(moves)
    kind = rng.integers(0, 2, gates).astype(np.uint8)
    rows: list[np.ndarray] = []
    for gate in range(gates):
        node = first_gate + gate
        width = int(rng.choice([2, 2, 3, 4, 9]))
        inputs = rng.integers(0, 2 * node, width)
        if rng.random() < 0.4:
            # Many of the moves, in the polarity that a frame axiom has.
            chosen = np.arange(first_move, first_gate)
            chosen = chosen[rng.random(len(chosen)) < rng.choice([0.5, 0.9, 1.0])]
            inputs = np.append(inputs, 2 * chosen + (kind[gate] == AND))
        inputs = np.unique(inputs)
        if len(inputs) < 2:
            inputs = np.array([inputs[0] & ~1, inputs[0] | 1])
        rows.append(inputs)

    def outputs(count: int) -> np.ndarray:
        return rng.integers(0, 2 * (first_gate + gates), count)

    goals = tuple(
        tuple((value, int(outputs(1)[0])) for value in (100, 50, 0)[: rng.integers(0, 4)])
        for _ in moves
    )
    initial = rng.random(fluents) < 0.5
    legal, following, over = outputs(sum(moves)), outputs(fluents), outputs(1)
    literals = [literal for own in goals for _, literal in own]
    return Circuit(
        roles=tuple(f"r{i}" for i in range(len(moves))),
        fluents=tuple(f"f{i}" for i in range(fluents)),
        moves=tuple(tuple(f"m{i}" for i in range(n)) for n in moves),
        initial=initial,
        graph=graph_of(first_gate, kind, rows, np.concatenate([legal, following, over, literals])),
        named_goals=tuple(tuple(value for value, _ in own) for own in goals),
        atoms=NO_ATOMS,
        key=f"random-{seed}-{gates}",
    )


def random_moves(circuit: Circuit, size: int, rng: np.random.Generator) -> np.ndarray:
    """Return one random move per role; int64 ``[B, R]``."""
    return np.stack([rng.integers(0, len(m), size) for m in circuit.moves], axis=1)


def one_hot(circuit: Circuit, moves: np.ndarray) -> np.ndarray:
    """Return which moves are made; bool ``[B, M]``."""
    parts = [np.arange(len(own)) == moves[:, role, None] for role, own in enumerate(circuit.moves)]
    return np.concatenate(parts, axis=1)
