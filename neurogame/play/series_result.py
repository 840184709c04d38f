"""The result of a series of matches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

from neurogame.play.record import MatchRecord
from neurogame.play.statistics import mean_interval, wilson_interval


@final
@dataclass(frozen=True, kw_only=True)
class SeriesResult:
    """Who won how often. Per-player entries are in the order in which the players were named.

    A player wins a match if its goal is the only highest one, draws if it shares the highest,
    and loses otherwise. With a single role, a goal of 100 is a win and all else a loss.

    Attributes:
        game: name of the game.
        players: player strings.
        seed: seed of the series.
        matches: matches played to their end.
        scores: mean goal of each player, 0..100.
        score_ci95: 95 % interval of each mean goal, by normal approximation over blocks of
            matches with a common seed; None for fewer than two complete blocks.
        wins: matches won, per player.
        draws: matches drawn, per player.
        losses: matches lost, per player.
        win_rates: (wins + draws / 2) / matches, per player, 0..1.
        win_rates_ci95: Wilson 95 % interval of each win rate, 0..1. Matches count as
            independent and a draw as half a success, see
            :func:`neurogame.play.statistics.wilson_interval`.
        role_scores: mean goal of each player in each role it played, ``[player][role]``; None
            where it never did.
        illegal_moves: per player.
        timeouts: per player.
        start_timeouts: per player.
        distinct_games: number of different sequences of joint moves.
        mean_length: joint moves per match.
        unfinished: matches that ended at the step limit or stuck.
        balanced: whether every player played every role equally often.
        seconds_per_match: mean thinking time per match, per player.
        interrupted: whether the series was ended before its time.
    """

    game: str
    players: tuple[str, ...]
    seed: int
    matches: int
    scores: tuple[float, ...]
    score_ci95: tuple[tuple[float, float] | None, ...]
    wins: tuple[int, ...]
    draws: tuple[int, ...]
    losses: tuple[int, ...]
    win_rates: tuple[float, ...]
    win_rates_ci95: tuple[tuple[float, float], ...]
    role_scores: tuple[tuple[float | None, ...], ...]
    illegal_moves: tuple[int, ...]
    timeouts: tuple[int, ...]
    start_timeouts: tuple[int, ...]
    distinct_games: int
    mean_length: float
    unfinished: int
    balanced: bool
    seconds_per_match: tuple[float, ...]
    interrupted: bool

    @classmethod
    def from_matches(
        cls,
        *,
        game: str,
        players: tuple[str, ...],
        seed: int,
        seats: Sequence[tuple[int, ...]],
        records: Sequence[MatchRecord],
        block: int,
        interrupted: bool,
    ) -> SeriesResult:
        """Add up matches.

        Args:
            game: name of the game.
            players: player strings.
            seed: seed of the series.
            seats: per match, the player of each role.
            records: the matches.
            block: number of successive matches with a common seed.
            interrupted: whether the series was ended before its time.
        """
        count = len(players)
        goals = [_by_player(seating, record.goals) for seating, record in _both(seats, records)]
        outcomes = [_outcomes(match) for match in goals]
        wins = [sum(outcome[p] == 1.0 for outcome in outcomes) for p in range(count)]
        draws = [sum(outcome[p] == 0.5 for outcome in outcomes) for p in range(count)]
        points = [wins[p] + draws[p] / 2 for p in range(count)]
        number = len(records)
        return cls(
            game=game,
            players=players,
            seed=seed,
            matches=number,
            scores=tuple(_mean([match[p] for match in goals]) for p in range(count)),
            score_ci95=tuple(_block_interval([m[p] for m in goals], block) for p in range(count)),
            wins=tuple(wins),
            draws=tuple(draws),
            losses=tuple(number - wins[p] - draws[p] for p in range(count)),
            win_rates=tuple(points[p] / number if number else 0.5 for p in range(count)),
            win_rates_ci95=tuple(wilson_interval(points[p], number) for p in range(count)),
            role_scores=_role_scores(count, seats, records),
            illegal_moves=_totals(count, seats, [r.illegal_moves for r in records]),
            timeouts=_totals(count, seats, [r.timeouts for r in records]),
            start_timeouts=_totals(count, seats, [r.start_timeouts for r in records]),
            distinct_games=len({record.moves for record in records}),
            mean_length=_mean([record.length for record in records]),
            unfinished=sum(record.ending != "terminal" for record in records),
            balanced=number % block == 0,
            seconds_per_match=tuple(
                _mean([_by_player(s, r.move_seconds)[p] for s, r in _both(seats, records)])
                for p in range(count)
            ),
            interrupted=interrupted,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-able values.

        ``wins``, ``draws``, ``losses``, ``win_rate`` and ``ci95`` (the Wilson interval of the
        win rate, 0..1) are those of the first player, as integers, a number and a pair;
        ``per_player`` has them for everybody.
        """
        values = asdict(self)
        per_player = ("wins", "draws", "losses", "win_rates", "win_rates_ci95")
        everybody = {name: values.pop(name) for name in per_player}
        values |= {name: everybody[name][0] for name in ("wins", "draws", "losses")}
        values["win_rate"] = everybody["win_rates"][0]
        values["ci95"] = everybody["win_rates_ci95"][0]
        values["per_player"] = everybody
        return values

    def __str__(self) -> str:
        """Return a table for people."""
        lines = [f"{self.game}: {self.matches} matches, {self.distinct_games} distinct"]
        width = max(len(name) for name in self.players)
        for index, name in enumerate(self.players):
            low, high = self.win_rates_ci95[index]
            lines.append(
                f"  {name:{width}s}  mean goal {self.scores[index]:6.2f}   "
                f"{self.wins[index]} won, {self.draws[index]} drawn, {self.losses[index]} lost   "
                f"win rate {100 * self.win_rates[index]:.1f} % "
                f"(95 %: {100 * low:.1f} to {100 * high:.1f})"
            )
        faults = sum(self.illegal_moves), sum(self.timeouts), self.unfinished
        for count, what in zip(faults, ("illegal moves", "timeouts", "unfinished"), strict=True):
            if count:
                lines.append(f"  {what}: {count}")
        if not self.balanced:
            lines.append("  roles were not swapped evenly: the last block is incomplete")
        return "\n".join(lines)


