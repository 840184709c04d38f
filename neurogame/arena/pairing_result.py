"""What became of the matches between given players."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar, final

from neurogame.arena.rounds import Round, outcomes, points
from neurogame.arena.schedule import seatings
from neurogame.arena.sprt import SprtState
from neurogame.arena.strength import Strength, strength
from neurogame.chance import playing_roles
from neurogame.intervals import mean_interval, paired_interval

T = TypeVar("T")

_FIRST = {
    "wins": "wins",
    "draws": "draws",
    "losses": "losses",
    "win_rates": "win_rate",
    "win_rates_ci95": "ci95",
    "elo": "elo",
    "elo_ci95": "elo_ci95",
    "superiority": "superiority",
}


@final
@dataclass(frozen=True, kw_only=True)
class PairingResult:
    """Who won how often. Per-player entries are in the order in which the players were named.

    A player wins if its goal is the only highest one, draws if it shares the highest, and loses
    otherwise. In games with one role the goals of all players at the same seed are compared; a
    player alone wins by a goal of 100 and loses otherwise.

    Attributes:
        game: name of the game.
        limit: text of the common limit.
        players: player strings.
        seed: seed of all matches.
        matches: matches of each player.
        scores: mean goal of each player, 0..100.
        score_ci95: 95 % interval of each mean goal, by Student's t over blocks of matches with
            a common seed; None for fewer than two complete blocks, or if all are alike.
        wins: matches won, per player.
        draws: matches drawn, per player.
        losses: matches lost, per player.
        win_rates: (wins + draws / 2) / matches, per player, 0..1.
        win_rates_ci95: 95 % interval of each win rate, 0..1, over blocks, see
            :func:`neurogame.intervals.paired_interval`; blocks that repeat others do not count.
        elo: Elo difference of each player to the others, as in
            :func:`neurogame.arena.strength.strength`; against several others a match brings
            the mean of the points against each. None for a player alone or without matches.
        elo_ci95: its 95 % interval, over blocks.
        superiority: likelihood that each player is stronger than the others, 0..1, over blocks.
        role_scores: mean goal of each player in each role it played, ``[player][role]``; None
            where it never did.
        illegal_moves: per player.
        timeouts: per player.
        start_timeouts: per player.
        distinct_games: number of different matches: by who sat where and all joint moves.
        openings: number of different openings.
        opening_note: what readers must know about the openings; empty if that is nothing.
        mean_length: joint moves per match.
        unfinished: matches that ended at the step limit or stuck.
        balanced: whether every player played every role equally often.
        seconds_per_move: mean thinking time of each player for a move that it was asked for.
        slowest_seconds: the longest time each player thought about a move.
        seconds_per_match: mean thinking time of each player in a match.
        sprt: how the sequential test ended, or None without one.
        interrupted: whether it ended before its time.
    """

    game: str
    limit: str
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
    elo: tuple[float | None, ...]
    elo_ci95: tuple[tuple[float, float] | None, ...]
    superiority: tuple[float | None, ...]
    role_scores: tuple[tuple[float | None, ...], ...]
    illegal_moves: tuple[int, ...]
    timeouts: tuple[int, ...]
    start_timeouts: tuple[int, ...]
    distinct_games: int
    openings: int
    opening_note: str
    mean_length: float
    unfinished: int
    balanced: bool
    seconds_per_move: tuple[float, ...]
    slowest_seconds: tuple[float, ...]
    seconds_per_match: tuple[float, ...]
    sprt: SprtState | None
    interrupted: bool

    @classmethod
    def from_rounds(
        cls,
        rounds: Sequence[Round],
        numbers: Sequence[int],
        *,
        game: str,
        limit: str,
        labels: Sequence[str],
        seed: int,
        roles: int,
        opening_note: str,
        sprt: SprtState | None,
        interrupted: bool,
    ) -> PairingResult:
        """Add up matches.

        Args:
            rounds: the matches, in the order of the plan.
            numbers: the players' numbers, as in the seats of the rounds.
            game: name of the game.
            limit: text of the common limit.
            labels: player strings.
            seed: seed of all matches.
            roles: number of roles of the game.
            opening_note: what readers must know about the openings.
            sprt: how the sequential test ended.
            interrupted: whether it ended before its time.
        """
        number, everyone = len(rounds), range(len(numbers))
        goals = [entry.goals(numbers) for entry in rounds]
        ends = [outcomes(match) for match in goals]
        wins = [sum(end[p] == 1.0 for end in ends) for p in everyone]
        draws = [sum(end[p] == 0.5 for end in ends) for p in everyone]
        gained = [wins[p] + draws[p] / 2 for p in everyone]
        blocks, ended = _by_block(rounds, goals), _by_block(rounds, ends)
        # The seats and the moves tell different rounds apart.
        made = [tuple((seats, record.moves) for seats, record in e.matches) for e in rounds]
        moves = _by_block(rounds, made)
        different = len({tuple(block) for block in moves})
        size = len(seatings(roles))
        strengths = [_strength(blocks, p, different) for p in everyone]
        parts = [_Part(player, rounds) for player in numbers]
        return cls(
            game=game,
            limit=limit,
            players=tuple(labels),
            seed=seed,
            matches=number,
            scores=tuple(_mean([match[p] for match in goals]) for p in everyone),
            score_ci95=tuple(_score_interval(blocks, size, p) for p in everyone),
            wins=tuple(wins),
            draws=tuple(draws),
            losses=tuple(number - wins[p] - draws[p] for p in everyone),
            win_rates=tuple(gained[p] / number if number else 0.5 for p in everyone),
            win_rates_ci95=tuple(
                paired_interval([[end[p] for end in block] for block in ended], different)
                for p in everyone
            ),
            elo=tuple(None if rated is None else rated.elo for rated in strengths),
            elo_ci95=tuple(None if rated is None else rated.elo_ci95 for rated in strengths),
            superiority=tuple(None if rated is None else rated.superiority for rated in strengths),
            role_scores=tuple(part.role_scores(roles) for part in parts),
            illegal_moves=tuple(part.total("illegal_moves") for part in parts),
            timeouts=tuple(part.total("timeouts") for part in parts),
            start_timeouts=tuple(part.total("start_timeouts") for part in parts),
            distinct_games=len({entry for block in moves for entry in block}),
            openings=len({_opening(entry) for entry in rounds}),
            opening_note=opening_note,
            mean_length=_mean([r.length for entry in rounds for _, r in entry.matches]),
            unfinished=sum(r.ending != "terminal" for entry in rounds for _, r in entry.matches),
            balanced=all(len(block) == size for block in blocks),
            seconds_per_move=tuple(part.seconds_per_move for part in parts),
            slowest_seconds=tuple(part.slowest for part in parts),
            seconds_per_match=tuple(part.seconds_per_match for part in parts),
            sprt=sprt,
            interrupted=interrupted,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-able values.

        ``wins``, ``draws``, ``losses``, ``win_rate``, ``ci95`` (the interval of the win
        rate, 0..1), ``elo``, ``elo_ci95`` and ``superiority`` are those of the first player;
        ``per_player`` has them for everybody.
        """
        values = asdict(self)
        everybody = {name: values.pop(name) for name in _FIRST}
        values |= {short: everybody[name][0] for name, short in _FIRST.items()}
        values["per_player"] = everybody
        return values

    def __str__(self) -> str:
        """Return a summary for people."""
        begun = f", from {self.openings} openings" if self.openings > 1 else ""
        lines = [f"{self.game}: {self.matches} matches, {self.distinct_games} distinct{begun}"]
        width = max(len(name) for name in self.players)
        for index, name in enumerate(self.players):
            low, high = self.win_rates_ci95[index]
            lines.append(
                f"  {name:{width}s}  mean goal {self.scores[index]:6.2f}   "
                f"{self.wins[index]} won, {self.draws[index]} drawn, {self.losses[index]} lost   "
                f"win rate {100 * self.win_rates[index]:.1f} % "
                f"(95 %: {100 * low:.1f} to {100 * high:.1f})"
            )
        elo, bounds, likely = self.elo[0], self.elo_ci95[0], self.superiority[0]
        if elo is not None and bounds is not None and likely is not None:
            lines.append(
                f"  {self.players[0]} against the rest: Elo {elo:+.0f} (95 %: {bounds[0]:+.0f} to "
                f"{bounds[1]:+.0f}), likelihood of superiority {100 * likely:.1f} %"
            )
        faults = sum(self.illegal_moves), sum(self.timeouts), self.unfinished
        for count, what in zip(faults, ("illegal moves", "timeouts", "unfinished"), strict=True):
            if count:
                lines.append(f"  {what}: {count}")
        if self.opening_note:
            lines.append(f"  {self.opening_note}")
        if not self.balanced:
            lines.append("  roles were not swapped evenly: a block is incomplete")
        return "\n".join(lines)


