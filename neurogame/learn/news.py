"""How much has been learned, by how well outcomes are predicted."""

from __future__ import annotations

import math

_NO_NEWS, _NEWS = 0.97, 0.93
"""Shares of a blind guess's loss: nothing was learned above the first, all is well below the
second, of which games were whose values won (docs/decisions.md)."""


def blind_loss(players: int) -> float:
    """Return the cross-entropy of guessing the mean outcome of roles that share 100, in nats.

    Args:
        players: how many roles somebody plays; of one, as of two.
    """
    share = 1 / max(players, 2)
    return -share * math.log(share) - (1 - share) * math.log(1 - share)


def news(loss: float, players: int) -> float:
    """Return how much has been learned, by a mean loss: 0 as good as nothing, 1 a good deal.

    Args:
        loss: mean cross-entropy of a role's value, in nats; NaN if nothing was learned.
        players: how many roles somebody plays.
    """
    if math.isnan(loss):
        return 0.0
    return min(max((_NO_NEWS - loss / blind_loss(players)) / (_NO_NEWS - _NEWS), 0.0), 1.0)
