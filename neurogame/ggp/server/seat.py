"""One part in a match, which one process after the other may fill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from neurogame.ggp.server.orders import Ask, Finish, Joint
from neurogame.ggp.server.processes import ChildProcess

MOST_LAUNCHES = 3
"""How often a process is started for one part in a match before one of them has answered."""


@final
class Seat:
    """A part in a match.

    One thread alone fills and clears it; others may ask and finish, one at a time.

    Attributes:
        name: for the log.
        target: the function that its processes run, as ``module:name``.
        memory: bytes that they may take; None: no limit.
        child: the present process; None before the first and after the last.
        launches: processes started since the last one that answered, that one included.
        out: whether this part is played no longer: there will be no more answers.
    """

    def __init__(self, name: str, target: str, memory: int | None) -> None:
        """Describe the part; nothing is started."""
        self.name, self.target, self.memory = name, target, memory
        self.child: ChildProcess | None = None
        self.launches = 0
        self.out = False
        self._told = 0

    def take(self, child: ChildProcess) -> None:
        """Fill the part with a new process, which knows nothing of the match yet."""
        self.child = child
        self._told = 0

    def leave(self) -> str:
        """End the process; return how it ended."""
        child, self.child = self.child, None
        if child is None:
            return ""
        child.kill()
        return child.ending

    def ask(self, number: int, history: Sequence[Joint], until: float, *, is_alone: bool) -> None:
        """Ask for a move, and tell what was not told yet.

        Args:
            number: of the question.
            history: all joint moves of the match.
            until: when to have answered, by ``time.monotonic()``.
            is_alone: whether there is nobody else who could search for it.
        """
        child = self.child
        if child is not None:
            moves = self._news(history)
            child.post(Ask(number=number, moves=moves, until=until, is_alone=is_alone))

    def finish(self, history: Sequence[Joint]) -> None:
        """Tell that the match is over.

        Args:
            history: all its joint moves.
        """
        child = self.child
        if child is not None:
            child.post(Finish(moves=self._news(history)))

    def _news(self, history: Sequence[Joint]) -> tuple[Joint, ...]:
        news = tuple(history[self._told :])
        self._told = len(history)
        return news
