"""What every training run does: rounds until its end, files that survive a stop and a kill."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, Protocol

from neurogame.aside import Aside, LeftBehindError
from neurogame.errors import CheckpointError, ConfigurationError
from neurogame.first_use import working_time
from neurogame.learn.checkpoints.checkpoint import Checkpoint, empty_checkpoint
from neurogame.learn.counters import Counters
from neurogame.learn.run_folder import RunFolder
from neurogame.simulate.first_state import check_first_state
from neurogame.simulate.game import Game

_SAVE_SECONDS = 20.0
_PATIENCE = 2.0
"""Seconds that a round may still take once it is to end."""


class Ends(Protocol):
    """What says when a run is over."""

    @property
    def games(self) -> int | None:
        """Games after which it ends."""

    @property
    def seconds(self) -> float | None:
        """Seconds of training after which it ends."""


class TrainingRun(ABC):
    """A run on one game; what a round does, and what is kept of it, is said by who extends this.

    Attributes:
        game: what is played.
        folder: where logs and checkpoints go.
        seed: of the run.
        cores: pieces of work in a round.
        results: evaluations so far, oldest first.
        saved: hash of the last file; empty if there is none yet.
        stop_requested: whether the run is to end after the present round.
        is_due: whether matches that decide on a release were cut by the stop: a resumed run begins
            with them.
        learn_until: when learning ends at the latest, by
            :func:`~neurogame.first_use.working_time`; what measures then ends soon.
        end: when the run has to be over, likewise.
        is_cut: whether a round was left behind because it would have taken too long; what was
            learned since the last file is then lost.
    """

    def __init__(
        self, game: Game, ends: Ends, folder: RunFolder, seed: int, cores: int = 1
    ) -> None:
        """Begin a run.

        Args:
            game: what is played.
            ends: when it is over.
            folder: where logs and checkpoints go; must exist.
            seed: of the run.
            cores: pieces of work in a round.

        Raises:
            ConfigurationError: the run would have no end.
            GameError: the game is over before it begins.
        """
        check_first_state(game, "there is nothing to learn")
        if ends.seconds is None and ends.games is None:
            raise ConfigurationError("training without an end: give seconds or games")
        self.game, self.folder, self.seed, self.cores = game, folder, seed, cores
        self.results: list[dict[str, Any]] = []
        self.stop_requested = self.is_cut = self.is_due = False
        self.learn_until = self.end = math.inf
        self._stopped_at = math.inf
        self._ends = ends
        self._empty = empty_checkpoint(game)
        self.saved = ""
        self._parent: str | None = None
        self._saved_at = time.monotonic()

    @property
    @abstractmethod
    def counters(self) -> Counters:
        """How far the run is."""

    @abstractmethod
    def round(self) -> dict[str, Any]:
        """Play and learn once; return a row of numbers, ``games`` and ``seconds`` among them."""

    @abstractmethod
    def checkpoint(self, *, resumable: bool) -> Checkpoint:
        """Return what the run has come to.

        Args:
            resumable: with all that is needed to go on.
        """

    def _checkpoint_with(self, rule: str, **learned: Any) -> Checkpoint:
        """Return a checkpoint with what every run keeps.

        Args:
            rule: what random choices follow from.
            learned: all its other fields.
        """
        return replace(
            self._empty,
            random={"rule": rule, "seed": self.seed},
            counters=asdict(self.counters),
            logs=self.folder.log_sizes(),
            results=list(self.results),
            parent=self._parent,
            **learned,
        )

    def _row(self) -> dict[str, Any]:
        """Return how far the run is, as a row of numbers."""
        counters = self.counters
        return {
            "round": counters.rounds,
            "games": counters.matches,
            "plies": counters.plies,
            "seconds": counters.seconds,
            "games_per_second": counters.matches / max(counters.seconds, 1e-9),
        }

    def request_stop(self) -> None:
        """Let the present round finish, then save and stop."""
        if not self.stop_requested:
            self._stopped_at = time.monotonic()
        self.stop_requested = True

    @property
    def total(self) -> float:
        """Games or seconds of the whole run."""
        return float(self._ends.games or self._ends.seconds or 0)

    @property
    def done(self) -> float:
        """Games or seconds so far, at most :attr:`total`."""
        counters = self.counters
        now = counters.matches if self._ends.games is not None else counters.seconds
        return min(float(now), self.total)

    def finished(self) -> bool:
        """Return whether the run has reached its number of games or seconds, or its end."""
        games, seconds = self._ends.games, self._ends.seconds
        if games is not None and self.counters.matches >= games:
            return True
        if working_time() >= self.learn_until:
            return True
        return seconds is not None and self.counters.seconds >= seconds

    def run(self, report: Callable[[dict[str, Any]], None] = lambda row: None) -> None:
        """Train until the end of the run or until a stop is requested; then save.

        Rounds are played in a thread of their own: one that goes on for long after it should have
        ended is not waited for.

        Args:
            report: called after each round with its row of numbers.
        """
        aside = Aside()
        try:
            if not self.folder.latest.exists():
                self.save()  # So that a run killed at once can be resumed, too.
            while not self.stop_requested and not self.finished():
                report(aside.do(self.round, self._is_late))
                if time.monotonic() - self._saved_at > _SAVE_SECONDS:
                    self.save()
            if not self.stop_requested:
                aside.do(self.look_back, self._is_late)
            self.save()
        except LeftBehindError:
            self.is_cut = True
        finally:
            aside.close(0.0)
            self.folder.close()

    def look_back(self) -> None:
        """Make up for what the end of a run does, where a former part of the run did not get there.

        That is so where a run that is resumed has reached its end already. Here nothing is missing.
        """
        return

    def _is_late(self) -> bool:
        """Return whether a round under way is no longer to be waited for."""
        return working_time() >= self.end or time.monotonic() >= self._stopped_at + _PATIENCE

    def save(self) -> str:
        """Write ``latest.pt``, from which the run can go on, and return its hash."""
        self._saved_at = time.monotonic()
        self.saved = self.folder.save_latest(self.checkpoint(resumable=True))
        return self.saved

    def _note(self, resumed: Checkpoint) -> dict[str, Any]:
        """Take over what every run keeps; return what else is kept of one of this kind.

        Raises:
            CheckpointError: the checkpoint belongs to another game, or cannot be resumed from.
        """
        if resumed.signature != self._empty.signature:
            raise CheckpointError("the checkpoint to resume from belongs to another game")
        if resumed.optimiser is None:
            raise CheckpointError("the checkpoint is without the state needed to resume")
        self.results = list(resumed.results)
        self._parent = self.saved = resumed.hash
        return resumed.optimiser
