"""How heuristics stand in a match: which are searched with, judged by what they foretold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from neurogame.array_types import Float64s
from neurogame.players.heuristic.ranking import RankedHeuristic

_PRIOR = 4.0
"""Changes, as large as what a heuristic's expectation varies by in random games, that are reckoned
with besides those that have been seen: few do not say much."""

_TRUST = 0.1
"""How much agreement counts beside the strength: a match has few moves, random games are many."""


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

    def __init__(self, ranked: Sequence[RankedHeuristic], seed: int) -> None:
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