def _both(
    seats: Sequence[tuple[int, ...]], records: Sequence[MatchRecord]
) -> list[tuple[tuple[int, ...], MatchRecord]]:
    return list(zip(seats, records, strict=True))


def _by_player(seats: tuple[int, ...], values: Sequence[float]) -> list[float]:
    """Reorder per-role values to per-player values."""
    return [values[seats.index(player)] for player in range(len(seats))]


def _outcomes(goals: Sequence[float]) -> list[float]:
    """Return 1 for a win, 0.5 for a draw, 0 for a loss, per player."""
    if len(goals) == 1:
        return [float(goals[0] == 100)]
    top = max(goals)
    shared = sum(goal == top for goal in goals) > 1
    return [0.0 if goal < top else 0.5 if shared else 1.0 for goal in goals]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def _block_interval(goals: Sequence[float], block: int) -> tuple[float, float] | None:
    """Interval of a mean goal over complete blocks of matches with a common seed."""
    complete = len(goals) // block
    return mean_interval([_mean(goals[i * block : (i + 1) * block]) for i in range(complete)])


def _totals(
    count: int, seats: Sequence[tuple[int, ...]], values: Sequence[Sequence[int]]
) -> tuple[int, ...]:
    """Add up per-role counts for each player."""
    totals = [0] * count
    for seating, counts in zip(seats, values, strict=True):
        for role, player in enumerate(seating):
            totals[player] += counts[role]
    return tuple(totals)


def _role_scores(
    count: int, seats: Sequence[tuple[int, ...]], records: Sequence[MatchRecord]
) -> tuple[tuple[float | None, ...], ...]:
    """Mean goal of each player in each role."""
    found: list[list[list[float]]] = [[[] for _ in range(count)] for _ in range(count)]
    for seating, record in _both(seats, records):
        for role, player in enumerate(seating):
            found[player][role].append(record.goals[role])
    return tuple(tuple(_mean(g) if g else None for g in by_role) for by_role in found)
