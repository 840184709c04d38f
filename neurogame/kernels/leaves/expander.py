"""All children of many states: what learning and tools ask of the rules, from Python.

:class:`Expander` gives the children of states as :mod:`neurogame.kernels.twin.expand`, which
defines them. Compiled code goes through them block by block: :func:`next_children` makes as many
as there is room for, after which the block holds each child beside its parent and the joint move
in between, for whatever is to be computed of them.
"""

from __future__ import annotations

from typing import TypeVar, final

import numpy as np
import numpy.typing as npt

from neurogame.array_types import Int64s1, Int64s2, UInt64s, UInt64s2
from neurogame.circuit.circuit import Circuit
from neurogame.errors import LimitError
from neurogame.kernels.children import Children, Seen
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.machine import StateMachine
from neurogame.kernels.leaves.picking import count_moves, masked
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import inner
from neurogame.native.entries import entry
from neurogame.native.random import below, random_word
from neurogame.native.struct import Struct

Kind = TypeVar("Kind", bound=np.generic)

MOST = 1 << 24
"""Children of one call."""

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
        children: number of joint moves of all states; a real number, as many roles overflow.
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
            as many are drawn at random.
        drawn: 1 where those of the present state are.
        seed: of these draws.
    """

    machine: StateMachine
    given: int = 0
    states: UInt64s2
    legal: UInt64s2
    offsets: Int64s1
    children: float = 0.0
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


def first_children(expansion: ChildBlocks) -> None:
    """Count all children, and make the first of them if they are at most :data:`MOST`."""
    legal, offsets = expansion.legal, expansion.offsets
    total = 0.0
    for state in range(expansion.given):
        product = 1.0
        for role in range(len(offsets) - 1):
            product *= count_moves(legal, state, offsets[role], offsets[role + 1])
        total += product
    expansion.children, expansion.state, expansion.left = total, -1, 0
    if total <= MOST:
        fill_children(expansion)


def next_children(expansion: ChildBlocks) -> None:
    """Make the next children, as many as the block has leaves; write how many those are."""
    fill_children(expansion)


@inner
def fill_children(expansion: ChildBlocks) -> None:
    """Make the next children, as many as the block has leaves, from the state to go on with."""
    block, states, parent = expansion.machine.block, expansion.states, expansion.parent
    parents, room, filled = block.parents, len(parent), 0
    state, left, given = expansion.state, expansion.left, expansion.given
    while filled < room:
        while left == 0 and state + 1 < given:
            state += 1
            left = _list_moves(expansion, state)
        if left == 0:
            break
        for _ in range(min(left, room - filled)):
            parent[filled] = state
            for word in range(states.shape[1]):
                parents[filled, word] = states[state, word]
            _write_joint(expansion, filled)
            filled += 1
            left -= 1
    expansion.state, expansion.left, expansion.count = state, left, filled
    if filled > 0:
        expansion.machine.count = filled
        expansion.machine.make_moves(expansion.machine)


@inner
def _list_moves(expansion: ChildBlocks, state: int) -> int:
    """List a state's legal moves and begin with its first joint move; return how many to make."""
    legal, offsets, moves = expansion.legal, expansion.offsets, expansion.moves
    starts, chosen = expansion.starts, expansion.chosen
    place, product, several = 0, 1.0, 0
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
    starts[len(chosen)] = place
    expansion.drawn = 1 if several > 1 and product > expansion.most else 0
    return expansion.most if expansion.drawn != 0 else int(product)


@inner
def _write_joint(expansion: ChildBlocks, place: int) -> None:
    """Write a joint move and go on to the next one, the last role's moves first."""
    moves, starts, chosen = expansion.moves, expansion.starts, expansion.chosen
    joint, numbers, offsets = expansion.machine.block.joint, expansion.joint, expansion.offsets
    for role in range(len(chosen)):
        move = moves[chosen[role]]
        joint[place, role], numbers[place, role] = move, move - offsets[role]
    if expansion.drawn != 0:
        _draw(expansion)
        return
    for role in range(len(chosen) - 1, -1, -1):
        chosen[role] += 1
        if chosen[role] < starts[role + 1]:
            break
        chosen[role] = starts[role]


