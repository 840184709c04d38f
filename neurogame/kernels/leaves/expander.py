"""Looks at many states, and their children: what learning asks of the rules.

:class:`Expander` sees of states what :mod:`neurogame.kernels.twin.expand`, which defines it, does.
Compiled code goes through children block by block: :func:`fill_children` makes as many as there is
room for, after which the block holds each child beside its parent and the joint move in between,
for whatever is to be computed of them.
"""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.array_types import Int64s1, Int64s2, UInt64s, UInt64s2
from neurogame.circuit.circuit import Circuit
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.kernels.leaves.picking import masked
from neurogame.kernels.seen import Seen
from neurogame.native.arrays import copy_row
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import inner
from neurogame.native.random import below, random_word
from neurogame.native.struct import Struct

MOST = 1 << 24
"""Joint moves that are made of one state, unless somebody wants fewer."""

_LANES = 2048
_ONE = np.uint64(1)


class ChildBlocks(Struct):
    """States whose children are made one block after the other.

    ``N`` leaves of the block, ``R`` roles, ``M`` moves of all roles.

    Attributes:
        machine: the rules with the block.
        given: number of states, ``S``.
        states: given: packed states; uint64 ``[>= S, Fw]``.
        legal: given: their packed legal moves; uint64 ``[>= S, Mw]``.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        state: the one whose children are made next.
        left: how many children it still has.
        count: number of children in the block.
        parent: which state each of them is a child of; int64 ``[N]``.
        joint: the joint move that leads to each, in numbers of the roles' own moves; int64
            ``[N, R]``.
        moves: legal moves of the state, role by role; int64 ``[M]``.
        starts: where each role's begin among them, and the end; int64 ``[R + 1]``.
        chosen: places of the joint move that is made next; int64 ``[R]``.
        most: joint moves that are made of a state in which several roles have a choice; of more,
            as many are drawn, or as many as some role has moves: each move of each role is among
            them, in random company.
        drawn: how many of the present state are drawn; 0: all are made.
        seed: of these draws.
    """

    machine: StateMachine
    given: int = 0
    states: UInt64s2
    legal: UInt64s2
    offsets: Int64s1
    state: int = -1
    left: int = 0
    count: int = 0
    parent: Int64s1
    joint: Int64s2
    moves: Int64s1
    starts: Int64s1
    chosen: Int64s1
    most: int
    drawn: int = 0
    seed: int = 0


@inner
def fill_children(expansion: ChildBlocks) -> None:
    """Make the next children, as many as the block has leaves, from the state to go on with."""
    machine, states, parent = expansion.machine, expansion.states, expansion.parent
    parents, origin, room, filled = machine.block.parents, machine.block.origin, len(parent), 0
    state, left, given = expansion.state, expansion.left, expansion.given
    while filled < room:
        while left == 0 and state + 1 < given:
            state += 1
            left = _list_moves(expansion, state)
        if left == 0:
            break
        first = filled
        copy_row(states, state, parents, first)
        for _ in range(min(left, room - filled)):
            parent[filled], origin[filled] = state, first
            left -= 1
            _write_joint(expansion, filled, state, left)
            filled += 1
    expansion.state, expansion.left, expansion.count = state, left, filled
    if filled > 0:
        machine.count, machine.brief = filled, 1
        machine.make_moves(machine)


@inner
def _list_moves(expansion: ChildBlocks, state: int) -> int:
    """List a state's legal moves and begin with its first joint move; return how many to make."""
    legal, offsets, moves = expansion.legal, expansion.offsets, expansion.moves
    starts, chosen = expansion.starts, expansion.chosen
    place, product, several, widest = 0, 1.0, 0, 0
    for role in range(len(chosen)):
        starts[role] = chosen[role] = place
        begin, end = offsets[role], offsets[role + 1]
        for word in range(begin >> 6, (end + 63) >> 6):
            bits = masked(legal[state, word], word, begin, end)
            while bits:
                moves[place] = 64 * word + lowest_bit(bits)
                place += 1
                bits &= bits - _ONE
        product *= place - starts[role]
        several += place - starts[role] > 1
        widest = max(widest, place - starts[role])
    starts[len(chosen)] = place
    is_drawn = several > 1 and product > expansion.most
    expansion.drawn = max(expansion.most, widest) if is_drawn else 0
    return expansion.drawn if is_drawn else int(product)


@inner
def _write_joint(expansion: ChildBlocks, place: int, state: int, left: int) -> None:
    """Write a joint move and go on to the next one, the last role's moves first."""
    moves, starts, chosen = expansion.moves, expansion.starts, expansion.chosen
    joint, numbers, offsets = expansion.machine.block.joint, expansion.joint, expansion.offsets
    if expansion.drawn != 0:
        _draw(expansion, state, expansion.drawn - 1 - left)
    for role in range(len(chosen)):
        move = moves[chosen[role]]
        joint[place, role], numbers[place, role] = move, move - offsets[role]
    if expansion.drawn != 0:
        return
    for role in range(len(chosen) - 1, -1, -1):
        chosen[role] += 1
        if chosen[role] < starts[role + 1]:
            break
        chosen[role] = starts[role]


@inner
def _draw(expansion: ChildBlocks, state: int, number: int) -> None:
    """Choose a joint move: each role goes through its moves again and again, shifted at random.

    :func:`neurogame.search.lockstep.joint_moves.joint_moves` does the same.
    """
    starts, chosen = expansion.starts, expansion.chosen
    for role in range(len(chosen)):
        moves = starts[role + 1] - starts[role]
        lap = number // moves
        shift = below(random_word(expansion.seed, state, lap * len(chosen) + role), moves)
        chosen[role] = starts[role] + (number + shift) % moves


@final
class Expander:
    """Looks at states of one game; not for several threads at once.

    Attributes:
        expansion: for compiled code that goes through children.
    """

    def __init__(self, circuit: Circuit) -> None:
        """Compile the rules, or load them from the cache, and reserve memory."""
        self._leaves = Leaves(circuit, _LANES, depth=1, playouts=0)
        offsets = circuit.move_offsets
        block, roles = self._leaves.block, len(circuit.roles)
        self.expansion = ChildBlocks(
            machine=self._leaves.rules,
            states=np.zeros_like(block.states),
            legal=np.zeros_like(block.legal),
            offsets=offsets,
            parent=np.zeros(_LANES, np.int64),
            joint=np.zeros((_LANES, roles), np.int64),
            moves=np.zeros(circuit.move_count, np.int64),
            starts=np.zeros(roles + 1, np.int64),
            chosen=np.zeros(roles, np.int64),
            most=MOST,
        )

    def look(self, states: UInt64s) -> Seen:
        """Return legal moves, ends and goals of packed states; uint64 ``[N, ceil(F / 64)]``."""
        block, blocks = self._leaves.block, []
        for begin in range(0, max(len(states), 1), _LANES):
            size = min(_LANES, len(states) - begin)
            block.states[:size] = states[begin : begin + size]
            self._leaves.look(size)
            self._leaves.check()
            blocks.append(self._seen(size))
        return _seen(blocks)

    def _seen(self, count: int) -> Seen:
        """Return what there is to know about the first leaves."""
        block = self._leaves.block
        return Seen(
            block.legal[:count].copy(), block.terminal[:count].copy(), block.goals[:count].copy()
        )


def _seen(blocks: list[Seen]) -> Seen:
    return Seen(
        np.concatenate([block.legal for block in blocks]),
        np.concatenate([block.terminal for block in blocks]),
        np.concatenate([block.goals for block in blocks]),
    )
