"""Goal networks that learn: batches of games with themselves, TD(lambda), steps of Adam.

What is played follows from the seed, the number of the round and the weights, so a run that goes on
is the same as one that was never interrupted, whoever plays its games.
"""

from __future__ import annotations

import time
from typing import final

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy

from neurogame.evaluators.base import Evaluator
from neurogame.learn.checkpoints.weights import copied_weights, part_of
from neurogame.learn.examples import Examples
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.learner import Learner, average_in
from neurogame.learn.lockstep_pieces import play_pieces
from neurogame.learn.networks.learning_networks import learning_networks
from neurogame.learn.networks.positions import positions_of
from neurogame.search.lockstep.counter_random import derive, derived_seed
from neurogame.search.lockstep.lockstep import MatchPlan, play_lockstep
from neurogame.search.opposition import opposed
from neurogame.simulate.game import Game
from neurogame.torch_threads import one_torch_thread
from neurogame.workers.workplace import Workplace

_GAMES, _ORDER = 105, 106
_CERTAIN = 1e-6
"""How far from 0 and 1 values are thought to be at least, whose logarithms are taken."""


@final
class GoalNetworkLearner(Learner[Evaluator]):
    """Goal networks that learn from games with themselves; not for several threads.

    A round is one game in each lane. Seconds are those of the processor, with workers of a clock.
    """

    def __init__(
        self,
        game: Game,
        config: LaneConfig,
        evaluator: Evaluator,
        workplace: Workplace | None = None,
    ) -> None:
        """Take what learns.

        Args:
            game: what is played.
            config: how; what it says of a rules network is not looked at.
            evaluator: of the game.
            workplace: who helps with games that take long; None: nobody.

        Raises:
            ConfigurationError: these are no goal networks that learn.
        """
        _, self._learned = learning_networks(evaluator)
        super().__init__(game, config, evaluator, workplace)
        self._margin = opposed(game)
        self._clock = time.thread_time if workplace is None else time.perf_counter
        self._optimiser = torch.optim.Adam(self._learned, lr=config.step_size)
        self._losses = (0.0, 0)

    def round(self) -> float:
        """Play a game in each lane and learn from all of them; return the seconds taken.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
            LimitError: workers have died over a piece, or their cluster has gone.
        """
        began, game, config, counters = self._clock(), self.game, self.config, self.counters
        plan = self._plan()
        with one_torch_thread():
            if self._workplace is None:
                matches = play_lockstep(game, plan)
            else:
                matches = play_pieces(game, plan, self._workplace)
            self.learn(positions_of(game, matches, self.evaluator, config.lambda_, self._margin))
        counters.rounds += 1
        counters.matches += len(matches)
        counters.plies += sum(match.plies for match in matches)
        average_in(self.averaged, self.evaluator, counters.rounds, config)
        seconds = self._clock() - began
        counters.seconds += seconds
        return seconds

    def learn(self, positions: Examples) -> None:
        """Make steps towards targets, in random order.

        Args:
            positions: what is learned; its cross-entropy is that before each step.
        """
        seed = derived_seed(self.config.seed, _ORDER, self.counters.rounds)
        order = torch.from_numpy(np.random.default_rng(seed).permutation(len(positions.targets)))
        loss, values = self._losses
        for rows in torch.split(order, self.config.step_every) if len(order) else ():
            estimates = self.evaluator(positions.fluents[rows])
            if self._margin:
                # As players compare states. Each role's own value would first be learned to be
                # 0.5 everywhere, by a readout that no longer tells states apart.
                estimates = (estimates + 1 - estimates.flip(1)) / 2
            # A bound on what logarithms are taken of, not on gradients.
            beyond = (estimates.clamp(_CERTAIN, 1 - _CERTAIN) - estimates).detach()
            error = binary_cross_entropy(
                estimates + beyond, positions.targets[rows], reduction="sum"
            )
            self._optimiser.zero_grad()
            (error / len(rows)).backward()  # type: ignore[no-untyped-call]
            self._optimiser.step()
            self.counters.updates += 1
            loss, values = loss + float(error.detach()), values + estimates.numel()
        self._losses = (loss, values)

    def losses(self) -> tuple[float, int]:
        """Return the cross-entropy of a role's value, added up, and over how many values."""
        return self._losses

    def state(self) -> dict[str, Tensor]:
        """Return all that is needed to go on exactly here, beside :attr:`averaged`."""
        weights = copied_weights(self.evaluator)
        return {f"weights.{name}": part for name, part in weights.items()} | {
            f"{number}.{name}": part.clone()
            for number, weight in enumerate(self._learned)
            for name, part in self._optimiser.state[weight].items()
        }

    def _restore(self, state: dict[str, Tensor]) -> None:
        self.evaluator.load_state_dict(part_of(state, "weights."))
        for number, weight in enumerate(self._learned):
            self._optimiser.state[weight] = {
                name: part.clone() for name, part in part_of(state, f"{number}.").items()
            }

    def _plan(self) -> MatchPlan:
        """Return which games the next round plays."""
        config, count = self.config, self.config.lanes
        seed = derived_seed(config.seed, _GAMES, self.counters.rounds)
        lane = np.arange(count)
        return MatchPlan(
            evaluators=[self.evaluator],
            seats=np.zeros((count, len(self.game.roles)), np.int64),
            seeds=(derive(seed, lane, 0) >> np.uint64(1)).astype(np.int64),
            drawn=(derive(seed, lane, 1) % np.uint64(config.openings + 1)).astype(np.int64),
            max_plies=config.plies,
            margin=self._margin,
            epsilon=config.epsilon,
        )
