"""Gates as tables that one generic routine interprets: for circuits too large to compile.

Gates of equal function that do not depend on each other form a *run*, so that the routine branches
once per run. Gates keep the locality of the netlist: runs are formed within windows of it, so that
what was computed last is still in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import final

import numpy as np

from neurogame.array_types import Int32s, Int64s, UInt8s
from neurogame.kernels.codegen.cells import place_rows
from neurogame.kernels.codegen.frame import Argument, Part, part_gates
from neurogame.kernels.codegen.shape import Shape
from neurogame.kernels.codegen.text import Text
from neurogame.kernels.netlist.netlist import Netlist, depends, gathered
from neurogame.kernels.netlist.ply import Ply

WINDOW = 2048
"""Gates within which runs are formed."""

COPY = 0xF0


@final
@dataclass(frozen=True, eq=False)
class GateTable:
    """The gates of one part of a ply.

    Attributes:
        runs: function (a truth table) and number of gates of each run; int32 ``[N, 2]``.
        gates: byte offsets of result and inputs; int32 ``[G, 4]``.
    """

    runs: Int32s
    gates: Int32s


def point_to(tables: Sequence[GateTable], routine: int, arguments: Int64s) -> None:
    """Write where the routine and its tables are into the arguments of generated code.

    Args:
        tables: of the parts; they must live as long as the arguments.
        routine: address of the routine; 0 if there is none.
        arguments: int64, see :class:`.Argument`.
    """
    arguments[Argument.ROUTINE] = routine
    for part, table in enumerate(tables):
        place = Argument.TABLES + 3 * part
        addresses = table.runs.ctypes.data, len(table.runs), table.gates.ctypes.data
        arguments[place : place + 3] = addresses


@final
class TableCode:
    """The gates of a ply as tables.

    Attributes:
        variant: the name of this way to run gates.
        ply: the netlist.
        width: vectors per cell.
        cell_count: number of cells; the first ``F`` are the state.
        cell: cell of each row of the loop around the sections and of each input.
        tables: the parts.
    """

    variant = "table"

    def __init__(self, ply: Ply, shape: Shape, pinned: set[int]) -> None:
        """Order the gates of each part and give a cell to every row.

        Args:
            ply: the netlist.
            shape: of a block of lanes.
            pinned: rows that get a cell of their own, which nothing else is written to.
        """
        self.ply, self.width = ply, shape.width
        netlist = ply.netlist
        order = {part: _order(netlist, part_gates(ply, part)) for part in Part}
        cells = _Cells(ply, order, pinned)
        self.cell_count = cells.count
        self.cell = cells.of
        table, inputs = canonical(netlist)
        place = np.zeros(netlist.row_count, np.int64)
        place[list(cells.of)] = list(cells.of.values())
        scale = shape.width * 8 * shape.words
        self.tables: dict[Part, GateTable] = {}
        for part, gates in order.items():
            rows = np.concatenate(
                [netlist.input_count + gates[:, None], inputs[gates]], axis=1, dtype=np.int64
            )
            offsets = place[rows] * scale
            functions = table[gates].astype(np.int64)
            if part is Part.MOVE and cells.copies:
                moves = np.array([(to, source, 0, 0) for to, source in cells.copies]) * scale
                offsets = np.concatenate([offsets, moves])
                functions = np.concatenate([functions, np.full(len(moves), COPY)])
            self.tables[part] = GateTable(_runs(functions), offsets.astype(np.int32))

    def accesses(self) -> tuple[int, int]:
        """Return the loads and stores of all parts, per vector."""
        runs = [run for table in self.tables.values() for run in table.runs.tolist()]
        loads = sum(input_count(function) * length for function, length in runs)
        return loads, sum(length for _, length in runs)

    def write(self, text: Text, part: Part, memory: str) -> None:
        """Write the call of the routine for one part."""
        first = 8 * (Argument.TABLES + 3 * part)
        routine, runs, count, gates = (
            text.load_integer(text.at("%arguments", place))
            for place in (8 * Argument.ROUTINE, first, first + 8, first + 16)
        )
        pointers = [text.let(f"inttoptr i64 {value} to ptr") for value in (routine, runs, gates)]
        text.do(
            f"call void {pointers[0]}(ptr {memory}, ptr {pointers[1]}, i64 {count}, "
            f"ptr {pointers[2]})"
        )


@final
class _Cells:
    """The cells of the rows, and what is copied to the state at the end."""

    def __init__(self, ply: Ply, order: dict[Part, Int64s], pinned: set[int]) -> None:
        netlist = ply.netlist
        fluents = len(ply.next)
        following = ply.next.tolist()
        sequence = np.concatenate([order[part] for part in Part])
        begin = len(sequence) - len(order[Part.MOVE])
        last = np.full(netlist.row_count, -1, np.int64)
        at = np.repeat(np.arange(len(sequence)), 3)
        np.maximum.at(last, netlist.inputs[sequence].ravel(), at)
        forever = len(sequence) + 1
        last[following] = forever
        # Row 0, the constant, has a cell of zeros.
        self.of: dict[int, int] = {0: fluents}
        self.of.update({1 + fluent: fluent for fluent in range(fluents)})
        stored = enumerate((netlist.input_count + sequence).tolist())
        kept = pinned | set(range(1 + fluents, netlist.input_count))
        self.count = place_rows(self.of, kept, stored, last.tolist().__getitem__, following, begin)
        self.copies = [
            (fluent, self.of[row]) for fluent, row in enumerate(following) if self.of[row] != fluent
        ]
        self._order_copies()

    def _order_copies(self) -> None:
        """Go through spare cells where a copy would overwrite what another one still reads."""
        targets = {to for to, _ in self.copies}
        clash = sorted({source for _, source in self.copies if source in targets})
        spare = {source: self.count + index for index, source in enumerate(clash)}
        self.count += len(spare)
        saved = [(cell, source) for source, cell in spare.items()]
        self.copies = saved + [(to, spare.get(source, source)) for to, source in self.copies]


def canonical(netlist: Netlist) -> tuple[UInt8s, Int32s]:
    """Order the inputs of each gate such that few different functions remain.

    Returns:
        Truth tables uint8 ``[G]`` and inputs int32 ``[G, 3]``; unused inputs stand last.
    """
    table, order = _canonical_tables()
    inputs = np.take_along_axis(netlist.inputs, order[netlist.table], axis=1)
    return table[netlist.table], inputs


@lru_cache(maxsize=1)
def _canonical_tables() -> tuple[UInt8s, Int64s]:
    best = np.zeros(256, np.uint8)
    order = np.zeros((256, 3), np.int64)
    for table in range(256):
        options = []
        for permutation in permutations(range(3)):
            # Input `place` of the new table is input `origin` of the old one.
            weight = [4 >> origin for origin in permutation]
            sources = [
                sum(w for place, w in enumerate(weight) if m >> (2 - place) & 1) for m in range(8)
            ]
            other = gathered(table, sources)
            options.append((input_count(other), other, permutation))
        _, best[table], order[table] = min(options)
    return best, order


def input_count(table: int) -> int:
    """Return how many leading inputs a truth table reads: one past the last it depends on."""
    return max((1 + place for place in range(3) if depends(table, place)), default=0)


def _order(netlist: Netlist, gates: list[int]) -> Int64s:
    """Order gates by window, level within the window, and function."""
    if not gates:
        return np.zeros(0, np.int64)
    table, _ = canonical(netlist)
    members = np.array(gates)
    place = np.full(netlist.row_count, -1, np.int64)
    place[netlist.input_count + members] = np.arange(len(gates))
    level = [0] * len(gates)
    for index, (a, b, c) in enumerate(place[netlist.inputs[members]].tolist()):
        begin = index - index % WINDOW
        level[index] = 1 + max(
            level[a] if a >= begin else 0,
            level[b] if b >= begin else 0,
            level[c] if c >= begin else 0,
        )
    window = np.arange(len(gates)) // WINDOW
    order: Int64s = np.lexsort((table[members], np.array(level), window))
    return members[order]


def _runs(functions: Int64s) -> Int32s:
    if not len(functions):
        return np.zeros((0, 2), np.int32)
    begin = np.flatnonzero(np.diff(functions, prepend=-1))
    length = np.diff(begin, append=len(functions))
    return np.stack([functions[begin], length], axis=1).astype(np.int32)


def routine(shape: Shape) -> str:
    """Return the module of the routine ``table(cells, runs, number of runs, gates)``.

    Args:
        shape: of a block of lanes.
    """
    text = Text(shape.words, ternary=shape.ternary)
    text.begin("entry")
    tables = sorted(set(_canonical_tables()[0].tolist()))
    text.do("br label %runs")
    text.begin("runs")
    text.lines += [
        "  %run = phi i64 [ 0, %entry ], [ %run1, %done ]",
        "  %gate = phi ptr [ %gates, %entry ], [ %gate1, %done ]",
    ]
    text.do("%more = icmp slt i64 %run, %count")
    text.do("br i1 %more, label %fetch, label %return")
    text.begin("fetch")
    text.lines += [
        "  %entry8 = getelementptr i64, ptr %runs.at, i64 %run",
        "  %run1 = add i64 %run, 1",
        "  %function.at = getelementptr i32, ptr %entry8, i64 0",
        "  %function = load i32, ptr %function.at",
        "  %length.at = getelementptr i32, ptr %entry8, i64 1",
        "  %length = load i32, ptr %length.at",
        "  %length64 = zext i32 %length to i64",
        "  %bytes = shl i64 %length64, 4",
        "  %gate1 = getelementptr i8, ptr %gate, i64 %bytes",
    ]
    cases = " ".join(f"i32 {table}, label %case{table}" for table in tables)
    text.do(f"switch i32 %function, label %done [ {cases} ]")
    for table in tables:
        _case(text, table, shape.width)
    text.begin("done")
    text.do("br label %runs")
    text.begin("return")
    text.do("ret void")
    return text.module("void @table(ptr %cells, ptr %runs.at, i64 %count, ptr %gates)")


def _case(text: Text, table: int, width: int) -> None:
    """Write the loop over the gates of one function."""
    text.begin(f"case{table}")
    here, after = text.new("at"), text.new("at")
    text.do(f"{here} = phi ptr [ %gate, %fetch ], [ {after}, %case{table} ]")
    pointers = []
    for place in range(1 + input_count(table)):
        at = text.let(f"getelementptr i32, ptr {here}, i64 {place}")
        narrow = text.let(f"load i32, ptr {at}, align 4")
        offset = text.let(f"zext i32 {narrow} to i64")
        pointers.append(text.at("%cells", offset))
    for vector in range(width):
        values = [text.load(text.at(p, vector * text.bytes)) for p in pointers[1:]]
        values += [values[0] if values else "zeroinitializer"] * (3 - len(values))
        result = text.gate(table, *values)
        text.store(result, text.at(pointers[0], vector * text.bytes))
    text.do(f"{after} = getelementptr i8, ptr {here}, i64 16")
    end = text.let(f"icmp eq ptr {after}, %gate1")
    text.do(f"br i1 {end}, label %done, label %case{table}")
