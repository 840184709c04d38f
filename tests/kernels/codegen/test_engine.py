"""Machine code is loaded wherever memory is free, however far apart that is."""

from __future__ import annotations

import sys

import pytest

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
