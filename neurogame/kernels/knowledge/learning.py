"""One state after the other: how tuples and moves learn from recorded games."""

from __future__ import annotations

import math

import numpy as np

from neurogame.array_types import Float64s1, Float64s2, Int32s2, Int64s1, UInt64s2
from neurogame.kernels.native.bits import lowest_bit
from neurogame.kernels.native.compiled import compiled

EARLY, LATE, FLAT = 0, 1, 2
"""Which moves of a game weigh most: the first, the last, or all alike."""


@compiled
def learn_tuples(
    psi: Float64s2,
    states: UInt64s2,
    begins: Int64s1,
    results: Float64s2,
    roles: Int64s1,
    alpha: float,
    settle: float,
    games: int,
) -> None:
    """Move the values of tuples towards the results of games, state by state.

    Args:
        psi: changed: value of each fluent for each role; float64 ``[R, F]``.
        states: packed states, game by game; uint64 ``[S, Fw]``.
        begins: first state of each game, and the number of states; int64 ``[N + 1]``.
        results: of each game and role, 0..1; float64 ``[N, R]``.
        roles: who learns; int64 ``[K]``.
        alpha: rate of the first game.
        settle: number of games after which the rate is a half, a third after twice as many.
        games: number of games learned before.

    *Reference:* Sharma, Kobti & Goodwin, equations (2) and (5).
    """
    held = np.empty(max(psi.shape[1], 1), np.int64)
    for game in range(len(begins) - 1):
        rate = alpha / (1.0 + (games + game) / settle)
        for row in range(begins[game], begins[game + 1]):
            size = 0
            for word in range(states.shape[1]):
                bits = states[row, word]
                while bits:
                    held[size] = 64 * word + lowest_bit(bits)
                    size += 1
                    bits &= bits - np.uint64(1)
            if size == 0:
                continue
            for own in range(len(roles)):
                role = roles[own]
                total = 0.0
                for place in range(size):
                    total += psi[role, held[place]]
                value = 1.0 / (1.0 + math.exp(-total))
                step = rate * (results[game, role] - value) / size
                for place in range(size):
                    psi[role, held[place]] += step


@compiled
def learn_moves(
    returns: Float64s1,
    plays: Float64s1,
    moves: Int32s2,
    begins: Int64s1,
    results: Float64s2,
    roles: Int64s1,
    history: int,
    first: int,
) -> None:
    """Add the results of games to the moves made in them.

    Args:
        returns: changed: sum of the weighted results of each move; float64 ``[M]``.
        plays: changed: how often each move was made; float64 ``[M]``.
        moves: number of each role's move in each state, among those of all roles, -1 in the last
            state of a game; int32 ``[S, R]``.
        begins: first state of each game, and the number of states; int64 ``[N + 1]``.
        results: of each game and role, 0..1; float64 ``[N, R]``.
        roles: who learns; int64 ``[K]``.
        history: :data:`EARLY`, :data:`LATE` or :data:`FLAT`.
        first: position of a game's first move, 0 or 1.

    *Reference:* Sharma, Kobti & Goodwin, equations (3) and (4).
    """
    for game in range(len(begins) - 1):
        length = begins[game + 1] - begins[game] - 1
        for ply in range(length):
            weight, position = 1.0, ply + first
            if history == EARLY:
                weight = 2.0 ** ((length - position) / length)
            elif history == LATE:
                weight = 2.0 ** (position / length)
            for own in range(len(roles)):
                role = roles[own]
                move = moves[begins[game] + ply, role]
                returns[move] += weight * results[game, role]
                plays[move] += 1.0
