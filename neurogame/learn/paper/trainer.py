"""The trainer of the paper's rule: after every match one step of the gradient on its states."""

from __future__ import annotations

import copy
import hashlib
import time
from collections.abc import Callable
from typing import Any, final

import torch

from neurogame.errors import ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.fresh import make_fresh
from neurogame.evaluators.kinds import fresh_names
from neurogame.learn.checkpoints.checkpoint import Checkpoint
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.learn.counters import Counters
from neurogame.learn.examples import Examples
from neurogame.learn.networks.learning_networks import learning_networks
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.match import play_training_match
from neurogame.learn.paper.targets import outcome_examples
from neurogame.learn.run_folder import RunFolder
from neurogame.learn.trainer import Release
from neurogame.learn.training_run import TrainingRun
from neurogame.search.lockstep.counter_random import derived_seed
from neurogame.simulate.game import Game

_MATCH = 100


@final
class PaperTrainer(TrainingRun):
    """A run on one game; a round is one match.

    Every match follows from the seed, its number and the weights before it, so a run that goes on
    from a checkpoint is the same as one that was never interrupted; not where moves are limited by
    time.

    *Reference:* Michulke and Thielscher, sections 3.5 and 4.1.

    Attributes:
        config: how.
        evaluator: what learns; it is changed in place.
        untrained: the same before any learning, never changed.
    """

    def __init__(
        self,
        game: Game,
        config: PaperConfig,
        folder: RunFolder,
        resumed: Checkpoint | None = None,
        *,
        released: Callable[[Release], None] = lambda release: None,
    ) -> None:
        """Begin a run, or go on with one.

        Args:
            game: what is played; two roles or more.
            config: how.
            folder: where logs and checkpoints go; must exist.
            resumed: continue from this checkpoint of the same run.
            released: called with the untrained networks first in a new run, with what has been
                learned at its end.

        Raises:
            CheckpointError: the checkpoint belongs to another game, or cannot be resumed from.
            GameError: the game is over before it begins.
            ConfigurationError: the run would have no end, the evaluator has no goal networks that
                learn, or the opponent does not fit.
        """
        super().__init__(game, config, folder, config.seed)
        self.config = config
        self._released = released
        made = make_evaluator(game, config.evaluator, config.seed)
        self.evaluator, weights = learning_networks(made)
        self.untrained = copy.deepcopy(self.evaluator).requires_grad_(False)
        self._optimiser = torch.optim.SGD(weights, lr=config.learning_rate)
        self._role = torch.tensor([role for role, _ in self.evaluator.network_keys])
        goals = [value / 100 for _, value in self.evaluator.network_keys]
        self._goal = torch.tensor(goals, dtype=torch.float64)
        self._counters = Counters()
        if resumed is not None:
            self._restore(resumed)
        self._opponent = self._make_opponent()

    @property
    def counters(self) -> Counters:
        """How far the run is."""
        return self._counters

    @property
    def release(self) -> Release:
        """The present weights; those of every match are as good as released."""
        return Release(evaluator=self.evaluator, seconds=self._counters.seconds)

    def run(self, report: Callable[[dict[str, Any]], None] = lambda row: None) -> None:
        """Train; see :meth:`TrainingRun.run`."""
        super().run(report)
        if self.finished() and not self.is_cut:
            self._released(self.release)

    def round(self) -> dict[str, Any]:
        """Play a match and learn from it; return its row of numbers."""
        started, number = time.monotonic(), self._counters.matches
        if number == 0:
            self._released(Release(evaluator=self.untrained, seconds=0.0))
        seed = derived_seed(self.config.seed, _MATCH, number)
        match = play_training_match(
            self.game, self.config, self.evaluator, self._opponent, number, seed
        )
        loss = self._learn(outcome_examples(match, self._role, self._goal, self.config))
        counters = self._counters
        counters.rounds += 1
        counters.matches += 1
        counters.plies += match.plies
        counters.seconds += time.monotonic() - started
        row = {
            **self._row(),
            "role": self.game.players[number % len(self.game.players)],
            "plies": match.plies,
            "goals": match.goals.tolist() if match.finished else None,
            "moves_digest": hashlib.sha256(match.moves.numpy().tobytes()).hexdigest()[:16],
            "loss": loss,
        }
        self.folder.log_round(row)
        return row

    def checkpoint(self, *, resumable: bool) -> Checkpoint:
        """Return the present weights as a checkpoint.

        Args:
            resumable: whether a run may go on from it.
        """
        return self._checkpoint_with(
            "every choice follows from the seed and the number of the match",
            description=self.evaluator.describe(),
            weights=copied_weights(self.evaluator),
            initial_weights=copied_weights(self.untrained),
            config={"recipe": "paper", **self.config.to_json()},
            # Plain gradient steps have no state.
            optimiser={} if resumable else None,
        )

    def _make_opponent(self) -> Evaluator | None:
        """Return the opponent that the configuration names, None where it moves at random.

        Raises:
            ConfigurationError: nothing has this name, or the game has no other role.
        """
        game, name = self.game, self.config.opponent
        if len(game.players) == 1:
            raise ConfigurationError(
                f"opponent {name!r}: {game.name} has one player only, and the recipe paper learns "
                "from matches against an opponent; use the recipe fitted"
            )
        if name in ("untrained", "random"):
            return self.untrained if name == "untrained" else None
        if name.lower() not in fresh_names():
            raise ConfigurationError(
                f"opponent {name!r} is neither untrained, random, nor {', '.join(fresh_names())}"
            )
        evaluator = make_fresh(name, game, seed=self.config.seed + 1)
        return evaluator.requires_grad_(False).eval()

    def _learn(self, examples: Examples) -> float | None:
        """Make a step; return the error before it, None where there is nothing to learn from.

        The error is half the squared one, summed over networks, averaged over states.
        """
        if len(examples) == 0:
            return None
        self.evaluator.train()
        self._optimiser.zero_grad()
        outputs = self.evaluator.networks(examples.fluents)
        loss = 0.5 * (outputs - examples.targets).square().sum(dim=1).mean()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimiser.step()
        self.evaluator.eval()
        self._counters.updates += 1
        return float(loss.detach())

    def _restore(self, checkpoint: Checkpoint) -> None:
        self._note(checkpoint)
        self.evaluator.load_state_dict(checkpoint.weights)
        self.untrained.load_state_dict(checkpoint.initial_weights)
        self._counters = Counters(**checkpoint.counters)
