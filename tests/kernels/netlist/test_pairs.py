"""Pairs that are seen once are left out of large tables, and the same are given gates."""

from __future__ import annotations

import numpy as np
import pytest

from neurogame.array_types import Int64s
from neurogame.kernels.netlist import extract_loops
from neurogame.kernels.netlist.conjunctions import conjunctions

FIRST = 30


def random_gates(seed: int) -> tuple[Int64s, Int64s]:
    random = np.random.default_rng(seed)
    sizes = random.integers(2, 9, 200)
    inputs = [np.sort(random.choice(2 * FIRST, size, replace=False)) for size in sizes]
    return np.concatenate([[0], np.cumsum(sizes)]), np.concatenate(inputs)


def values(start: Int64s, pairs: tuple[Int64s, Int64s], sizes: Int64s, inputs: Int64s) -> Int64s:
    """Return what each conjunction is made of in the end, as sets of the first literals."""
    made: dict[int, frozenset[int]] = {}

    def of(literal: int) -> frozenset[int]:
        return made.get(literal, frozenset([literal]))

    for number, (x, y) in enumerate(zip(*pairs, strict=True)):
        made[2 * (FIRST + len(sizes) + number)] = of(int(x)) | of(int(y))
    rows = np.zeros((len(sizes), 2 * FIRST), np.int64)
    for gate, size in enumerate(sizes):
        for literal in inputs[start[gate] : start[gate] + size]:
            rows[gate, list(of(int(literal)))] = 1
    return rows


def test_a_filtered_table_finds_the_same_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(5):
        start, inputs = random_gates(seed)
        form = conjunctions(FIRST, start, inputs, np.zeros(0, np.int64))
        whole = extract_loops.extract_pairs(form, 2, 64, 1 << 12)
        monkeypatch.setattr(extract_loops, "MANY", 1 << 11)
        few = extract_loops.extract_pairs(form, 2, 64, 1 << 14)
        monkeypatch.undo()
        assert len(few[0]) > 20
        assert abs(len(few[0]) - len(whole[0])) <= len(whole[0]) // 10
        expected = np.zeros((len(start) - 1, 2 * FIRST), np.int64)
        expected[np.repeat(np.arange(len(start) - 1), np.diff(start)), inputs] = 1
        for left, right, sizes, rest in (whole, few):
            assert (values(start, (left, right), sizes, rest) == expected).all()
