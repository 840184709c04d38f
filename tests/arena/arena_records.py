"""Records of matches that nobody played, for tests of counting."""

from __future__ import annotations

from collections.abc import Sequence

from neurogame.players.record import Ending, MatchRecord


def record(
    goals: Sequence[float],
    *,
    moves: Sequence[str] = ("a", "b"),
    seed: int = 0,
    ending: Ending = "terminal",
    illegal: Sequence[int] | None = None,
    seconds: Sequence[float] | None = None,
    decisions: Sequence[int] | None = None,
) -> MatchRecord:
    """Return a record with given goals; what is left out is zero."""
    nothing = (0,) * len(goals)
    return MatchRecord(
        game="made up",
        roles=tuple(f"r{role}" for role in range(len(goals))),
        players=("somebody",) * len(goals),
        seed=seed,
        opening_plies=0,
        moves=tuple((move,) * len(goals) for move in moves),
        goals=tuple(map(float, goals)),
        ending=ending,
        length=len(moves),
        start_seconds=(0.0,) * len(goals),
        decisions=tuple(decisions or nothing),
        move_seconds=tuple(map(float, seconds or nothing)),
        slowest_seconds=tuple(map(float, seconds or nothing)),
        start_timeouts=nothing,
        timeouts=nothing,
        illegal_moves=tuple(illegal or nothing),
    )
