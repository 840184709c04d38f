"""What a player is told before a match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.search.limit import Limit
from neurogame.simulate.game import Game


@final
@dataclass(frozen=True)
class MatchStart:
    """A match that is about to begin, as one of its players is told of it.

    Attributes:
        game: the game.
        role: index of the role to play.
        seed: decides every random choice in this match.
        seconds: to get ready in, above 0; None: as long as it takes.
        limit: how long to think about each move of this match; None: nobody knows yet.
    """

    game: Game
    role: int
    seed: int
    seconds: float | None = None
    limit: Limit | None = None
