"""All children of many states: what learning and tools ask of the rules, from Python.

:class:`Expander` gives the children of states as :mod:`neurogame.kernels.twin.expand`, which
defines them. Compiled code goes through them block by block: :func:`next_children` makes as many
as there is room for, after which the block holds each child beside its parent and the joint move
in between, for whatever is to be computed of them.
"""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.errors import LimitError
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.kernels.leaves.picking import count_moves, masked
from neurogame.kernels.native.bits import lowest_bit
from neurogame.kernels.native.compiled import inner
from neurogame.kernels.native.entries import entry
from neurogame.kernels.native.layout import Int32s2, Int64s1, UInt64s2
from neurogame.kernels.native.struct import Struct
from neurogame.kernels.twin.expand import Children, PackedArray, Seen

_MOST_CHILDREN = 1 << 24
_LANES = 1024
_ONE = np.uint64(1)


class Expansion(Struct):
    """States whose children are made one block after the other.

    ``N`` leaves of the block, ``R`` roles, ``M`` moves of all roles.

    Attributes:
        machine: the rules with the block.
        states: given: packed states; uint64 ``[S, Fw]``.
        legal: given: their packed legal moves; uint64 ``[S, Mw]``.
        offsets: first move of each role, and the total; int64 ``[R + 1]``.
        children: number of joint moves of all states; a real number, as many roles overflow.
        state: the one whose children are made next.
        left: how many children it still has.
        count: number of children in the block.
        parent: which state each of them is a child of; int64 ``[N]``.
        moves: legal moves of the state, role by role; int64 ``[M]``.
        starts: where each role's begin among them, and the end; int64 ``[R + 1]``.
        chosen: places of the joint move that is made next; int64 ``[R]``.
    """

    machine: StateMachine
    states: UInt64s2
    legal: UInt64s2
    offsets: Int64s1
    children: float
    state: int
    left: int
    count: int
    parent: Int64s1
    moves: Int64s1
    starts: Int64s1
    chosen: Int64s1


def count_children(expansion: Expansion) -> None:
    """Begin with the first state, and count all children."""
    legal, offsets = expansion.legal, expansion.offsets
    total = 0.0
    for state in range(len(legal)):
        product = 1.0
        for role in range(len(offsets) - 1):
            product *= count_moves(legal, state, offsets[role], offsets[role + 1])
        total += product
    expansion.children, expansion.state, expansion.left = total, -1, 0


def next_children(expansion: Expansion) -> None:
    """Make the next children, as many as the block has leaves; write how many those are."""
    block, states, parent = expansion.machine.block, expansion.states, expansion.parent
    parents, joint, room, filled = block.parents, block.joint, len(parent), 0
    state, left = expansion.state, expansion.left
    while filled < room:
        while left == 0 and state + 1 < len(states):
            state += 1
            left = _list_moves(expansion, state)
        if left == 0:
            break
        for _ in range(min(left, room - filled)):
            parent[filled] = state
            for word in range(states.shape[1]):
                parents[filled, word] = states[state, word]
            _write_joint(expansion, joint, filled)
            filled += 1
            left -= 1
    expansion.state, expansion.left, expansion.count = state, left, filled
    if filled > 0:
        expansion.machine.count = filled
        expansion.machine.make_moves(expansion.machine)


@inner
def _list_moves(expansion: Expansion, state: int) -> int:
    """List a state's legal moves and begin with its first joint move; return how many it has."""
    legal, offsets, moves = expansion.legal, expansion.offsets, expansion.moves
    starts, chosen = expansion.starts, expansion.chosen
    place, product = 0, 1
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
    starts[len(chosen)] = place
    return product


@inner
def _write_joint(expansion: Expansion, joint: Int32s2, place: int) -> None:
    """Write a joint move and go on to the next one, the last role's moves first."""
    moves, starts, chosen = expansion.moves, expansion.starts, expansion.chosen
    for role in range(len(chosen)):
        joint[place, role] = moves[chosen[role]]
    for role in range(len(chosen) - 1, -1, -1):
        chosen[role] += 1
        if chosen[role] < starts[role + 1]:
            break
        chosen[role] = starts[role]


