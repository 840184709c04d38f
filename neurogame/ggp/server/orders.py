"""What the server tells the processes behind a match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

Joint = tuple[str, ...]
"""A joint move as it was received: one text per role, in the sender's spelling."""


@final
@dataclass(frozen=True, kw_only=True)
class Task:
    """A match to take part in.

    Attributes:
        match: the name of the match.
        role: the role to play, in any case.
        rules: the rulesheet's text.
        player: player string of who thinks; the guard has no use for it.
        steps_down: how many of the players to begin with are left out, from the given one on;
            at least 0.
        seed: decides every random choice in this match; at least 0.
        ready_at: when the match begins, by ``time.monotonic()``.
        play_clock: seconds for a move, above 0.
        memory: bytes that the process may take beyond those it began with; None: no limit.
    """

    match: str
    role: str
    rules: str
    player: str
    steps_down: int
    seed: int
    ready_at: float
    play_clock: float
    memory: int | None


@final
@dataclass(frozen=True, kw_only=True)
class Ask:
    """A move is wanted.

    Attributes:
        number: counts the questions of a match; the answer bears it.
        moves: the joint moves since the last order, in order of play.
        until: when to have answered, by ``time.monotonic()``.
        is_alone: whether there is nobody else who could search for it by now.
    """

    number: int
    moves: tuple[Joint, ...]
    until: float
    is_alone: bool = False


@final
@dataclass(frozen=True, kw_only=True)
class Finish:
    """The match is over.

    Attributes:
        moves: the joint moves since the last order, in order of play.
    """

    moves: tuple[Joint, ...]


Order = Ask | Finish

Event = dict[str, object]
"""What a process tells the server: ``event`` names it, the other entries are its facts."""
