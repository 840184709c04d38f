"""The order of straight-line code: the same values as the netlist, in few enough registers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.array_types import Int64s, UInt64s
from neurogame.kernels.codegen.frame import Part, part_gates
from neurogame.kernels.codegen.host import host
from neurogame.kernels.codegen.rank import Draw, first_attempt, write_rank
from neurogame.kernels.codegen.schedule import Step, allocate, schedule
from neurogame.kernels.codegen.shape import Shape
from neurogame.kernels.codegen.straight import StraightCode, loop_rows
from neurogame.kernels.codegen.table import GateTable, TableCode, canonical, input_count
from neurogame.kernels.codegen.text import Text
from neurogame.kernels.netlist.netlist import Netlist
from neurogame.kernels.netlist.ply import Ply
from neurogame.kernels.twin.choose import uniform_below
from neurogame.kernels.words.random_words import RandomWords
from tests.kernels.codegen.compiling import run_vectors
from tests.kernels.codegen.random_netlists import part_rows, random_netlist, random_play
from tests.kernels.netlist.plain_netlist import lookup, run_netlist


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
    run_netlist(netlist, rows, end=begin)
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
    run_netlist(netlist, rows, begin)
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
        run_netlist(netlist, rows)
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


def interpret_table(table: GateTable, cells: UInt64s) -> None:
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
def test_cells_of_a_table_hold_what_the_loop_reads(seed: int, gates: int) -> None:
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
        run_netlist(netlist, rows)
        for part in Part:
            interpret_table(code.tables[part], cells)
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


_WORDS = sorted({2, host().words})


def planes_of(numbers: Int64s, bits: int) -> Int64s:
    """Return numbers ``[64 W]`` in bit-slices; int64 ``[bits, W]``."""
    flags = (numbers >> np.arange(bits)[:, None] & 1).astype(np.uint8)
    packed = np.packbits(flags, axis=1, bitorder="little")
    return packed.view(np.int64)


def masks_of(totals: Int64s, bits: int) -> Int64s:
    """Return the smallest ``2^j - 1 >= total - 1`` of each lane in bit-slices."""
    masks = [(1 << int(max(total - 1, 0)).bit_length()) - 1 for total in totals.tolist()]
    return planes_of(np.array(masks), bits)


def draw(words: int, vectors: int, totals: Int64s, slots: int, key: tuple[int, int, int]) -> Int64s:
    """Return compiled draws for ``vectors`` vectors of lanes; int64 ``[bits, W]``."""
    seed, step, stream = key
    bits = (slots - 1).bit_length()
    total_bits = slots.bit_length()
    width = words * vectors
    base = RandomWords(seed, torch.arange(width)).base.numpy()
    columns = np.concatenate(
        [
            base[None],
            planes_of(totals, total_bits),
            masks_of(totals, bits),
            planes_of(np.minimum(totals, 1), 1),
        ]
    )
    each = len(columns)
    # One vector's rows after another's.
    rows = np.concatenate([columns[:, v * words : (v + 1) * words] for v in range(vectors)])

    def write(text: Text, names: list[str]) -> list[str]:
        number = text.let(f"add i64 {step}, 0")
        draws = []
        for vector in range(vectors):
            own = names[vector * each : (vector + 1) * each]
            source = first_attempt(text, own[0], number, stream)
            total, mask = own[1 : 1 + total_bits], own[1 + total_bits : -1]
            draws.append(Draw(source, total, mask, own[-1]))
        return [plane for rank in write_rank(text, draws) for plane in rank]

    found = run_vectors(words, rows, vectors * bits, write)
    return np.concatenate(found.reshape(vectors, bits, words).transpose(0, 1, 2), axis=1)


@pytest.mark.parametrize("words", _WORDS)
@pytest.mark.parametrize("vectors", [1, 2])
@pytest.mark.parametrize("slots", [2, 3, 9, 64, 300])
def test_draws_are_those_of_the_definition(words: int, vectors: int, slots: int) -> None:
    """Totals of all sizes, and small ones in all lanes, for which fewer planes are drawn."""
    lanes = 64 * words * vectors
    random = np.random.default_rng(slots)
    bits = (slots - 1).bit_length()
    for most in {slots, max(slots // 2, 1), max(slots // 9, 1), 1, 0}:
        totals = random.integers(0, most + 1, lanes)
        key = (
            int(random.integers(-9, 9)),
            int(random.integers(0, 1000)),
            int(random.integers(0, 5)),
        )
        seed, step, stream = key
        expected = uniform_below(
            torch.from_numpy(totals),
            RandomWords(seed, torch.arange(words * vectors)),
            step,
            stream,
        ).numpy()
        found = draw(words, vectors, totals, slots, key)
        assert len(found) == bits
        np.testing.assert_array_equal(found, planes_of(expected, bits))
        if most == slots:
            assert found.any()
