"""A play netlist as the tables that the interpreting kernel reads."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor

from neurogame.circuit.netlist.ply import Choice, Ply, Section
from neurogame.kernels.random_words import plane_factor, signed
from neurogame.kernels.triton.cells import CellProgram, compile_cells


@final
class PlayLayout:
    """Instructions, and where the loop around them finds what it reads and writes.

    Attributes:
        code: ``CellProgram.code``; int32 ``[N, 5]``.
        layout: numbers of fluents, goals, moves and choices, numbers per choice, first spare
            cell, number of cells; first instructions of GOALS, of DESCEND and after NEXT, and
            the end; cells of terminal, stuck, several and reset; cells of the goals and of the
            moves; per choice its stream, the cell of ``some``, bits of rank and total, cells of
            mask, rank and total; int32.
        factors: factor of each plane of random words that a rank may have; int64.
        cell_count: number of cells, spare ones included.
    """

    def __init__(self, ply: Ply, moves: bool, device: torch.device) -> None:
        """Lay out a ply.

        Args:
            ply: a play netlist.
            moves: whether the kernel looks at the moves made.
            device: where the tables are to live.
        """
        totals = [_padded(choice) for choice in ply.choices]
        drawn = [row for choice in ply.choices for row in (choice.some, *choice.mask.tolist())]
        drawn += [row for rows in totals for row in rows]
        goals = ply.goals.tolist()
        does = ply.does.tolist() if moves else []
        program = compile_cells(
            ply,
            reads={
                Section.GOALS: [ply.terminal, ply.stuck],
                Section.DESCEND: [*drawn, *goals, ply.several, *ply.fluent_rows.tolist()],
                None: does,
            },
            writes={
                Section.DESCEND: [
                    ply.reset,
                    *(row for choice in ply.choices for row in choice.rank.tolist()),
                ]
            },
        )
        spare = program.cell_count
        planes = range(max((len(choice.rank) for choice in ply.choices), default=0))
        self.cell_count = spare + len(planes)
        choices = [
            self._choice(choice, total, program)
            for choice, total in zip(ply.choices, totals, strict=True)
        ]
        size = max((len(choice) for choice in choices), default=0)
        _, _, goals_at, descend_at, _, copies_at = program.bounds
        cell = program.cell
        numbers = [
            *(len(ply.next), len(goals), len(does), len(choices), size, spare, self.cell_count),
            *(goals_at, descend_at, copies_at, len(program.code)),
            *(cell[ply.terminal], cell[ply.stuck], cell[ply.several], cell[ply.reset]),
            *(cell[row] for row in goals + does),
            *(number for choice in choices for number in choice + [0] * (size - len(choice))),
        ]
        self.factors = torch.tensor(
            [signed(plane_factor(plane)) for plane in planes], dtype=torch.int64, device=device
        )
        self.code = torch.from_numpy(program.code).to(device)
        self.layout = torch.tensor(numbers, dtype=torch.int32, device=device)

    @staticmethod
    def _choice(choice: Choice, total: list[int], program: CellProgram) -> list[int]:
        rows = [*choice.mask.tolist(), *choice.rank.tolist(), *total]
        return [
            *(choice.stream, program.cell[choice.some], len(choice.rank), len(total)),
            *(program.cell[row] for row in rows),
        ]

    def scratch(self, programs: int, block: int) -> Tensor:
        """Return the cells of so many programs; int64."""
        return torch.empty(
            (programs, self.cell_count, block), dtype=torch.int64, device=self.code.device
        )


def _padded(choice: Choice) -> list[int]:
    """Return the rows of the total, at least as many as the rank has."""
    rows: list[int] = choice.total.tolist()
    return rows + [0] * (len(choice.rank) - len(rows))