@final
class _Part:
    """All that one player did."""

    def __init__(self, player: int, rounds: Sequence[Round]) -> None:
        self._found = [
            (playing_roles(record.roles)[seats.index(player)], record)
            for entry in rounds
            for seats, record in entry.matches
            if player in seats
        ]

    def total(self, name: str) -> int:
        """Add up a per-role count of the records."""
        return sum(getattr(record, name)[role] for role, record in self._found)

    def role_scores(self, roles: int) -> tuple[float | None, ...]:
        """Return the mean goal in each role."""
        goals: list[list[float]] = [[] for _ in range(roles)]
        for role, record in self._found:
            goals[playing_roles(record.roles).index(role)].append(record.goals[role])
        return tuple(_mean(scores) if scores else None for scores in goals)

    @property
    def seconds_per_match(self) -> float:
        """Mean thinking time in a match."""
        return _mean([record.move_seconds[role] for role, record in self._found])

    @property
    def seconds_per_move(self) -> float:
        """Mean thinking time for a move."""
        moves = self.total("decisions")
        return self.seconds_per_match * len(self._found) / moves if moves else 0.0

    @property
    def slowest(self) -> float:
        """The longest time for a move."""
        return max((record.slowest_seconds[role] for role, record in self._found), default=0.0)


def _by_block(rounds: Sequence[Round], values: Sequence[T]) -> list[list[T]]:
    """Return what is given for each round, block by block."""
    blocks: dict[int, list[T]] = {}
    for entry, value in zip(rounds, values, strict=True):
        blocks.setdefault(entry.block, []).append(value)
    return list(blocks.values())


def _strength(
    blocks: Sequence[Sequence[Sequence[float]]], player: int, different: int
) -> Strength | None:
    """Return how strong a player is against the others, if there are any."""
    if any(len(goals) < 2 for block in blocks for goals in block):
        return None
    scores = [[points(goals)[player] for goals in block] for block in blocks]
    return strength(scores, different)


def _score_interval(
    blocks: Sequence[Sequence[Sequence[float]]], size: int, player: int
) -> tuple[float, float] | None:
    """Interval of a mean goal over complete blocks of matches with a common seed."""
    complete = [block for block in blocks if len(block) == size]
    interval = mean_interval([_mean([goals[player] for goals in block]) for block in complete])
    return None if interval is None else (max(0.0, interval[0]), min(100.0, interval[1]))


def _opening(entry: Round) -> tuple[tuple[str, ...], ...]:
    """Return the random joint moves with which a round began."""
    record = entry.matches[0][1]
    return record.moves[: record.opening_plies]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
