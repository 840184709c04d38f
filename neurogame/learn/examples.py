"""States with what is to be learned of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from torch import Tensor


@final
@dataclass(frozen=True, eq=False)
class Examples:
    """States with their targets.

    Attributes:
        fluents: bool ``[N, F]``; none is terminal where values are learned.
        targets: float32 ``[N, D]``: of the values of the roles, 0..1, or by the paper's rule of
            the outputs of the goal networks, -1..1.
    """

    fluents: Tensor
    targets: Tensor

    def __len__(self) -> int:
        """Return the number of states, ``N``."""
        return len(self.fluents)
