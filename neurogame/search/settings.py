"""The settings of alpha-beta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

from neurogame.errors import ConfigurationError

OPPONENTS = ("auto", "paranoid", "maxn")
OUTLOOKS = ("margin", "own")

_WHOLE = {"widest": (1, None), "memory": (1, None), "quiescence": (0, 15)}


@final
@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """How alpha-beta searches; the value of a fixed depth does not depend on the speed-ups.

    Attributes:
        opponents: what the other roles are assumed to do. ``paranoid``: they minimise the
            searching role's value (for two roles with a constant sum of goals this *is*
            minimax). ``maxn``: everybody maximises their own value. ``auto``: paranoid for one
            role and wherever no sampled outcome is better for all roles than another one, max^n
            otherwise, where cooperation may pay.
        outlook: what the searching role reads from the values of all roles, for two roles whose
            goals sum to 100. ``own``: its own value alone (as in all other games); ``margin``:
            ``(own + 1 - other) / 2``.
        transpositions: whether anything is remembered of a state: otherwise equal states are
            searched again, and every iteration begins anew.
        history: weight of the history heuristic in the move ordering, beside the children's
            values in 0..1; 0 or more, 0 turns it off.
        killers: what is added for a move that was best in another node of the same ply; 0 or
            more, 0 turns it off.
        aspiration: half width of the first window around the last iteration's value, above 0 and
            at most 1, or None for the full window.
        scout: whether all moves but the first are looked at with a null window first.
        quiescence: plies that a line may be longer than the depth, 0..15. A node one ply above
            the horizon is searched one ply deeper where the static value of its best reply
            differs from its own one by more than ``quiet``. Not for max^n.
        quiet: that margin, 0..1.
        batch: states generated together, where it pays to fill up a block; at least 1. None: 64
            where rules and evaluator are compiled, 256 where Python is called for every block.
        widest: a state with more joint moves than this is not expanded; at least 1.
        memory: most memory for what is kept from move to move, for each role that searches; MiB,
            at least 1. Where it is full, what seems least useful is given up.
        think_when_forced: whether to search on where the role has one legal move only.
    """

    opponents: Literal["auto", "paranoid", "maxn"] = "auto"
    outlook: Literal["margin", "own"] = "own"
    transpositions: bool = True
    history: float = 0.05
    killers: float = 0.05
    aspiration: float | None = 0.1
    scout: bool = True
    quiescence: int = 0
    quiet: float = 0.1
    batch: int | None = None
    widest: int = 100_000
    memory: int = 256
    think_when_forced: bool = False

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ConfigurationError: a field is out of its range.
        """
        for name, allowed in (("opponents", OPPONENTS), ("outlook", OUTLOOKS)):
            if getattr(self, name) not in allowed:
                raise ConfigurationError(
                    f"{name}={getattr(self, name)!r}; allowed are {', '.join(allowed)}"
                )
        for name, (least, most) in _WHOLE.items():
            value = getattr(self, name)
            if value < least or (most is not None and value > most):
                allowed_range = f"at least {least}" if most is None else f"{least}..{most}"
                raise ConfigurationError(f"{name}={value}; allowed is {allowed_range}")
        if self.batch is not None and self.batch < 1:
            raise ConfigurationError(f"batch={self.batch}; at least 1 is needed")
        for name in ("history", "killers"):
            if not getattr(self, name) >= 0:
                raise ConfigurationError(f"{name}={getattr(self, name)}; 0 or more is needed")
        if not 0 <= self.quiet <= 1:
            raise ConfigurationError(f"quiet={self.quiet}; allowed is 0..1")
        if self.aspiration is not None and not 0 < self.aspiration <= 1:
            raise ConfigurationError(f"aspiration={self.aspiration}; above 0 and at most 1")
