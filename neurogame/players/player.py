"""What a player is: four verbs and a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.result import SearchResult
from neurogame.simulate.game import State


class MatchAbandoned(Exception):  # noqa: N818 - a decision of a person, not an error
    """A player leaves the match; nobody wins or loses."""


class Player(Protocol):
    """Plays one role of one match at a time."""

    @property
    def name(self) -> str:
        """The player string that makes this player, for records."""

    def start(self, match: MatchStart) -> None:
        """Prepare a match.

        Args:
            match: the match. Nothing is begun that is known not to fit its seconds; what the player
                cannot do without is made even if it is late.
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

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        """Think while others move; returns when it is told to, or has nothing left to find.

        A limit of the player's own is not looked at. A player without use for the time returns at
        once.

        Args:
            state: the present, non-terminal state, in which every role has a legal move; the
                player's own role may have a single one.
            stop: whether to return; it is called from this thread, about every 30 ms or oftener,
                and must be quick.
        """

    def stop(self) -> None:
        """End the match: it is over or was abandoned; may be called without ``start``."""


@runtime_checkable
class Observer(Protocol):
    """A player that may look back on a match that is over."""

    @property
    def is_learning(self) -> bool:
        """Whether it has something to do in :meth:`observe`."""

    def observe(self, states: Sequence[State]) -> None:
        """Look back; called after ``stop``, outside all clocks.

        Args:
            states: of the match in order, from the end of a given opening on; the last one is
                terminal unless the match was cut off.
        """


def last_search(player: Player | None) -> SearchResult | None:
    """Return the result of a player's last search of this match, its ``last``; None without one."""
    last = getattr(player, "last", None)
    return last if isinstance(last, SearchResult) else None
