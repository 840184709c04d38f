"""Learning by self-play while there is time: what refinement, start clocks and opponents leave."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import final

from torch import Tensor

from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.simulate.game import Game

_LANES = 128
"""Games at once, at most: a round is short."""
_INPUTS_PER_SECOND = 100_000
"""Inputs of a circuit's gates whose structure is found in a second, at the least."""
_SHORT = 0.02
"""Seconds that a round may take where somebody may call at any time."""


def is_too_slow(game: Game, seconds: float) -> bool:
    """Return whether a game is so large that even its structure takes longer than that."""
    return game.circuit.graph.edge_count > _INPUTS_PER_SECOND * seconds


@final
class TimedLearner:
    """Learns by self-play, with the recipe that fits the game, as long as it is let.

    Attributes:
        learner: plays and learns, round by round.
    """

    def __init__(
        self,
        game: Game,
        *,
        begun: RulesNetwork | None = None,
        steps: Mapping[str, Tensor] | None = None,
        seed: int = 0,
        cores: int = 1,
    ) -> None:
        """Take what learns.

        Args:
            game: the game; not :func:`too slow <is_too_slow>` for the time that there is.
            begun: an evaluator of the game that goes on learning; it is not changed. None: a
                rules network that fits the game begins to learn.
            steps: what :meth:`.LaneLearner.steps` of an earlier learner of that evaluator returned;
                None: sizes are found anew.
            seed: decides the games.
            cores: processor cores to play on.
        """
        config = fitted(game, seed=seed)
        lanes = min(config.lanes, _LANES * cores)
        config = replace(config, lanes=lanes, cores=min(cores, lanes))
        network = fresh_rules_network(game, config) if begun is None else copy.deepcopy(begun)
        self.learner = LaneLearner(game, config, network.requires_grad_())
        if steps is not None:
            self.learner.take_steps(steps)
        self._plies, self._ply_seconds = 1, 0.0

    def learn(self, until: float) -> None:
        """Learn until a time.

        Args:
            until: when to end, as ``time.monotonic`` tells it; a round that would probably end
                later is not begun. The first ones are short.
        """
        now = time.monotonic()
        while now + self._plies * self._ply_seconds < until:
            now = self._round(now)

    def learn_a_little(self) -> None:
        """Learn for about 20 ms, or for one ply in each lane where that takes longer."""
        if self._ply_seconds > 0:
            self._plies = max(min(self._plies, int(_SHORT / self._ply_seconds)), 1)
        self._round(time.monotonic())

    def _round(self, began: float) -> float:
        """Play a round; return the time at its end."""
        self.learner.round(self._plies)
        now = time.monotonic()
        self._ply_seconds = (now - began) / self._plies
        self._plies = min(2 * self._plies, self.learner.config.round_plies)
        return now
