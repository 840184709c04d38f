"""Whether the roles of a game are opponents: do their final goals always sum to 100?"""

from __future__ import annotations

import weakref
from itertools import pairwise

import numpy as np
import torch

from neurogame.search.tree import Flags, Integers
from neurogame.simulate.game import Game

SAMPLES = 64
_MAX_PLIES = 400
_known: weakref.WeakKeyDictionary[Game, bool] = weakref.WeakKeyDictionary()


def is_constant_sum(game: Game) -> bool:
    """Return whether the goals of all sampled terminal states sum to 100.

    The goal values in the rules can refute it at once; otherwise random games decide, always
    the same ones. A game with one role is not constant-sum. Where no random game ends within
    400 plies the roles are taken to be opponents, which is the cautious guess.

    Args:
        game: the game; its answer is remembered.
    """
    answer = _known.get(game)
    if answer is None:
        answer = _known[game] = _possible(game) and _sampled(game)
    return answer


def _possible(game: Game) -> bool:
    """Return whether every goal value of a role leaves a sum of 100 to the others."""
    values = [[value for value, _ in pairs] for pairs in game.circuit.goals]
    if len(values) < 2 or not all(values):
        return False
    for own, role_values in enumerate(values):
        sums = {0}
        for other, rest in enumerate(values):
            if other != own:
                sums = {total + value for total in sums for value in rest}
        if not any(100 - value in sums for value in role_values):
            return False
    return True


def _sampled(game: Game) -> bool:
    """Return whether the goals sum to 100 wherever one of the sampled games ends."""
    simulator = game.simulator()
    random = np.random.default_rng(0)
    states = simulator.initial(SAMPLES)
    for _ in range(_MAX_PLIES):
        look = simulator.look(states)
        terminal = look.terminal.numpy()
        sums = look.goals.numpy()[terminal].sum(axis=1)
        if (np.abs(sums - 1) > 1e-3).any():
            return False
        legal = look.legal.numpy()
        stuck = ~terminal & ~_every_role_can_move(legal, game.move_offsets)
        going = np.flatnonzero(~terminal & ~stuck)
        if len(going) <= SAMPLES // 4:
            break
        moves = _random_moves(legal[going], game.move_offsets, random)
        states = simulator.step(
            states.select(torch.from_numpy(going)), torch.from_numpy(moves), check=False
        )
    return True


def _every_role_can_move(legal: Flags, offsets: list[int]) -> Flags:
    able = np.ones(len(legal), dtype=np.bool_)
    for begin, end in pairwise(offsets):
        able &= legal[:, begin:end].any(axis=1)
    return able


def _random_moves(legal: Flags, offsets: list[int], random: np.random.Generator) -> Integers:
    """Draw a uniform legal move for every role; int64 ``[B, R]``."""
    keys = np.where(legal, random.random(legal.shape), -1.0)
    return np.stack([keys[:, a:b].argmax(axis=1) for a, b in pairwise(offsets)], axis=1)
