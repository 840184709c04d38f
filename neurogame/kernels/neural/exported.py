"""An evaluator as compiled code takes it: numbers, and gates for what no network computes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.kernels.native.struct import replaced

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
        fluents: which fluent of a state each fluent of the logic is; int64 ``[F]``.
    """

    program: Program
    logic: Circuit | None
    fluents: Int64s

    def renamed(self, fluents: Int64s, roles: Int64s) -> Exported:
        """Return the same for the states of a game with other names.

        Args:
            fluents: which fluent of that game each fluent of this one is; int64 ``[F]``.
            roles: which role of this game each role of that one is; int64 ``[R]``.
        """
        old, count = self.program, len(fluents)
        columns = np.append(fluents, np.arange(count, old.columns + 1)).astype(np.int32)
        program = replaced(
            old,
            network=replaced(old.network, pattern=columns[old.network.pattern]),
            gains=np.ascontiguousarray(old.gains[roles]),
            base=np.ascontiguousarray(old.base[roles]),
        )
        return replace(self, program=program, fluents=fluents[self.fluents])
