"""Evaluation of given states as every compiled backend does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor

STATUS, GOALS, NEXT = range(3)
"""Groups of outputs: legal moves and, last, terminal; goals; next state."""


class StepKernel(Protocol):
    """One backend's evaluation of one game, exactly as the rules say, on any state."""

    def run(self, words: Tensor, groups: Sequence[int], does: Tensor | None = None) -> list[Tensor]:
        """Compute groups of outputs.

        Args:
            words: states; int64 ``[F, W]``.
            groups: of ``STATUS``, ``GOALS`` and ``NEXT``.
            does: the moves made, one per role, needed for ``NEXT``; int64 ``[M, W]``.

        Returns:
            Per group int64 ``[O, W]``.
        """
        ...
