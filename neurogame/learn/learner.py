"""The learner: rounds of self-play and weight updates, without files or evaluations.

A round plays ``concurrent`` matches with the present weights and then makes the updates that are
due. Matches and draws from the replay buffer get their randomness from the seed and their own
number alone.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import torch

from neurogame.evaluators.base import Evaluator
from neurogame.learn.checkpoint import Checkpoint
from neurogame.learn.config import TrainConfig
from neurogame.learn.counters import Counters
from neurogame.learn.objective import make_objective
from neurogame.learn.opponent import GuestMaker
from neurogame.learn.replay_buffer import ReplayBuffer
from neurogame.learn.self_play import SelfPlay
from neurogame.learn.targets import Examples
from neurogame.learn.trajectory import Trajectory
from neurogame.simulate.game import Game

# What a derived seed is for; part of the seed, so that uses do not correlate.
_UPDATE = 101


@final
@dataclass(frozen=True, kw_only=True)
class RoundResult:
    """What a round came to.

    Attributes:
        played: its matches.
        updates: weight updates made.
        loss: their mean error; NaN where none was made.
        seconds: that it took.
    """

    played: list[Trajectory]
    updates: int
    loss: float
    seconds: float


@final
class Learner:
    """An evaluator that learns from matches with itself, or with a fixed opponent.

    Attributes:
        game: what is played.
        config: how.
        evaluator: what learns; it is changed in place.
        initial: the same evaluator before any learning, never changed.
        objective: what is learned.
        optimiser: makes the updates.
        buffer: states to learn from.
        counters: how far it is.
    """

    def __init__(
        self,
        game: Game,
        config: TrainConfig,
        evaluator: Evaluator,
        guests: GuestMaker | None = None,
    ) -> None:
        """Take what learns.

        Args:
            game: what is played.
            config: how; its own evaluator's configuration is not looked at.
            evaluator: of the game.
            guests: makes an opponent that is a player string; None: there are none.

        Raises:
            ConfigurationError: it has nothing to learn.
        """
        self.game, self.config, self.evaluator = game, config, evaluator
        self.initial: Evaluator = copy.deepcopy(evaluator).requires_grad_(False)
        self.objective = make_objective(evaluator, config)
        self.optimiser = _make_optimiser(evaluator, config)
        size = max(1, config.buffer)
        self.buffer = ReplayBuffer(size, len(game.fluents), self.objective.outputs)
        self.counters = Counters()
        self._guests = guests
        self._self_play = SelfPlay(game, config, evaluator, self.initial, guests)

    def round(self, stop: Callable[[], bool] = lambda: False) -> RoundResult:
        """Play and learn once.

        Args:
            stop: asked before every ply and every update; once it is true the matches are cut
                off where they are, and no more updates are made.
        """
        started = time.monotonic()
        before = self.counters.matches
        count = self.config.concurrent
        if self.config.matches is not None:
            count = min(count, self.config.matches - before)
        played = self._self_play.play(before, count, stop)
        self.counters.matches += count
        self.counters.rounds += 1
        self.counters.plies += sum(match.plies for match in played)
        self._set_rate(self._self_play.score(before, played))
        loss, updates = self._learn(self.objective.examples(played), stop)
        seconds = time.monotonic() - started
        self.counters.seconds += seconds
        return RoundResult(played=played, updates=updates, loss=loss, seconds=seconds)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on where a resumable checkpoint of the same run was written."""
        assert checkpoint.optimiser is not None
        assert checkpoint.buffer is not None
        self.evaluator.load_state_dict(checkpoint.weights)
        self.initial.load_state_dict(checkpoint.initial_weights)
        self.optimiser.load_state_dict(checkpoint.optimiser)
        self.buffer.restore(checkpoint.buffer)
        self.counters = Counters.from_json(checkpoint.counters)
        # An opponent may have taken over the initial weights.
        self._self_play = SelfPlay(
            self.game, self.config, self.evaluator, self.initial, self._guests
        )

    def _set_rate(self, score: float | None) -> None:
        """Learn slower the better the last matches went.

        Reference: Bowling & Veloso, Multiagent Learning Using a Variable Learning Rate, 2002.
        """
        slow = 0.0 if score is None else score * (1.0 - self.config.winning_rate)
        for group in self.optimiser.param_groups:
            group["lr"] = self.config.learning_rate * (1.0 - slow)

    def _learn(self, examples: Examples, stop: Callable[[], bool]) -> tuple[float, int]:
        """Make the updates that are due; return their mean error and their number."""
        config = self.config
        self.buffer.add(examples) if config.buffer else None
        due = int(config.updates * self.counters.matches + 1e-9) - self.counters.updates
        total, made = 0.0, 0
        self.evaluator.train()
        for _ in range(due):
            if stop():
                break
            batch = self._draw(examples)
            self.counters.updates += 1
            if batch is None:
                continue
            self.optimiser.zero_grad()
            loss = self.objective.loss(batch)
            loss.backward()  # type: ignore[no-untyped-call]
            if config.gradient_limit > 0:
                torch.nn.utils.clip_grad_norm_(self.evaluator.parameters(), config.gradient_limit)
            self.optimiser.step()
            total, made = total + float(loss.detach()), made + 1
        self.evaluator.eval()
        return (total / made if made else float("nan")), made

    def _draw(self, newest: Examples) -> Examples | None:
        """Return the batch of the next update, or None where there is nothing to learn from."""
        seed = derived_seed(self.config.seed, _UPDATE, self.counters.updates)
        random = np.random.default_rng(seed)
        if self.config.buffer:
            return self.buffer.draw(self.config.batch, random) if len(self.buffer) else None
        if len(newest) == 0:
            return None
        order = random.permutation(len(newest))[: self.config.batch]
        places = torch.from_numpy(order)
        return Examples(newest.fluents[places], newest.targets[places])


def _make_optimiser(evaluator: Evaluator, config: TrainConfig) -> torch.optim.Optimizer:
    parameters = [p for p in evaluator.parameters() if p.requires_grad]
    if config.optimiser == "adam":
        return torch.optim.Adam(parameters, lr=config.learning_rate)
    return torch.optim.SGD(parameters, lr=config.learning_rate)


def derived_seed(seed: int, use: int, number: int) -> int:
    """Return a seed for one use of a seed.

    Args:
        seed: of all.
        use: what for; a number of its own for each.
        number: which of the uses of this kind.
    """
    return int(np.random.SeedSequence([seed, use, number]).generate_state(1, np.uint64)[0] >> 1)
