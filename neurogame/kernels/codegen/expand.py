"""Expansion of states with compiled rules: children are the lanes of one block."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from neurogame.circuit.circuit import Circuit
from neurogame.errors import LimitError
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.evaluate import Input
from neurogame.kernels.codegen.frame import Part
from neurogame.kernels.codegen.step import load_step
from neurogame.kernels.lane_rows import SPACE, from_lanes, hash_row, to_lanes
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.compiled import compiled
from neurogame.kernels.step import GOALS, NEXT, STATUS
from neurogame.kernels.twin.expand import Children, PackedArray, Seen

_MOST_CHILDREN = 1 << 24
_ONE = np.uint64(1)


@final
class LlvmExpander:
    """Expands states of one game; not for several threads at once.

    Attributes:
        kernel: the compiled rules.
    """

    def __init__(self, circuit: Circuit, variant: str | None = None) -> None:
        """Compile the rules, or load them from the cache, and reserve memory.

        Args:
            circuit: the game.
            variant: ``straight``, ``table``, or None to choose by the number of gates.
        """
        self.kernel = load_step(circuit, variant)
        words = self.kernel.lane_words
        fluents, moves = len(circuit.fluents), circuit.move_count
        pairs = [(role, value) for role, own in enumerate(circuit.goals) for value, _ in own]
        self._roles = len(circuit.roles)
        self._sizes = (-(-fluents // 64), -(-moves // 64))
        offsets = np.cumsum([0, *(len(own) for own in circuit.moves)])
        self._offsets = offsets.astype(np.int64)
        self._goals = np.array(pairs, np.int64).reshape(-1, 2)
        self._source = aligned((fluents + moves) * words).reshape(-1, words)
        self._children = aligned(fluents * words).reshape(-1, words)
        self._seen = aligned((moves + 1 + len(pairs)) * words).reshape(-1, words)
        self._cells = aligned(self.kernel.memory // 8)
        self._next = np.ascontiguousarray(self.kernel.outputs[NEXT])
        self._status = np.concatenate([self.kernel.outputs[STATUS], self.kernel.outputs[GOALS]])
        step_parts = 1 << Part.MOVE
        look_parts = 1 << Part.LOOK | 1 << Part.GOALS
        self._step = self._arguments(self._source, self._children, self._next, step_parts)
        self._look = self._arguments(self._children, self._seen, self._status, look_parts)
        self._address = self.kernel.code.address("evaluate")

    def _arguments(self, source: Any, target: Any, places: Any, parts: int) -> Any:
        table = self.kernel.arguments(self._cells)
        table[Input.BLOCK_END] = 1
        table[Input.PARTS] = parts
        table[Input.STRIDE] = 8 * self.kernel.lane_words
        table[Input.FROM], table[Input.FROM_COUNT] = source.ctypes.data, len(source)
        table[Input.TO], table[Input.TO_COUNT] = target.ctypes.data, len(target)
        table[Input.TO_CELLS] = places.ctypes.data
        return table

    def look(self, states: PackedArray) -> Seen:
        """Return legal moves, ends and goals of packed states; uint64 ``[N, ceil(F / 64)]``."""
        seen = self._new_seen(len(states))
        _look(
            self._address,
            self._look,
            states,
            self._children,
            self._seen,
            self._goals,
            seen.legal,
            seen.terminal,
            seen.goals,
        )
        return seen

    def expand(self, states: PackedArray, legal: PackedArray | None = None) -> Children:
        """Return all children of packed states; a state in which some role has no move has none.

        Args:
            states: uint64 ``[N, ceil(F / 64)]``.
            legal: their legal moves as :class:`Seen` gives them; None: to be found.

        Raises:
            LimitError: there are more joint moves than fit into memory.
        """
        if legal is None:
            legal = self.look(states).legal
        total = _count(legal, self._offsets)
        if total > _MOST_CHILDREN:
            raise LimitError(
                f"{len(states)} states have {total:.3g} joint moves, the limit is "
                f"{_MOST_CHILDREN}; expand fewer states at once, or sample joint moves"
            )
        size = int(total)
        seen = self._new_seen(size)
        children = Children(
            parent=np.empty(size, np.int64),
            joint=np.empty((size, self._roles), np.int64),
            states=np.empty((size, self._sizes[0]), np.uint64),
            hashes=np.empty(size, np.uint64),
            seen=seen,
        )
        _expand(
            self._address,
            self._step,
            self._look,
            states,
            legal,
            self._offsets,
            self._source,
            self._children,
            self._seen,
            self._goals,
            children.parent,
            children.joint,
            children.states,
            children.hashes,
            seen.legal,
            seen.terminal,
            seen.goals,
        )
        return children

    def _new_seen(self, size: int) -> Seen:
        return Seen(
            np.empty((size, self._sizes[1]), np.uint64),
            np.empty(size, np.bool_),
            np.empty((size, self._roles), np.float32),
        )


@compiled
def _count(legal: Any, offsets: Any) -> float:
    """Return the number of joint moves of all states, as a float because many roles overflow."""
    total = 0.0
    for state in range(len(legal)):
        product = 1.0
        for role in range(len(offsets) - 1):
            count = 0
            for move in range(offsets[role], offsets[role + 1]):
                if legal[state, move >> 6] >> np.uint64(move & 63) & _ONE:
                    count += 1
            product *= count
        total += product
    return total


@compiled
def _list_children(legal: Any, offsets: Any, parent: Any, joint: Any) -> None:
    """Write the joint moves of all states, lexicographic for each."""
    roles = len(offsets) - 1
    moves = np.empty(offsets[roles], np.int64)
    begin: Any = np.empty(roles + 1, np.int64)
    at = np.empty(roles, np.int64)
    child = 0
    for state in range(len(legal)):
        begin[0] = 0
        for role in range(roles):
            end = begin[role]
            for move in range(offsets[role], offsets[role + 1]):
                if legal[state, move >> 6] >> np.uint64(move & 63) & _ONE:
                    moves[end] = move - offsets[role]
                    end += 1
            begin[role + 1] = end
        product = 1
        for role in range(roles):
            product *= begin[role + 1] - begin[role]
            at[role] = begin[role]
        for _ in range(product):
            parent[child] = state
            for role in range(roles):
                joint[child, role] = moves[at[role]]
            child += 1
            role = roles - 1
            while role >= 0:
                at[role] += 1
                if at[role] < begin[role + 1]:
                    break
                at[role] = begin[role]
                role -= 1


@compiled
def _read_seen(
    seen: Any, goal_table: Any, begin: int, size: int, legal: Any, terminal: Any, goals: Any
) -> None:
    """Unpack what is known of a block of states; legal moves of terminal states are removed."""
    moves = len(seen) - 1 - len(goal_table)
    words = (size + 63) >> 6
    for word in range(words):
        going = ~seen[moves, word]
        for move in range(moves):
            seen[move, word] &= going
    from_lanes(seen, np.arange(moves), legal[begin : begin + size], np.zeros(SPACE, np.uint64))
    for lane in range(size):
        terminal[begin + lane] = seen[moves, lane >> 6] >> (lane & 63) & 1
        for role in range(goals.shape[1]):
            goals[begin + lane, role] = 0
    for row in range(len(goal_table) - 1, -1, -1):
        # The highest goal of a role comes first, so it is written last.
        role, value = goal_table[row]
        for lane in range(size):
            if seen[moves + 1 + row, lane >> 6] >> (lane & 63) & 1:
                goals[begin + lane, role] = np.float32(value / 100)


@compiled
def _look(
    address: int,
    arguments: Any,
    states: Any,
    fluents: Any,
    seen: Any,
    goal_table: Any,
    legal: Any,
    terminal: Any,
    goals: Any,
) -> None:
    """Look at states, block by block."""
    lanes = 64 * fluents.shape[1]
    index, space = np.arange(len(states)), np.zeros(SPACE, np.uint64)
    for begin in range(0, len(states), lanes):
        size = min(lanes, len(states) - begin)
        to_lanes(states, index[begin : begin + size], fluents, space)
        call_address(address, arguments.ctypes.data)
        _read_seen(seen, goal_table, begin, size, legal, terminal, goals)


@compiled
def _expand(
    address: int,
    step: Any,
    look: Any,
    states: Any,
    legal: Any,
    offsets: Any,
    source: Any,
    fluents: Any,
    seen: Any,
    goal_table: Any,
    parent: Any,
    joint: Any,
    children: Any,
    hashes: Any,
    child_legal: Any,
    terminal: Any,
    goals: Any,
) -> None:
    """Make all children, block by block."""
    _list_children(legal, offsets, parent, joint)
    lanes = 64 * fluents.shape[1]
    first = len(fluents)
    signals, space = np.arange(first), np.zeros(SPACE, np.uint64)
    for begin in range(0, len(parent), lanes):
        size = min(lanes, len(parent) - begin)
        to_lanes(states, parent[begin : begin + size], source[:first], space)
        source[first:, : (size + 63) >> 6] = 0
        for lane in range(size):
            for role in range(joint.shape[1]):
                move = first + offsets[role] + joint[begin + lane, role]
                source[move, lane >> 6] |= np.int64(_ONE << np.uint64(lane & 63))
        call_address(address, step.ctypes.data)
        from_lanes(fluents, signals, children[begin : begin + size], space)
        call_address(address, look.ctypes.data)
        _read_seen(seen, goal_table, begin, size, child_legal, terminal, goals)
    for child in range(len(children)):
        hashes[child] = hash_row(children[child])
