"""Counts the matches between given players while they come in, in any order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from operator import itemgetter
from typing import final

from neurogame.arena.pairing_result import PairingResult
from neurogame.arena.rating import PairedComparison
from neurogame.arena.rounds import Round, outcomes, points, points_against
from neurogame.arena.schedule import Slot, seatings
from neurogame.arena.sprt import Sprt, SprtSettings
from neurogame.intervals import paired_interval
from neurogame.players.record import MatchRecord


@final
class PairingTally:
    """The matches of one pairing in one game under one limit.

    Whatever the order in which matches come in, the result is the same: rounds are put in the
    order of the plan, and a sequential test looks at complete blocks in that order. Matches
    after the block that decided it do not count.
    """

    def __init__(
        self, players: Sequence[int], roles: int, matches: int, sprt: SprtSettings | None = None
    ) -> None:
        """Start with no match.

        Args:
            players: numbers of the players whose results are compared.
            roles: number of roles of the game.
            matches: planned matches of each player.
            sprt: a test that ends the pairing, or None.
        """
        self.players = tuple(players)
        self._roles = roles
        self._planned = matches
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
        points_of[slot.number] = outcomes(self._rounds[key].goals(self.players))[0]
        self._test()

    def _test(self) -> None:
        """Show complete blocks to the sequential test, in order."""
        while self._sprt is not None and self._decided is None:
            keys = [(self._looked_at, number) for number in range(self._block)]
            if any(key not in self._rounds for key in keys):
                return
            goals = [self._rounds[key].goals(self.players) for key in keys]
            if self._sprt.add([points(of_round)[0] for of_round in goals]) != "undecided":
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
        rounds = self.rounds
        return PairingResult.from_rounds(
            rounds,
            self.players,
            game=game,
            limit=limit,
            labels=labels,
            seed=seed,
            roles=self._roles,
            opening_note=opening_note,
            sprt=None if self._sprt is None else self._sprt.state,
            interrupted=len(rounds) < self._planned and not self.decided,
        )
