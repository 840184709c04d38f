"""The trainer: self-play in lanes, releases that have beaten their predecessors, files.

At marks of learning time, or of games where a run ends after games, the averaged weights are
candidates. They are released if they beat the last release, at first the untrained goal networks,
in matches from openings that are used for nothing else. Learning does not depend on releases: the
same seed gives the same weights. Where games are counted no clock has a say, and the same seed
gives the same releases as well.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from neurogame.errors import CheckpointError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.rebuild import rebuild_evaluator
from neurogame.evaluators.rules_network.evaluator import as_rules_network
from neurogame.first_use import working_time
from neurogame.learn.checkpoints.checkpoint import Checkpoint
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.learn.comparison import Comparison, compare
from neurogame.learn.counters import Counters
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.learner import Learner, mean_loss
from neurogame.learn.networks.learner import GoalNetworkLearner
from neurogame.learn.news import news
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.learn.run_folder import RunFolder
from neurogame.learn.train_config import TrainConfig
from neurogame.learn.training_run import TrainingRun
from neurogame.search.lockstep.counter_random import derived_seed
from neurogame.search.opposition import opposed
from neurogame.simulate.game import Game, game_of
from neurogame.workers.workplace import Workplace

MARKS = (10.0, 30.0, 60.0, 120.0, 180.0)
"""Seconds of learning after which weights are candidates; then every 120 seconds."""

SHARES = (1 / 18, 1 / 6, 1 / 3, 2 / 3)
"""Shares of the games after which weights are candidates where games are counted, as at the end."""

_MATCH_SHARE, _LEAST_MATCHES = 0.1, 3.0
"""Share of a run's seconds that matches which decide on a release may take, and seconds."""

_RELEASE = 104
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
class Trainer(TrainingRun):
    """A run on one game.

    Attributes:
        config: how; its learner is never None.
        learner: plays and learns.
        untrained: the goal networks before any learning, which the first release is.
        release: the last one.
    """

    def __init__(
        self,
        game: Game,
        config: TrainConfig,
        folder: RunFolder,
        resumed: Checkpoint | None = None,
        *,
        released: Callable[[Release], None] = lambda release: None,
        workplace: Workplace | None = None,
    ) -> None:
        """Begin a run, or go on with one.

        Args:
            game: what is played.
            config: how.
            folder: where logs and checkpoints go; must exist.
            resumed: continue from this checkpoint of the same run.
            released: called with every release, in a new run with the untrained goal networks
                first.
            workplace: where games are played and learned from; None: in this process. It makes no
                difference to the weights.

        Raises:
            CheckpointError: the checkpoint belongs to another game, or cannot be resumed from.
            ConfigurationError: the run would have no end.
            GameError: the game is over before it begins.
        """
        self._settings = config.learner or fitted(game)
        super().__init__(game, config, folder, self._settings.seed, self._settings.cores)
        self.config = replace(config, learner=self._settings)
        self._workplace = workplace
        self.learner = learner_of(game, self._settings, workplace)
        self._first = copied_weights(self.learner.evaluator)
        networks = self._settings.evaluator
        self.untrained = make_evaluator(game, networks, self._settings.seed).requires_grad_(False)
        self.release = Release(evaluator=self.untrained, seconds=0.0)
        self._released = released
        self._considered = self.learner.losses()
        if resumed is not None:
            self._restore(resumed)

    @property
    def counters(self) -> Counters:
        """How far the run is."""
        return self.learner.counters

    def round(self) -> dict[str, Any]:
        """Play and learn once; at a mark, measure the weights and release them if they win."""
        first, since = self.counters.rounds == 0, self._progress()
        if first:
            self._released(self.release)
        if self.is_due:
            self._consider()
        if self.learner.is_outgrown():
            self._double()
        self.learner.round()
        row = self._row() | {"loss": _known(self.learner.take_loss())}
        self.folder.log_round(row)
        if self._is_mark(since):
            self._consider()
        return row

    def _double(self) -> None:
        """Go on with a larger learner."""
        self.learner, self._considered = self.learner.doubled(), (0.0, 0)

    def checkpoint(self, *, resumable: bool) -> Checkpoint:
        """Return the last release as a checkpoint.

        Args:
            resumable: with the state of the learner.
        """
        released = self.release.evaluator
        weights = copied_weights(released)
        # A network that grew since has units of which the first weights say nothing.
        network = as_rules_network(released)
        first = self._first if network is None else network.first_weights()
        return self._checkpoint_with(
            "every choice follows from the seed and the numbers of lane and ply",
            description=released.describe(),
            weights=weights,
            initial_weights=first if self.release.seconds else weights,
            config={"recipe": "fitted", **self.config.to_json()},
            optimiser=self._state() if resumable else None,
        )

    def _progress(self) -> float:
        """Return what marks are looked for in: games where they are counted, else seconds."""
        games, counters = self.config.games, self.counters
        return counters.seconds if games is None else float(counters.matches)

    def _is_mark(self, before: float) -> bool:
        """Return whether a mark, or the end of the run, has just been passed.

        Args:
            before: what :meth:`_progress` was before the round.
        """
        now, games = self._progress(), self.config.games
        marks = MARKS if games is None else tuple(share * games for share in SHARES)
        if self.finished() or any(before < mark <= now for mark in marks):
            return True
        if games is not None:
            return False
        return now > MARKS[-1] and (before - MARKS[-1]) // 120 != (now - MARKS[-1]) // 120

    def look_back(self) -> None:
        """Consider what has been learned since the last candidate, if anything."""
        considered = self.results[-1]["round"] if self.results else 0
        if self.counters.rounds > considered:
            self._consider()

    def _consider(self) -> None:
        """Let the averaged weights play the last release, and release them if they win."""
        seconds = self.counters.seconds
        losses = self.learner.losses()
        loss = mean_loss(self._considered, losses)
        row = {**self._row(), "loss": _known(loss)}
        candidate = copy.deepcopy(self.learner.averaged).requires_grad_(False)
        comparison = self._match(candidate, self.release.evaluator)
        self.is_due = self.stop_requested and comparison.matches < self.config.release_matches
        if self.is_due:
            # Matches that a stop has cut decide nothing; a resumed run begins with them.
            return
        self._considered = losses
        if comparison.matches:
            better = comparison.is_better()
        else:
            # No match was over in time: what predicts outcomes is believed to play better, too.
            better = news(loss, len(self.game.players)) > 0
        row |= {"released": better, "against": self.release.seconds, **comparison.to_json()}
        self.results.append(row)
        self.folder.log_evaluation(row)
        if better:
            self.release = Release(evaluator=candidate, seconds=seconds)
            self.folder.save_best(self.checkpoint(resumable=False))
            self.save()  # So that a run that is cut goes on, and plays, with its release.
            self._released(self.release)

    def _match(self, candidate: Evaluator, rival: Evaluator) -> Comparison:
        """Let two evaluators play each other from openings of their own.

        Where seconds are counted the matches are cut off once they have taken a share of them.
        """
        game, config, learner = self.game, self.config, self._settings
        until = math.inf
        if config.games is None:
            longest = max(_LEAST_MATCHES, _MATCH_SHARE * (config.seconds or 0.0))
            until = min(working_time() + longest, self.learn_until + _LEAST_MATCHES)
        # 1 or 2 plies ahead: what players add by searching deeper serves both alike.
        few = math.prod(map(len, game.initial_state().legal_moves))
        seed = derived_seed(learner.seed, _RELEASE, self.counters.rounds)
        return compare(
            game,
            candidate,
            rival,
            matches=config.release_matches,
            seed=seed,
            opening_plies=config.opening_plies,
            max_plies=learner.plies,
            margin=opposed(game),
            depth=2 if few <= _FEW_JOINT_MOVES else 1,
            stop=lambda: self.stop_requested or working_time() >= until,
            workplace=self._workplace,
        )

    def _state(self) -> dict[str, Any]:
        """Return the state of the learner as plain tensors and texts."""
        (loss, values), (before, known) = self.learner.losses(), self._considered
        return {
            "averaged": copied_weights(self.learner.averaged),
            "state": self.learner.state(),
            "released_at": self.release.seconds,
            "doublings": self.learner.doublings,
            "is_due": self.is_due,
            "unconsidered": [loss - before, values - known],
        }

    def _restore(self, checkpoint: Checkpoint) -> None:
        kept = self._note(checkpoint)
        if "averaged" not in kept:
            raise CheckpointError("the checkpoint is without the state needed to resume")
        for _ in range(min(kept.get("doublings", 0), self._settings.doublings)):
            self._double()
        self.learner.restore(kept["state"], kept["averaged"], Counters(**checkpoint.counters))
        self.is_due = bool(kept.get("is_due", False))
        if "unconsidered" in kept:
            loss, values = kept["unconsidered"]
            self._considered = (-loss, -values)
        released = rebuild_evaluator(self.game, checkpoint.description)
        released.load_state_dict(checkpoint.weights)
        self.release = Release(
            evaluator=released.requires_grad_(False), seconds=float(kept["released_at"])
        )
        # A run that was killed may have released since, what it will now learn anew.
        is_first = self.release.seconds == 0
        self.folder.save_best(None if is_first else self.checkpoint(resumable=False))


