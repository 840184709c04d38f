"""A ply of many games in one call: a role's moves are given, those of all others drawn."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools1, Float32s1, Int32s2, Int64s1, UInt8s1, UInt64s1, UInt64s2
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.kernels.leaves.picking import count_moves, nth_move
from neurogame.native.bits import spread
from neurogame.native.compiled import inner
from neurogame.native.random import below, random_word
from neurogame.native.struct import Struct

SLACK = 64
"""Bytes that are written behind the last row of what is told."""

_ONE = np.uint64(1)
_LAST = np.uint64(63)


class EnvGames(Struct):
    """Games that begin anew where they end.

    ``N`` games, ``Fw`` and ``Mw`` words of a packed state and of packed legal moves, ``F`` fluents,
    ``R`` roles, ``L`` moves of the role.

    Attributes:
        machine: the rules with a block, of any size.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        role: whose moves are given.
        fluents: ``F``.
        first_state: packed; uint64 ``[Fw]``.
        first_legal: its packed legal moves; uint64 ``[Mw]``.
        states: packed; uint64 ``[N, Fw]``.
        legal: packed legal moves; uint64 ``[N, Mw]``.
        joint: the moves made, as move numbers of all roles; int32 ``[N, R]``.
        actions: given: moves by number of the role's own; int64 ``[N]``.
        seed: of the others' moves.
        clock: plies made since the seed was set.
        told: the fluents that hold afterwards, a byte each; uint8 ``[N F + SLACK]``.
        masks: the role's legal moves then, a byte each; uint8 ``[N L + SLACK]``.
        rewards: -1..1 for a goal of 0..100 where a game has ended, else 0; float32 ``[N]``.
        ended: bool ``[N]``.
        refused: the first game whose move is not legal, or in which a role has none; then nothing
            has been done. Else -1.
    """

    machine: StateMachine
    offsets: Int64s1
    role: int
    fluents: int
    first_state: UInt64s1
    first_legal: UInt64s1
    states: UInt64s2
    legal: UInt64s2
    joint: Int32s2
    actions: Int64s1
    seed: int = 0
    clock: int = 0
    told: UInt8s1
    masks: UInt8s1
    rewards: Float32s1
    ended: Bools1
    refused: int = -1


def begin_all(games: EnvGames) -> None:
    """Begin all games anew, and tell it."""
    for lane in range(len(games.states)):
        games.rewards[lane], games.ended[lane] = 0, False
        _begin(games, lane)
        _tell(games, lane)


def play_ply(games: EnvGames) -> None:
    """Make a move of every role in every game, and tell what follows."""
    machine, block = games.machine, games.machine.block
    states, joint = games.states, games.joint
    games.refused = -1
    for lane in range(len(states)):
        if not _choose(games, lane):
            games.refused = lane
            return
    games.clock += 1
    room = len(block.terminal)
    for begin in range(0, len(states), room):
        size = min(len(states) - begin, room)
        for row in range(size):
            for word in range(states.shape[1]):
                block.parents[row, word] = states[begin + row, word]
            for role in range(joint.shape[1]):
                block.joint[row, role] = joint[begin + row, role]
        machine.count = size
        machine.make_moves(machine)
        for row in range(size):
            _take(games, row, begin + row)


@inner
def _choose(games: EnvGames, lane: int) -> bool:
    """Write the moves that are made in a game; return whether there are such."""
    offsets, legal, joint = games.offsets, games.legal, games.joint
    for role in range(joint.shape[1]):
        begin, end = offsets[role], offsets[role + 1]
        if role == games.role:
            move = begin + games.actions[lane]
            if move < begin or move >= end:
                return False
            if (legal[lane, move >> 6] >> np.uint64(move & 63)) & _ONE == np.uint64(0):
                return False
        else:
            count, number = count_moves(legal, lane, begin, end), 0
            if count == 0:
                return False
            if count > 1:
                draw = games.clock * joint.shape[1] + role
                number = below(random_word(games.seed, lane, draw), count)
            move = nth_move(legal, lane, begin, end, number)
        joint[lane, role] = move
    return True


@inner
def _take(games: EnvGames, row: int, lane: int) -> None:
    """Take what follows in a game from the block; a game that has ended begins anew."""
    block = games.machine.block
    ended = block.terminal[row]
    games.ended[lane] = ended
    if ended:
        games.rewards[lane] = np.float32(2) * block.goals[row, games.role] - np.float32(1)
        _begin(games, lane)
    else:
        games.rewards[lane] = 0
        for word in range(games.states.shape[1]):
            games.states[lane, word] = block.states[row, word]
        for word in range(games.legal.shape[1]):
            games.legal[lane, word] = block.legal[row, word]
    _tell(games, lane)


@inner
def _begin(games: EnvGames, lane: int) -> None:
    for word in range(games.states.shape[1]):
        games.states[lane, word] = games.first_state[word]
    for word in range(games.legal.shape[1]):
        games.legal[lane, word] = games.first_legal[word]


@inner
def _tell(games: EnvGames, lane: int) -> None:
    """Write the bytes of a game; what stands behind a row is written over by the next one."""
    states, legal, offsets = games.states, games.legal, games.offsets
    for word in range(states.shape[1]):
        spread(games.told, lane * games.fluents + 64 * word, states[lane, word])
    begin, end = offsets[games.role], offsets[games.role + 1]
    shift = np.uint64(begin & 63)
    for word in range((end - begin + 63) >> 6):
        place = (begin >> 6) + word
        bits = legal[lane, place] >> shift
        if place + 1 < legal.shape[1]:
            bits |= legal[lane, place + 1] << _ONE << (_LAST - shift)
        spread(games.masks, lane * (end - begin) + 64 * word, bits)
