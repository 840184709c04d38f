"""How strong the releases of a training run are, measured beside the run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, final

from neurogame.arena.exact_positions import ExactPositions, ValueKept, exact_positions
from neurogame.arena.forecasts import Forecasts, forecasts
from neurogame.arena.run_head import strength_rows, strength_words
from neurogame.arena.yardstick import MCTS, Yardstick
from neurogame.aside import Aside
from neurogame.evaluators.base import Evaluator
from neurogame.learn.comparison import Comparison
from neurogame.learn.recipe import GameLengths, random_lengths
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game

UNTRAINED_DEPTH, MCTS_DEPTH = 2, 3
"""Plies that releases look ahead against the untrained evaluator and against tree search."""

_MOST_MATCHES, _COUNTED_MATCHES = 60, 20
"""Matches of a measurement at most: in so many seconds, and where matches are counted."""
_COUNTED_PLIES = 130
"""Plies of a match up to which a counted measurement has all of its matches. The time for a match
against tree search grows with their square: every simulation of every move goes to the end."""
_PATIENCE = 1.0
"""Seconds that a move under way may take to notice that nobody wants it any more."""
_EXACT = 200
"""Positions with proved values, at most."""


def counted_matches(plies: float) -> int:
    """Return how many matches measure a release where matches are counted, and not seconds.

    Args:
        plies: of a match, on average.

    Returns:
        An even number; 0 where one match would take too long.
    """
    share = min(1.0, (_COUNTED_PLIES / max(plies, 1.0)) ** 2)
    return int(_COUNTED_MATCHES * share) // 2 * 2


@final
@dataclass(frozen=True, kw_only=True)
class ReleaseStrength:
    """What a release came to.

    Attributes:
        seconds: of learning.
        untrained: against the untrained goal networks; None for these themselves, and in games
            that have not two roles.
        mcts: against Monte-Carlo tree search with 1000 simulations; None in such games.
        exact: how often its move one ply ahead keeps the proved value of positions of random play
            in which some move loses something; None where too few are proved.
        forecasts: how well its values foresee fresh games with itself; None where that is not
            known.
    """

    seconds: float
    untrained: Comparison | None
    mcts: Comparison | None
    exact: ValueKept | None
    forecasts: Forecasts | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dictionary."""
        parts = {name: part for name, part in vars(self).items() if name != "seconds"}
        told = {name: part and part.to_json() for name, part in parts.items()}
        return {"seconds": self.seconds, **told}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> ReleaseStrength:
        """Return what :meth:`to_json` has written."""
        untrained, mcts, exact = (values[name] for name in ("untrained", "mcts", "exact"))
        # Older files tell nothing of forecasts.
        foreseen = values.get("forecasts")
        return cls(
            seconds=float(values["seconds"]),
            untrained=Comparison.from_json(untrained) if untrained else None,
            mcts=Comparison.from_json(mcts) if mcts else None,
            exact=ValueKept.from_json(exact) if exact else None,
            forecasts=Forecasts.from_json(foreseen) if foreseen else None,
        )

    def text(self) -> str:
        """Return a few words for a progress bar."""
        return strength_words(self.to_json())


def strength_of_run(folder: Path) -> list[ReleaseStrength]:
    """Return what is known of the strength of a run's releases, in order.

    Args:
        folder: of the run.

    Raises:
        CheckpointError: a row is no measurement.
    """
    return strength_rows(folder, ReleaseStrength.from_json)


@final
class StrengthMeter:
    """Measures releases in a thread of its own, one after the other; compiled code runs beside.

    Openings and seeds are used for nothing else. A measurement ends with its matches, when its
    time is over, or when all are to stop: between two plies, and a search with its time. Only
    matches that have ended count, so slow games have few, or none.
    """

    def __init__(
        self,
        game: Game,
        untrained: Evaluator,
        *,
        seed: int,
        seconds: float = math.inf,
        matches: int = _MOST_MATCHES,
        until: float = math.inf,
        found: Callable[[ReleaseStrength], None] = lambda strength: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with no release.

        Args:
            game: what is played.
            untrained: the goal networks before any learning.
            seed: of the run.
            seconds: that one measurement against one opponent may take.
            matches: that it has at most; at least 1.
            until: when all are over at the latest, by ``clock``.
            found: told of each measurement when it is finished, in the thread of the meter.
            clock: tells seconds.
        """
        self._game, self._untrained = game, untrained
        self._seed, self._seconds, self._count = seed, seconds, matches
        self._until, self._clock, self._tell = until, clock, found
        self._thread, self._stopped = Aside(), False
        self._exact: ExactPositions | None = None
        self._lengths: GameLengths | None = None
        self._found: list[Future[ReleaseStrength]] = []

    def measure(self, evaluator: Evaluator, seconds: float) -> None:
        """Measure a release when its turn comes.

        Args:
            evaluator: must not change any more.
            seconds: of learning.
        """
        work = partial(self._measure, evaluator, seconds, len(self._found))
        self._found.append(self._thread.submit(work))

    def latest(self) -> ReleaseStrength | None:
        """Return the last measurement that is finished."""
        done = self.finished()
        return done[-1] if done else None

    def finished(self) -> list[ReleaseStrength]:
        """Return the measurements that are finished, in order."""
        return [measurement.result() for measurement in self._found if measurement.done()]

    @property
    def waiting(self) -> int:
        """How many measurements are not finished."""
        return sum(not measurement.done() for measurement in self._found)

    @property
    def is_over(self) -> bool:
        """Whether the time for all of them is over."""
        return self._stopped or self._clock() >= self._until

    def close(self) -> list[ReleaseStrength]:
        """Begin no further match, end those under way, and return what is finished."""
        self._stopped = True
        self._thread.close(_PATIENCE)
        return self.finished()

    def _measure(self, evaluator: Evaluator, seconds: float, number: int) -> ReleaseStrength:
        game, seed = self._game, 1_000_003 * (self._seed + 1)
        lengths = self._lengths = self._lengths or random_lengths(game)
        if number == 0 and len(game.players) == 2:
            # Games that go on for longer than most have ends within reach.
            self._exact = exact_positions(
                game, _EXACT, seed, longest=lengths.reach, left=self._left()
            )
        strength = ReleaseStrength(
            seconds=seconds,
            # First, as they take a second or so, while matches take what there is.
            forecasts=forecasts(game, evaluator, seed, lengths=lengths, left=self._left()),
            untrained=self._matches(evaluator, self._untrained, UNTRAINED_DEPTH, number),
            mcts=self._matches(evaluator, MCTS, MCTS_DEPTH, number),
            exact=None if self._exact is None else self._exact.kept_by(evaluator),
        )
        self._tell(strength)
        return strength

    def _left(self) -> Callable[[], float]:
        """Return what tells the seconds left to what begins now."""
        until = min(self._clock() + self._seconds, self._until)
        return lambda: 0.0 if self._stopped else until - self._clock()

    def _matches(
        self, evaluator: Evaluator, opponent: Evaluator | str, depth: int, number: int
    ) -> Comparison | None:
        """Play as many matches as the time allows; none of an evaluator with itself."""
        if opponent is evaluator or len(self._game.players) != 2:
            return None
        yardstick = Yardstick(
            game=self._game,
            matches=self._count,
            seed=1_000_003 * (self._seed + 1) + number,
            limit=Limit(depth=depth),
        )
        return yardstick.measure(evaluator, opponent, left=self._left())
