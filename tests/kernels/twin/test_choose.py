"""Uniform choice in bit-slices: always one legal move, every move equally often."""

from __future__ import annotations

import math
from functools import reduce
from operator import or_

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import OR
from neurogame.kernels.twin.choose import choose_uniform, uniform_below
from neurogame.kernels.twin.gates import TorchGates
from neurogame.kernels.words.pack import pack, unpack
from neurogame.kernels.words.random_words import RandomWords
from tests.circuit.by_hand import graph_of
from tests.circuit.evaluate import evaluate_circuit
from tests.kernels.twin.random_circuits import random_circuit


def chi_square(counts: torch.Tensor) -> float:
    """Return the normalised excess of chi-square over its mean, in standard deviations."""
    expected = float(counts.sum()) / len(counts)
    value = float(((counts.to(torch.float64) - expected) ** 2 / expected).sum())
    freedom = len(counts) - 1
    return (value - freedom) / math.sqrt(2 * freedom)


@given(st.integers(1, 70), st.sampled_from([1, 63, 64, 65, 200]), st.integers(0, 2**31))
def test_exactly_one_legal_move_is_chosen(moves: int, size: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    density = float(torch.rand((), generator=generator))
    flags = torch.rand((size, moves), generator=generator) < density
    words = pack(flags)
    random = RandomWords(seed, torch.arange(words.shape[1]))
    chosen = unpack(choose_uniform(words, random, 3, 0), size)
    assert torch.equal(chosen.sum(dim=1), flags.any(dim=1).long())
    assert not bool((chosen & ~flags).any())


@pytest.mark.parametrize("moves", [2, 3, 5, 9, 17, 33, 64, 100])
def test_choice_is_uniform(moves: int) -> None:
    """Chi-square over all moves within 5 sigma; 2^k + 1 is the worst case of rejection."""
    width = 1024
    legal = torch.full((moves, width), -1)
    total = torch.zeros(moves, dtype=torch.int64)
    for step in range(2):
        random = RandomWords(11, torch.arange(width))
        total += unpack(choose_uniform(legal, random, step, 1), 64 * width).sum(dim=0)
    assert int(total.sum()) == 2 * 64 * width
    assert chi_square(total) < 5


def test_choice_among_some_of_the_moves_is_uniform() -> None:
    """Lanes with different legal sets side by side do not disturb one another."""
    width, moves = 1024, 12
    size = 64 * width
    flags = torch.zeros((size, moves), dtype=torch.bool)
    sets = [[0, 5, 11], [2], [1, 2, 3, 4, 6, 7, 8], list(range(12)), [3, 9]]
    for lane, legal in enumerate(sets):
        flags[lane :: len(sets), legal] = True
    chosen = unpack(choose_uniform(pack(flags), RandomWords(5, torch.arange(width)), 0, 0), size)
    for lane, legal in enumerate(sets):
        counts = chosen[lane :: len(sets)].sum(dim=0)
        assert int(counts[legal].sum()) == int(counts.sum())
        if len(legal) > 1:
            assert chi_square(counts[legal]) < 5


@given(st.lists(st.integers(0, 21), min_size=64, max_size=64), st.integers(0, 2**31))
def test_ranks_lie_below_the_total(totals: list[int], seed: int) -> None:
    total = torch.tensor(totals)
    rank = uniform_below(total, RandomWords(seed, torch.arange(1)), 0, 0)
    assert bool((rank < total.clamp(min=1)).all())


def test_the_result_does_not_depend_on_neighbours() -> None:
    generator = torch.Generator().manual_seed(1)
    legal = pack(torch.rand((640, 33), generator=generator) < 0.3)
    random = RandomWords(4, torch.arange(10))
    expected = choose_uniform(legal, random, 2, 0)
    alone = choose_uniform(legal[:, 3:4], RandomWords(4, torch.tensor([3])), 2, 0)
    assert torch.equal(alone, expected[:, 3:4])


STEP, ROLE = 3, 1


def choose(legal: Tensor, seed: int, first_word: int = 0) -> Tensor:
    """Choose for bool ``[B, A]``, whose lane words are numbered from ``first_word``."""
    words = pack(legal)
    lanes = first_word + torch.arange(words.shape[1])
    return unpack(choose_uniform(words, RandomWords(seed, lanes), STEP, ROLE), len(legal))


def slow_choice(legal: list[bool], seed: int, lane: int) -> list[int]:
    """Return the chosen move of one lane: the first drawn rank below the number of moves."""
    moves = [i for i, flag in enumerate(legal) if flag]
    if len(moves) <= 1:
        return moves
    bits = (len(moves) - 1).bit_length()
    words = RandomWords(seed, torch.tensor([lane // 64])).draw(STEP, ROLE, range(60), bits)
    for drawn in words[:, :, 0].tolist():
        rank = sum(((word >> (lane % 64)) & 1) << bit for bit, word in enumerate(drawn))
        if rank < len(moves):
            return [moves[rank]]
    raise AssertionError("sixty rejections, each less likely than not")


def legal_flags(size: int, moves: int, seed: int) -> Tensor:
    """Draw legal moves of all densities, none and all included; bool ``[B, A]``."""
    rng = np.random.default_rng(seed)
    density = rng.choice([0, 0.05, 0.3, 0.7, 1], (size, 1))
    return torch.from_numpy(rng.random((size, moves)) < density)


@given(
    st.sampled_from([1, 63, 64, 65]),
    st.integers(1, 40) | st.sampled_from([64, 65, 129]),
    st.integers(0, 2**32),
)
@settings(max_examples=25)
def test_the_choice_is_the_defined_one(size: int, moves: int, seed: int) -> None:
    legal = legal_flags(size, moves, seed)
    for lane, row in enumerate(choose(legal, seed)):
        assert row.nonzero().view(-1).tolist() == slow_choice(legal[lane].tolist(), seed, lane)


@given(st.integers(1, 20), st.integers(0, 2**32), st.integers(0, 5), st.integers(1, 6))
@settings(max_examples=30)
def test_the_cut_of_the_batch_does_not_matter(
    moves: int, seed: int, begin: int, words: int
) -> None:
    legal = legal_flags(64 * 12, moves, seed)
    lanes = slice(64 * begin, 64 * (begin + words))
    assert torch.equal(choose(legal[lanes], seed, begin), choose(legal, seed)[lanes])


@given(st.integers(2, 12), st.integers(0, 50), st.integers(0, 2**32))
@settings(max_examples=30)
def test_moves_that_nobody_has_do_not_matter(moves: int, more: int, seed: int) -> None:
    legal = legal_flags(100, moves, seed)
    columns = np.sort(np.random.default_rng(seed).permutation(moves + more)[:moves])
    spread = torch.zeros((100, moves + more), dtype=torch.bool)
    spread[:, columns] = legal
    assert torch.equal(choose(spread, seed)[:, columns], choose(legal, seed))


SIZES = st.sampled_from([1, 63, 64, 65, 200])


def run_gates(circuit: Circuit, states: np.ndarray, does: np.ndarray) -> list[np.ndarray]:
    """Return legal and terminal, goals, and next, each from a plan of its own."""
    inputs = pack(torch.from_numpy(np.concatenate([states, does], axis=1)))
    status = np.append(circuit.legal, circuit.terminal)
    return [
        unpack(TorchGates(circuit.graph.with_outputs(outputs)).run(inputs), len(states)).numpy()
        for outputs in (status, circuit.goal_literals, circuit.next)
    ]


@given(st.integers(0, 2**31), st.integers(0, 60), SIZES)
def test_the_gates_are_those_of_the_circuit(seed: int, gates: int, size: int) -> None:
    circuit = random_circuit(seed, gates)
    rng = np.random.default_rng(seed + 1)
    states = rng.random((size, len(circuit.fluents))) < 0.5
    does = rng.random((size, circuit.move_count)) < 0.5
    expected = evaluate_circuit(circuit, states, does)
    status, goals, following = run_gates(circuit, states, does)
    np.testing.assert_array_equal(status[:, :-1], expected.legal)
    np.testing.assert_array_equal(status[:, -1], expected.terminal)
    np.testing.assert_array_equal(following, expected.next)
    names = [(r, v) for r, own in zip(circuit.roles, circuit.goals, strict=True) for v, _ in own]
    for row, held in zip(goals, expected.goals, strict=True):
        assert {name for name, flag in zip(names, row, strict=True) if flag} == held


@pytest.mark.parametrize(("inputs", "steps"), [(1, 0), (2, 1), (37, 6), (64, 6), (65, 7)])
def test_trees_are_balanced_and_shared(inputs: int, steps: int) -> None:
    """Two equal gates of many inputs are computed once, in as few steps as can be."""
    node, read = 1 + inputs, [2 * np.arange(1, 1 + inputs)] * 2
    graph = graph_of(node, [OR, OR], read, np.array([2 * node, 2 * node + 3]))
    words = torch.randint(-(2**63), 2**63 - 1, (inputs, 3))
    gates = TorchGates(graph)
    one, other = gates.run(words)
    assert torch.equal(one, ~other)
    assert one.tolist() == [reduce(or_, column) for column in words.T.tolist()]
    assert (len(gates.steps), gates.gate_count) == (steps, inputs - 1)


@pytest.mark.parametrize("width", [0, 1, 5, 6])
def test_blocks_change_nothing(width: int) -> None:
    circuit = random_circuit(3, 40)
    gates, cut = TorchGates(circuit.graph), TorchGates(circuit.graph)
    cut.block_words = 2
    words = torch.randint(-(2**63), 2**63 - 1, (circuit.input_count - 1, width))
    assert torch.equal(gates.run(words), cut.run(words))
