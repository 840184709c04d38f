"""The learner: self-play in lanes by a rules network, which learns from every game.

All of it is one compiled loop (:mod:`neurogame.kernels.self_play`). The same seed and number of
cores give the same games and weights on the same machine, wherever the run is interrupted, and
whoever plays the lanes of each core: threads of this process, processes, or the workers of a
cluster.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import final

from torch import Tensor

from neurogame.evaluators.rules_network.build import make_rules_network
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.widen import widened
from neurogame.learn.checkpoints.weights import part_of
from neurogame.learn.lanes.agreement import Agreement
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.piece import LaneGroup
from neurogame.learn.lanes.rounds import Rounds, SentRounds, ThreadRounds
from neurogame.learn.lanes.worker import LaneWorker
from neurogame.learn.learner import Learner, average_in
from neurogame.learn.learning_state import learning_state, restore_learning, widened_state
from neurogame.learn.travelling import Travelling
from neurogame.simulate.game import Game
from neurogame.workers.workplace import InlineExecutor, Workplace

_DOUBLED_AT = (3_000_000, 60_000_000)
"""Plies of self-play after which there are twice as many units and look-ups: when larger networks
from the first ply on have caught up with smaller ones."""
_MOST_UNITS = 1024


@final
class LaneLearner(Learner[RulesNetwork]):
    """A rules network that learns from games with itself; not for several threads.

    Of its counters ``matches`` are games that ended, ``seconds`` those that one core was busy.
    """

    def __init__(
        self,
        game: Game,
        config: LaneConfig,
        evaluator: RulesNetwork,
        workplace: Workplace | None = None,
    ) -> None:
        """Take what learns.

        Args:
            game: what is played.
            config: how; what it says of the network is not looked at.
            evaluator: of the game.
            workplace: where the lanes of each core are played: in its threads, if it has some, else
                by its executor; None: in one thread of this process for each core.

        Raises:
            GameError: the game is over before it begins.
        """
        super().__init__(game, config, evaluator, workplace)
        self._taken_over = 0
        self._workers = [
            LaneWorker(
                game,
                config,
                evaluator if number == 0 else copy.deepcopy(evaluator),
                number=number,
            )
            for number in range(config.cores)
        ]
        self._rounds = Agreement(self._workers, self._players())

    def round(self, plies: int | None = None) -> float:
        """Play and learn once; return the seconds taken.

        Seconds are those of the processor, so that what else runs on the machine does not count;
        of several cores, those of the busiest. Of workers elsewhere they are those of a clock.

        Args:
            plies: in every lane; None: as many as the configuration says.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
            LimitError: workers have died over a piece, or their cluster has gone.
        """
        seconds = self._rounds.play(self.config.round_plies if plies is None else plies)
        started = time.thread_time()
        counters, workers = self.counters, self._workers
        counters.rounds += 1
        counters.matches = sum(worker.games.own.games for worker in workers)
        counters.plies = sum(worker.games.own.plies for worker in workers)
        counters.updates = sum(worker.learning.steps for worker in workers)
        average_in(self.averaged, self.evaluator, counters.rounds, self.config)
        seconds += time.thread_time() - started
        counters.seconds += seconds
        return seconds

    def is_outgrown(self) -> bool:
        """Return whether units and look-ups are to be doubled before learning goes on."""
        doublings = self.doublings
        return doublings < self.config.doublings and self.counters.plies >= _DOUBLED_AT[doublings]

    def doubled(self) -> LaneLearner:
        """Return a learner that goes on here with the same values and games.

        It has twice the units, of which there are 1,024 at most, and twice the look-ups.
        """
        config, times = self.config, 2 ** (self.doublings + 1)
        network = replace(
            config.network,
            hidden=min(times * config.network.hidden, _MOST_UNITS),
            lookups=times * config.network.lookups,
        )
        opposed = self.evaluator.layout.sizes.opposed
        larger = make_rules_network(self.game, network, opposed=opposed, seed=config.seed)
        grown = LaneLearner(
            self.game, config, widened(self.evaluator, larger).requires_grad_(), self._workplace
        )
        grown.doublings = self.doublings + 1
        grown.averaged = widened(self.averaged, larger).requires_grad_(False)
        grown.counters = replace(self.counters)
        # After a round all workers have the same weights, but games of their own.
        for worker, other in zip(self._workers, grown._workers, strict=True):
            steps = widened_state(learning_state(worker.learning), other.learning)
            restore_learning(other.learning, steps)
            other.games.restore(worker.games.state())
        grown._rounds.note()
        grown._forget_losses()
        return grown

    def losses(self) -> tuple[float, int]:
        """Return the cross-entropy of a role's value, added up, and over how many values.

        Both are of everything learned since this learner was made, or took over from another one.
        """
        positions = sum(worker.learning.positions for worker in self._workers) - self._taken_over
        loss = sum(worker.learning.loss for worker in self._workers)
        return loss, positions * len(self.game.roles)

    def steps(self) -> dict[str, Tensor]:
        """Return what the sizes of steps follow from, for another learner of the same weights."""
        return learning_state(self._workers[0].learning)

    def take_steps(self, steps: Mapping[str, Tensor]) -> None:
        """Go on with the sizes of steps that :meth:`steps` of another learner returned."""
        for worker in self._workers:
            restore_learning(worker.learning, steps)
        self._forget_losses()
        self._rounds.note()

    def state(self) -> dict[str, Tensor]:
        """Return all that is needed to go on exactly here, beside :attr:`averaged`."""
        return {
            f"{number}.{name}": part
            for number, worker in enumerate(self._workers)
            for name, part in worker.state().items()
        }

    def _restore(self, state: dict[str, Tensor]) -> None:
        for number, worker in enumerate(self._workers):
            worker.restore(part_of(state, f"{number}."))
        self._rounds.note()
        self._forget_losses()

    def _players(self) -> Rounds:
        """Return who plays the groups of lanes."""
        config, workers, workplace = self.config, self._workers, self._workplace
        if workplace is None:
            alone = InlineExecutor()
            threads = ThreadPoolExecutor(config.cores) if config.cores > 1 else alone
            workplace = Workplace(alone, workers=config.cores, threads=threads)
        if workplace.threads is not None:
            return ThreadRounds(workers, workplace.threads, workplace.workers)
        learner = Travelling.of(self.game, [self.evaluator])
        groups = [
            LaneGroup(learner=learner, config=config, number=number)
            for number in range(config.cores)
        ]
        return SentRounds(groups, workers, workplace.executor)

    def _forget_losses(self) -> None:
        """Leave out what another learner has learned."""
        self._reported = (0.0, 0)
        self._taken_over = sum(worker.learning.positions for worker in self._workers)
        for worker in self._workers:
            worker.learning.loss = 0.0
