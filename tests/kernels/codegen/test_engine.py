"""Machine code is loaded wherever memory is free, however far apart that is."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest

from neurogame.kernels.codegen.expressions import expression
from neurogame.kernels.codegen.host import host
from neurogame.kernels.codegen.text import Text
from neurogame.kernels.codegen.unit_costs import UnitCosts, unit_costs
from tests.kernels.codegen.compiling import random_rows, run_vectors
from tests.kernels.netlist.plain_netlist import lookup
from tests.processes import run

SCATTER = """
import ctypes, mmap

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *3 * [ctypes.c_int], ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
FAR, NO_RESERVE = 3 << 30, 0x4000


def take(size):
    found = libc.mmap(None, size, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE, -1, 0)
    assert found not in (None, 2**64 - 1), ctypes.get_errno()
    return found


def scatter():
    # Takes every free place above a large mapping, and leaves single pages free 3 GiB apart.
    low, size = take(FAR), 1 << 30
    while size >= mmap.PAGESIZE:
        while (found := take(size)) > low:
            pass
        libc.munmap(found, size)
        size //= 2
    for _ in range(64):
        found = take(FAR)
        libc.munmap(found + FAR - mmap.PAGESIZE, mmap.PAGESIZE)
"""
"""Address space as in a process that has made many searches; nothing of it takes memory."""

OBJECT_FILE = """
import numpy as np

from neurogame.kernels.codegen.engine import compile_text, load_object

code = compile_text('''
@numbers = private constant [4 x double] [double 1.0, double 2.0, double 3.0, double 4.0]
define void @pick(ptr %row) {
  %index = load i64, ptr %row
  %place = getelementptr [4 x double], ptr @numbers, i64 0, i64 %index
  %number = load double, ptr %place
  store double %number, ptr %row
  ret void
}
''')
scatter()
loaded = [load_object(code) for _ in range(8)]
for one in loaded:
    row = np.array([2])
    one.function("pick")(row.ctypes.data)
    assert row.view(float)[0] == 3.0
"""

NUMBA = """
import numba
import numpy as np


@numba.njit(nogil=True, error_model="numpy")
def pick(index):
    numbers = (1.0, 2.0, 3.0, 4.0)
    if index > 3:
        raise IndexError("no such number")
    return np.exp(numbers[index] - 3.0)


scatter()
assert pick(2) == 1.0
assert pick(np.int32(2)) == 1.0
try:
    pick(4)
except IndexError:
    pass
"""


@pytest.mark.skipif(sys.platform != "linux", reason="places mappings as Linux does")
@pytest.mark.parametrize("program", [OBJECT_FILE, NUMBA], ids=["object file", "numba"])
def test_code_runs_in_a_process_without_two_free_pages_side_by_side(program: str) -> None:
    run([sys.executable, "-c", SCATTER + program])


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
    operations: dict[str, Callable[[int, int], int]] = {
        "and": int.__and__,
        "and not": lambda left, right: ~left & right,
        "or": int.__or__,
        "xor": int.__xor__,
    }
    lengths = []
    for table in range(256):
        values = {0: 0, 255: 255, 0xF0: 0xF0, 0xCC: 0xCC, 0xAA: 0xAA}
        for result, name, left, right in expression(table):
            assert result == operations[name](values[left], values[right])
            values[result] = result
        assert table in values
        lengths.append(len(expression(table)))
    # Majority takes four; the worst functions of three inputs five.
    assert lengths[0xE8] == 4
    assert lengths[0x96] == lengths[0xCA ^ 0xF0 ^ 0xF0] - 1 == 2
    assert max(lengths) == 5


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


def test_no_loop_is_optimised_away() -> None:
    """No processor does ten such instructions per cycle, and none takes a hundred cycles."""
    found = unit_costs()
    assert 1e8 < found.clock < 2e10
    assert 0.1 < found.gate < 100
    assert 0.1 < found.load < 100
    assert 0.1 < found.store < 100
    assert unit_costs() is found


@pytest.mark.parametrize(
    ("counts", "cycles"), [((100, 10, 10), 50), ((10, 100, 10), 100), ((10, 10, 100), 200)]
)
def test_the_busiest_unit_bounds(counts: tuple[int, int, int], cycles: float) -> None:
    assert UnitCosts(clock=1e9, gate=0.5, load=1.0, store=2.0).bound(*counts) == cycles
