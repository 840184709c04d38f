"""A round of some lanes as a piece of work, which any worker can do.

All that decides a piece travels with it, as plain arrays, and all that it changes comes back: so
it makes no difference which worker does it, how often, or what became of those before.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import final

from neurogame.evaluators.rules_network.evaluator import as_rules_network
from neurogame.files import Arrays
from neurogame.learn.checkpoints.weights import part_of
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.worker import LaneWorker
from neurogame.learn.travelling import Travelling, as_tensors

_KEPT = 64
"""Workers of the lane learner that a process keeps for their next pieces."""


@final
@dataclass(frozen=True, kw_only=True)
class LaneGroup:
    """Lanes that one piece of each round plays.

    Attributes:
        learner: the game, and what learns.
        config: how.
        number: of the group; its games differ from those of others.
    """

    learner: Travelling
    config: LaneConfig
    number: int


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class LaneRound:
    """What a piece has come to.

    Attributes:
        state: of the group's worker afterwards.
        loss: added up over the positions learned.
    """

    state: Arrays
    loss: float


def play_lanes(group: LaneGroup, state: Arrays, plies: int) -> LaneRound:
    """Play and learn with a group's lanes.

    Args:
        group: which lanes.
        state: of the group's worker, see :func:`packed`.
        plies: in every lane.

    Raises:
        GameError: a role has no legal move in a state that is not terminal.
    """
    seat = _seat(group)
    if not seat:
        seat.append(_worker(group, state))
    (worker,) = seat
    unpacked(worker, state)
    worker.learning.loss = 0.0
    worker.play(plies)
    return LaneRound(state=packed(worker), loss=worker.learning.loss)


def packed(worker: LaneWorker) -> Arrays:
    """Return the state of a worker as plain arrays, which travel well."""
    return {name: part.numpy() for name, part in worker.state().items()}


def unpacked(worker: LaneWorker, state: Arrays) -> None:
    """Let a worker go on from a state that :func:`packed` returned."""
    worker.restore(as_tensors(state))


@lru_cache(maxsize=_KEPT)
def _seat(group: LaneGroup) -> list[LaneWorker]:
    """Return where the worker of a group is kept, once it is made."""
    return []


def _worker(group: LaneGroup, state: Arrays) -> LaneWorker:
    (evaluator,) = group.learner.evaluators()
    network = as_rules_network(evaluator)
    assert network is not None
    # Where its tables lie is told with its weights.
    network.load_state_dict(part_of(as_tensors(state), "weights."))
    return LaneWorker(group.learner.game(), group.config, network, number=group.number)
