"""An evaluator made of parts as compiled code takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from neurogame.kernels.neural.exported import Exported
    from neurogame.kernels.parts.parts import PartWeights


@final
@dataclass(frozen=True, eq=False)
class ExportedParts:
    """The weights of all parts, and the goal networks below them.

    Attributes:
        parts: tables, embeddings and gains.
        networks: whose values they are added to; None: to 0.5.
    """

    parts: PartWeights
    networks: Exported | None
