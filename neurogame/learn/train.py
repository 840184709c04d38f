"""The trainer: rounds of self-play and learning, measured and saved, resumable bit for bit.

A round plays ``concurrent`` matches with the present weights and then makes the updates that are
due. Matches, draws from the replay buffer and evaluations get their randomness from the seed and
their own number alone, so that a resumed run continues exactly like one never interrupted (on the
same machine).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, final

import torch
from torch import Tensor

from neurogame.errors import CheckpointError, ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.write import rules_text
from neurogame.learn.checkpoint import Checkpoint
from neurogame.learn.comparison import Comparison, compare, count_distinct, moves_digest
from neurogame.learn.config import TrainConfig
from neurogame.learn.counters import Counters
from neurogame.learn.learner import Learner, derived_seed
from neurogame.learn.opponent import GuestMaker
from neurogame.learn.run_folder import RunFolder
from neurogame.learn.self_play import LOCKSTEP_DEPTH, uses_margin
from neurogame.simulate.game import Game

# What a derived seed is for; part of the seed, so that uses do not correlate.
_EVALUATION = 102
_SAVE_SECONDS = 20.0


@final
class Trainer:
    """A training run on one game.

    Making one sets the number of torch threads of this process to that of the configuration.

    Args:
        game: what is played.
        config: how.
        folder: where logs and checkpoints go; must exist.
        resumed: continue from this checkpoint of the same run.
        guests: makes an opponent that is a player string:
            :func:`~neurogame.players.players.make_player`; None: such opponents are refused.

    Attributes:
        learner: plays and learns.
        results: evaluations so far, oldest first.
    """

    def __init__(
        self,
        game: Game,
        config: TrainConfig,
        folder: RunFolder,
        resumed: Checkpoint | None = None,
        *,
        guests: GuestMaker | None = None,
    ) -> None:
        torch.set_num_threads(config.threads)
        self.game = game
        self.config = config
        self.folder = folder
        evaluator = make_evaluator(game, config.evaluator, config.seed)
        self.learner = Learner(game, config, evaluator, guests)
        self.results: list[dict[str, Any]] = []
        self.stop_requested = False
        self._parent: str | None = None
        self._signature = structural_signature(game.rules)
        self._saved_at = time.monotonic()
        if resumed is not None:
            self._restore(resumed)

    @property
    def evaluator(self) -> Evaluator:
        """What learns."""
        return self.learner.evaluator

    @property
    def initial(self) -> Evaluator:
        """The same evaluator before any learning, never changed."""
        return self.learner.initial

    @property
    def counters(self) -> Counters:
        """How far the run is."""
        return self.learner.counters

    def request_stop(self) -> None:
        """Let the present round finish, then save and stop."""
        self.stop_requested = True

    def finished(self) -> bool:
        """Return whether the run has reached its number of matches or seconds."""
        config, counters = self.config, self.counters
        if config.matches is not None and counters.matches >= config.matches:
            return True
        return config.seconds is not None and counters.seconds >= config.seconds

    def run(self, report: Callable[[dict[str, Any]], None] = lambda row: None) -> None:
        """Train until the end of the run or until a stop is requested; then save.

        Args:
            report: called after each round with its row of numbers.
        """
        if not self.folder.latest.exists():
            self.save()  # so that a run killed at once can be resumed, too
        while not self.stop_requested and not self.finished():
            report(self.round())
            if time.monotonic() - self._saved_at > _SAVE_SECONDS:
                self.save()
        self.save()

    def round(self) -> dict[str, Any]:
        """Play and learn once, evaluate and keep a checkpoint where due; return the log row."""
        before = self.counters.matches
        done = self.learner.round()
        played, count = done.played, len(done.played)
        row = {
            "round": self.counters.rounds,
            "matches": self.counters.matches,
            "updates": done.updates,
            "loss": done.loss,
            "mean_plies": sum(match.plies for match in played) / count,
            "distinct": count_distinct(played),
            "unfinished": sum(not match.finished for match in played),
            "moves_digest": moves_digest(played),
            "mean_goals": _mean_goals([match.goals for match in played]),
            "matches_per_second": count / max(done.seconds, 1e-9),
            "seconds": self.counters.seconds,
        }
        self.folder.log_round(row)
        if _due(self.config.evaluate_every, before, self.counters.matches):
            self.evaluate()
        if _due(self.config.checkpoint_every, before, self.counters.matches):
            self.folder.save_numbered(self.checkpoint(resumable=False), self.counters.matches)
        return row

    def measure(self, other: Evaluator | None, matches: int) -> Comparison:
        """Let the present weights play against another evaluator, or a random player.

        Both look as far ahead as in training, at most two plies.

        Args:
            other: the opponent; None moves uniformly at random.
            matches: how many, roles in turn.
        """
        return compare(
            self.game,
            self.evaluator,
            other,
            matches=matches,
            seed=derived_seed(self.config.seed, _EVALUATION, self.counters.matches),
            # Two deterministic players would play the same match again and again.
            opening_plies=4,
            max_plies=self.config.max_plies,
            margin=uses_margin(self.game, self.config),
            depth=min(self.config.depth, LOCKSTEP_DEPTH),
        )

    def evaluate(self) -> Comparison:
        """Play against the untrained evaluator; log it, and keep the best weights."""
        started = time.monotonic()
        result = self.measure(self.initial, self.config.evaluate_matches)
        best = max((row["score"] for row in self.results), default=-1.0)
        row = {"matches_trained": self.counters.matches, "against": "untrained", **result.to_json()}
        self.results.append(row)
        self.folder.log_evaluation(row)
        self.counters.seconds += time.monotonic() - started
        if result.matches > 0 and result.score >= best:
            self.folder.save_best(self.checkpoint(resumable=False))
        return result

    def save(self) -> str:
        """Write ``latest.pt``, from which the run can go on, and return its hash."""
        self._saved_at = time.monotonic()
        return self.folder.save_latest(self.checkpoint(resumable=True))

    def checkpoint(self, *, resumable: bool) -> Checkpoint:
        """Return the present state of the run.

        Args:
            resumable: with the state of optimiser and replay buffer.
        """
        return Checkpoint(
            game_name=self.game.name,
            rules=rules_text(self.game.rules),
            signature=self._signature,
            roles=list(self.game.roles),
            fluents=list(self.game.fluents),
            moves=[list(moves) for moves in self.game.moves],
            description=self.evaluator.describe(),
            weights=_plain(self.evaluator.state_dict()),
            initial_weights=_plain(self.initial.state_dict()),
            config=self.config.to_json(),
            optimiser=self.learner.optimiser.state_dict() if resumable else None,
            buffer=self.learner.buffer.state() if resumable else None,
            random={
                "rule": "every choice follows from the seed and the number of match or update",
                "seed": self.config.seed,
                "next_match": self.counters.matches,
                "next_update": self.counters.updates,
            },
            counters=self.counters.to_json(),
            logs=self.folder.log_sizes(),
            results=list(self.results),
            parent=self._parent,
        )

    def _restore(self, checkpoint: Checkpoint) -> None:
        if checkpoint.signature != self._signature:
            raise CheckpointError("the checkpoint to resume from belongs to another game")
        self.learner.restore(checkpoint)
        self.results = list(checkpoint.results)
        self._parent = checkpoint.hash


def train(
    game: Game, config: TrainConfig, folder: Path | str, *, guests: GuestMaker | None = None
) -> Checkpoint:
    """Train an evaluator by self-play, in a folder of its own, and return the result.

    ``neurogame train`` does the same with a progress bar, and can go on with a run.

    Args:
        game: what is played.
        config: how; ``matches`` or ``seconds`` say when it ends.
        folder: where logs and checkpoints go; it must not hold a run.
        guests: see :class:`Trainer`.

    Raises:
        ConfigurationError: the run would have no end, the folder holds a run, or the
            configuration does not fit the game.
    """
    if config.matches is None and config.seconds is None:
        raise ConfigurationError("training without an end: give matches or seconds")
    run = RunFolder(folder)
    run.check_free()
    trainer = Trainer(game, config, run, guests=guests)
    run.create({"rules": game.name, **config.to_json()})
    trainer.run()
    return trainer.checkpoint(resumable=False)


def _due(every: int, before: int, after: int) -> bool:
    """Return whether a multiple of ``every`` lies in ``before + 1`` to ``after``."""
    return every > 0 and before // every != after // every


def _mean_goals(goals: list[Tensor]) -> list[float]:
    finished = [row for row in goals if not bool(torch.isnan(row).any())]
    return torch.stack(finished).mean(dim=0).tolist() if finished else []


def _plain(state: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().cpu().clone() for name, tensor in state.items()}
