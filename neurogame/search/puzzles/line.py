"""A line of moves of a puzzle, and what it comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, kw_only=True)
class Line:
    """Moves from a state on.

    Attributes:
        goal: of the state that they lead to, 0..100.
        moves: indices within the role's own moves.
        is_over: whether the game is over there; if not, the goal is only what holds there now.
    """

    goal: int
    moves: tuple[int, ...]
    is_over: bool

    @property
    def rank(self) -> tuple[int, bool, int]:
        """What is compared: first the goal; of equal ones a game that goes on, then a long one."""
        if self.is_over:
            # Of ways to a goal the shorter one; of failures the one that came farthest.
            return self.goal, False, -len(self.moves) if self.goal else len(self.moves)
        return 0, True, len(self.moves)
