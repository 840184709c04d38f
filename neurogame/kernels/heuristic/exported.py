"""A heuristic as compiled code takes it: a linear function of a feature for each role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from neurogame.array_types import Float32s, Float32s1, Int32s1
from neurogame.circuit.circuit import Circuit
from neurogame.native.struct import Struct

if TYPE_CHECKING:
    from neurogame.kernels.rules_network.weights import RulesNetworkWeights


class ValueLines(Struct):
    """Values as linear functions of features.

    The value of role ``r`` is ``base[r] + slope[r] x``, cut off at ``least[r]`` and ``most[r]``,
    with ``x`` the feature ``feature[r]`` of the state.

    Attributes:
        feature: that a role's value is made of; int32 ``[R]``.
        base: float32 ``[R]``.
        slope: float32 ``[R]``.
        least: float32 ``[R]``.
        most: float32 ``[R]``.
    """

    feature: Int32s1
    base: Float32s1
    slope: Float32s1
    least: Float32s1
    most: Float32s1


@final
@dataclass(frozen=True, eq=False)
class ExportedHeuristic:
    """What a heuristic reads, and its values.

    ``U`` features, ``R`` roles, ``M`` moves.

    Attributes:
        network: whose outputs are the sums over fluents and look-ups, one for each feature.
        circuit: of the game.
        moves: what each legal move adds to features; float32 ``[U, M]``.
        goals: what the roles' goals, 0..1, are multiplied by; float32 ``[U, R]``.
        lines: the values.
    """

    network: RulesNetworkWeights
    circuit: Circuit
    moves: Float32s
    goals: Float32s
    lines: ValueLines

    @property
    def is_derived(self) -> bool:
        """Whether any feature reads more than what holds: legal moves, or goals."""
        return bool(self.moves.any() or self.goals.any())
