"""Learning for a match by self-play, in its start clock and while opponents think.

What is learned is kept from match to match. There is one checkpoint for each structural signature,
in the folder of the cache: the same game under other names finds it, and goes on learning from
where the last match left it.
"""

from __future__ import annotations

import contextlib
import copy
from dataclasses import asdict, replace
from pathlib import Path
from typing import final

import torch

from neurogame.errors import CheckpointError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.rules_network.evaluator import as_rules_network
from neurogame.files import put_aside
from neurogame.learn.checkpoints.checkpoint import (
    Checkpoint,
    empty_checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.learn.counters import Counters
from neurogame.learn.timed_learning import TimedLearner
from neurogame.simulate.game import Game
from neurogame.simulate.game_file import game_file
from neurogame.simulate.game_mapping import GameMapping

_NAME = "self-taught-1"
"""Its number changes whenever what is learned is to be learned anew."""
_STEP = 1_000_003
ENOUGH = 180.0
"""Seconds of learning, of all matches together, after which time is better spent on search."""


@final
class SelfTeaching:
    """What a player learns of a game by itself; not for several threads.

    Attributes:
        mapping: from the game as it is learned to the one that is played; None: that is the same.
        earlier: games of self-play before earlier matches, from which it goes on.
    """

    def __init__(self, game: Game, *, seed: int, cores: int = 1) -> None:
        """Begin, or go on from what was learned before earlier matches.

        Args:
            game: the game, under whatever names; not too slow for the time that there is, see
                :func:`~neurogame.learn.timed_learning.is_too_slow`.
            seed: decides the games.
            cores: processor cores to play on.
        """
        self._game = game
        self._path = game_file(game, _NAME, "pt")
        self.mapping: GameMapping | None = None
        self.earlier, self._before = 0, 0.0
        if self._path is not None and self._path.exists():
            try:
                self._timed = self._gone_on(self._path, seed, cores)
                return
            except Exception as error:
                # Whatever a file does: it must not keep a player from learning, match after match.
                put_aside(self._path, f"{error}; what it says is learned anew")
        self._timed = TimedLearner(game, seed=seed, cores=cores)

    def _gone_on(self, path: Path, seed: int, cores: int) -> TimedLearner:
        """Return what goes on from what earlier matches have left.

        Raises:
            CheckpointError: the file is of no use; other errors are possible, too.
        """
        held = load_checkpoint(path)
        mapping = held.mapping(self._game)
        begun, counters = as_rules_network(held.evaluator(mapping.home)), _sound(held)
        if begun is None:
            raise CheckpointError(f"{path}: holds no rules network")
        # Other games than those that the same seed has played before.
        learner = TimedLearner(
            mapping.home, begun=begun, steps=held.buffer, seed=seed + _STEP, cores=cores
        )
        self.earlier, self._before = counters.matches, counters.seconds
        self.mapping = None if mapping.home.circuit.key == self._game.circuit.key else mapping
        return learner

    @property
    def home(self) -> Game:
        """The game as it is learned, which may have other names than the one that is played."""
        return self._game if self.mapping is None else self.mapping.home

    @property
    def games(self) -> int:
        """Games of self-play in this match."""
        return self._timed.learner.counters.matches

    @property
    def seconds(self) -> float:
        """Seconds of a processor that learning has taken, before earlier matches too."""
        return self._before + self._timed.learner.counters.seconds

    def __str__(self) -> str:
        """Return a line for people."""
        before = f", after {self.earlier:,} before earlier matches" if self.earlier else ""
        return f"learned {self.seconds:.1f} s, {self.games:,} games with itself{before}"

    def learn(self, until: float) -> None:
        """Learn until a time; see :meth:`.TimedLearner.learn`."""
        self._timed.learn(until)

    def learn_a_little(self) -> None:
        """Learn for a moment; see :meth:`.TimedLearner.learn_a_little`."""
        self._timed.learn_a_little()

    def take_loss(self) -> float:
        """Return the mean loss since the last call; see :meth:`.LaneLearner.take_loss`."""
        return self._timed.learner.take_loss()

    def evaluator(self) -> Evaluator:
        """Return what has been learned so far, an evaluator of :attr:`home`; it stays as it is."""
        return copy.deepcopy(self._timed.learner.averaged)

    def keep(self) -> None:
        """Write what was learned, for matches to come; no error if nothing can be written."""
        if self._path is None or not self.games:
            return
        learner = self._timed.learner
        learned = learner.averaged
        weights = copied_weights(learned)
        checkpoint = replace(
            empty_checkpoint(self.home),
            description=learned.describe(),
            weights=weights,
            initial_weights=weights,
            buffer=learner.steps(),
            counters=asdict(Counters(matches=self.earlier + self.games, seconds=self.seconds)),
        )
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            save_checkpoint(self._path, checkpoint)


def _sound(held: Checkpoint) -> Counters:
    """Return how far learning was, if one can go on from there.

    Raises:
        CheckpointError: one cannot.
    """
    counters = Counters(**held.counters)
    # As long as learning went on it had taken less than enough; the last round may have been long.
    is_so = counters.matches >= 0 and 0 <= counters.seconds <= 10 * ENOUGH
    for tensor in (*held.weights.values(), *(held.buffer or {}).values()):
        # Counts of steps are whole numbers; indices are looked at by the evaluator.
        is_so &= bool(tensor.isfinite().all())
    is_so &= bool((held.buffer or {}).get("numbers", torch.zeros(1)).min() >= 0)
    if not is_so:
        raise CheckpointError(f"{held.game_name}: numbers that learning does not lead to")
    return counters
