"""Counts the matches between given players while they come in, in any order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from operator import itemgetter
from typing import TypeVar, final

from neurogame.arena.pairing_result import PairingResult
from neurogame.arena.rating import PairedComparison
from neurogame.arena.rounds import Round, outcomes, points
from neurogame.arena.schedule import Slot, seatings
from neurogame.arena.sprt import Sprt, SprtSettings
from neurogame.arena.strength import Strength, strength
from neurogame.chance import playing_roles
from neurogame.intervals import mean_interval, normal_interval, paired_interval
from neurogame.learn.comparison import points_against
from neurogame.players.record import MatchRecord
from neurogame.search.result import add_work

T = TypeVar("T")


@final
class PairingTally:
    """The matches of one pairing in one game under one limit.

    Whatever the order in which matches come in, the result is the same: rounds are put in the
    order of the plan, and a sequential test looks at complete blocks in that order. Matches
    after the block that decided it do not count.
    """

    def __init__(
        self,
        players: Sequence[int],
        roles: int,
        matches: int,
        sprt: SprtSettings | None = None,
        *,
        best: float = 100,
    ) -> None:
        """Start with no match.

        Args:
            players: numbers of the players whose results are compared.
            roles: number of roles of the game.
            matches: planned matches of each player.
            sprt: a test that ends the pairing, or None.
            best: the goal, 0..100, that wins where a player is alone.
        """
        self.players = tuple(players)
        self._roles = roles
        self._planned, self._best = matches, best
        self._block = len(seatings(roles))
        self._sprt = None if sprt is None else Sprt(sprt)
        self._decided: int | None = None
        self._looked_at = 0
        self._waiting: dict[tuple[int, int], dict[tuple[int, ...], MatchRecord]] = {}
        self._rounds: dict[tuple[int, int], Round] = {}
        self._first_points: dict[int, dict[int, float]] = {}

    @property
    def decided(self) -> bool:
        """Whether the sequential test has ended."""
        return self._decided is not None

    def add(self, slot: Slot, record: MatchRecord) -> None:
        """Add a match.

        Args:
            slot: its place in the plan; must concern this pairing.
            record: what happened.
        """
        key = (slot.block, slot.number)
        waiting = self._waiting.setdefault(key, {})
        waiting[slot.seats] = record
        if len(waiting) * self._roles < len(self.players):
            return
        del self._waiting[key]
        self._rounds[key] = Round(slot.block, tuple(sorted(waiting.items(), key=itemgetter(0))))
        points_of = self._first_points.setdefault(slot.block, {})
        points_of[slot.number] = outcomes(self._rounds[key].goals(self.players), self._best)[0]
        self._test()

    def _test(self) -> None:
        """Show complete blocks to the sequential test, in order."""
        while self._sprt is not None and self._decided is None:
            keys = [(self._looked_at, number) for number in range(self._block)]
            if any(key not in self._rounds for key in keys):
                return
            goals = [self._rounds[key].goals(self.players) for key in keys]
            if (
                self._sprt.add([points(of_round, self._best)[0] for of_round in goals])
                != "undecided"
            ):
                self._decided = self._looked_at
            self._looked_at += 1

    @property
    def rounds(self) -> list[Round]:
        """The rounds that count, in the order of the plan."""
        return [
            self._rounds[key]
            for key in sorted(self._rounds)
            if self._decided is None or key[0] <= self._decided
        ]

    def progress(self) -> str:
        """Return how the first player stands, as a short text."""
        count = len(self._rounds)
        if not count:
            return ""
        clusters = [list(cluster.values()) for cluster in self._first_points.values()]
        low, high = paired_interval(clusters)
        share = sum(map(sum, clusters)) / count
        text = f"{100 * share:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
        if self._sprt is None:
            return text
        state = self._sprt.state
        return f"{text} LLR {state.llr:.2f} [{state.lower:.2f}, {state.upper:.2f}]"

    def comparisons(self) -> list[PairedComparison]:
        """Return the results of every two players against each other, clustered by block."""
        comparisons = []
        for entry in self.rounds:
            goals = entry.goals(self.players)
            for one, two in itertools.combinations(range(len(goals)), 2):
                result = points_against(goals[one], goals[two])
                comparisons.append(
                    PairedComparison(entry.block, self.players[one], self.players[two], result)
                )
        return comparisons

    @property
    def blocks(self) -> int:
        """Blocks of the rounds that count: so many openings were wanted."""
        return max((entry.block + 1 for entry in self.rounds), default=0)

    def result(
        self, game: str, limit: str, labels: Sequence[str], seed: int, *, opening_note: str = ""
    ) -> PairingResult:
        """Add everything up.

        Args:
            game: name of the game.
            limit: text of the common limit.
            labels: names of the pairing's players.
            seed: seed of all matches.
            opening_note: what readers must know about the openings.
        """
        rounds, numbers = self.rounds, self.players
        number, everyone = len(rounds), range(len(numbers))
        goals = [entry.goals(numbers) for entry in rounds]
        ends = [outcomes(match, self._best) for match in goals]
        wins = [sum(end[p] == 1.0 for end in ends) for p in everyone]
        draws = [sum(end[p] == 0.5 for end in ends) for p in everyone]
        gained = [wins[p] + draws[p] / 2 for p in everyone]
        blocks, ended = _by_block(rounds, goals), _by_block(rounds, ends)
        # The seats and the moves tell different rounds apart.
        made = [tuple((seats, record.moves) for seats, record in e.matches) for e in rounds]
        moves = _by_block(rounds, made)
        different = len({tuple(block) for block in moves})
        size = len(seatings(self._roles))
        strengths = [_strength(blocks, p, different) for p in everyone]
        parts = [_Part(player, rounds) for player in numbers]
        return PairingResult(
            game=game,
            limit=limit,
            players=tuple(labels),
            seed=seed,
            matches=number,
            scores=tuple(_mean([match[p] for match in goals]) for p in everyone),
            score_ci95=tuple(_score_interval(blocks, size, p) for p in everyone),
            score_normal_ci95=tuple(normal_interval([one[p] for one in goals]) for p in everyone),
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
            role_scores=tuple(part.role_scores(self._roles) for part in parts),
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
            work=tuple(part.work for part in parts),
            sprt=None if self._sprt is None else self._sprt.state,
            interrupted=number < self._planned and not self.decided,
        )


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
    def work(self) -> dict[str, float]:
        """What its searches did in all matches."""
        total: dict[str, float] = {}
        for role, record in self._found:
            add_work(total, record.work[role] if record.work else {})
        return total

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
