"""What players that search have in common: an evaluator, a limit, and a search that lives a match.

Before the clocks run, a search looks at the game for a moment, so that it knows how long things
take, and a new evaluator may be refined by self-play as far as the time allows.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias, final

from neurogame.evaluators.base import Evaluator
from neurogame.players.started import started
from neurogame.search.home_search import GameSearch
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State
from neurogame.simulate.game_mapping import GameMapping
from neurogame.waiting import during, say

if TYPE_CHECKING:
    from neurogame.learn.matches.learner import MatchLearner

FindHome: TypeAlias = Callable[[Game], GameMapping]
"""Says how the game of a match is numbered where something has learned it."""

DEFAULT_LIMIT = Limit(seconds=1)
"""How long a player thinks about a move where neither it nor the match says anything."""

_FIRST_LOOK = 0.1
"""Seconds that a search looks at a game before the clocks run."""
_REFINING = 0.6
"""Share of the time left that refinement may take: a search is still to be compiled."""


@final
@dataclass(frozen=True, kw_only=True)
class Outfit:
    """What a player that searches brings along, whatever its search.

    Attributes:
        name: its player string.
        limit: its own limit; the stricter of this and the match's counts.
        source: makes the evaluator of a game from a seed; None: there is none.
        fresh: whether to make a new evaluator for every match, with the match's seed; otherwise it
            is made once per game with seed 0.
        refine: seconds of self-play by which a new evaluator is refined before the first match; in
            a start clock no more than fits.
        learn: makes what learns from the matches of a game, and has the evaluator to play with;
            None: nothing is learned.
        home: finds the game that the source, or a judge, has learned, for which all else is made
            then; None: the source makes evaluators of any game.
    """

    name: str
    limit: Limit | None = None
    source: Callable[[Game, int], Evaluator] | None = None
    fresh: bool = False
    refine: float = 0.0
    learn: Callable[[Game], MatchLearner] | None = None
    home: FindHome | None = None


class SearchPlayer(ABC):
    """A player that searches; its tree lives as long as the match.

    Attributes:
        last: the result of the last search of this match, or None.
        report: what was done before the match, as text for people; empty if that was nothing.
    """

    HEEDED: ClassVar[tuple[str, ...]]
    """The fields of a limit that end a search of this kind."""

    def __init__(self, outfit: Outfit) -> None:
        """Make a player.

        Args:
            outfit: what it brings along.
        """
        self.report = ""
        self.last: SearchResult | None = None
        self._outfit = outfit
        self._mapping: GameMapping | None = None
        self._learner: MatchLearner | None = None
        self._values: dict[State, tuple[float, ...]] = {}
        self._limit = self._expected = outfit.limit or Limit()
        self._given: Game | None = None
        self._game: Game | None = None
        self._role = 0
        self._evaluator: Evaluator | None = None
        self._search: GameSearch | None = None

    @property
    def name(self) -> str:
        """The player string."""
        return self._outfit.name

    def start(self, match: MatchStart) -> None:
        """Prepare a match; see :class:`neurogame.players.player.Player`."""
        game, outfit = match.game, self._outfit
        end = None if match.seconds is None else time.monotonic() + match.seconds
        is_new = game is not self._given
        self._expected = self._heeded(match.limit)
        self._values = {}
        if self._learner is not None and not is_new:
            self._learner.refresh()
        if is_new:
            self.report = ""
            self._settle(game)
        home = game if self._mapping is None else self._mapping.home
        if self._learner is not None:
            self._evaluator = self._learner.evaluator
        elif outfit.source is not None and (self._evaluator is None or outfit.fresh or is_new):
            evaluator = outfit.source(home, match.seed if outfit.fresh else 0)
            self._evaluator, self.report = _refined_in_time(
                home, evaluator, outfit.refine, match.seed, end
            )
        self._search = self._make_search(home, match, end)
        self._given, self._game, self._role, self.last = game, home, match.role, None
        if end is not None:
            state = game.initial_state()
            if all(state.legal_moves):
                self._use_start(state, end)

    def _settle(self, game: Game) -> None:
        """Find how a new game is numbered by what has learned it, or learns it."""
        mapping = None
        if self._outfit.learn is not None:
            self._learner = self._outfit.learn(game)
            mapping = self._learner.mapping
        elif self._outfit.home is not None:
            mapping = self._outfit.home(game)
        is_home = mapping is None or mapping.home.circuit.key == game.circuit.key
        self._mapping = None if is_home else mapping

    def _use_start(self, state: State, end: float) -> None:
        """Use what is left of the seconds to get ready in.

        Args:
            state: the initial state, in which every role has a legal move.
            end: when they are over, as ``time.monotonic`` tells it.
        """
        started(self._search, self.name, "start").rehearse(state, self._role, _FIRST_LOOK)

    @abstractmethod
    def _make_search(self, game: Game, match: MatchStart, end: float | None) -> GameSearch:
        """Return the search for a match; ``_game`` is still the game of the match before.

        Args:
            game: the game, as it is numbered by what has learned it; ``_mapping`` leads from there
                to the game of the match, or is None.
            match: the match.
            end: when its seconds to get ready in are over, as ``time.monotonic`` tells it, or None.
        """

    def choose(self, state: State, limit: Limit) -> int:
        """Search and return the best move found.

        Args:
            state: the present, non-terminal state.
            limit: the match's limit; what is not in :attr:`HEEDED` is not looked at.

        Raises:
            PlayerError: ``start`` was not called.
        """
        search = started(self._search, self.name, "choose")
        self.last = search.search(state, self._role, self._heeded(limit))
        if self._learner is not None:
            self._values[state] = self.last.value
        return self.last.move

    def _heeded(self, limit: Limit | None) -> Limit:
        """Return the limit of a search in a match; there always is one."""
        merged = self._limit if limit is None else self._limit.merged(limit)
        is_none = all(getattr(merged, field) is None for field in self.HEEDED)
        return DEFAULT_LIMIT if is_none else merged

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        """Search until told to stop; the next :meth:`choose` goes on from there.

        Args:
            state: the present, non-terminal state.
            stop: whether to return.

        Raises:
            PlayerError: ``start`` was not called.
        """
        started(self._search, self.name, "ponder").ponder(state, self._role, stop)

    def stop(self) -> None:
        """Drop the search tree; the evaluator stays for the next match."""
        self._search = None

    @property
    def is_learning(self) -> bool:
        """Whether the player learns from its matches."""
        return self._learner is not None

    def observe(self, states: Sequence[State]) -> None:
        """Learn from a match, if the player learns; see :class:`~.player.Observer`.

        Raises:
            CheckpointError: the file to learn into cannot be had.
            ConfigurationError: it cannot be written.
        """
        if self._learner is None:
            return
        # Imported here: who learns nothing needs nothing of the learning room.
        from neurogame.learn.matches.learner import PlayedMatch

        values, mapping = self._values, self._mapping
        if mapping is not None:
            states = [mapping.home_state(state) for state in states]
            values = {mapping.home_state(s): mapping.home_values(v) for s, v in values.items()}
        self._learner.observe(PlayedMatch(states=states, values=values))
        self._learner.learn()


def _refined_in_time(
    game: Game, evaluator: Evaluator, seconds: float, seed: int, end: float | None
) -> tuple[Evaluator, str]:
    """Return what self-play makes of an evaluator, and a line about it for people."""
    if end is not None:
        seconds = min(seconds, _REFINING * (end - time.monotonic()))
    if seconds <= 0:
        return evaluator, ""
    # Imported here: who refines nothing needs nothing of the learning room.
    from neurogame.learn.refine import refine_evaluator

    with during(f"{game.name}: an evaluator is refined by self-play", seconds):
        refinement = refine_evaluator(game, evaluator, seconds, seed)
    if refinement is None:
        return evaluator, "not refined: too little time for this game"
    say(f"{game.name}: {refinement}")
    return refinement.evaluator, str(refinement)
