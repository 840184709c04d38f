"""The lane learner in the processes that torchrun has started: one leads, the others follow."""

from __future__ import annotations

import json

import numpy as np

from neurogame.errors import ConfigurationError
from neurogame.learn.checkpoints.weights import part_of
from neurogame.learn.counters import Counters
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.lanes.piece import as_tensors, described, rebuilt_parts
from neurogame.simulate.game import Game
from neurogame.workers.cluster import source_version
from neurogame.workers.ranks import Ranks


def lead(learner: LaneLearner, ranks: Ranks) -> None:
    """Tell the other processes what learns and how far it is, from rank 0.

    Args:
        learner: of these ranks; before its next round.
        ranks: the processes.

    Raises:
        LimitError: another process has ended.
        NeurogameError: another one cannot follow; with its message.
    """
    told = described(learner.game, learner.evaluator)
    told |= {"config": json.dumps(learner.config.to_json()), "version": source_version()}
    ranks.share({name: np.array(text) for name, text in told.items()})
    ranks.share({name: part.numpy() for name, part in learner.state().items()})
    with ranks.together():
        pass  # Waits for the others, whose beginning is no part of the time of learning.


def follow(ranks: Ranks) -> None:
    """Play and learn with rank 0 until it ends; it says what, and nothing is read or written.

    Args:
        ranks: the processes.

    Raises:
        SystemExit: a process has failed or ended; rank 0 says so.
    """
    told = {name: str(text) for name, text in ranks.share(None).items()}
    state = as_tensors(ranks.share(None))
    with ranks.together():
        if told["version"] != source_version():
            raise ConfigurationError(
                f"rank {ranks.number} has neurogame {source_version()}, rank 0 {told['version']}; "
                "they would not learn the same: install the same files on all machines"
            )
        game = Game.from_text(told["rules"], told["name"])
        evaluator = rebuilt_parts(game, told["evaluator"], part_of(state, "0.weights."))
        config = LaneConfig.from_json(json.loads(told["config"]))
        learner = LaneLearner(game, config, evaluator, ranks)
        # Averages are rank 0's, which releases them.
        learner.restore(state, evaluator.state_dict(), Counters())
    while word := ranks.share(None):
        learner.round(int(word["plies"]))
