"""Learning on where time is left: in the rest of a start clock, and while opponents think.

Learning goes on until it has taken half as long again as when something was last made of it. Then
what has been learned takes the place of what was learned before, if that plays; if another search
plays, what is believed of it is tried again in short matches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, final

from neurogame.players.auto.candidate import Candidate
from neurogame.players.belief import Belief, best_believed
from neurogame.players.race import Race, doublings
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game
from neurogame.waiting import say

if TYPE_CHECKING:
    from neurogame.learn.self_teaching import SelfTeaching

_LEAST = 3.0
"""Seconds of learning, of all matches together, before something is made of it."""
_GROWTH = 1.5
"""How many times as long learning must have taken for something to be made of it again: a search
begins with nothing then, so what it gives up must be paid for."""
_TRIAL = Limit(seconds=0.02)
"""Per move in trials: somebody may call at any time."""
_MOST = 12
"""Rounds of trials beyond which there are none."""


@final
class School:
    """Learns on for a match, and says when what it has learned shall play.

    Attributes:
        playing: who plays.
        making: seconds that it takes to make a search with what was learned.
    """

    def __init__(
        self,
        game: Game,
        teaching: Callable[[], SelfTeaching | None],
        make: Callable[[], Candidate],
        *,
        playing: Candidate,
        learned: Belief | None,
        making: float,
        plies: int,
        move_time: float,
        seed: int,
    ) -> None:
        """Take what was chosen.

        Args:
            game: the game.
            teaching: returns what learns it; None as long as that is not ready.
            make: makes a search with what has been learned by then.
            playing: who was chosen.
            learned: what is believed of what was learned; None: that is what plays.
            making: see above.
            plies: random ones at the beginning of matches in trials, at least 0.
            move_time: seconds per move in the match.
            seed: decides them.
        """
        self.playing, self.making = playing, making
        self._game, self._teaching, self._make = game, teaching, make
        self._learned, self._plies, self._seed = learned, plies, seed
        self._doublings = doublings(_TRIAL, Limit(seconds=move_time))
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

    def __str__(self) -> str:
        """Return a line for people."""
        return f"plays {self.playing.name}, {self._teaching() or 'still gets ready to learn'}"

    @property
    def seconds(self) -> float:
        """Seconds of a processor that learning has taken, before earlier matches too."""
        teaching = self._teaching()
        return 0.0 if teaching is None else teaching.seconds

    def release(self) -> None:
        """Let what has been learned by now play, where what was learned plays."""
        if self._learned is None:
            self.playing = self._make()
            say(f"{self._game.name}: {self}")

    def keep(self) -> None:
        """Keep what was learned for matches to come."""
        teaching = self._teaching()
        if teaching is not None:
            teaching.keep()

    def _all_lessons(self) -> Iterator[bool]:
        """Learn and play trials; yield after each moment whether to do something else."""
        # Imported here: who plays without learning needs nothing of that room.
        from neurogame.learn.self_teaching import ENOUGH

        while (teaching := self._teaching()) is None:
            yield True
        while teaching.seconds < ENOUGH:
            begun = max(teaching.seconds, 1.0)
            end = min(max(_GROWTH * teaching.seconds, _LEAST), ENOUGH)
            while teaching.seconds < end:
                teaching.learn_a_little()
                yield False
            if self._learned is not None:
                yield from self._trials(self._learned.learned_on(math.log2(end / begun)))
            if self._learned is None:
                self.release()
                yield True

    def _trials(self, belief: Belief) -> Iterator[bool]:
        """Let what has been learned play against who plays, and say what is believed of it then.

        Args:
            belief: in what has been learned, before that.
        """
        candidate = self._make()
        race = Race(
            self._game,
            self.playing.searcher,
            {candidate.name: candidate.searcher},
            plies=self._plies,
            seed=self._seed,
            priors={candidate.name: belief},
            doublings=self._doublings,
        )
        for _ in race.steps(_TRIAL, _MOST):
            yield False
        best = best_believed(race.racers)
        self._learned = race.racers[0].belief if best is None else None
