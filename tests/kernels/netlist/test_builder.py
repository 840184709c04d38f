"""Gates made one by one against truth tables evaluated directly."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.graph.lanes import ALL
from neurogame.kernels.netlist.builder import Builder
from neurogame.kernels.netlist.netlist import lookup

INPUTS = 5
# Every assignment of four inputs is one lane.
PATTERNS = np.array([0, 0xAAAA, 0xCCCC, 0xF0F0, 0xFF00], np.uint64)[:, None]
Gate = tuple[int, tuple[int, int, int]]
gates = st.lists(
    st.tuples(st.integers(0, 255), st.tuples(*[st.integers(0, 2**16)] * 3)), min_size=1, max_size=40
)


@given(gates)
def test_tables_mean_what_they_say(wanted: list[Gate]) -> None:
    builder = Builder(INPUTS)
    literals = [2 * row + complement for row in range(INPUTS) for complement in (0, 1)]
    values = [PATTERNS[row] ^ (ALL * np.uint64(x)) for row in range(INPUTS) for x in (0, 1)]
    for table, choice in wanted:
        inputs = [pick % len(literals) for pick in choice]
        literals.append(builder.table(table, *(literals[i] for i in inputs)))
        values.append(lookup(table, *(values[i] for i in inputs)))
    netlist = builder.netlist()
    rows = np.zeros((netlist.row_count, 1), np.uint64)
    rows[:INPUTS] = PATTERNS
    netlist.run(rows)
    for literal, value in zip(literals, values, strict=True):
        assert rows[literal >> 1] ^ (ALL * np.uint64(literal & 1)) == value


@given(gates)
def test_no_gate_is_made_twice(wanted: list[Gate]) -> None:
    """Gates of inputs have pairwise different functions, complements included."""
    builder = Builder(INPUTS)
    for table, choice in wanted:
        builder.table(table, *(pick % (2 * INPUTS) for pick in choice))
    netlist = builder.netlist()
    rows = np.zeros((netlist.row_count, 1), np.uint64)
    rows[:INPUTS] = PATTERNS
    netlist.run(rows)
    low = rows[:, 0] & np.uint64(0xFFFF)
    both = np.minimum(low, low ^ np.uint64(0xFFFF))
    assert len(np.unique(both)) == len(both)
