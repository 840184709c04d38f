"""Players that might be taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.players.player import Player
from neurogame.search.home_search import GameSearch


@final
@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A player that might be taken, with all that was made for it.

    Attributes:
        name: the player string that comes closest.
        player: for the match; not started.
        searcher: for trials, with little memory.
        expected: score against the plain search, 0..1, that its like had in other games.
    """

    name: str
    player: Player
    searcher: GameSearch
    expected: float = 0.5
