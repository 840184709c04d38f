"""Plans and their bit-sliced evaluation equal the circuit, gate by gate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import OR
from neurogame.kernels.twin.and_graph import with_pairs
from neurogame.kernels.twin.bitslice import BitSliceKernel, rounded_width
from neurogame.kernels.twin.plan import make_stages
from neurogame.kernels.words.pack import pack, unpack
from tests.circuit.by_hand import graph_of
from tests.circuit.evaluate import evaluate_circuit
from tests.kernels.twin.random_circuits import one_hot, random_circuit, random_moves

SIZES = st.sampled_from([1, 63, 64, 65, 200])


def run_plan(
    circuit: Circuit, states: np.ndarray, does: np.ndarray, *, one_move_each: bool
) -> list[np.ndarray]:
    """Return legal and terminal, next after these, next alone, and goals after the first."""
    pairs = with_pairs(circuit, one_move_each=one_move_each)
    status = np.append(pairs.legal, pairs.terminal)
    wanted = [status, pairs.next, pairs.next, pairs.goal_literals]
    stages = make_stages(pairs.graph, wanted, [None, 0, None, 0])
    kernel = BitSliceKernel(stages, torch.device("cpu"))
    inputs = pack(torch.from_numpy(np.concatenate([states, does], axis=1)))
    results: list[np.ndarray] = []
    # The lone stage last: it may overwrite the rows that the others build on.
    for order in ([0, 1, 3], [2]):
        space = kernel.workspace(inputs.shape[1])
        space.values[1 : 1 + len(inputs)] = inputs
        results += [unpack(space.run(stage), len(states)).numpy() for stage in order]
    return results


@given(st.integers(0, 2**31), st.integers(0, 60), SIZES, st.booleans())
def test_plan_equals_the_circuit(seed: int, gates: int, size: int, one_move_each: bool) -> None:
    circuit = random_circuit(seed, gates)
    rng = np.random.default_rng(seed + 1)
    states = rng.random((size, len(circuit.fluents))) < 0.5
    does = rng.random((size, circuit.move_count)) < 0.5
    if one_move_each:
        does = one_hot(circuit, random_moves(circuit, size, rng))
    expected = evaluate_circuit(circuit, states, does)
    status, following, goals, alone = run_plan(circuit, states, does, one_move_each=one_move_each)
    np.testing.assert_array_equal(status[:, :-1], expected.legal)
    np.testing.assert_array_equal(status[:, -1], expected.terminal)
    np.testing.assert_array_equal(following, expected.next)
    np.testing.assert_array_equal(alone, expected.next)
    names = [(r, v) for r, own in zip(circuit.roles, circuit.goals, strict=True) for v, _ in own]
    for row, held in zip(goals, expected.goals, strict=True):
        assert {name for name, flag in zip(names, row, strict=True) if flag} == held


def wide_or(moves: int, dropped: int) -> Circuit:
    """Return one gate: some move but the first few is made."""
    circuit = random_circuit(0, 0)
    start = 2 + 2 * len(circuit.fluents)
    node = 1 + len(circuit.fluents) + moves
    following = np.full(len(circuit.fluents), 2 * node + 1)
    outputs = np.concatenate([np.full(moves, 2 * node), following, [2 * node]])
    return replace(
        circuit,
        roles=("r",),
        moves=(tuple(f"m{i}" for i in range(moves)),),
        graph=graph_of(node, [OR], [start + 2 * np.arange(dropped, moves)], outputs),
        named_goals=((),),
    )


@pytest.mark.parametrize(("dropped", "gates"), [(0, 0), (1, 0), (2, 1), (4, 3)])
def test_most_moves_become_none_of_the_others(dropped: int, gates: int) -> None:
    circuit = wide_or(40, dropped)
    assert with_pairs(circuit).gate_count == gates
    assert with_pairs(circuit, one_move_each=False).gate_count == 39 - dropped


def test_trees_are_balanced_and_shared() -> None:
    graph = with_pairs(wide_or(40, 3), one_move_each=False).graph
    assert int(graph.level.max()) == 6
    stages = make_stages(graph, [np.array([2 * graph.input_count])] * 2, [None, 0])
    assert stages[1].gate_count == 0


@given(st.integers(1, 10_000))
def test_rounded_widths_waste_at_most_half(words: int) -> None:
    width = rounded_width(words)
    assert words <= width <= max(1.5 * words, words + 1)
    assert rounded_width(width) == width
