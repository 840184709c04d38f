"""Whether the roles of a game are opponents, judged by how random games end."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import final

import numpy as np
import torch

from neurogame.array_types import Bools, Int64s
from neurogame.simulate.game import Game

SAMPLES = 64
_MAX_PLIES = 400


@final
@dataclass(frozen=True, kw_only=True)
class Opposition:
    """How the interests of the roles relate; chance has none and is none of them.

    Attributes:
        constant_sum: whether the goals of all roles sum to 100 in every sampled terminal state
            (and there are at least two roles). What one role is sure of, the others lose.
        competitive: whether no sampled outcome is strictly better for all roles than another
            one, so that there is nothing to gain by helping each other.
    """

    constant_sum: bool
    competitive: bool


_known: weakref.WeakKeyDictionary[Game, Opposition] = weakref.WeakKeyDictionary()


def opposition(game: Game) -> Opposition:
    """Return how the interests of a game's roles relate.

    It is sampled from random games, always the same ones, and can be wrong where random play
    misses some kind of ending. A game of which no random game ends within 400 plies is called
    competitive but not constant-sum, which is the cautious guess.

    Args:
        game: the game; its answer is remembered.
    """
    answer = _known.get(game)
    if answer is None:
        answer = _known[game] = judge(_sampled_outcomes(game), len(game.players))
    return answer


def opposed(game: Game) -> bool:
    """Return whether a game has two roles of which one loses what the other wins.

    Args:
        game: the game; see :func:`opposition`.
    """
    return len(game.roles) == 2 and opposition(game).constant_sum


def judge(outcomes: Iterable[tuple[int, ...]], roles: int) -> Opposition:
    """Judge the interests of roles by the outcomes of games.

    Args:
        outcomes: goals of all roles but chance, 0..100, of each game.
        roles: number of those roles.
    """
    different = set(outcomes)
    better_for_all = any(
        all(a > b for a, b in zip(one, two, strict=True))
        or all(a < b for a, b in zip(one, two, strict=True))
        for one, two in combinations(different, 2)
    )
    constant = roles > 1 and bool(different) and all(sum(goals) == 100 for goals in different)
    return Opposition(constant_sum=constant, competitive=roles > 1 and not better_for_all)


def _sampled_outcomes(game: Game) -> set[tuple[int, ...]]:
    """Return the different goals with which random games ended, but for those of chance."""
    simulator = game.simulator()
    random = np.random.default_rng(0)
    states = simulator.initial(SAMPLES)
    outcomes: set[tuple[int, ...]] = set()
    for _ in range(_MAX_PLIES):
        look = simulator.look(states)
        terminal = look.terminal.numpy()
        goals = np.rint(look.goals.numpy()[terminal] * 100).astype(np.int64)[:, game.players]
        outcomes |= {tuple(row) for row in goals.tolist()}
        legal = look.legal.numpy()
        going = np.flatnonzero(~terminal & _every_role_can_move(legal, game.move_offsets))
        # The last few games may be much longer than the others: not worth the wait.
        if len(going) <= SAMPLES // 4:
            break
        moves = _random_moves(legal[going], game.move_offsets, random)
        states = simulator.step(
            states.select(torch.from_numpy(going)), torch.from_numpy(moves), check=False
        )
    return outcomes


def _every_role_can_move(legal: Bools, offsets: list[int]) -> Bools:
    able = np.ones(len(legal), dtype=np.bool_)
    for begin, end in pairwise(offsets):
        able &= legal[:, begin:end].any(axis=1)
    return able


def _random_moves(legal: Bools, offsets: list[int], random: np.random.Generator) -> Int64s:
    """Draw a uniform legal move for every role; int64 ``[B, R]``."""
    keys = np.where(legal, random.random(legal.shape), -1.0)
    return np.stack([keys[:, a:b].argmax(axis=1) for a, b in pairwise(offsets)], axis=1)
