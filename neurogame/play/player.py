"""What a player is: three verbs and a name."""

from __future__ import annotations

from typing import Protocol

from neurogame.search.limit import Limit
from neurogame.simulate.game import Game
from neurogame.simulate.states import State


class MatchAbandoned(Exception):  # noqa: N818 - a decision of a person, not an error
    """A player leaves the match; nobody wins or loses."""


class Player(Protocol):
    """Plays one role of one match at a time."""

    @property
    def name(self) -> str:
        """The player string that makes this player, for records."""

    def start(self, game: Game, role: int, seed: int) -> None:
        """Prepare a match.

        Args:
            game: the game.
            role: index of the role to play.
            seed: decides every random choice in this match.
        """

    def choose(self, state: State, limit: Limit) -> int:
        """Choose a move.

        Args:
            state: the present, non-terminal state.
            limit: how long to think.

        Returns:
            A legal move, as index within the role's own moves.

        Raises:
            MatchAbandoned: the player leaves.
        """

    def stop(self) -> None:
        """End the match: it is over or was abandoned; may be called without ``start``."""
