"""A player whose matches may have to end before they are over."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import final

from neurogame.players.player import MatchAbandoned, Player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import State


@final
class HurriedPlayer:
    """Plays as another player does, and leaves the match once the time for it is over.

    So no match that is played to its end has a move that lack of time has changed.
    """

    def __init__(self, player: Player, left: Callable[[], float]) -> None:
        """Take a player.

        Args:
            player: chooses the moves.
            left: returns the seconds that are left for matches; infinite: as long as it takes.
        """
        self._player, self._left = player, left

    @property
    def name(self) -> str:
        """The player string of the player that chooses."""
        return self._player.name

    def start(self, match: MatchStart) -> None:
        """Prepare a match; see :class:`neurogame.players.player.Player`."""
        self._player.start(match)

    def choose(self, state: State, limit: Limit) -> int:
        """Choose a move in what time is left.

        Args:
            state: the present, non-terminal state.
            limit: how long to think.

        Raises:
            MatchAbandoned: no time is left.
        """
        seconds = self._still_left()
        if seconds < math.inf:
            limit = limit.merged(Limit(seconds=seconds))
        move = self._player.choose(state, limit)
        self._still_left()
        return move

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        """Think while others move; see :class:`neurogame.players.player.Player`."""
        self._player.ponder(state, stop)

    def stop(self) -> None:
        """End the match."""
        self._player.stop()

    def _still_left(self) -> float:
        seconds = self._left()
        if seconds <= 0:
            raise MatchAbandoned
        return seconds