@final
class Expander:
    """Expands states of one game; not for several threads at once.

    Attributes:
        expansion: for compiled code that goes through children itself.
    """

    def __init__(self, circuit: Circuit, *, backend: str | None = None) -> None:
        """Compile the rules, or load them from the cache, and reserve memory.

        Args:
            circuit: the game.
            backend: what evaluates the rules; None: chosen by their size.

        Raises:
            ConfigurationError: there is no such backend, or it does not run on the CPU.
            MissingExtraError: its modules are not installed.
        """
        self._leaves = Leaves(circuit, _LANES, depth=1, playouts=0, backend=backend)
        offsets = np.cumsum([0, *(len(own) for own in circuit.moves)]).astype(np.int64)
        roles = len(circuit.roles)
        self._first = offsets[:-1]
        self.expansion = Expansion(
            machine=self._leaves.rules,
            states=np.zeros((0, 1), np.uint64),
            legal=np.zeros((0, 1), np.uint64),
            offsets=offsets,
            children=0.0,
            state=-1,
            left=0,
            count=0,
            parent=np.zeros(_LANES, np.int64),
            moves=np.zeros(circuit.move_count, np.int64),
            starts=np.zeros(roles + 1, np.int64),
            chosen=np.zeros(roles, np.int64),
        )
        self._count, self._next = entry(count_children), entry(next_children)

    def look(self, states: PackedArray) -> Seen:
        """Return legal moves, ends and goals of packed states; uint64 ``[N, ceil(F / 64)]``."""
        block = self._leaves.block
        seen = self._seen(len(states))
        for begin in range(0, len(states), _LANES):
            size = min(_LANES, len(states) - begin)
            block.states[:size] = states[begin : begin + size]
            self._leaves.look(size)
            self._leaves.check()
            self._copy(seen, begin, size)
        return seen

    def expand(self, states: PackedArray, legal: PackedArray | None = None) -> Children:
        """Return all children of packed states; a state in which some role has no move has none.

        Args:
            states: uint64 ``[N, ceil(F / 64)]``.
            legal: their legal moves as :class:`Seen` gives them; None: to be found.

        Raises:
            LimitError: there are more joint moves than fit into memory.
        """
        expansion, block = self.expansion, self._leaves.block
        expansion.states = states
        expansion.legal = self.look(states).legal if legal is None else legal
        self._count(expansion)
        total = expansion.children
        if total > _MOST_CHILDREN:
            raise LimitError(
                f"{len(states)} states have {total:.3g} joint moves, the limit is "
                f"{_MOST_CHILDREN}; expand fewer states at once, or sample joint moves"
            )
        size = int(total)
        children = Children(
            parent=np.empty(size, np.int64),
            joint=np.empty((size, len(self._first)), np.int64),
            states=np.empty((size, block.states.shape[1]), np.uint64),
            hashes=np.empty(size, np.uint64),
            seen=self._seen(size),
        )
        for begin in range(0, size, _LANES):
            self._next(expansion)
            self._leaves.check()
            count = min(_LANES, size - begin)
            end = begin + count
            children.parent[begin:end] = expansion.parent[:count]
            np.subtract(block.joint[:count], self._first, out=children.joint[begin:end])
            children.states[begin:end] = block.states[:count]
            children.hashes[begin:end] = block.hashes[:count]
            self._copy(children.seen, begin, count)
        return children

    def _seen(self, size: int) -> Seen:
        block = self._leaves.block
        return Seen(
            np.empty((size, block.legal.shape[1]), np.uint64),
            np.empty(size, np.bool_),
            np.empty((size, block.goals.shape[1]), np.float32),
        )

    def _copy(self, seen: Seen, begin: int, count: int) -> None:
        """Copy what was seen of the first leaves."""
        block, end = self._leaves.block, begin + count
        seen.legal[begin:end] = block.legal[:count]
        seen.terminal[begin:end] = block.terminal[:count]
        seen.goals[begin:end] = block.goals[:count]
