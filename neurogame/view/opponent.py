"""Which players the page may ask for: those that need nobody at a terminal, and write no file."""

from __future__ import annotations

from neurogame.errors import PlayerError
from neurogame.players.spec import PlayerSpec
from neurogame.search.limit import Limit

LONGEST = 600.0
"""Seconds that a player may think about a move at most."""


def checked_player(text: str) -> PlayerSpec:
    """Return the player that a string names, if the page may ask for it.

    Args:
        text: a player string.

    Raises:
        PlayerError: it is malformed, plays at the terminal, or would write a file.
        ConfigurationError: a limit is out of its range.
    """
    spec = PlayerSpec.parse(text)
    if spec.kind == "human":
        raise PlayerError(
            "player 'human' plays at a terminal; to play by hand leave the field empty, and click "
            "the moves"
        )
    if spec.options.get("learn"):
        raise PlayerError(
            f"player {text!r}: learn={spec.options['learn']} would write a file, and the page "
            "writes none; use 'neurogame match' to learn from matches"
        )
    return spec


def bounded_limit(spec: PlayerSpec) -> Limit:
    """Return a limit for each of a player's moves: nobody thinks for ever.

    Args:
        spec: the player.
    """
    limit = spec.limit
    # A player that names no limit thinks for a second by itself.
    return Limit(seconds=LONGEST) if limit else Limit()
