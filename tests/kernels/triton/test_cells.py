"""Cells: instructions on reused memory give what the netlist gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.netlist.netlist import Words, lookup
from neurogame.circuit.netlist.ply import Ply, Section
from neurogame.kernels.triton.cells import ORDER, CellProgram, compile_cells, normal_form
from tests.kernels.triton.random_plies import random_step

W = 3


def run_cells(program: CellProgram, cells: Words, begin: int, end: int) -> None:
    """Run instructions by their normal forms."""
    for form, target, *sources in program.code[begin:end].tolist():
        a, b, c = (cells[source] for source in sources)
        value = np.zeros(W, np.uint64)
        for term in range(8):
            if form >> term & 1:
                product = np.full(W, ~np.uint64(0))
                for bit, source in ((4, a), (2, b), (1, c)):
                    product &= source if term & bit else ~np.uint64(0)
                value ^= product
        cells[target] = value


def first_reader(ply: Ply) -> int:
    """Return the first section in the order of execution that reads a move, or the last one."""
    moves = np.arange(1 + len(ply.next), ply.netlist.input_count)
    for number, section in enumerate(ORDER):
        if np.isin(ply.netlist.inputs[ply.gates(section)], moves).any():
            return number
    return len(ORDER) - 1


def loaded(ply: Ply, seed: int) -> Words:
    """Return rows with random inputs and nothing in the gates."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((ply.netlist.row_count, W), np.uint64)
    count = ply.netlist.input_count - 1
    rows[1 : 1 + count] = rng.integers(0, 2**64, (count, W), np.uint64)
    return rows


@given(st.integers(0, 255))
def test_normal_form_is_the_table(table: int) -> None:
    a, b, c = (np.array([word], np.uint64) for word in (0xF0, 0xCC, 0xAA))
    form = normal_form(table)
    value = np.zeros(1, np.uint64)
    for term in range(8):
        product = np.array([0xFF], np.uint64)
        for bit, source in ((4, a), (2, b), (1, c)):
            product &= source if term & bit else np.uint64(0xFF)
        value ^= product * np.uint64(form >> term & 1)
    assert int(value[0]) == table == int(lookup(table, a, b, c)[0]) & 0xFF


@given(st.integers(0, 10**6), st.integers(0, 60))
def test_outputs_are_alive_at_the_end(seed: int, gates: int) -> None:
    ply = random_step(seed, gates)
    outputs = [*ply.legal.tolist(), ply.terminal, *ply.goals.tolist(), *ply.next.tolist()]
    inputs = range(1, ply.netlist.input_count)
    program = compile_cells(ply, {None: outputs}, {Section.STATUS: inputs[len(ply.next) :]})
    rows = loaded(ply, seed)
    cells = np.zeros((program.cell_count, W), np.uint64)
    cells[: len(inputs) + 1] = rows[: len(inputs) + 1]
    run_cells(program, cells, 0, program.bounds[-1])
    ply.netlist.run(rows)
    assert [program.cell[row] for row in inputs] == list(inputs)
    for row in outputs:
        assert (cells[program.cell[row]] == rows[row]).all()


@given(st.integers(0, 10**6), st.integers(0, 60))
def test_next_state_replaces_the_state(seed: int, gates: int) -> None:
    """Sections read outside in between, rows set in between, next states over the old ones."""
    ply = random_step(seed, gates)
    rng = np.random.default_rng(seed)
    fluents = len(ply.next)
    first = ply.netlist.input_count
    # The moves are set from outside as late as possible, as the ranks of a play netlist are.
    late = first_reader(ply)
    moves = range(1 + fluents, first)
    known = [*range(1 + fluents)]
    reads: dict[Section | None, list[int]] = {}
    for i, section in enumerate(ORDER):
        reads[section] = rng.choice(known, 3).tolist()
        known += [*moves] if i == late else []
        known += [first + gate for gate in ply.gates(section)]
    program = compile_cells(ply, reads, {ORDER[late]: moves})
    rows = loaded(ply, seed)
    cells = rng.integers(0, 2**64, (program.cell_count, W), np.uint64)
    cells[: 1 + fluents] = rows[: 1 + fluents]
    for i, (section, begin) in enumerate(zip(ORDER, program.bounds[:-1], strict=True)):
        for row in reads[section]:
            assert (cells[program.cell[row]] == rows[row]).all()
        if i == late:
            for row in moves:
                cells[program.cell[row]] = rows[row]
        gates_of = ply.gates(section)
        ply.netlist.run(rows, gates_of.start, gates_of.stop)
        end = program.bounds[i + 1] if i + 1 < len(ORDER) else len(program.code)
        run_cells(program, cells, begin, end)
    assert (cells[1 : 1 + fluents] == rows[ply.next]).all()
    assert program.cell_count <= ply.netlist.row_count + fluents
