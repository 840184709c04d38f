"""Gates as straight-line code: every gate one instruction, values in registers.

Small parts are written for LLVM, into the loop over plies. A large one is a function of its own,
whose instructions are written here where the processor's are known, else one of many pieces: LLVM
takes a second for 5,000 gates, and more than that if they stand in one function.

What must outlive its part, and what registers have no room for, lies in *cells* of one vector
each. The first ``F`` cells are the state; the next state is written over it.
"""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.kernels.codegen.cells import place_rows
from neurogame.kernels.codegen.frame import Part, part_gates
from neurogame.kernels.codegen.schedule import Step, schedule
from neurogame.kernels.codegen.text import Text
from neurogame.kernels.netlist.netlist import Netlist
from neurogame.kernels.netlist.ply import Ply

_WHOLE = 2500
"""Gates of a part up to which it is one piece of code for LLVM, and rows that are read or computed
in one that is left to LLVM at all."""

_PIECE = 600
"""Gates of a function in larger parts: the time to compile one grows faster than its size."""


def loop_rows(ply: Ply) -> set[int]:
    """Return the rows that a loop over plies reads or writes between the sections."""
    rows = {ply.terminal, ply.stuck, ply.several, ply.reset}
    rows.update(ply.goals.tolist(), ply.does.tolist())
    for choice in ply.choices:
        rows.update(choice.total.tolist(), choice.mask.tolist(), choice.rank.tolist())
        rows.add(choice.some)
    return rows - {0}


@final
class StraightCode:
    """The gates of a ply, scheduled.

    Attributes:
        variant: the name of this way to run gates.
        ply: the netlist.
        width: vectors per cell, 1.
        cell_count: number of cells.
        cell: cell of each row that has one.
    """

    variant = "straight"
    width = 1

    def __init__(
        self,
        ply: Ply,
        registers: int,
        pinned: set[int],
        piece: int | None = None,
        *,
        encoded: int = 0,
    ) -> None:
        """Order the gates of each part and give cells to what goes through memory.

        Args:
            ply: the netlist.
            registers: values that may be in registers at the same time.
            pinned: rows that get a cell of their own, which nothing else is written to.
            piece: most gates of a piece of code; None: as suits processors.
            encoded: values that may be in registers in large parts, which are then written as
                instructions of this processor; 0: all are left to LLVM.
        """
        self.ply = ply
        netlist = ply.netlist
        fluents = len(ply.next)
        self._pinned = pinned
        self._following = ply.next.tolist()
        wanted = self._wanted_later(netlist)
        self.steps: dict[Part, list[list[Step]]] = {}
        self._encoded: set[Part] = set()
        self._alive = encoded
        for part in Part:
            gates = part_gates(ply, part)
            rows = {netlist.input_count + gate for gate in gates}
            most = piece or (_WHOLE if len(gates) <= _WHOLE else _PIECE)
            alive, read = registers, netlist.inputs[gates].ravel().tolist()
            if encoded and len(rows.union(read)) > _WHOLE:
                self._encoded.add(part)
                most, alive = len(gates), encoded
            self.steps[part] = schedule(netlist, gates, frozenset(rows & wanted), alive, most)
        self.cell: dict[int, int] = {1 + fluent: fluent for fluent in range(fluents)}
        self._place()

    def _wanted_later(self, netlist: Netlist) -> set[int]:
        """Return the rows that the loop, the next state or a later part reads."""
        wanted = self._pinned | set(self._following)
        for part in Part:
            gates = part_gates(self.ply, part)
            rows = {netlist.input_count + gate for gate in gates}
            wanted.update(set(netlist.inputs[gates].ravel().tolist()) - rows)
        return wanted

    def _place(self) -> None:
        """Give cells to stored rows."""
        events = [step for part in Part for piece in self.steps[part] for step in piece]
        in_place = len(events) - sum(map(len, self.steps[Part.MOVE]))
        last: dict[int, int] = {}
        for at, (kind, row) in enumerate(events):
            # A row of two parts is written in both: nothing else may have its cell by then.
            if kind in ("load", "store"):
                last[row] = at
        # Copies read at the end.
        last.update(dict.fromkeys(self._following, len(events)))
        stored = ((at, row) for at, (kind, row) in enumerate(events) if kind == "store")
        self.cell_count = place_rows(
            self.cell,
            self._pinned,
            stored,
            lambda row: last.get(row, -1),
            self._following,
            in_place,
        )
        self.copies = [
            (fluent, row)
            for fluent, row in enumerate(self._following)
            if self.cell.get(row, -1) != fluent
        ]

    def accesses(self) -> tuple[int, int]:
        """Return the loads and stores of all parts, per vector."""
        kinds = [kind for part in self.steps.values() for piece in part for kind, _ in piece]
        return kinds.count("load"), kinds.count("store") + len(self.copies)

    def write(self, text: Text, part: Part, memory: str) -> None:
        """Write one part as instructions: in place, or as functions if it has several pieces.

        Args:
            text: the body of the function.
            part: which.
            memory: pointer to the cells.
        """
        pieces = self.steps[part]
        if part in self._encoded:
            self._write_encoded(text, part, memory)
        elif len(pieces) == 1:
            self._write_piece(text, pieces[0], memory)
        else:
            for number, piece in enumerate(pieces):
                name = f"@{part.name.lower()}{number}"
                with text.function(name) as inner:
                    self._write_piece(inner, piece, "%cells")
                text.do(f"call void {name}({text.cells} {memory})")
        if part is Part.MOVE:
            self._copy(text, memory)

    def _write_encoded(self, text: Text, part: Part, memory: str) -> None:
        from neurogame.kernels.codegen.encode import encoded

        places = np.zeros(self.ply.netlist.row_count, np.int64)
        for row, cell in self.cell.items():
            places[row] = cell * text.bytes
        (steps,), name = self.steps[part], f"@{part.name.lower()}"
        netlist, alive = self.ply.netlist, self._alive
        code = encoded(netlist, steps, places, text.bytes, alive, ternary=text.ternary)
        text.machine_code(name, code)
        text.do(f"call void {name}({text.cells} {memory})")

    def _write_piece(self, text: Text, steps: list[Step], memory: str) -> None:
        netlist = self.ply.netlist
        values: dict[int, str] = {0: "zeroinitializer"}
        for kind, index in steps:
            if kind == "load":
                values[index] = text.load_cell(memory, self.cell[index])
            elif kind == "store":
                text.store_cell(values[index], memory, self.cell[index])
            else:
                a, b, c = (values.get(int(row), "") for row in netlist.inputs[index])
                table = int(netlist.table[index])
                values[netlist.input_count + index] = text.gate(table, a, b, c)

    def _copy(self, text: Text, memory: str) -> None:
        """Move the parts of the next state that could not be written in place."""
        loaded = [
            (fluent, text.load_cell(memory, self.cell[row]) if row else None)
            for fluent, row in self.copies
        ]
        for fluent, value in loaded:
            text.store_cell(value or "zeroinitializer", memory, fluent)
