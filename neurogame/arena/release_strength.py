"""How strong the releases of a training run are, measured beside the run."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, final

from neurogame.arena.yardstick import MCTS, Yardstick
from neurogame.evaluators.base import Evaluator
from neurogame.learn.comparison import Comparison
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game

UNTRAINED_DEPTH, MCTS_DEPTH = 2, 3
"""Plies that releases look ahead against the untrained evaluator and against tree search."""

_MOST_MATCHES = 60


@final
@dataclass(frozen=True, kw_only=True)
class ReleaseStrength:
    """What a release came to.

    Attributes:
        seconds: of learning.
        untrained: against the untrained goal networks; None for these themselves.
        mcts: against Monte-Carlo tree search with 1000 simulations.
    """

    seconds: float
    untrained: Comparison | None
    mcts: Comparison

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dictionary."""
        return asdict(self)

    def text(self) -> str:
        """Return a few words for a progress bar."""
        against = "" if self.untrained is None else f"{100 * self.untrained.score:.0f}% untrained, "
        return f"{against}{100 * self.mcts.score:.0f}% mcts"


@final
class StrengthMeter:
    """Measures releases in a thread of its own, one after the other; compiled code runs beside.

    Openings and seeds are used for nothing else. A measurement ends when its time is over, so slow
    games get few matches.
    """

    def __init__(self, game: Game, untrained: Evaluator, *, seed: int, seconds: float) -> None:
        """Begin with no release.

        Args:
            game: what is played.
            untrained: the goal networks before any learning.
            seed: of the run.
            seconds: that one measurement against one opponent may take, about.
        """
        self._game, self._untrained = game, untrained
        self._seed, self._seconds = seed, seconds
        self._thread = ThreadPoolExecutor(1)
        self._found: list[Future[ReleaseStrength]] = []

    def measure(self, evaluator: Evaluator, seconds: float) -> None:
        """Measure a release when its turn comes.

        Args:
            evaluator: must not change any more.
            seconds: of learning.
        """
        number = len(self._found)
        self._found.append(self._thread.submit(self._measure, evaluator, seconds, number))

    def latest(self) -> ReleaseStrength | None:
        """Return the last measurement that is finished."""
        done = [found.result() for found in self._found if found.done()]
        return done[-1] if done else None

    def all(self) -> list[ReleaseStrength]:
        """Wait for all measurements, and return them in order."""
        return [found.result() for found in self._found]

    @property
    def waiting(self) -> int:
        """How many measurements are not finished."""
        return sum(not found.done() for found in self._found)

    def close(self) -> None:
        """Measure nothing more."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _measure(self, evaluator: Evaluator, seconds: float, number: int) -> ReleaseStrength:
        is_first = evaluator is self._untrained
        return ReleaseStrength(
            seconds=seconds,
            untrained=None
            if is_first
            else self._matches(evaluator, self._untrained, UNTRAINED_DEPTH, number),
            mcts=self._matches(evaluator, MCTS, MCTS_DEPTH, number),
        )

    def _matches(
        self, evaluator: Evaluator, opponent: Evaluator | str, depth: int, number: int
    ) -> Comparison:
        """Play as many matches as the time allows: first two, to know how long they take."""
        seed = 1_000_003 * (self._seed + 1) + 2 * number
        started = time.monotonic()
        first = self._yardstick(2, seed, depth).measure(evaluator, opponent)
        each = (time.monotonic() - started) / 2
        count = min(_MOST_MATCHES, int(self._seconds / max(each, 1e-3))) // 2 * 2
        if count <= 2:
            return first
        return self._yardstick(count, seed + 1, depth).measure(evaluator, opponent)

    def _yardstick(self, matches: int, seed: int, depth: int) -> Yardstick:
        return Yardstick(game=self._game, matches=matches, seed=seed, limit=Limit(depth=depth))
