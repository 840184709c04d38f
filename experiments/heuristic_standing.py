"""How heuristics stand in a match: which are searched with, judged by what they foretold.

*Reference:* Kuhlmann and Stone, "Automatic heuristic construction for general game playing" (2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Float64s
from neurogame.evaluators.heuristic.heuristic import blind, value_range
from neurogame.features.evidence import FeatureEvidence
from neurogame.features.play import PHASES
from neurogame.players.heuristic.ranking import RankedHeuristic, rank
from neurogame.simulate.game import Game

_PRIOR = 4.0
"""Changes, as large as what a heuristic's expectation varies by in random games, that are reckoned
with besides those that have been seen: few do not say much."""

_TRUST = 0.1
"""How much agreement counts beside the strength: a match has few moves, random games are many."""


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Contender:
    """A heuristic with what random games let expect of it, for one role.

    Attributes:
        ranked: the heuristic, and its strength in all quarters of the game.
        quarters: the same for each quarter; float64 ``[PHASES]``.
        offset: the goal, 0..1, that may be expected where the heuristic's value is 0.
        slope: by how much more for every unit of its value; at least 0.
        spread: standard deviation of the goal that may be expected, in states of random games.
        range: the least and the most of its value.
    """

    ranked: RankedHeuristic
    quarters: Float64s
    offset: float
    slope: float
    spread: float
    range: tuple[float, float]

    @property
    def strength(self) -> float:
        """Correlation with the role's goal at the end, averaged over quarters; in -1..1."""
        return self.ranked.strength

    def expected(self, value: float) -> float:
        """Return the goal, 0..1, that may be expected where a search has found a value.

        So values of different heuristics can be compared. What lies outside a heuristic's range
        is no estimate but a goal.
        """
        low, high = self.range
        if value < low - 1e-6 or value > high + 1e-6:
            return value
        return min(max(self.offset + self.slope * value, low), high)


def contenders(game: Game, evidence: FeatureEvidence | None, role: int) -> tuple[Contender, ...]:
    """Return the heuristics of a role, the strongest first.

    Args:
        game: the game.
        evidence: on its features; None: there are none, and all states are worth the same.
        role: the role.
    """
    goals = game.circuit.goal_values[role] or (0, 100)
    if evidence is None:
        one = RankedHeuristic(heuristic=blind(game)[role], strength=0.0)
        none = np.zeros(PHASES)
        own = value_range(goals)
        return (Contender(ranked=one, quarters=none, offset=0, slope=1, spread=0, range=own),)
    number = {id(feature): k for k, feature in enumerate(evidence.features)}
    goal = len(number) + role
    spreads = np.sqrt(np.maximum(np.diagonal(evidence.covariance), 0.0))
    made = []
    for one in rank(evidence, role):
        k, sign = number[id(one.heuristic.feature)], 1.0 if one.heuristic.maximise else -1.0
        base, rise = one.heuristic.line(goals)
        varies = spreads[k] > 1e-9 and rise != 0
        moved = float(evidence.covariance[k, goal] / spreads[k] ** 2) if varies else 0.0
        # With the sign of the direction: who maximises believes that more is better.
        slope = abs(moved / rise) if varies else 0.0
        mean = base + rise * float(evidence.mean[k])
        made.append(
            Contender(
                ranked=one,
                quarters=sign * evidence.phases[:, k, role],
                offset=float(evidence.mean[goal]) - slope * mean,
                slope=slope,
                spread=abs(moved) * float(spreads[k]),
                range=value_range(goals),
            )
        )
    return tuple(made)


def quarter_of(plies_left: float, plies: float) -> int:
    """Return which quarter of the game it is, 0 to ``PHASES - 1``.

    Args:
        plies_left: mean length of random games from here on.
        plies: mean length of random games.
    """
    passed = 1 - plies_left / plies if plies > 0 else 0.0
    return min(max(int(PHASES * passed), 0), PHASES - 1)


@final
class Standing:
    """Keeps heuristics that have foretold what came, and tries others in the place of the rest.

    A heuristic announces a *gain*: by how much the goal that may be expected grows from the present
    state to the end of its principal line. At the next move it is seen by how much it has grown.
    Their *agreement* is the sum of the products of both by the mean of the sums of their squares,
    from -1, where the reverse has always come, to 1, where all has come true; 0 for a heuristic
    that foretells nothing. The *worth* of a heuristic is its strength in random games, from this
    quarter of the game to the last, times 1 plus a tenth of the agreement.

    Attributes:
        ranked: the heuristics, the strongest first.
    """

    def __init__(self, ranked: Sequence[Contender], seed: int) -> None:
        """Begin a match.

        Args:
            ranked: the heuristics, the strongest first; at least one.
            seed: decides who is tried.
        """
        self.ranked = tuple(ranked)
        self._random = np.random.default_rng(seed & (1 << 64) - 1)
        self._products = np.zeros(len(ranked))
        self._squares = np.zeros(len(ranked))
        self._announced: dict[int, tuple[float, float]] = {}

    @property
    def announced(self) -> tuple[int, ...]:
        """The heuristics that have announced something and were not asked since."""
        return tuple(self._announced)

    def worth(self, quarter: int | None) -> Float64s:
        """Return the worth of each heuristic, at least 0; float64 ``[H]``.

        Args:
            quarter: of the game, 0 to 3: those that are over do not count; None: all do.
        """
        strength = np.array(
            [
                one.strength if quarter is None else one.quarters[quarter:].mean()
                for one in self.ranked
            ]
        )
        spread = np.array([one.spread for one in self.ranked])
        agreement = self._products / (self._squares + _PRIOR * np.square(spread) + 1e-12)
        worth: Float64s = np.maximum(strength, 0.0) * (1 + _TRUST * agreement)
        return worth

    def choose(self, count: int, quarter: int | None) -> list[int]:
        """Return the heuristics to search with, the one of the most worth first.

        The last one, if there are several, is drawn at random from those that are not chosen, by
        the squares of their worth; so others have a chance. If there are fewer than wanted they
        are named again.

        Args:
            count: how many, at least 1.
            quarter: see :meth:`worth`.
        """
        worth = self.worth(quarter)
        # Equal ones in the order of their rank.
        order = np.argsort(-worth, kind="stable").tolist()
        kept = order[: max(count - 1, 1)]
        left = order[len(kept) :]
        chances = np.square(worth[left])
        if len(kept) < count and chances.sum() > 0:
            kept.append(int(self._random.choice(left, p=chances / chances.sum())))
        return [kept[place % len(kept)] for place in range(count)]

    def announce(self, number: int, now: float, gain: float) -> None:
        """Note what a heuristic announces.

        Args:
            number: of the heuristic.
            now: goal, 0..1, that it says may be expected in the present state, without search.
            gain: by how much it says that this will grow.
        """
        self._announced[number] = now, gain

    def see(self, number: int, now: float) -> None:
        """Compare what a heuristic announced with what has come, and forget it.

        Args:
            number: of the heuristic.
            now: goal, 0..1, that it says may be expected in the present state, without search.
        """
        before, gain = self._announced.pop(number)
        came = now - before
        self._products[number] += gain * came
        self._squares[number] += (gain * gain + came * came) / 2
