"""Short matches of searches against a baseline, until the better ones stand out or not."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from neurogame.search.home_search import GameSearch
from neurogame.search.limit import Limit
from neurogame.search.openings import Opening, Openings
from neurogame.simulate.game import Game

CAPACITY = 50_000
"""Nodes of a tree search in a race: little memory, and quickly forgotten."""
MATCHES_PER_ROUND = 2
"""Matches of a round of two roles, of which there usually are as many."""
MOST_ROUNDS = 100
"""Rounds after which a race is over: more would tell apart what hardly differs."""

_SPREAD = 0.35
"""Least standard deviation of a round that is reckoned with: few rounds that end alike, as the
first ones often do, do not show that all others will."""
_EXPECTED = 2
"""Rounds that an expectation counts for: games differ by about 0.25 from what is expected, which is
as much as the means of two rounds differ."""


@final
@dataclass(kw_only=True)
class Racer:
    """How a candidate does in a race.

    Attributes:
        name: for people.
        rounds: what each round came to, 0..1: 0.5 is as good as the baseline. A round is a
            match in each role from a common opening.
        is_racing: whether it still runs.
        expected: what its kind came to in other games, 0..1, which counts like two rounds beside
            its own; None: nothing is expected of it.
    """

    name: str
    rounds: list[float] = field(default_factory=list)
    is_racing: bool = True
    expected: float | None = None

    @property
    def mean(self) -> float:
        """Mean of the rounds, 0.5 without any."""
        return float(np.mean(self.rounds)) if self.rounds else 0.5

    def bounds(self, z: float) -> tuple[float, float]:
        """Return the mean less and plus ``z`` standard errors, what is expected included."""
        known = [] if self.expected is None else [self.expected] * _EXPECTED
        counted = [*known, *self.rounds]
        if not counted:
            return 0.0, 1.0
        spread = max(float(np.std(self.rounds)) if self.rounds else 0.0, _SPREAD)
        mean, error = float(np.mean(counted)), spread / math.sqrt(len(counted))
        return mean - z * error, mean + z * error

    def is_ahead(self, z: float, fewest: int) -> bool:
        """Return whether it is ahead of the baseline by ``z`` errors, in enough rounds."""
        return len(self.rounds) >= fewest and self.bounds(z)[0] > 0.5

    def is_behind(self, z: float, fewest: int) -> bool:
        """Return whether it is behind the baseline by ``z`` errors, in enough rounds."""
        return len(self.rounds) >= fewest and self.bounds(z)[1] < 0.5


@final
class Race:
    """Races candidates against a baseline in one game.

    Attributes:
        racers: how the candidates do, in the order in which they were given.
    """

    def __init__(
        self,
        game: Game,
        baseline: GameSearch,
        candidates: Mapping[str, GameSearch],
        *,
        plies: int,
        seed: int,
        z: float = 1.0,
        fewest: int = 6,
        former: Mapping[str, Sequence[float]] | None = None,
        expected: Mapping[str, float] | None = None,
    ) -> None:
        """Take who runs.

        Args:
            game: the game.
            baseline: the search to beat.
            candidates: the searches that run against it, by name.
            plies: random ones at the beginning of every match; at least 0.
            seed: decides the openings.
            z: standard errors by which a candidate must be behind the best to be sent home. The
                time is better spent on others long before it is sure that it is worse.
            fewest: rounds before anybody is sent home, at least 1.
            former: rounds of earlier races against the same baseline, by name; they count too.
            expected: see :class:`Racer`, by name.
        """
        known, hoped = former or {}, expected or {}
        self.racers = [
            Racer(name=name, rounds=list(known.get(name, ())), expected=hoped.get(name))
            for name in candidates
        ]
        self._game, self._baseline, self._z = game, baseline, z
        self._seed = seed % (1 << 64)
        self._fewest = fewest
        self._candidates = list(candidates.values())
        # The clock is running: nothing is searched for decided ones.
        self._openings = Openings(game, plies, seed, nodes=0)
        # The same openings again would tell less.
        self._played = max((len(racer.rounds) for racer in self.racers), default=0)

    def run(self, limit: Limit, deadline: float, rounds: int = MOST_ROUNDS) -> None:
        """Play rounds until the time is out or nobody is left.

        Args:
            limit: of every search.
            deadline: when to stop, as ``time.monotonic`` tells it; a match under way is dropped.
            rounds: most rounds to play.
        """
        for _ in self.steps(limit, rounds):
            if time.monotonic() >= deadline:
                return

    def steps(self, limit: Limit, rounds: int = MOST_ROUNDS) -> Iterator[None]:
        """Play rounds until nobody is left; yield before every move, so that it may be ended there.

        Args:
            limit: of every search.
            rounds: most rounds to play.
        """
        for _ in range(rounds):
            if not any(racer.is_racing for racer in self.racers):
                return
            opening = self._openings[self._played]
            self._played += 1
            control = None
            if len(self._game.players) != 2:
                seats = [self._baseline] * len(self._game.roles)
                control = yield from self._match(seats, opening, limit)
            for racer, search in zip(self.racers, self._candidates, strict=True):
                if racer.is_racing:
                    score = yield from self._round(search, opening, control, limit)
                    racer.rounds.append(score)
            self._send_home()

    def _send_home(self) -> None:
        """Let those stop that are behind the baseline or the best."""
        lowest = max([0.5, *(racer.bounds(self._z)[0] for racer in self.racers)])
        for racer in self.racers:
            if len(racer.rounds) >= self._fewest and racer.bounds(self._z)[1] < lowest:
                racer.is_racing = False

    def _round(
        self,
        search: GameSearch,
        opening: Opening,
        control: Sequence[float] | None,
        limit: Limit,
    ) -> Generator[None, None, float]:
        """Return what a candidate makes of an opening in all roles."""
        players, points = self._game.players, []
        for role in players:
            seats = [self._baseline] * len(self._game.roles)
            seats[role] = search
            goals = yield from self._match(seats, opening, limit)
            # With other numbers of roles than two there is no opponent to be compared with.
            other = goals[sum(players) - role] if control is None else control[role]
            points.append(0.5 + (goals[role] - other) / 200)
        return float(np.mean(points))

    def _match(
        self, seats: Sequence[GameSearch], opening: Opening, limit: Limit
    ) -> Generator[None, None, list[float]]:
        """Play a match; return the goals."""
        for search in set(seats):
            search.forget()
        state, moves = self._game.initial_state(), iter(opening)
        # The same luck for all that play from an opening.
        luck = np.random.default_rng([self._seed, self._played])
        while not state.is_terminal and all(state.legal_moves):
            yield
            drawn = next(moves, None)
            joint = drawn or [
                int(luck.choice(legal))
                if role == self._game.chance
                else (seats[role].search(state, role, limit).move if len(legal) > 1 else legal[0])
                for role, legal in enumerate(state.legal_moves)
            ]
            state = state.next(joint)
        return [0.0 if goal is None else float(goal) for goal in state.goals]
