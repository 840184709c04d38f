"""A ply of many games in one call: a role's moves are given, those of all others drawn."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools1, Float32s1, Int64s1, UInt8s1, UInt64s2
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.kernels.leaves.picking import count_moves, nth_move
from neurogame.native.arrays import copy_row
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
        states: packed, and the initial state; uint64 ``[N + 1, Fw]``.
        legal: their packed legal moves; uint64 ``[N + 1, Mw]``.
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
    states: UInt64s2
    legal: UInt64s2
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
    for lane in range(len(games.ended)):
        games.rewards[lane], games.ended[lane] = 0, False
        _copy(games, lane, games.states, games.legal, len(games.ended))


def play_ply(games: EnvGames) -> None:
    """Make a move of every role in every game, and tell what follows."""
    machine, block, size = games.machine, games.machine.block, len(games.ended)
    games.refused = -1
    for lane in range(size):
        if not _may_move(games, lane):
            games.refused = lane
            return
    games.clock += 1
    room = len(block.terminal)
    for begin in range(0, size, room):
        machine.count = min(size - begin, room)
        for row in range(machine.count):
            _move(games, row, begin + row)
        machine.make_moves(machine)
        for row in range(machine.count):
            _take(games, row, begin + row)


@inner
def _may_move(games: EnvGames, lane: int) -> bool:
    """Return whether the given move is legal, and every other role has one."""
    offsets, legal = games.offsets, games.legal
    for role in range(len(offsets) - 1):
        begin, end = offsets[role], offsets[role + 1]
        if role == games.role:
            begin += games.actions[lane]
            if begin < offsets[role] or begin >= end:
                return False
            end = begin + 1
        if count_moves(legal, lane, begin, end) == 0:
            return False
    return True


@inner
def _move(games: EnvGames, row: int, lane: int) -> None:
    """Write a game's state and the moves that are made into the block."""
    block, offsets, legal = games.machine.block, games.offsets, games.legal
    roles = len(offsets) - 1
    copy_row(games.states, lane, block.parents, row)
    for role in range(roles):
        begin, end, number = offsets[role], offsets[role + 1], 0
        if role == games.role:
            block.joint[row, role] = begin + games.actions[lane]
            continue
        count = count_moves(legal, lane, begin, end)
        if count > 1:
            number = below(random_word(games.seed, lane, games.clock * roles + role), count)
        block.joint[row, role] = nth_move(legal, lane, begin, end, number)


@inner
def _take(games: EnvGames, row: int, lane: int) -> None:
    """Take what follows in a game from the block; one that has ended begins anew."""
    block = games.machine.block
    games.ended[lane], games.rewards[lane] = block.terminal[row], 0
    if block.terminal[row]:
        games.rewards[lane] = np.float32(2) * block.goals[row, games.role] - np.float32(1)
        _copy(games, lane, games.states, games.legal, len(games.ended))
    else:
        _copy(games, lane, block.states, block.legal, row)


@inner
def _copy(games: EnvGames, lane: int, states: UInt64s2, legal: UInt64s2, row: int) -> None:
    """Copy a state and its legal moves, and tell them.

    What stands behind a row of bytes is written over by the next one.
    """
    for word in range(states.shape[1]):
        games.states[lane, word] = states[row, word]
        spread(games.told, lane * games.fluents + 64 * word, states[row, word])
    copy_row(legal, row, games.legal, lane)
    begin, end = games.offsets[games.role], games.offsets[games.role + 1]
    shift = np.uint64(begin & 63)
    for word in range((end - begin + 63) >> 6):
        place = (begin >> 6) + word
        bits = legal[row, place] >> shift
        if place + 1 < legal.shape[1]:
            bits |= legal[row, place + 1] << _ONE << (_LAST - shift)
        spread(games.masks, lane * (end - begin) + 64 * word, bits)
