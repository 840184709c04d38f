"""One state after the other: how tuples and moves learn from recorded games."""

from __future__ import annotations

import math

import numpy as np

from neurogame.array_types import Float64s1, Float64s2, Int64s1, UInt64s2
from neurogame.kernels.knowledge.recorded_games import RecordedGames
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import compiled, inner

EARLY, LATE, FLAT = 0, 1, 2
"""Which moves of a game weigh most: the first, the last, or all alike."""


@compiled(arrays=True)
def learn_tuples(
    psi: Float64s2,
    games: RecordedGames,
    roles: Int64s1,
    alpha: float,
    settle: float,
    done: int,
    trace: float,
) -> None:
    """Move the values of tuples towards the results of games, state by state.

    A state's target is the lambda return: the result of the game for ``trace`` 1, else
    ``(1 - trace) V + trace G`` of the value before this game and the target of the state that
    follows.

    Args:
        psi: changed: value of each fluent for each role; float64 ``[R, F]``.
        games: to learn from.
        roles: who learns; int64 ``[K]``.
        alpha: rate of the first game.
        settle: number of games after which the rate is a half, a third after twice as many.
        done: number of games learned before.
        trace: lambda, 0..1.

    *References:* Sharma, Kobti & Goodwin, equations (2) and (5); Sutton and Barto, "Reinforcement
    learning", 2nd edition (2018), section 12.1, the offline lambda-return algorithm.
    """
    states, begins, results, fluents = games.states, games.begins, games.results, psi.shape[1]
    held = np.empty(max(fluents, 1), np.int64)
    targets = np.empty((_longest(begins), psi.shape[0]))
    for game in range(len(begins) - 1):
        rate = alpha / (1.0 + (done + game) / settle)
        begin, end = begins[game], begins[game + 1]
        for row in range(end - 1, begin - 1, -1):
            size = 0
            if trace < 1 and row + 1 < end:
                size = _find_held(states, row + 1, held)
            for learner in range(len(roles)):
                role, place = roles[learner], row - begin
                if trace < 1 and row + 1 < end:
                    value = _value(psi, role, held, size)
                    later = targets[place + 1, role]
                    targets[place, role] = value + trace * (later - value)
                else:
                    targets[place, role] = results[game, role]
        for row in range(begin, end):
            size = _find_held(states, row, held)
            if size == 0:
                continue
            for learner in range(len(roles)):
                role = roles[learner]
                value = _value(psi, role, held, size)
                step = rate * (targets[row - begin, role] - value) / size
                for place in range(size):
                    psi[role, held[place]] += step


@inner
def _longest(begins: Int64s1) -> int:
    """Return the number of states of the longest game."""
    longest = 0
    for game in range(len(begins) - 1):
        longest = max(longest, begins[game + 1] - begins[game])
    return longest


@inner
def _find_held(states: UInt64s2, row: int, held: Int64s1) -> int:
    """Write which fluents hold in a state; return how many."""
    size = 0
    for word in range(states.shape[1]):
        bits = states[row, word]
        while bits:
            held[size] = 64 * word + lowest_bit(bits)
            size += 1
            bits &= bits - np.uint64(1)
    return size


@inner
def _value(psi: Float64s2, role: int, held: Int64s1, size: int) -> float:
    """Return the value of a state for a role."""
    total = 0.0
    for place in range(size):
        total += psi[role, held[place]]
    return 1.0 / (1.0 + math.exp(-total))


@compiled
def learn_moves(
    returns: Float64s1,
    plays: Float64s1,
    games: RecordedGames,
    roles: Int64s1,
    history: int,
    first: int,
) -> None:
    """Add the results of games to the moves made in them.

    Args:
        returns: changed: sum of the weighted results of each move; float64 ``[M]``.
        plays: changed: how often each move was made; float64 ``[M]``.
        games: to learn from.
        roles: who learns; int64 ``[K]``.
        history: :data:`EARLY`, :data:`LATE` or :data:`FLAT`.
        first: position of a game's first move, 0 or 1.

    *Reference:* Sharma, Kobti & Goodwin, equations (3) and (4).
    """
    moves, begins, results = games.moves, games.begins, games.results
    for game in range(len(begins) - 1):
        length = begins[game + 1] - begins[game] - 1
        for ply in range(length):
            weight, position = 1.0, ply + first
            if history == EARLY:
                weight = 2.0 ** ((length - position) / length)
            elif history == LATE:
                weight = 2.0 ** (position / length)
            for learner in range(len(roles)):
                role = roles[learner]
                move = moves[begins[game] + ply, role]
                returns[move] += weight * results[game, role]
                plays[move] += 1.0