def learner_of(game: Game, config: LaneConfig, workplace: Workplace | None = None) -> Learner[Any]:
    """Return what learns by a configuration, before it has learned.

    Args:
        game: what is played.
        config: whether a rules network learns or goal networks, and how.
        workplace: who plays; None: this process.

    Raises:
        ConfigurationError: the evaluator has no goal networks that learn.
    """
    if config.evaluator is None:
        return LaneLearner(game, config, fresh_rules_network(game, config), workplace)
    evaluator = make_evaluator(game, config.evaluator, config.seed)
    return GoalNetworkLearner(game, config, evaluator, workplace)


def _known(loss: float) -> float | None:
    """Return a loss as JSON can say it."""
    return loss if math.isfinite(loss) else None


def train(
    game: Game | str | Path, config: TrainConfig, folder: Path | str, *, tensorboard: bool = False
) -> Checkpoint:
    """Train an evaluator by self-play, in a folder of its own, and return the last release.

    These are the untrained goal networks where nothing has beaten them. ``neurogame train`` does
    the same with a progress bar, measures how strong releases are, and can go on with a run.

    Args:
        game: what is played, or its name or path.
        config: how; ``games`` or ``seconds`` say when it ends.
        folder: where logs and checkpoints go; it must not hold a run.
        tensorboard: whether to write event files for TensorBoard there.

    Raises:
        ConfigurationError: the run would have no end, or the folder holds a run.
        MissingExtraError: event files are asked for and ``tensorboard`` is not installed.
    """
    game = game_of(game)
    run = RunFolder(folder, tensorboard=tensorboard)
    run.check_free()
    trainer = Trainer(game, config, run)
    run.create({"rules": game.name, "recipe": "fitted", **trainer.config.to_json()})
    trainer.run()
    return trainer.checkpoint(resumable=False)
