"""Short matches of searches against a baseline, until it is decided whether one is better."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from neurogame.players.belief import UNTRIED, Belief, after_trials, best_believed
from neurogame.search.home_search import GameSearch
from neurogame.search.limit import Limit
from neurogame.search.openings import Openings
from neurogame.simulate.game import Game
from neurogame.splitmix import seed_word

CAPACITY = 50_000
"""Nodes of a tree search in a race: little memory, and quickly forgotten."""
MATCHES_PER_ROUND = 2
"""Matches of a round of two roles, of which there usually are as many."""
MOST_ROUNDS = 100
"""Rounds after which a race is over: more would tell apart what hardly differs."""


@final
@dataclass(kw_only=True)
class Racer:
    """How a candidate does in a race.

    Attributes:
        name: for people.
        rounds: what each round came to, 0..1: 0.5 is as good as the baseline. A round is a
            match in each role from a common opening.
        prior: what was believed of it before.
        doublings: see :func:`.after_trials`.
        beside: all that run in the same race, with this one; empty: it runs alone.
    """

    name: str
    rounds: list[float] = field(default_factory=list)
    prior: Belief = UNTRIED
    doublings: float = 0.0
    beside: Sequence[Racer] = field(default=(), repr=False, compare=False)

    @property
    def mean(self) -> float:
        """Mean of the rounds, 0.5 without any."""
        return float(np.mean(self.rounds)) if self.rounds else 0.5

    @property
    def belief(self) -> Belief:
        """What is believed of it after its rounds."""
        together = self.beside or (self,)
        beliefs = after_trials(
            [racer.prior for racer in together],
            [racer.rounds for racer in together],
            self.doublings,
        )
        return next(
            belief for racer, belief in zip(together, beliefs, strict=True) if racer is self
        )

    def told(self) -> tuple[str, str, str, str]:
        """Return what was expected, trials, what is believed and how surely it is better."""
        count, rounds = len(self.rounds), "round" if len(self.rounds) == 1 else "rounds"
        seen = f"{100 * self.mean:.0f} % in {count} {rounds}" if count else "none"
        belief = self.belief
        return str(self.prior), seen, str(belief), f"{100 * belief.better:.0f} %"

    def __str__(self) -> str:
        """Return the same as one line for people."""
        expected, trials, believed, better = self.told()
        return (
            f"{self.name}: expected {expected}, trials {trials}, believed {believed}, "
            f"better with {better}"
        )


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
        priors: Mapping[str, Belief] | None = None,
        doublings: float = 0.0,
    ) -> None:
        """Take who runs.

        Args:
            game: the game.
            baseline: the search to beat.
            candidates: the searches that run against it, by name.
            plies: random ones at the beginning of every match; at least 0.
            seed: decides the openings.
            priors: what is believed of them before, by name; None: that they are untried.
            doublings: see :func:`.after_trials`.
        """
        known = priors or {}
        self.racers = [
            Racer(name=name, prior=known.get(name, UNTRIED), doublings=doublings)
            for name in candidates
        ]
        for racer in self.racers:
            racer.beside = self.racers
        self._game, self._baseline = game, baseline
        self._seed = seed_word(seed)
        self._searches = candidates
        # The clock is running: nothing is searched for decided ones.
        self._openings = Openings(game, plies, seed, nodes=0)
        self._controls: list[list[float]] = []

    def run(self, limit: Limit, deadline: float, rounds: int = MOST_ROUNDS) -> None:
        """Play rounds until the time is out or it is decided who is better.

        Args:
            limit: of every search.
            deadline: when to stop, as ``time.monotonic`` tells it; a match under way is dropped.
            rounds: most rounds to play.
        """
        for _ in self.steps(limit, rounds):
            if time.monotonic() >= deadline:
                return

    def steps(self, limit: Limit, rounds: int = MOST_ROUNDS) -> Iterator[None]:
        """Play rounds until one is surely better, or none is left that may be.

        The next round is that of the candidate of whom most may be hoped, so that one that loses
        makes room for another. All play from the same openings. It yields before every move, so
        that it may be ended there.

        Args:
            limit: of every search.
            rounds: most rounds of a candidate.
        """
        while True:
            racing = [
                racer
                for racer in self.racers
                if len(racer.rounds) < rounds and not racer.belief.is_decided
            ]
            best = best_believed(self.racers)
            if not racing or (best is not None and best.belief.is_decided):
                return
            racer = max(racing, key=lambda racer: racer.belief.hope)
            racer.rounds.append((yield from self._round(racer, limit)))

    def _round(self, racer: Racer, limit: Limit) -> Generator[None, None, float]:
        """Return what a candidate makes of its next opening in all roles."""
        opening, search = len(racer.rounds), self._searches[racer.name]
        players, baseline = self._game.players, [self._baseline] * len(self._game.roles)
        two = len(players) == 2
        # With other numbers of roles than two there is no opponent to be compared with.
        if not two and opening == len(self._controls):
            self._controls.append((yield from self._match(baseline, opening, limit)))
        points = []
        for role in players:
            seats = baseline.copy()
            seats[role] = search
            goals = yield from self._match(seats, opening, limit)
            other = goals[sum(players) - role] if two else self._controls[opening][role]
            points.append(0.5 + (goals[role] - other) / 200)
        return float(np.mean(points))

    def _match(
        self, seats: Sequence[GameSearch], opening: int, limit: Limit
    ) -> Generator[None, None, list[float]]:
        """Play a match from the opening of a number; return the goals."""
        for search in set(seats):
            search.forget()
        state, moves = self._game.initial_state(), iter(self._openings[opening])
        # The same luck for all that play from an opening.
        luck = np.random.default_rng([self._seed, opening + 1])
        while all(state.legal_moves):
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


def doublings(tried: Limit, limit: Limit | None) -> float:
    """Return how often the effort of a trial has to be doubled to be that of a match, at least 0.

    Args:
        tried: limit of a search in trials, in seconds or in simulations.
        limit: of a search in the match; None: as in trials.
    """
    limit = limit or tried
    if tried.seconds is not None and limit.seconds is not None:
        return max(math.log2(limit.seconds / tried.seconds), 0.0)
    return max(math.log2((limit.simulations or 1) / (tried.simulations or 1)), 0.0)
