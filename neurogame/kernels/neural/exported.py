"""An evaluator as compiled code takes it: numbers, and gates for what no network computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from neurogame.circuit.circuit import Circuit

if TYPE_CHECKING:
    from neurogame.kernels.neural.program import Program


@final
@dataclass(frozen=True, eq=False)
class Exported:
    """A program, and the logic of its redirected leaves.

    ``F`` fluents, ``X`` redirected leaves.

    Attributes:
        program: takes states of ``F + X`` columns, fluents first.
        logic: gates whose goals are the redirected leaves, in their order; None without leaves.
    """

    program: Program
    logic: Circuit | None
