"""Gates as instructions: all functions of three inputs, at every width of vectors."""

from __future__ import annotations

import numpy as np
import pytest

from neurogame.kernels.codegen.expressions import expression
from neurogame.kernels.codegen.host import host
from neurogame.kernels.codegen.text import Text
from neurogame.kernels.netlist.netlist import lookup
from tests.kernels.codegen.compiling import random_rows, run_vectors

_WIDTHS = sorted({1, 2, 4, 8, host().words})


@pytest.mark.parametrize("words", _WIDTHS)
def test_every_truth_table_is_computed(words: int) -> None:
    rows = random_rows(3, words, seed=words)

    def write(text: Text, names: list[str]) -> list[str]:
        a, b, c = names
        return [text.gate(table, a, b, c) for table in range(256)]

    found = run_vectors(words, rows, 256, write)
    a, b, c = rows.view(np.uint64)
    for table in range(256):
        np.testing.assert_array_equal(found[table].view(np.uint64), lookup(table, a, b, c))


def test_expressions_compute_their_tables_in_few_operations() -> None:
    operations = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
    lengths = []
    for table in range(256):
        values = {0: 0, 255: 255, 0xF0: 0xF0, 0xCC: 0xCC, 0xAA: 0xAA}
        for result, name, left, right in expression(table):
            assert result == operations[name](values[left], values[right])
            values[result] = result
        assert table in values
        lengths.append(len(expression(table)))
    # Majority takes four; the worst functions of three inputs six at most.
    assert lengths[0xE8] == 4
    assert lengths[0x96] == lengths[0xCA ^ 0xF0 ^ 0xF0] - 1 == 2
    assert max(lengths) <= 6


@pytest.mark.parametrize("words", _WIDTHS)
def test_any_and_popcount(words: int) -> None:
    rows = random_rows(4, words, seed=1)
    rows[1] = 0
    rows[2] = 0
    rows[2, -1] = -(1 << 63)

    def write(text: Text, names: list[str]) -> list[str]:
        flags = [text.let(f"sext i1 {text.any(name)} to i64") for name in names]
        return [*map(text.splat, flags), text.popcount(names[0])]

    found = run_vectors(words, rows, 5, write)
    assert found[:4].tolist() == [[flag] * words for flag in (-1, 0, -1, -1)]
    assert found[4].tolist() == [int(word).bit_count() for word in rows[0].view(np.uint64)]


def test_loops_and_conditions() -> None:
    """Sums over ``first .. end - 1``, also when that is empty, and only where it is wanted."""
    rows = np.array([[3, 7], [5, 5], [6, 2]], np.int64)

    def write(text: Text, names: list[str]) -> list[str]:
        total = text.at("%rows", 3 * text.bytes)
        text.store("zeroinitializer", total)
        for name in names:
            first, end = (text.let(f"extractelement {text.vector} {name}, i64 {n}") for n in (0, 1))
            with text.count(first, end) as number:
                odd = text.let(f"trunc i64 {number} to i1")
                with text.when(odd):
                    text.store(text.both("add", text.load(total), text.splat(number)), total)
        return [text.load(total)]

    assert run_vectors(2, rows, 1, write).tolist() == [[3 + 5, 3 + 5]]
