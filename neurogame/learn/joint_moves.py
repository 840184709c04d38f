"""All joint moves of many states at once, as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
import numpy.typing as npt

from neurogame.learn.counter_random import derive
from neurogame.splitmix import mix

Ints = npt.NDArray[np.int64]

# Above this a state's joint moves are sampled: 64 x 64 simultaneous moves are still complete.
JOINT_LIMIT = 4096


@final
@dataclass(frozen=True, eq=False)
class JointMoves:
    """The joint moves of ``A`` states, ``K`` in all, grouped by state.

    Attributes:
        choices: number of legal moves per state and role, int64 ``[A, R]``, at least 1.
        parent: the state of each joint move, int64 ``[K]``, ascending.
        rank: which of the role's legal moves it plays, int64 ``[K, R]`` in 0..choices - 1.
        moves: the same as index within all moves of the role, int64 ``[K, R]``.
        table: the legal moves of each role: move index by (state, rank), -1 beyond the last;
            one int64 array ``[A, max choices]`` per role.
    """

    choices: Ints
    parent: Ints
    rank: Ints
    moves: Ints
    table: tuple[Ints, ...]


def joint_moves(legal: npt.NDArray[np.bool_], offsets: list[int], random: Ints) -> JointMoves:
    """List the joint moves of non-terminal states.

    A state with more than ``JOINT_LIMIT`` joint moves gets that many (or as many as its most
    mobile role has moves): every move of every role, each in random company.

    Args:
        legal: legal moves of all roles, bool ``[A, M]``; every role has at least one.
        offsets: where each role's moves start, length ``R + 1``.
        random: one random word per state, int64 ``[A]``.
    """
    tables = [_move_table(legal[:, a:b]) for a, b in pairwise(offsets)]
    choices = np.stack([(table >= 0).sum(axis=1) for table in tables], axis=1).astype(np.int64)
    product = np.prod(choices.astype(np.float64), axis=1)
    sampled = product > JOINT_LIMIT
    count = np.where(sampled, np.maximum(choices.max(axis=1), JOINT_LIMIT), product)
    count = count.astype(np.int64)
    parent = np.repeat(np.arange(len(legal)), count)
    number = np.arange(len(parent)) - np.repeat(np.cumsum(count) - count, count)
    rank = np.empty((len(parent), len(tables)), dtype=np.int64)
    stride = np.ones(len(legal), dtype=np.int64)
    for role in range(len(tables) - 1, -1, -1):
        mine = choices[:, role]
        full = (number // stride[parent]) % mine[parent]
        rank[:, role] = full
        if sampled.any():
            rank[:, role] = np.where(
                sampled[parent], _spread(number, mine[parent], random[parent], role), full
            )
        stride = np.where(sampled, 1, stride * mine)
    moves = np.stack([table[parent, rank[:, r]] for r, table in enumerate(tables)], axis=1)
    return JointMoves(choices, parent, rank, moves, tuple(tables))


def _move_table(legal: npt.NDArray[np.bool_]) -> Ints:
    """Return the indices of the true columns of each row, filled up with -1."""
    count = legal.sum(axis=1)
    table = np.full((len(legal), max(1, int(count.max(initial=0)))), -1, dtype=np.int64)
    row, column = np.nonzero(legal)
    place = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    table[row, place] = column
    return table


def _spread(number: Ints, choices: Ints, random: Ints, role: int) -> Ints:
    """Return ranks that run through all moves of a role again and again, shifted at random."""
    lap = number // choices
    shift = mix(derive(random, role, lap)) % choices.astype(np.uint64)
    return (number + shift.astype(np.int64)) % choices
