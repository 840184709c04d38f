"""Which role of a game is chance: the one place that says so.

The keyword ``random`` names a role without interests: it plays uniformly among its legal moves.
Nobody plays it, and its goal counts for nobody.
"""

from __future__ import annotations

from collections.abc import Sequence

CHANCE = "random"
"""The name of the role; a keyword, which scrambling leaves alone."""


def chance_role(roles: Sequence[str]) -> int | None:
    """Return which role is chance, None if none is.

    A game of this one role has nobody else to play it: there the role is a player.

    Args:
        roles: names of a game's roles, in any case; ``[R]``.
    """
    named = [role for role, text in enumerate(roles) if text.lower() == CHANCE]
    return named[0] if named and len(roles) > 1 else None


def playing_roles(roles: Sequence[str]) -> tuple[int, ...]:
    """Return the roles that somebody plays: all but chance, in their order.

    Args:
        roles: names of a game's roles; ``[R]``.
    """
    chance = chance_role(roles)
    return tuple(role for role in range(len(roles)) if role != chance)
