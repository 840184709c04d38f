"""What is counted about each player of a match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, final

from neurogame.ggp.manager.client import Answer
from neurogame.ggp.protocol.messages import spaced
from neurogame.padded import padded

_MOST_COMPLAINTS = 20


@final
@dataclass
class PlayerResult:
    """How one player fares in one match; counted while it goes on.

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
    goal: int | None = None
    moves: int = 0
    illegal_moves: int = 0
    timeouts: int = 0
    connection_errors: int = 0
    overtime: int = 0
    not_ready: bool = False
    start_seconds: float = 0.0
    slowest_seconds: float = 0.0
    complaints: list[str] = field(default_factory=list)

    @property
    def faults(self) -> int:
        """How often something went wrong."""
        return self.illegal_moves + self.timeouts + self.connection_errors

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-able values."""
        return asdict(self)

    def started(self, answer: Answer) -> str:
        """Count the answer to START and return its code for the record."""
        self.start_seconds = answer.seconds
        if not answer.problem and answer.text.lower() != "ready":
            self.not_ready = True
            self._complain(f"START: answered {answer.text[:80]!r}, not 'ready'")
        return self.problem("START", answer)

    def moved(self, answer: Answer, ply: int, play_clock: float) -> str:
        """Count the answer to PLAY, whether a move or none; return its code for the record."""
        self.moves += 1
        self.slowest_seconds = max(self.slowest_seconds, answer.seconds)
        self.overtime += not answer.problem and answer.seconds > play_clock
        return self.problem(f"PLAY {ply}", answer)

    def illegal(self, reply: str, shown: str, ply: int) -> str:
        """Count an illegal move and return its code for the record."""
        self.illegal_moves += 1
        self._complain(f"PLAY {ply}: {reply[:200]!r} is not a legal move")
        return f"IL {spaced(shown)[:200] or 'null'}"

    def problem(self, message: str, answer: Answer) -> str:
        """Count what is wrong with the answer to a message; return its code, if any."""
        if not answer.problem:
            return ""
        self._complain(f"{message}: {answer.detail}")
        if answer.problem == "timeout":
            self.timeouts += 1
            return "TO"
        self.connection_errors += 1
        return "CE"

    def _complain(self, text: str) -> None:
        if len(self.complaints) < _MOST_COMPLAINTS:
            self.complaints.append(text)


def results_table(matches: Iterable[Sequence[PlayerResult]]) -> str:
    """Return one line per player: points and faults over several matches.

    Args:
        matches: the results of the players of each match.
    """
    by_player: dict[tuple[str, str], list[PlayerResult]] = {}
    for match in matches:
        for result in match:
            by_player.setdefault((result.player, result.address), []).append(result)
    rows = [
        (
            *("player", "address", "matches", "points", "illegal", "timeouts"),
            *("connection errors", "slowest start", "slowest move"),
        )
    ]
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
    return "\n".join("  ".join(cells).rstrip() for cells in padded(rows, 2))
