"""Choices of moves in many games at once: any legal one, or the best by a judge's scores."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s2, Int32s2, Int64s1, Int64s2, UInt64s1, UInt64s2
from neurogame.kernels.leaves.picking import count_moves, nth_move, unit
from neurogame.native.compiled import compiled, inner
from neurogame.native.random import below, mixed
from neurogame.splitmix import G1, G2

_G1, _G2 = np.uint64(G1), np.uint64(G2)


@compiled
def count_choices(legal: UInt64s2, offsets: Int64s1, counts: Int64s2) -> None:
    """Count the legal moves of every role.

    Args:
        legal: packed legal moves of all roles; uint64 ``[N, Mw]``.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        counts: written; int64 ``[N, R]``.
    """
    for row in range(len(legal)):
        for role in range(len(offsets) - 1):
            counts[row, role] = count_moves(legal, row, offsets[role], offsets[role + 1])


@compiled
def game_keys(seed: int, first: int, keys: UInt64s1) -> None:
    """Write what the random choices of games follow from.

    Args:
        seed: any integer.
        first: number of the first game.
        keys: written; uint64 ``[N]``.
    """
    start = mixed(np.uint64(seed))
    for game in range(len(keys)):
        keys[game] = mixed(start + np.uint64(first + game + 1) * _G1)


@compiled
def choose_any(
    legal: UInt64s2, offsets: Int64s1, counts: Int64s2, keys: UInt64s1, ply: int, joint: Int32s2
) -> None:
    """Choose legal moves of all roles, all equally likely.

    Args:
        legal: packed legal moves of all roles; uint64 ``[N, Mw]``.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        counts: numbers of legal moves, at least 1; int64 ``[N, R]``.
        keys: of the games; uint64 ``[N]``.
        ply: number of the ply.
        joint: written: move numbers; int32 ``[N, R]``.
    """
    for row in range(len(legal)):
        for role in range(len(offsets) - 1):
            number = below(_word(keys[row], ply, role), counts[row, role])
            joint[row, role] = nth_move(legal, row, offsets[role], offsets[role + 1], number)


@compiled
def choose_best(
    legal: UInt64s2,
    offsets: Int64s1,
    role: int,
    rows: Int64s1,
    scores: Float32s2,
    epsilon: float,
    keys: UInt64s1,
    ply: int,
    joint: Int32s2,
) -> None:
    """Replace choices by the best moves, but for a share of the states; equal ones by lot.

    Args:
        legal: packed legal moves of all roles; uint64 ``[N, Mw]``.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        role: who chooses.
        rows: states in which it has a choice; int64 ``[K]``.
        scores: of their legal moves in ascending order; float32 ``[>= K, most moves]``.
        epsilon: chance that the choice stays as it is, 0..1.
        keys: of the games; uint64 ``[N]``.
        ply: number of the ply.
        joint: written, column ``role``; int32 ``[N, R]``.
    """
    begin, end = offsets[role], offsets[role + 1]
    for place in range(len(rows)):
        row = rows[place]
        word = mixed(_word(keys[row], ply, role) + _G1)
        if unit(word) < epsilon:
            continue
        best, ties = 0, 1
        for number in range(1, count_moves(legal, row, begin, end)):
            if scores[place, number] > scores[place, best]:
                best, ties = number, 1
            elif scores[place, number] == scores[place, best]:
                # One pass: the last of equal ones takes its place with the right probability.
                ties += 1
                word = mixed(word + _G1)
                if unit(word) * ties < 1.0:
                    best = number
        joint[row, role] = nth_move(legal, row, begin, end, best)


@inner
def _word(key: np.uint64, ply: int, role: int) -> np.uint64:
    """Return 64 random bits of a game, a ply and a role."""
    return mixed(key + np.uint64((ply << 8) + role + 1) * _G2)
