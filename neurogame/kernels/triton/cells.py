"""Gates as instructions on cells: which memory each row has, and for how long.

A cell holds one block of words. Cell 0 is the constant false, cells ``1..F`` are the fluents;
other rows share cells as far as their lives allow, and a fluent's next value is written over the
old one as soon as nobody reads that any more.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from neurogame.circuit.netlist.ply import Ply, Section

ORDER = (Section.STATUS, Section.COUNT, Section.GOALS, Section.DESCEND, Section.NEXT)
"""The order of execution."""

_COPY = 0xF0
_END = 1 << 40


@final
@dataclass(frozen=True, eq=False)
class CellProgram:
    """The instructions of a ply.

    Attributes:
        code: one instruction per row: algebraic normal form of the gate
            (:func:`normal_form`), cell of the result, cells of ``a, b, c``; int32 ``[N, 5]``.
        bounds: the ``i``-th section of :data:`ORDER` has the instructions
            ``bounds[i] .. bounds[i + 1]``; ``[6]``. The instructions after the last section move
            the next state into the cells of the fluents.
        cell: cell of each row while the row is alive.
        cell_count: number of cells.
    """

    code: npt.NDArray[np.int32]
    bounds: tuple[int, ...]
    cell: Mapping[int, int]
    cell_count: int


def compile_cells(
    ply: Ply, reads: Mapping[Section | None, Iterable[int]], writes: Mapping[Section, Iterable[int]]
) -> CellProgram:
    """Give cells to the rows of a ply.

    Args:
        ply: the gates.
        reads: rows that are read from outside before a section's gates run; with None, at the
            very end.
        writes: input rows that are set from outside before a section's gates run; the fluents
            need not be named, they are there from the beginning.
    """
    work = _Allocation(ply, reads)
    for section in ORDER:
        work.open(section, writes.get(section, ()))
        for gate in ply.gates(section):
            work.add(gate)
    bounds = (*work.begins, len(work.code))
    work.close()
    return CellProgram(
        code=np.array(work.code, np.int32).reshape(-1, 5),
        bounds=bounds,
        cell=work.cell,
        cell_count=work.cell_count,
    )


def normal_form(table: int) -> int:
    """Return the algebraic normal form of a truth table of three inputs.

    Bit ``4 i + 2 j + k`` of the result is the coefficient of ``a^i b^j c^k`` in the function as
    a sum modulo 2 (the Möbius transform of the table).
    """
    for shift, mask in ((1, 0x55), (2, 0x33), (4, 0x0F)):
        table ^= (table & mask) << shift
    return table


@final
class _Allocation:
    """Instructions in the order of execution, and the cells in use.

    Time is twice the number of gates before, plus one while a gate is computed.
    """

    def __init__(self, ply: Ply, reads: Mapping[Section | None, Iterable[int]]) -> None:
        self.ply = ply
        self.code: list[tuple[int, int, int, int, int]] = []
        self.begins: list[int] = []
        self.time = 0
        self.fluents = len(ply.next)
        self.cell = {row: row for row in range(1 + self.fluents)}
        self.cell_count = 1 + self.fluents
        self.free: list[int] = []
        self.alive: list[tuple[int, int]] = []
        self.next_of: dict[int, list[int]] = {}
        for fluent, row in enumerate(ply.next.tolist()):
            self.next_of.setdefault(row, []).append(fluent)
        self.last = self._last_uses(reads)
        self.placed: set[int] = set()

    def _last_uses(self, reads: Mapping[Section | None, Iterable[int]]) -> dict[int, int]:
        """Return the time when each row is read for the last time."""
        last: dict[int, int] = {}
        time = 0
        for section in ORDER:
            last.update(dict.fromkeys(reads.get(section, ()), time))
            for gate in self.ply.gates(section):
                last.update(dict.fromkeys(self.ply.netlist.inputs[gate].tolist(), time + 1))
                time += 2
        last.update(dict.fromkeys(reads.get(None, ()), _END))
        for row, fluents in self.next_of.items():
            if fluents != [row - 1]:
                last[row] = _END
        return last

    def open(self, section: Section, writes: Iterable[int]) -> None:
        """Begin a section; the rows written from outside get cells."""
        self.begins.append(len(self.code))
        for row in writes:
            self._give(row)
        self._release()

    def add(self, gate: int) -> None:
        """Compute a gate, unless nobody reads it."""
        row = self.ply.netlist.input_count + gate
        self.time += 1
        self._release()
        if row in self.last:
            a, b, c = (self.cell[source] for source in self.ply.netlist.inputs[gate].tolist())
            self._give(row)
            form = normal_form(int(self.ply.netlist.table[gate]))
            self.code.append((form, self.cell[row], a, b, c))
        self.time += 1

    def close(self) -> None:
        """Move the next state into the cells of the fluents, as if all at once."""
        moves = {}
        for row, fluents in self.next_of.items():
            for fluent in fluents:
                if fluent not in self.placed and row != 1 + fluent:
                    moves[1 + fluent] = self.cell[row]
        for target, source in moves.items():
            if source in moves:
                moves[target] = self._new_cell()
                self._copy(moves[target], source)
        for target, source in moves.items():
            self._copy(target, source)

    def _copy(self, target: int, source: int) -> None:
        self.code.append((normal_form(_COPY), target, source, 0, 0))

    def _give(self, row: int) -> None:
        """Give a cell to a row: a fluent's, if it is its next value, or any free one."""
        for fluent in self.next_of.get(row, ()):
            if self.last.get(1 + fluent, 0) <= self.time and self.time % 2:
                self.cell[row] = 1 + fluent
                self.placed.add(fluent)
                return
        self.cell[row] = self.free.pop() if self.free else self._new_cell()
        heapq.heappush(self.alive, (self.last.get(row, self.time), row))

    def _new_cell(self) -> int:
        self.cell_count += 1
        return self.cell_count - 1

    def _release(self) -> None:
        """Free the cells of rows that nobody reads any more."""
        while self.alive and self.alive[0][0] <= self.time:
            self.free.append(self.cell[heapq.heappop(self.alive)[1]])
