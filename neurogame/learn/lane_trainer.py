"""A training run in lanes: learning, releases that have beaten their predecessors, files.

At marks of learning time the averaged weights are candidates. They are released if they beat the
last release, at first the untrained goal networks, in matches from openings that are used for
nothing else. Learning does not depend on releases: the same seed gives the same weights.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from torch import Tensor

from neurogame.errors import CheckpointError, ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.rebuild import rebuild_evaluator
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.write import rules_text
from neurogame.learn.checkpoint import Checkpoint
from neurogame.learn.comparison import Comparison, compare
from neurogame.learn.counters import Counters
from neurogame.learn.lane_learner import LaneLearner
from neurogame.learn.lane_train_config import LaneTrainConfig
from neurogame.learn.learner import derived_seed
from neurogame.learn.recipe import fresh_parts
from neurogame.learn.run_folder import RunFolder
from neurogame.search.opposition import opposition
from neurogame.simulate.game import Game

MARKS = (10.0, 30.0, 60.0, 120.0, 180.0)
"""Seconds of learning after which weights are candidates; then every 120 seconds."""

_RELEASE = 104
_SAVE_SECONDS = 20.0
_FEW_JOINT_MOVES = 12
"""Joint moves at the beginning up to which matches that measure look two plies ahead."""


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """Weights that have beaten those before them.

    Attributes:
        evaluator: never changed.
        seconds: of learning; 0 for the untrained goal networks.
    """

    evaluator: Evaluator
    seconds: float


@final
class LaneTrainer:
    """A run on one game.

    Attributes:
        game: what is played.
        config: how.
        folder: where logs and checkpoints go.
        learner: plays and learns.
        untrained: the goal networks before any learning, which the first release is.
        release: the last one.
        results: what decided about candidates, oldest first.
    """

    def __init__(
        self,
        game: Game,
        config: LaneTrainConfig,
        folder: RunFolder,
        resumed: Checkpoint | None = None,
    ) -> None:
        """Begin a run, or go on with one.

        Args:
            game: what is played.
            config: how.
            folder: where logs and checkpoints go; must exist.
            resumed: continue from this checkpoint of the same run.

        Raises:
            CheckpointError: the checkpoint belongs to another game, or cannot be resumed from.
            ConfigurationError: the run would have no end.
        """
        if config.seconds is None and config.games is None:
            raise ConfigurationError("training without an end: give seconds or games")
        self.game, self.config, self.folder = game, config, folder
        evaluator = fresh_parts(game, config.learner)
        self.learner = LaneLearner(game, config.learner, evaluator)
        self.untrained = make_evaluator(game).requires_grad_(False)
        self.release = Release(evaluator=self.untrained, seconds=0.0)
        self.results: list[dict[str, Any]] = []
        self.stop_requested = False
        self._signature = structural_signature(game.rules)
        self._parent: str | None = None
        self._saved_at = time.monotonic()
        if resumed is not None:
            self._restore(resumed)

    @property
    def counters(self) -> Counters:
        """How far the run is."""
        return self.learner.counters

    def request_stop(self) -> None:
        """Let the present round finish, then save and stop."""
        self.stop_requested = True

    def finished(self) -> bool:
        """Return whether the run has reached its number of games or seconds."""
        config, counters = self.config, self.counters
        if config.games is not None and counters.matches >= config.games:
            return True
        return config.seconds is not None and counters.seconds >= config.seconds

    def run(
        self,
        report: Callable[[dict[str, Any]], None] = lambda row: None,
        released: Callable[[Release], None] = lambda release: None,
    ) -> None:
        """Learn until the end of the run or until a stop is requested; then save.

        Args:
            report: called after each round with a row of numbers.
            released: called with every release, the untrained goal networks first.
        """
        if not self.folder.latest.exists():
            self.save()  # So that a run killed at once can be resumed, too.
        if self.counters.rounds == 0:
            released(self.release)
        while not self.stop_requested and not self.finished():
            before = self.counters.seconds
            self.learner.round()
            report(self._row())
            if self._is_mark(before):
                self._consider(released)
            if time.monotonic() - self._saved_at > _SAVE_SECONDS:
                self.save()
        self.save()

    def save(self) -> str:
        """Write ``latest.pt``: the last release, and what is needed to go on; return its hash."""
        self._saved_at = time.monotonic()
        return self.folder.save_latest(self.checkpoint(resumable=True))

    def checkpoint(self, *, resumable: bool) -> Checkpoint:
        """Return the last release as a checkpoint.

        Args:
            resumable: with the state of the learner.
        """
        released = self.release.evaluator
        same = released.describe() == self.untrained.describe()
        first = self.untrained if same else fresh_parts(self.game, self.config.learner)
        return Checkpoint(
            game_name=self.game.name,
            rules=rules_text(self.game.rules),
            signature=self._signature,
            roles=list(self.game.roles),
            fluents=list(self.game.fluents),
            moves=[list(moves) for moves in self.game.moves],
            description=released.describe(),
            weights=_plain(released.state_dict()),
            initial_weights=_plain(first.state_dict()),
            config={"recipe": "fitted", **self.config.to_json()},
            optimiser=self._state() if resumable else None,
            random={
                "rule": "every choice follows from the seed and the numbers of lane and ply",
                "seed": self.config.learner.seed,
            },
            counters=self.counters.to_json(),
            logs=self.folder.log_sizes(),
            results=list(self.results),
            parent=self._parent,
        )

    def _row(self) -> dict[str, Any]:
        counters = self.counters
        return {
            "round": counters.rounds,
            "games": counters.matches,
            "plies": counters.plies,
            "seconds": counters.seconds,
            "games_per_second": counters.matches / max(counters.seconds, 1e-9),
        }

    def _is_mark(self, before: float) -> bool:
        """Return whether a mark, or the end of the run, has just been passed."""
        now = self.counters.seconds
        if self.finished() or any(before < mark <= now for mark in MARKS):
            return True
        return now > MARKS[-1] and (before - MARKS[-1]) // 120 != (now - MARKS[-1]) // 120

    def _consider(self, released: Callable[[Release], None]) -> None:
        """Let the averaged weights play the last release, and release them if they win."""
        seconds = self.counters.seconds
        row = {**self._row(), "loss": self.learner.take_loss()}
        candidate = copy.deepcopy(self.learner.averaged).requires_grad_(False)
        found = self._match(candidate, self.release.evaluator)
        wins = found.matches > 0 and found.score > 0.5
        row |= {"released": wins, "against": self.release.seconds, **found.to_json()}
        self.results.append(row)
        self.folder.log_evaluation(row)
        if wins:
            self.release = Release(evaluator=candidate, seconds=seconds)
            self.folder.save_best(self.checkpoint(resumable=False))
            released(self.release)

    def _match(self, candidate: Evaluator, rival: Evaluator) -> Comparison:
        """Let two evaluators play each other from openings of their own."""
        game, config = self.game, self.config
        # 1 or 2 plies ahead: what players add by searching deeper serves both alike.
        few = 1
        for own in game.initial_state().legal_moves:
            few *= len(own)
        seed = derived_seed(config.learner.seed, _RELEASE, self.counters.rounds)
        return compare(
            game,
            candidate,
            rival,
            matches=config.release_matches,
            seed=seed,
            opening_plies=config.opening_plies,
            max_plies=config.learner.plies,
            margin=len(game.roles) == 2 and opposition(game).constant_sum,
            depth=2 if few <= _FEW_JOINT_MOVES else 1,
            stop=lambda: self.stop_requested,
        )

    def _state(self) -> dict[str, Any]:
        """Return the state of the learner as plain tensors and texts."""
        return {
            "description": json.dumps(self.learner.averaged.describe()),
            "averaged": _plain(self.learner.averaged.state_dict()),
            "state": self.learner.state(),
            "released_at": self.release.seconds,
        }

    def _restore(self, checkpoint: Checkpoint) -> None:
        if checkpoint.signature != self._signature:
            raise CheckpointError("the checkpoint to resume from belongs to another game")
        kept = checkpoint.optimiser
        if kept is None or "averaged" not in kept:
            raise CheckpointError("the checkpoint is without the state needed to resume")
        self.learner.restore(
            kept["state"], kept["averaged"], Counters.from_json(checkpoint.counters)
        )
        released = rebuild_evaluator(self.game, checkpoint.description)
        released.load_state_dict(checkpoint.weights)
        self.release = Release(
            evaluator=released.requires_grad_(False), seconds=float(kept["released_at"])
        )
        self.results = list(checkpoint.results)
        self._parent = checkpoint.hash


def _plain(state: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().cpu().clone() for name, tensor in state.items()}
