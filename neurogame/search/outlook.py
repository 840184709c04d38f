"""One number per state for the searching role, from the values of all roles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.search.tree import Frontier, Reals


@final
@dataclass(frozen=True, kw_only=True)
class Outlook:
    """How the searching role reads the values of a state.

    Attributes:
        role: the searching role.
        margin: for two roles whose goals sum to 100: estimate the own value as
            ``(own + 1 - other) / 2``, so that what the evaluator says of the opponent counts
            too. Terminal states keep their goals, with which the formula agrees.
    """

    role: int
    margin: bool

    def values(self, frontier: Frontier) -> Reals:
        """Return the searching role's values of children; float64 ``[K]`` in 0..1."""
        own = frontier.values[:, self.role]
        if not self.margin:
            return own
        estimate = (own + 1.0 - frontier.values[:, 1 - self.role]) / 2
        return np.where(frontier.terminal, own, estimate)
