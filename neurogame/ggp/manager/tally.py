"""What is counted about each player of a match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

from neurogame.ggp.manager.client import Answer
from neurogame.ggp.protocol.messages import spaced


@final
@dataclass(frozen=True, kw_only=True)
class PlayerResult:
    """How one player fared in one match.

    Attributes:
        player: its name.
        address: where it listens, or ``random``.
        role: the role it played.
        goal: its goal in 0..100, or None if the match did not end or the rules derive none.
        moves: moves it was asked for.
        illegal_moves: moves that were not legal, or no moves at all; each was replaced by a
            random legal one, as was each move lost to the next two.
        timeouts: START, PLAY and STOP messages without a complete reply in time.
        connection_errors: the same without a connection, or without HTTP over it.
        overtime: moves that came after the play clock but within the grace, and counted.
        not_ready: whether the reply to START was something else than ``ready``.
        start_seconds: time of its answer to START; 0 if it was sent none.
        slowest_seconds: its slowest answer to a PLAY; 0 if it was sent none.
        complaints: each fault in words, the first ones.
    """

    player: str
    address: str
    role: str
    goal: int | None
    moves: int
    illegal_moves: int
    timeouts: int
    connection_errors: int
    overtime: int
    not_ready: bool
    start_seconds: float
    slowest_seconds: float
    complaints: tuple[str, ...]

    @property
    def faults(self) -> int:
        """How often something went wrong."""
        return self.illegal_moves + self.timeouts + self.connection_errors

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-able values."""
        return {**asdict(self), "complaints": list(self.complaints)}


@final
class PlayerTally:
    """Counts for one player while the match goes on."""

    COMPLAINTS = 20

    def __init__(self, player: str, address: str, role: str, play_clock: float) -> None:
        self._who = (player, address, role)
        self._play_clock = play_clock
        self._moves = self._illegal = self._timeouts = self._connections = self._overtime = 0
        self._not_ready = False
        self._start_seconds = self._slowest = 0.0
        self._complaints: list[str] = []

    def started(self, answer: Answer) -> str:
        """Count the answer to START and return its code for the record."""
        self._start_seconds = answer.seconds
        if not answer.problem and answer.text.lower() != "ready":
            self._not_ready = True
            self._complain(f"START: answered {answer.text[:80]!r}, not 'ready'")
        return self._problem("START", answer)

    def moved(self, answer: Answer, ply: int) -> str:
        """Count the answer to PLAY, whether a move or none; return its code for the record."""
        self._moves += 1
        self._slowest = max(self._slowest, answer.seconds)
        self._overtime += not answer.problem and answer.seconds > self._play_clock
        return self._problem(f"PLAY {ply}", answer)

    def illegal(self, reply: str, shown: str, ply: int) -> str:
        """Count an illegal move and return its code for the record."""
        self._illegal += 1
        self._complain(f"PLAY {ply}: {reply[:200]!r} is not a legal move")
        return f"IL {spaced(shown)[:200] or 'null'}"

    def stopped(self, answer: Answer) -> None:
        """Count the answer to STOP."""
        self._problem("STOP", answer)

    def result(self, goal: int | None) -> PlayerResult:
        """Return what was counted."""
        player, address, role = self._who
        return PlayerResult(
            player=player,
            address=address,
            role=role,
            goal=goal,
            moves=self._moves,
            illegal_moves=self._illegal,
            timeouts=self._timeouts,
            connection_errors=self._connections,
            overtime=self._overtime,
            not_ready=self._not_ready,
            start_seconds=self._start_seconds,
            slowest_seconds=self._slowest,
            complaints=tuple(self._complaints),
        )

    def _problem(self, message: str, answer: Answer) -> str:
        if not answer.problem:
            return ""
        self._complain(f"{message}: {answer.detail}")
        if answer.problem == "timeout":
            self._timeouts += 1
            return "TO"
        self._connections += 1
        return "CE"

    def _complain(self, text: str) -> None:
        if len(self._complaints) < self.COMPLAINTS:
            self._complaints.append(text)


def results_table(matches: Iterable[Sequence[PlayerResult]]) -> str:
    """Return one line per player: points and faults over several matches.

    Args:
        matches: the results of the players of each match.
    """
    by_player: dict[tuple[str, str], list[PlayerResult]] = {}
    for match in matches:
        for result in match:
            by_player.setdefault((result.player, result.address), []).append(result)
    head = (
        "player",
        "address",
        "matches",
        "points",
        "illegal",
        "timeouts",
        "connection errors",
        "slowest start",
        "slowest move",
    )
    rows = [head]
    for (player, address), results in by_player.items():
        goals = [result.goal for result in results if result.goal is not None]
        rows.append(
            (
                player,
                "" if address == player else address,
                str(len(results)),
                f"{sum(goals) / len(goals):.1f}" if goals else "-",
                str(sum(result.illegal_moves for result in results)),
                str(sum(result.timeouts for result in results)),
                str(sum(result.connection_errors for result in results)),
                f"{max(result.start_seconds for result in results):.2f} s",
                f"{max(result.slowest_seconds for result in results):.2f} s",
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if number < 2 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
