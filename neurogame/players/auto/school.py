"""Learning on where time is left: in the rest of a start clock, and while opponents think.

Learning goes on until it has taken twice as long as when something was last made of it. Then what
has been learned takes the place of what was learned before, if that plays; if another search
plays, it has to beat that one in short matches first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, final

from neurogame.players.auto.candidate import Candidate
from neurogame.players.race import Race
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game
from neurogame.waiting import say

if TYPE_CHECKING:
    from neurogame.learn.self_teaching import SelfTeaching

_LEAST = 3.0
"""Seconds of learning, of all matches together, before something is made of it."""
_MOVE = Limit(seconds=0.02)
"""Of a search in trials: somebody may call at any time."""
_SURE, _FEWEST, _MOST = 1.64, 5, 30
"""Standard errors by which what has been learned must be ahead, in at least and at most so many
rounds of trials."""


@final
class School:
    """Learns on for a match, and says when what it has learned shall play.

    Attributes:
        playing: who plays.
    """

    def __init__(
        self,
        game: Game,
        teaching: SelfTeaching,
        make: Callable[[], Candidate | None],
        *,
        playing: Candidate,
        is_learned: bool,
        plies: int,
        seed: int,
    ) -> None:
        """Take what was chosen.

        Args:
            game: the game.
            teaching: what has begun to learn it.
            make: makes a search with what has been learned by then; None if that is impossible.
            playing: who was chosen.
            is_learned: whether that one plays by what was learned.
            plies: random ones at the beginning of matches in trials, at least 0.
            seed: decides them.
        """
        self.playing = playing
        self._game, self._teaching, self._make = game, teaching, make
        self._is_learned, self._plies, self._seed = is_learned, plies, seed
        self._lessons = self._all_lessons()

    def spend(self, stop: Callable[[], bool]) -> bool:
        """Learn on, or play trials, until told to stop, or there is nothing left to be gained.

        Args:
            stop: whether to return; called about every 20 ms, but when a search is made.

        Returns:
            Whether :attr:`playing` has changed.
        """
        before = self.playing
        while not stop():
            if next(self._lessons, True):
                break
        return self.playing is not before

    def keep(self) -> None:
        """Keep what was learned for matches to come."""
        self._teaching.keep()

    def _all_lessons(self) -> Iterator[bool]:
        """Learn and play trials; yield after each moment whether there is something new."""
        # Imported here: who plays without learning needs nothing of that room.
        from neurogame.learn.self_teaching import ENOUGH

        teaching = self._teaching
        while teaching.seconds < ENOUGH:
            end = min(max(2 * teaching.seconds, _LEAST), ENOUGH)
            while teaching.seconds < end:
                teaching.learn_a_little()
                yield False
            candidate = self._make()
            if candidate is None:
                return
            if not self._is_learned:
                yield from self._trials(candidate)
            if self._is_learned:
                say(f"{self._game.name}: plays by what it has learned in {end:.0f} s")
                self.playing = candidate
                yield True

    def _trials(self, candidate: Candidate) -> Iterator[bool]:
        """Let what has been learned play against who plays, until it has won, or will not."""
        race = Race(
            self._game,
            self.playing.searcher,
            {candidate.name: candidate.searcher},
            plies=self._plies,
            seed=self._seed,
        )
        for _ in race.steps(_MOVE, _MOST):
            yield False
            if race.racers[0].is_ahead(_SURE, _FEWEST):
                self._is_learned = True
                return
