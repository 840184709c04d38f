"""An evaluator made of parts as compiled code takes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.kernels.native.struct import replaced

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

    def renamed(self, fluents: Int64s, roles: Int64s) -> ExportedParts:
        """Return the same for the states of a game with other names.

        Args:
            fluents: which fluent of that game each fluent of this one is; int64 ``[F]``.
            roles: which role of this game each role of that one is; int64 ``[R]``.
        """
        old, networks = self.parts, self.networks
        seen_as = np.full_like(old.seen_as, -1)
        seen_as[:, fluents] = old.seen_as
        # The outputs of two opposed roles are one; else there is one for each role.
        opposed = old.opposed != 0
        flipped = opposed and len(roles) == 2 and int(roles[0]) == 1
        parts = replaced(
            old,
            seen_as=seen_as,
            mode_fluent=fluents[old.mode_fluent].astype(np.int32),
            sign=-old.sign if flipped else old.sign,
            turn=old.turn if opposed else np.ascontiguousarray(old.turn[:, roles]),
            gain=np.ascontiguousarray(old.gain[roles]),
        )
        renamed = None if networks is None else networks.renamed(fluents, roles)
        return replace(self, parts=parts, networks=renamed)
