"""A round of some lanes as a piece of work, which any worker can do.

All that decides a piece travels with it, as plain arrays, and all that it changes comes back: so
it makes no difference which worker does it, how often, or what became of those before.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.errors import GameError
from neurogame.evaluators.rebuild import rebuild_evaluator
from neurogame.evaluators.rules_network.evaluator import RulesNetwork, as_rules_network
from neurogame.files import Arrays
from neurogame.gdl.write import rules_text
from neurogame.learn.checkpoints.weights import part_of
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.worker import LaneWorker
from neurogame.simulate.game import Game

_KEPT = 64
"""Workers of the lane learner that a process keeps for their next pieces."""


@final
@dataclass(frozen=True, kw_only=True)
class LaneGroup:
    """Lanes that one piece of each round plays.

    Attributes:
        name: of the game.
        rules: as text.
        evaluator: description of what learns, as JSON.
        config: how.
        number: of the group; its games differ from those of others.
        lanes: of this group.
    """

    name: str
    rules: str
    evaluator: str
    config: LaneConfig
    number: int
    lanes: int

    @classmethod
    def of(
        cls, game: Game, config: LaneConfig, evaluator: RulesNetwork, number: int, lanes: int
    ) -> LaneGroup:
        """Return a group of a learner's lanes."""
        told = described(game, evaluator)
        return cls(**told, config=config, number=number, lanes=lanes)


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


def described(game: Game, evaluator: RulesNetwork) -> dict[str, str]:
    """Return ``name`` and ``rules`` of a game, and what an ``evaluator`` of it is made of."""
    return {
        "name": game.name,
        "rules": rules_text(game.rules),
        "evaluator": json.dumps(evaluator.describe()),
    }


def rebuilt_network(game: Game, description: str, weights: dict[str, Tensor]) -> RulesNetwork:
    """Return an evaluator that was :func:`described`.

    Args:
        game: what it is of.
        description: its JSON.
        weights: its tensors; where its tables lie is told with them.

    Raises:
        GameError: it is no rules network.
    """
    evaluator = as_rules_network(rebuild_evaluator(game, json.loads(description)))
    if evaluator is None:
        raise GameError(f"{game.name}: lanes play with a rules network, no other")
    evaluator.load_state_dict(weights)
    return evaluator.requires_grad_(False)


def packed(worker: LaneWorker) -> Arrays:
    """Return the state of a worker as plain arrays, which travel well."""
    return {name: part.numpy() for name, part in worker.state().items()}


def unpacked(worker: LaneWorker, state: Arrays) -> None:
    """Let a worker go on from a state that :func:`packed` returned."""
    worker.restore(as_tensors(state))


def as_tensors(state: Arrays) -> dict[str, Tensor]:
    """Return arrays as tensors."""
    # What has travelled may be read only, of which torch warns.
    return {
        name: torch.from_numpy(part if part.flags.writeable else np.array(part))
        for name, part in state.items()
    }


@lru_cache(maxsize=_KEPT)
def _seat(group: LaneGroup) -> list[LaneWorker]:
    """Return where the worker of a group is kept, once it is made."""
    return []


def _worker(group: LaneGroup, state: Arrays) -> LaneWorker:
    game = game_of(group.name, group.rules)
    weights = part_of(as_tensors(state), "weights.")
    evaluator = rebuilt_network(game, group.evaluator, weights)
    return LaneWorker(game, group.config, evaluator, number=group.number, lanes=group.lanes)


@lru_cache(maxsize=2)
def game_of(name: str, rules: str) -> Game:
    """Return a game that has travelled as text, which a process keeps for its next pieces."""
    return Game.from_text(rules, name)
