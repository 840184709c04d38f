"""Evaluation of plans in bit-slices: one word operation advances 64 games.

This is the plain torch definition of the kernel; it runs on every torch device.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neurogame.kernels.twin.plan import Level, Stage

_KEPT_WIDTHS = 12


@final
@dataclass(frozen=True, eq=False)
class Outputs:
    """Where one stage leaves its outputs.

    Attributes:
        rows: row of each output; int64 ``[O]``.
        mask: 0, or -1 where the output is the complement of its row; int64 ``[O, 1]``.
        plain: whether no output is complemented.
    """

    rows: Tensor
    mask: Tensor
    plain: bool


@final
class Workspace:
    """The rows of one plan for a fixed number of words, with the operations bound to them.

    Attributes:
        values: one row of words per input and gate; int64 ``[rows, W]``. Row 0 is zero.
    """

    def __init__(self, kernel: BitSliceKernel, width: int) -> None:
        self.values = torch.empty(
            (kernel.row_count, width), dtype=torch.int64, device=kernel.device
        )
        self.values[0] = 0
        shape = (kernel.widest, width)
        self._left = torch.empty(shape, dtype=torch.int64, device=kernel.device)
        self._right = torch.empty(shape, dtype=torch.int64, device=kernel.device)
        self._outputs = kernel.outputs
        self._programs = [
            [step for level in levels for step in self._bind(*level)] for levels in kernel.levels
        ]

    def _bind(
        self, level: Level, left_rows: Tensor, right_rows: Tensor
    ) -> list[Callable[[], object]]:
        """Return the few torch calls of one level with all their views made beforehand."""
        width, mixed, ands = len(level.left), level.mixed, level.ands
        values, left, right = self.values, self._left[:width], self._right[:width]
        target = values[level.begin : level.begin + width]

        def gather() -> None:
            torch.index_select(values, 0, left_rows, out=left)
            torch.index_select(values, 0, right_rows, out=right)

        steps: list[Callable[[], object]] = [gather]
        if mixed:
            steps.append(right[:mixed].bitwise_not_)
        if ands:
            steps.append(_Binary(torch.bitwise_and, left[:ands], right[:ands], target[:ands]))
        if ands < width:
            steps.append(_Binary(torch.bitwise_or, left[ands:], right[ands:], target[ands:]))
        return steps

    def run(self, stage: int) -> Tensor:
        """Compute one stage from the rows that hold its inputs.

        Returns:
            Its outputs as new words; int64 ``[O, W]``.
        """
        for step in self._programs[stage]:
            step()
        outputs = self._outputs[stage]
        words = self.values.index_select(0, outputs.rows)
        return words if outputs.plain else words.bitwise_xor_(outputs.mask)


@final
class _Binary:
    """One bound call ``operation(left, right, out=out)``."""

    __slots__ = ("left", "operation", "out", "right")

    def __init__(
        self, operation: Callable[..., Tensor], left: Tensor, right: Tensor, out: Tensor
    ) -> None:
        self.operation, self.left, self.right, self.out = operation, left, right, out

    def __call__(self) -> None:
        self.operation(self.left, self.right, out=self.out)


@final
class BitSliceKernel:
    """Runs the stages of one plan on words of one device.

    Not safe for use by several threads at once: workspaces are shared between calls.

    Attributes:
        device: where the words live.
        row_count: rows of a workspace.
        widest: gates of the largest level.
        block_words: number of words per block that is fastest: enough for each torch call to
            be worth its overhead, within a bound on memory.
    """

    def __init__(self, stages: Sequence[Stage], device: torch.device) -> None:
        self.device = device
        self.row_count = max(stage.row_end for stage in stages)
        levels = [level for stage in stages for level in stage.levels]
        self.widest = max((len(level.left) for level in levels), default=0)
        self.levels = [[self._upload(level) for level in stage.levels] for stage in stages]
        self.outputs = [self._upload_outputs(stage) for stage in stages]
        self.block_words = block_words(self.row_count, device)
        self._workspaces: OrderedDict[int, Workspace] = OrderedDict()

    def _upload(self, level: Level) -> tuple[Level, Tensor, Tensor]:
        left = torch.from_numpy(level.left).to(self.device)
        return level, left, torch.from_numpy(level.right).to(self.device)

    def _upload_outputs(self, stage: Stage) -> Outputs:
        mask = -torch.from_numpy(stage.complement).to(torch.int64)[:, None]
        rows = torch.from_numpy(stage.rows).to(self.device)
        return Outputs(rows, mask.to(self.device), not bool(stage.complement.any()))

    def workspace(self, width: int) -> Workspace:
        """Return the workspace for ``width`` words; the least recently used ones are freed."""
        found = self._workspaces.get(width)
        if found is None:
            found = Workspace(self, width)
            self._workspaces[width] = found
            self._free(width)
        self._workspaces.move_to_end(width)
        return found

    def _free(self, newest: int) -> None:
        """Free old workspaces; playouts that shrink would otherwise pile them up."""
        most = max(3 * self.block_words, newest)
        while len(self._workspaces) > _KEPT_WIDTHS or sum(self._workspaces) > most:
            self._workspaces.popitem(last=False)


def block_words(row_count: int, device: torch.device) -> int:
    """Return how many words to evaluate at once: a power of two in 16..4096 (more on a GPU).

    On a processor the cost per game falls until about 128 words and then stays the same until
    the rows take some 64 MB; the choice of moves gains from more words still.
    """
    budget, lowest, highest = (64 << 20, 16, 4096)
    if device.type != "cpu":
        budget, lowest, highest = (2 << 30, 64, 1 << 16)
    words = max(budget // (8 * row_count), 1)
    return min(max(1 << (words.bit_length() - 1), lowest), highest)


def rounded_width(words: int) -> int:
    """Return a width of at least ``words`` out of few: 1, 2, 3, 4, 6, 8, 12, 16, 24, ..."""
    power = 1 << max(words - 1, 0).bit_length()
    return 3 * power // 4 if power >= 4 and words <= 3 * power // 4 else power
