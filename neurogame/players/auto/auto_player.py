"""A player that looks at a game first and then decides how to play it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import final

from neurogame.errors import PlayerError
from neurogame.players.auto.choice import PlayerChoice, choose_player
from neurogame.players.player import Player, last_search
from neurogame.players.solve_player import SolvePlayer
from neurogame.players.spec import PlayerSpec
from neurogame.players.started import started
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.puzzles.solver import LARGE
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game, State
from neurogame.waiting import during, say

_REST, _LEAST_REST = 0.05, 0.4
"""Share of the given time, and at least so many seconds of at most half of it, for the start of who
was chosen and for what comes too late."""
_REMAKING = 1.5
"""What was learned may take so many times as long to be made again as it took at first."""


@final
class AutoPlayer:
    """Chooses a player for each game, once, and plays as that one.

    Attributes:
        last: the result of the last search of this match, or None.
        choice: of the game of this match; None before the first one, and where it solves.
        report: what was chosen and why, as text for people; empty before the first match.
    """

    def __init__(self, spec: PlayerSpec) -> None:
        """Make a player.

        Args:
            spec: its player string; its source is a folder of checkpoints, where trained ones are
                looked up by the structure of the rules, or empty.

        Raises:
            PlayerError: there is no such folder.
        """
        self.report = ""
        self._spec, self._options, self._limit = spec, spec.own, spec.limit
        self._folder = spec.path if spec.source else None
        if self._folder is not None and not self._folder.is_dir():
            raise PlayerError(f"player {spec}: there is no folder {spec.source!r} of checkpoints")
        self._game: Game | None = None
        self.choice: PlayerChoice | None = None
        self._playing: Player | None = None
        self._begin: Callable[[Player], None] = lambda player: None

    @property
    def name(self) -> str:
        """The player string."""
        return str(self._spec)

    @property
    def learned(self) -> float:
        """Seconds of a processor that it has learned the game for, before earlier matches too."""
        school = None if self.choice is None else self.choice.school
        return 0.0 if school is None else school.seconds

    @property
    def last(self) -> SearchResult | None:
        """The result of the last search of this match, or None."""
        return last_search(self._playing)

    def start(self, match: MatchStart) -> None:
        """Choose, if the game is a new one; see :class:`~neurogame.players.player.Player`."""
        game, seconds = match.game, match.seconds
        left = None if seconds is None else _rest(seconds) / 2
        if self._playing is None or game is not self._game:
            if len(game.roles) == 1 and game.circuit.gate_count <= LARGE:
                self._solve(game)
            else:
                self._choose_for(match)
        assert self._playing is not None
        if isinstance(self._playing, SolvePlayer):
            # Nothing is left to be chosen: all the time is for the line.
            left = self._options.prepare if seconds is None else seconds
        self._playing.start(replace(match, seconds=left))
        self._begin = lambda player: player.start(replace(match, seconds=None))

    def _solve(self, game: Game) -> None:
        """Take the player that solves: with one role there is nobody to be reckoned with."""
        self._game, self.choice = game, None
        self._playing = SolvePlayer(limit=self._limit)
        self.report = f"plays {self._playing.name} (one role)"
        say(f"{self.name}: {self.report}")

    def _choose_for(self, match: MatchStart) -> None:
        """Choose a player for a new game; what time is left goes into learning on."""
        game, seconds = match.game, match.seconds
        if seconds is None:
            # Compiling for the first time is not what these seconds are for.
            Mcts(game, settings=MctsSettings(capacity=2))
        left = self._options.prepare if seconds is None else seconds - _rest(seconds)
        end = time.monotonic() + left
        say(f"{self.name}: looks for the player that suits {game.name}, {left:.0f} s")
        self.choice = choice = choose_player(
            game,
            seconds=left,
            seed=match.seed,
            checkpoints=self._checkpoints(game),
            threads=self._options.threads,
            self_play=self._options.self_play,
            move_time=self._limit.merged(match.limit or Limit()).seconds,
        )
        self._game, self.report = game, str(choice)
        say(f"{self.name}: {choice.headline}")
        school = choice.school
        if school is not None:
            end -= _REMAKING * school.making
            left = end - time.monotonic()
            with during(f"{self.name}: learns on", left) if left >= 0.5 else nullcontext():
                school.spend(lambda: time.monotonic() >= end)
            school.release()
            school.keep()
            self.report += f"\nuntil the match: {school}"
        self._playing = choice.player if school is None else school.playing.player

    def _checkpoints(self, game: Game) -> list[Path]:
        """Return the checkpoints of a game, one for each kind of what they hold."""
        if self._folder is None:
            return []
        # Imported here: who plays without checkpoints needs nothing of the learning room.
        from neurogame.learn.checkpoints.folder import CheckpointFolder, holdings

        folder = CheckpointFolder(self._folder)
        folder.refresh()
        paths = (folder.find(game, holding=holding) for holding in holdings())
        return list(dict.fromkeys(filter(None, paths)))

    def choose(self, state: State, limit: Limit) -> int:
        """Return the move of the player that was chosen.

        Args:
            state: the present, non-terminal state.
            limit: the match's limit.

        Raises:
            PlayerError: ``start`` was not called.
        """
        return started(self._playing, self.name, "choose").choose(state, self._limit.merged(limit))

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        """Learn on, or let who plays think on.

        What has been learned may play from then on; see :class:`~.school.School`.

        Args:
            state: a non-terminal state.
            stop: whether to return.

        Raises:
            PlayerError: ``start`` was not called.
        """
        playing, choice = started(self._playing, self.name, "ponder"), self.choice
        school = None if choice is None else choice.school
        if school is not None and school.spend(stop):
            playing.stop()
            playing = self._playing = school.playing.player
            self._begin(playing)
            self.report += f"\nin the match: {school}"
        if not stop():
            playing.ponder(state, stop)

    def stop(self) -> None:
        """End the match; who plays, and what was learned, stay for the next one of the game."""
        if self._playing is not None:
            self._playing.stop()
        if self.choice is not None and self.choice.school is not None:
            self.choice.school.keep()


def _rest(seconds: float) -> float:
    """Return how much of the given time is neither for learning nor for the choice."""
    return max(_REST * seconds, min(_LEAST_REST, seconds / 2))
