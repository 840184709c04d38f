"""Tables for the generic routine: permuted inputs, cells by liveness, and the routine itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.array_types import UInt64s
from neurogame.kernels.codegen.frame import Part
from neurogame.kernels.codegen.shape import Shape
from neurogame.kernels.codegen.straight import loop_rows
from neurogame.kernels.codegen.table import GateTable, TableCode, canonical, input_count
from neurogame.kernels.netlist.netlist import Netlist, lookup
from tests.kernels.codegen.random_netlists import part_rows, random_play
from tests.kernels.codegen.test_schedule import inputs_of

SHAPE = Shape(8, 4, ternary=False)


def test_permuted_inputs_give_the_same_function() -> None:
    everything = np.arange(256)
    netlist = Netlist(
        4, everything.astype(np.uint8), np.tile(np.array([1, 2, 3], np.int32), (256, 1))
    )
    values = dict(enumerate(np.array([[0], [0xF0], [0xCC], [0xAA]], np.uint64)))
    tables, inputs = canonical(netlist)
    for before, after, order in zip(everything, tables, inputs, strict=True):
        assert sorted(order.tolist()) == [1, 2, 3]
        wanted = lookup(int(before), values[1], values[2], values[3])
        found = lookup(int(after), *(values[row] for row in order.tolist()))
        np.testing.assert_array_equal(found & np.uint64(0xFF), wanted & np.uint64(0xFF))
    # Functions that differ by the order of their inputs alone are one: 80 classes of Burnside.
    assert len(set(tables.tolist())) == 80
    again, same = canonical(Netlist(4, tables, inputs))
    np.testing.assert_array_equal(again, tables)
    np.testing.assert_array_equal(same, inputs)


@pytest.mark.parametrize(
    ("table", "count"), [(0, 0), (255, 0), (0xF0, 1), (0x0F, 1), (0xCC, 2), (0xC0, 2), (0xAA, 3)]
)
def test_unused_inputs_stand_last(table: int, count: int) -> None:
    assert input_count(table) == count


def interpret(table: GateTable, cells: UInt64s) -> None:
    """Run a table gate by gate; cells are of one vector's bytes times the width."""
    scale = 8 * SHAPE.words * SHAPE.width
    gates = iter(table.gates.tolist())
    for function, length in table.runs.tolist():
        for result, *inputs in (next(gates) for _ in range(length)):
            assert not any(offset % scale for offset in (result, *inputs))
            a, b, c = (cells[offset // scale] for offset in inputs)
            cells[result // scale] = lookup(function, a, b, c)
    assert next(gates, None) is None


@given(seed=st.integers(0, 1 << 32), gates=st.integers(1, 150))
def test_cells_hold_what_the_loop_reads(seed: int, gates: int) -> None:
    """Three plies in the same cells: nothing is overwritten before its last use."""
    ply = random_play(seed, gates)
    netlist, pinned = ply.netlist, loop_rows(ply)
    code = TableCode(ply, SHAPE, pinned)
    cells = np.full((code.cell_count, 2), 0x5555, np.uint64)
    rows = inputs_of(netlist, seed)
    fluents = np.arange(1, 1 + len(ply.next))
    cells[code.cell[0]] = 0
    cells[: len(fluents)] = rows[fluents]
    for number in range(3):
        drawn = inputs_of(netlist, seed + number)
        for row in range(1 + len(fluents), netlist.input_count):
            rows[row] = cells[code.cell[row]] = drawn[row]
        netlist.run(rows)
        for part in Part:
            interpret(code.tables[part], cells)
            for row in pinned & part_rows(ply, part):
                np.testing.assert_array_equal(cells[code.cell[row]], rows[row])
        rows[fluents] = rows[ply.next]
        np.testing.assert_array_equal(cells[: len(fluents)], rows[fluents])


def test_cells_are_used_again() -> None:
    ply = random_play(11, 400)
    code = TableCode(ply, SHAPE, loop_rows(ply))
    assert code.cell_count < ply.netlist.row_count // 2


def test_accesses_are_those_of_the_gates() -> None:
    ply = random_play(6, 200)
    code = TableCode(ply, SHAPE, loop_rows(ply))
    tables, _ = canonical(ply.netlist)
    copies = sum(len(table.gates) for table in code.tables.values()) - 200
    loads = sum(input_count(int(table)) for table in tables)
    assert code.accesses() == (loads + copies, 200 + copies)
