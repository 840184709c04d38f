"""The order of straight-line code: the same values as the netlist, in few enough registers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.array_types import UInt64s
from neurogame.kernels.codegen.frame import Part, part_gates
from neurogame.kernels.codegen.schedule import Step, allocate, schedule
from neurogame.kernels.codegen.straight import StraightCode, loop_rows
from neurogame.kernels.netlist.netlist import Netlist, lookup
from neurogame.kernels.netlist.ply import Ply
from tests.kernels.codegen.random_netlists import part_rows, random_netlist, random_play


def interpret(netlist: Netlist, steps: Sequence[Step], memory: dict[int, UInt64s]) -> None:
    """Run a piece; reading what is in no register, or not in memory, is a KeyError."""
    zero = np.zeros_like(next(iter(memory.values())))
    registers = {0: zero}
    for kind, index in steps:
        if kind == "load":
            registers[index] = memory[index].copy()
        elif kind == "store":
            memory[index] = registers[index]
        else:
            a, b, c = (registers[int(row)] for row in netlist.inputs[index])
            registers[netlist.input_count + index] = lookup(int(netlist.table[index]), a, b, c)


def most_alive(netlist: Netlist, steps: Sequence[Step]) -> int:
    """Return how many values at most are still to be read from a register, between two steps."""
    alive: set[int] = set()
    most = 0
    for kind, index in reversed(steps):
        if kind == "store":
            alive.add(index)
        elif kind == "load":
            alive.discard(index)
        else:
            alive.discard(netlist.input_count + index)
            alive |= set(netlist.inputs[index].tolist()) - {0}
        most = max(most, len(alive))
    return most


def inputs_of(netlist: Netlist, seed: int) -> UInt64s:
    """Return all rows, those of the inputs random and that of the constant zero."""
    rows = np.zeros((netlist.row_count, 2), np.uint64)
    random = np.random.default_rng(seed)
    rows[1 : netlist.input_count] = random.integers(
        0, 1 << 64, (netlist.input_count - 1, 2), np.uint64
    )
    return rows


@given(
    seed=st.integers(0, 1 << 32),
    inputs=st.integers(2, 40),
    gates=st.integers(1, 150),
    registers=st.integers(3, 26),
    piece=st.sampled_from([1, 7, 40, 1000]),
)
def test_steps_compute_what_the_netlist_does(
    seed: int, inputs: int, gates: int, registers: int, piece: int
) -> None:
    netlist = random_netlist(seed, inputs, gates)
    rows = inputs_of(netlist, seed)
    # The gates of another part lie in memory already.
    begin = seed % gates
    netlist.run(rows, end=begin)
    memory = {row: rows[row].copy() for row in range(1, netlist.input_count + begin)}
    memory[0] = rows[0].copy()
    own = range(begin, gates)
    random = np.random.default_rng(seed + 1)
    outputs = frozenset(
        int(row) for row in inputs + begin + np.flatnonzero(random.random(len(own)) < 0.3)
    )
    pieces = schedule(netlist, own, outputs, registers, piece)
    for steps in pieces:
        interpret(netlist, steps, memory)
        assert sum(kind == "gate" for kind, _ in steps) <= piece
        # A result may wait for the value that makes room for it.
        assert most_alive(netlist, steps) <= registers + 1
    netlist.run(rows, begin)
    for row in outputs:
        np.testing.assert_array_equal(memory[row], rows[row])
    counted = Counter(step for steps in pieces for step in steps)
    assert [counted["gate", gate] for gate in own] == [1] * len(own)
    assert max((n for (kind, _), n in counted.items() if kind == "store"), default=1) == 1


def test_nothing_goes_through_memory_that_fits_into_registers() -> None:
    netlist = random_netlist(5, 6, 40)
    kinds = Counter(kind for kind, _ in allocate(netlist, range(40), frozenset({45}), 100))
    read = set(netlist.inputs.ravel().tolist()) & set(range(1, 6))
    assert kinds == Counter(load=len(read), gate=40, store=1)


def run_in_cells(code: StraightCode, ply: Ply, cells: UInt64s, part: Part) -> None:
    """Run a part in cells, as the compiled code does: copies read before any of them writes."""
    netlist, zero = ply.netlist, np.zeros_like(cells[0])
    for steps in code.steps[part]:
        registers = {0: zero}
        for kind, index in steps:
            if kind == "load":
                registers[index] = cells[code.cell[index]].copy()
            elif kind == "store":
                cells[code.cell[index]] = registers[index]
            else:
                a, b, c = (registers[int(row)] for row in netlist.inputs[index])
                registers[netlist.input_count + index] = lookup(int(netlist.table[index]), a, b, c)
    if part is Part.MOVE:
        read = [cells[code.cell[row]].copy() if row else zero for _, row in code.copies]
        for (fluent, _), value in zip(code.copies, read, strict=True):
            cells[fluent] = value


@given(
    seed=st.integers(0, 1 << 32),
    gates=st.integers(1, 120),
    registers=st.integers(3, 26),
    piece=st.sampled_from([5, 30, 1000]),
)
def test_cells_hold_what_the_loop_reads(seed: int, gates: int, registers: int, piece: int) -> None:
    """Three plies in the same cells: nothing is overwritten before its last use."""
    ply = random_play(seed, gates)
    netlist, pinned = ply.netlist, loop_rows(ply)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("neurogame.kernels.codegen.straight._WHOLE", piece)
        patch.setattr("neurogame.kernels.codegen.straight._PIECE", piece)
        code = StraightCode(ply, registers, pinned)
    cells = np.full((code.cell_count, 2), 0x5555, np.uint64)
    rows = inputs_of(netlist, seed)
    fluents = np.arange(1, 1 + len(ply.next))
    cells[: len(fluents)] = rows[fluents]
    for number in range(3):
        drawn = inputs_of(netlist, seed + number)
        rows[1 + len(fluents) : netlist.input_count] = drawn[1 + len(fluents) : netlist.input_count]
        for row in (*ply.choices[0].rank.tolist(), ply.reset):
            cells[code.cell[row]] = rows[row]
        netlist.run(rows)
        for part in Part:
            run_in_cells(code, ply, cells, part)
            read = pinned & part_rows(ply, part)
            for row in read - set(fluents.tolist()):
                np.testing.assert_array_equal(cells[code.cell[row]], rows[row])
        rows[fluents] = rows[ply.next]
        np.testing.assert_array_equal(cells[: len(fluents)], rows[fluents])


def test_accesses_are_those_of_the_steps() -> None:
    ply = random_play(3, 100)
    code = StraightCode(ply, 8, loop_rows(ply))
    kinds = Counter(kind for part in Part for piece in code.steps[part] for kind, _ in piece)
    assert code.accesses() == (kinds["load"], kinds["store"] + len(code.copies))
    assert kinds["gate"] == 100 == sum(len(part_gates(ply, part)) for part in Part)
