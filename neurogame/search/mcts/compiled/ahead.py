"""Leaves played ahead: a search of one leaf at a time fills the words of its playouts all the same.

Rules and playouts of one state take as long as those of 64, which are lanes of the same words. So
the leaf that a simulation needs is played together with those that the next simulations may need,
see :mod:`.next_leaves`, and what is found out of these waits here until one of them does. A playout
depends on its leaf alone, and nobody looks at its result before: simulations still follow each
other, and each knows the results of all before it.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s3, Int32s1, Int64s1
from neurogame.circuit.circuit import Circuit
from neurogame.kernels.leaves.block import Block, make_block
from neurogame.native.arrays import copy_row
from neurogame.native.bits import whole
from neurogame.native.compiled import inner
from neurogame.native.struct import Struct

ROWS = 8192
"""Most leaves that wait; then all are forgotten."""
TRIES = 4
"""Simulations that are made in advance for each leaf of a block, at most: some need one that waits
already, or none."""


class PlayedAhead(Struct):
    """Leaves that wait for a simulation.

    Attributes:
        leaves: of a block, the one that is needed among them; 0: no leaf is played ahead.
        count: rows of the block that are in use.
        keys: of parents and joint moves, see :func:`~.lookup.joint_key`; ``[2 ROWS]``.
        rows: of the leaf with that key, + 1; 0: there is no key; -1: it was taken; ``[2 ROWS]``.
        block: what is known of them.
        sums: of the records and edges on the paths of simulations made in advance, before their
            results were added; ``[D, TRIES leaves, 2 R]``.
        known: results that were known when simulations made in advance asked for them.
        drawn: how many of these were no win and no loss of the first role.
    """

    leaves: int
    count: int
    keys: Int64s1
    rows: Int32s1
    block: Block
    sums: Float32s3
    known: int = 0
    drawn: int = 0


def make_ahead(
    circuit: Circuit, leaves: int, *, depth: int = 1, played: bool = False
) -> PlayedAhead:
    """Reserve memory.

    Args:
        circuit: the game.
        leaves: of a block; 0: no leaf is played ahead.
        depth: ``D``, most plies of a path.
        played: whether the moves of playouts are wanted.
    """
    rows = ROWS if leaves else 1
    return PlayedAhead(
        leaves=leaves,
        count=0,
        keys=np.zeros(2 * rows, np.int64),
        rows=np.zeros(2 * rows, np.int32),
        block=make_block(
            leaves=rows,
            fluents=len(circuit.fluents),
            moves=circuit.move_count,
            roles=len(circuit.roles),
            lane_words=1,
            depth=1,
            plies=0,
            played=played,
        ),
        sums=np.zeros((depth, TRIES * leaves, 2 * len(circuit.roles)), np.float32),
    )


def forget_ahead(ahead: PlayedAhead) -> None:
    """Forget all leaves: the places of nodes, by which they are known, mean others now."""
    ahead.known = ahead.drawn = 0
    if ahead.count:
        ahead.rows[:] = 0
        ahead.count = 0


@inner
def place_of(ahead: PlayedAhead, key: int) -> int:
    """Return the place of a key, or a free one."""
    mask = len(ahead.keys) - 1
    place = key & mask
    while ahead.rows[place] != 0 and ahead.keys[place] != key:
        place = (place + 1) & mask
    return place


@inner
def make_room(ahead: PlayedAhead) -> None:
    """Forget all leaves if those of another block might find no room."""
    if ahead.count + ahead.leaves > ROWS:
        for place in range(len(ahead.rows)):
            ahead.rows[place] = 0
        ahead.count = 0


@inner
def row_of(ahead: PlayedAhead, key: int) -> int:
    """Return the row of a leaf; one that does not wait gets the next row."""
    place = place_of(ahead, key)
    if ahead.rows[place] <= 0:
        ahead.count += 1
        ahead.keys[place], ahead.rows[place] = key, ahead.count
    return whole(ahead.rows[place]) - 1


@inner
def keep_ahead(ahead: PlayedAhead, block: Block, leaves: int) -> None:
    """Have the leaves of a block, but for the first one, wait in the last rows."""
    first = ahead.count - leaves
    for leaf in range(1, leaves):
        _copy(block, leaf, ahead.block, first + leaf)


@inner
def take_ahead(ahead: PlayedAhead, key: int, block: Block) -> bool:
    """Make a leaf that waits the first of a block; return whether there is one with this key."""
    place = place_of(ahead, key)
    row = whole(ahead.rows[place]) - 1
    if row < 0:
        return False
    ahead.rows[place] = -1
    _copy(ahead.block, row, block, 0)
    return True


@inner
def _copy(source: Block, row: int, target: Block, place: int) -> None:
    """Copy what rules and playouts have found out of a leaf."""
    copy_row(source.states, row, target.states, place)
    copy_row(source.legal, row, target.legal, place)
    copy_row(source.goals, row, target.goals, place)
    copy_row(source.values, row, target.values, place)
    copy_row(source.played, row, target.played, place)
    target.hashes[place] = source.hashes[row]
    target.terminal[place] = source.terminal[row]
