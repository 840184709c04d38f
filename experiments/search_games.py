"""Self-play by short tree searches, one game after the other: what the lane learner is compared to.

Moves and targets are those of searches that value leaves by what has been learned. Only the
processor time of searches and of learning counts, not that of Python between them.
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from snapshots import Snapshot

from neurogame.kernels.native.entries import entry
from neurogame.kernels.self_play.recorded import GamesToLearn, learn_recorded, value_recorded
from neurogame.learn.learning_state import learning_of
from neurogame.learn.recipe import fitted, fresh_parts
from neurogame.search.limit import Limit
from neurogame.search.mcts import Mcts
from neurogame.search.mcts_settings import MctsSettings
from neurogame.search.packing import state_words
from neurogame.simulate.game import Game

_GAMES = 8
"""Between two averages of the weights."""
_STEP_EVERY = 256
"""Positions of a step of Adam: there are few of them."""


@dataclass
class _Record:
    """The positions of a game after its opening, and where it ended."""

    states: list[npt.NDArray[np.uint64]] = field(default_factory=list)
    searched: list[tuple[float, ...]] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    goals: tuple[float, ...] = ()
    seconds: float = 0.0


def searched(game: Game, seed: int, seconds: float, simulations: int) -> Snapshot:
    """Learn on one core, and return what was learned.

    Args:
        game: its roles take turns.
        seed: of the run.
        seconds: of the processor, for searches and learning.
        simulations: of each search.
    """
    config = fitted(game, {"step_every": _STEP_EVERY}, seed=seed)
    evaluator = fresh_parts(game, config)
    averaged = copy.deepcopy(evaluator).requires_grad_(False)
    learning = learning_of(evaluator, config)
    settings = MctsSettings(cutoff=0, reuse=False)
    search = Mcts(game, settings=settings, evaluator=evaluator, seed=seed)
    value, learn = entry(value_recorded), entry(learn_recorded)
    random, images = np.random.default_rng(seed), evaluator.layout.images.shape[1]
    games, steps, used = 0, 0, 0.0
    while used < seconds:
        record = _play(game, search, simulations, config.epsilon, config.openings, random)
        games += 1
        used += record.seconds
        rows, roles = len(record.states), len(game.roles)
        if rows == 0:
            continue
        began = time.process_time()
        recorded = GamesToLearn(
            learning=learning,
            states=np.stack(record.states),
            modes=np.zeros(rows, np.int32),
            logic=np.full((rows, roles), 0.5, np.float32),
            searched=np.array(record.searched, np.float32),
            cut=np.array(record.cut, np.uint8),
            goals=np.array([record.goals], np.float32),
            ended=np.ones(1, np.uint8),
            targets=np.zeros((rows, roles), np.float32),
            first=np.array([0, rows], np.int64),
            image=random.integers(images, size=1),
            lambda_=config.lambda_,
        )
        value(recorded)
        learn(recorded)
        if games % _GAMES == 0:
            steps += 1
            share = (1 + config.memory) / (steps + config.memory)
            with torch.no_grad():
                for mean, now in zip(
                    averaged.parts_learned(), evaluator.parts_learned(), strict=True
                ):
                    mean.lerp_(now, share)
        used += time.process_time() - began
    return Snapshot(seconds=used, games=games, evaluator=averaged)


def _play(
    game: Game,
    search: Mcts,
    simulations: int,
    epsilon: float,
    openings: int,
    random: np.random.Generator,
) -> _Record:
    """Play a game from a random opening."""
    state, record, opening = game.initial_state(), _Record(), int(random.integers(openings + 1))
    ply = 0
    while not state.is_terminal:
        legal = state.legal_moves
        joint = [own[int(random.integers(len(own)))] for own in legal]
        if ply >= opening:
            role = max(range(len(legal)), key=lambda one: len(legal[one]))
            began = time.process_time()
            found = search.search(state, role, Limit(simulations=simulations))
            record.seconds += time.process_time() - began
            explores = bool(random.random() < epsilon)
            record.states.append(state_words(state.fluents.numpy()))
            record.searched.append(found.value)
            record.cut.append(int(explores))
            if not explores:
                joint[role] = found.move
        state = state.next(joint)
        ply += 1
    record.goals = tuple((goal or 0.0) / 100 for goal in state.goals)
    return record
