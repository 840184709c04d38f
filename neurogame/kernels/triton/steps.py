"""One step with given moves, in Triton: what the rules derive from states, and what follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neurogame.circuit.netlist.ply import Ply, Section
from neurogame.kernels.step import GOALS, NEXT, STATUS
from neurogame.kernels.triton.blocks import BLOCK, MOST_PROGRAMS, padded
from neurogame.kernels.triton.cells import compile_cells


@final
@dataclass(frozen=True, eq=False)
class StepWords:
    """What the rules derive, ``W`` words of 64 states each.

    Attributes:
        legal: int64 ``[M, W]``, in terminal states too.
        terminal: int64 ``[W]``.
        goals: int64 ``[V, W]``.
        next: next states; int64 ``[F, W]``.
    """

    legal: Tensor
    terminal: Tensor
    goals: Tensor
    next: Tensor


@final
class TritonSteps:
    """Evaluates a step netlist by the interpreting kernel."""

    def __init__(self, ply: Ply, device: str | torch.device) -> None:
        """Lay out the instructions.

        Args:
            ply: a step netlist.
            device: a GPU; any device under Triton's interpreter.
        """
        rows = [*ply.legal.tolist(), ply.terminal, *ply.goals.tolist(), *ply.next.tolist()]
        inputs = range(1 + len(ply.next), ply.netlist.input_count)
        program = compile_cells(ply, {None: rows}, {Section.STATUS: inputs})
        self._moves = len(inputs)
        self._sizes = [len(ply.legal), 1, len(ply.goals), len(ply.next)]
        self._gates = program.bounds[-1]
        self._cell_count = program.cell_count
        self._code = torch.from_numpy(program.code).to(device)
        self._outputs = torch.tensor(
            [program.cell[row] for row in rows], dtype=torch.int32, device=device
        )

    def run(self, words: Tensor, groups: Sequence[int], does: Tensor | None = None) -> list[Tensor]:
        """Compute groups of outputs; see :class:`~neurogame.kernels.step.StepKernel`."""
        moves = words.new_zeros((self._moves, words.shape[1])) if does is None else does
        found = self.evaluate(words, moves)
        outputs = {
            STATUS: torch.cat([found.legal, found.terminal[None]]),
            GOALS: found.goals,
            NEXT: found.next,
        }
        return [outputs[group] for group in groups]

    def evaluate(self, words: Tensor, moves: Tensor) -> StepWords:
        """Return what the rules derive from states and moves.

        Args:
            words: states; int64 ``[F, W]``.
            moves: moves made; int64 ``[M, W]``.
        """
        from neurogame.kernels.triton.table import evaluate

        inputs = torch.cat([words, moves])
        count, width = inputs.shape
        inputs = torch.nn.functional.pad(inputs, (0, padded(width) - width))
        outputs = inputs.new_empty((len(self._outputs), inputs.shape[1]))
        blocks = inputs.shape[1] // BLOCK
        programs = min(blocks, MOST_PROGRAMS)
        evaluate[(programs,)](
            inputs,
            outputs,
            inputs.new_empty(programs * self._cell_count * BLOCK),
            self._outputs,
            self._code,
            *(count, len(outputs), self._gates, self._cell_count, blocks),
            BLOCK=BLOCK,
            num_warps=BLOCK // 32,
        )
        legal, terminal, goals, following = torch.split(outputs[:, :width], self._sizes)
        return StepWords(legal, terminal[0], goals, following)
