"""The joint moves to look ahead at: all of a state, or a sample where those are too many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Bools, Int64s
from neurogame.circuit.joint_moves import list_legal_moves
from neurogame.search.lockstep.counter_random import derive
from neurogame.splitmix import mix

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

    choices: Int64s
    parent: Int64s
    rank: Int64s
    moves: Int64s
    table: tuple[Int64s, ...]


def joint_moves(legal: Bools, offsets: list[int], random: Int64s) -> JointMoves:
    """List the joint moves of non-terminal states.

    A state with more than ``JOINT_LIMIT`` joint moves gets that many (or as many as its most
    mobile role has moves): every move of every role, each in random company.

    Args:
        legal: legal moves of all roles, bool ``[A, M]``; every role has at least one.
        offsets: where each role's moves start, length ``R + 1``.
        random: one random word per state, int64 ``[A]``.
    """
    lists = list_legal_moves(legal, offsets)
    choices, counts = lists.choices, lists.joint_counts
    sampled = counts > JOINT_LIMIT
    counts = np.where(sampled, np.maximum(choices.max(axis=1), JOINT_LIMIT), counts)
    parent, number, rank = lists.ranks(counts.astype(np.int64))
    some = np.flatnonzero(sampled[parent])
    for role in range(choices.shape[1]) if len(some) else ():
        state = parent[some]
        rank[some, role] = _spread(number[some], choices[state, role], random[state], role)
    return JointMoves(choices, parent, rank, lists.moves(parent, rank), lists.table)


def _spread(number: Int64s, choices: Int64s, random: Int64s, role: int) -> Int64s:
    """Return ranks that run through all moves of a role again and again, shifted at random."""
    lap = number // choices
    shift = mix(derive(random, role, lap)) % choices.astype(np.uint64)
    return (number + shift.astype(np.int64)) % choices