@inner
def _draw(expansion: ChildBlocks) -> None:
    """Draw the joint move that is made next."""
    starts, chosen = expansion.starts, expansion.chosen
    for role in range(len(chosen)):
        expansion.seed += 1
        word = random_word(expansion.seed, expansion.state, role)
        chosen[role] = starts[role] + below(word, starts[role + 1] - starts[role])


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
        self._states, self._legal = self.expansion.states, self.expansion.legal
        self._begin, self._go_on = entry(first_children), entry(next_children)

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

    def expand(self, states: UInt64s, legal: UInt64s | None = None) -> Children:
        """Return all children of packed states; a state in which some role has no move has none.

        Args:
            states: uint64 ``[N, ceil(F / 64)]``.
            legal: their legal moves as :class:`Seen` gives them; None: to be found.

        Raises:
            LimitError: there are more joint moves than fit into memory.
        """
        expansion = self.expansion
        self._give(states, self.look(states).legal if legal is None else legal)
        self._begin(expansion)
        total = expansion.children
        if total > MOST:
            raise LimitError(
                f"{len(states)} states have {total:.3g} joint moves, the limit is "
                f"{MOST}; expand fewer states at once, or sample joint moves"
            )
        first = self._made(min(_LANES, int(total)))
        if total <= _LANES:
            return first
        children = _room(first, int(total))
        for begin in range(0, int(total), _LANES):
            if begin > 0:
                self._go_on(expansion)
            self._put(children, begin, min(begin + _LANES, int(total)))
        return children

    def _give(self, states: UInt64s, legal: UInt64s) -> None:
        """Tell compiled code of the states; few are copied, which takes less time."""
        expansion, count = self.expansion, len(states)
        if count > _LANES:
            expansion.states, expansion.legal = states, legal
        else:
            self._states[:count], self._legal[:count] = states, legal
            if expansion.states is not self._states:
                expansion.states, expansion.legal = self._states, self._legal
        expansion.given = count

    def _made(self, count: int) -> Children:
        """Return the children in the block."""
        self._leaves.check()
        block = self._leaves.block
        return Children(
            parent=self.expansion.parent[:count].copy(),
            joint=self.expansion.joint[:count].copy(),
            states=block.states[:count].copy(),
            hashes=block.hashes[:count].copy(),
            seen=self._seen(count),
        )

    def _put(self, children: Children, begin: int, end: int) -> None:
        """Write the children in the block into memory for more."""
        self._leaves.check()
        block, expansion = self._leaves.block, self.expansion
        count, seen = end - begin, children.seen
        children.parent[begin:end] = expansion.parent[:count]
        children.joint[begin:end] = expansion.joint[:count]
        children.states[begin:end] = block.states[:count]
        children.hashes[begin:end] = block.hashes[:count]
        seen.legal[begin:end] = block.legal[:count]
        seen.terminal[begin:end] = block.terminal[:count]
        seen.goals[begin:end] = block.goals[:count]

    def _seen(self, count: int) -> Seen:
        """Return what there is to know about the first leaves."""
        block = self._leaves.block
        return Seen(
            block.legal[:count].copy(), block.terminal[:count].copy(), block.goals[:count].copy()
        )


def _room(like: Children, count: int) -> Children:
    """Return memory for a number of children."""
    return Children(
        parent=_rows(like.parent, count),
        joint=_rows(like.joint, count),
        states=_rows(like.states, count),
        hashes=_rows(like.hashes, count),
        seen=Seen(
            _rows(like.seen.legal, count),
            _rows(like.seen.terminal, count),
            _rows(like.seen.goals, count),
        ),
    )


def _rows(like: npt.NDArray[Kind], count: int) -> npt.NDArray[Kind]:
    return np.empty((count, *like.shape[1:]), like.dtype)


def _seen(blocks: list[Seen]) -> Seen:
    return Seen(
        np.concatenate([block.legal for block in blocks]),
        np.concatenate([block.terminal for block in blocks]),
        np.concatenate([block.goals for block in blocks]),
    )
