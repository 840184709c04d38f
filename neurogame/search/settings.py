"""The settings of the tree searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

from neurogame.errors import ConfigurationError

OPPONENTS = ("auto", "paranoid", "maxn")
OUTLOOKS = ("margin", "own")


@final
@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """How alpha-beta searches; the result of a fixed depth does not depend on the speed-ups.

    Attributes:
        opponents: what the other roles are assumed to do. ``paranoid``: they minimise the
            searching role's value (for two roles with a constant sum of goals this *is*
            minimax). ``maxn``: everybody maximises their own value. ``auto``: paranoid for one
            role and wherever no sampled outcome is better for all roles than another one, max^n
            otherwise, where cooperation may pay.
        outlook: what the searching role reads from the values of all roles, for two roles whose
            goals sum to 100. ``own``: its own value alone (as in all other games); ``margin``:
            ``(own + 1 - other) / 2``.
        transpositions: whether equal states share a node.
        history: weight of the history heuristic in the move ordering, beside the children's
            static values in 0..1; 0 or more, 0 turns it off.
        aspiration: half width of the first window around the last iteration's value, in 0..1,
            or None for the full window.
        batch: states generated at once; at least 1.
        first: children expanded ahead at a node that may be cut off; at least 1. Each further
            batch of the same node is four times larger.
        widest: a state with more joint moves than this is not expanded; at least 1.
        capacity: generated states kept from move to move; at least 1.
        think_when_forced: whether to search on where the role has one legal move only.
    """

    opponents: Literal["auto", "paranoid", "maxn"] = "auto"
    outlook: Literal["margin", "own"] = "own"
    transpositions: bool = True
    history: float = 0.05
    aspiration: float | None = None
    batch: int = 8192
    first: int = 2
    widest: int = 100_000
    capacity: int = 4_000_000
    think_when_forced: bool = False

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ConfigurationError: a field is out of its range.
        """
        if self.opponents not in OPPONENTS:
            raise ConfigurationError(
                f"opponents={self.opponents!r}; allowed are {', '.join(OPPONENTS)}"
            )
        if self.outlook not in OUTLOOKS:
            raise ConfigurationError(f"outlook={self.outlook!r}; allowed are {', '.join(OUTLOOKS)}")
        for name in ("batch", "first", "widest", "capacity"):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name}={getattr(self, name)}; at least 1 is needed")
        if self.history < 0:
            raise ConfigurationError(f"history={self.history}; 0 or more is needed")
        if self.aspiration is not None and not 0 < self.aspiration <= 1:
            raise ConfigurationError(f"aspiration={self.aspiration}; above 0 and at most 1")
