"""The refusal of players that are asked something before their match has begun."""

from __future__ import annotations

from typing import TypeVar

from neurogame.errors import PlayerError

T = TypeVar("T")


def started(made: T | None, name: str, verb: str) -> T:
    """Return what a player has made for its match.

    Args:
        made: by ``start``; None: that was not called.
        name: the player string.
        verb: what the player was asked to do.

    Raises:
        PlayerError: nothing was made.
    """
    if made is None:
        raise PlayerError(f"player {name}: {verb}() before start(); start a match first")
    return made
