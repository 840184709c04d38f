"""Players that might be taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.players.belief import Belief
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
        belief: in its score against plain search.
    """

    name: str
    player: Player
    searcher: GameSearch
    belief: Belief
