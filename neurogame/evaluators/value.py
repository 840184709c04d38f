"""From goal networks to state values: equations (7) and (8), and the clamp below real goals."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from neurogame.errors import ConfigurationError

WORST = 0.01
BEST = 0.99


class StateValue(nn.Module):
    """Mixes the outputs of goal networks into one value per role.

    A goal value 0 has no influence, whatever its network says. A role all of whose goal values
    are 0 (or that has none) has the value 0, clamped to 0.01.

    Args:
        keys: role index and goal value 0..100 of each network; ``[V]``.
        role_count: number of roles, ``R``.
        exponent: the p of equation (7), at least 1: the larger, the more the highest goal
            value counts.

    *Reference:* Michulke & Thielscher, section 3.3. Where exactly the best network is fully on,
    equation (8) gives ``gv^p / sum gv^p``, not 1: true goals of terminal states are not its
    business.
    """

    shares: Tensor

    def __init__(
        self, keys: Sequence[tuple[int, int]], role_count: int, exponent: float = 2.0
    ) -> None:
        super().__init__()
        if not exponent >= 1.0:
            raise ConfigurationError(f"the exponent p is {exponent}; it must be at least 1")
        shares = torch.zeros(role_count, len(keys), dtype=torch.float64)
        for role in range(role_count):
            goals = [(i, value) for i, (whose, value) in enumerate(keys) if whose == role]
            top = max((value for _, value in goals), default=0)
            if top == 0:
                continue
            # Dividing by the highest goal value first keeps any exponent from overflowing.
            powers = [(value / top) ** exponent for _, value in goals]
            for (index, _), power in zip(goals, powers, strict=True):
                shares[role, index] = power / sum(powers)
        self.register_buffer("shares", shares.float(), persistent=False)

    def forward(self, outputs: Tensor) -> Tensor:
        """Return state values, strictly between a real loss and a real win.

        Args:
            outputs: of the networks; ``[B, V]`` in -1..1.

        Returns:
            ``[B, R]`` in 0.01..0.99.
        """
        degrees = (outputs + 1.0) / 2.0
        values = degrees @ self.shares.to(outputs.dtype).t()
        return values * (BEST - WORST) + WORST
