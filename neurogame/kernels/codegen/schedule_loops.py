"""Loops over the gates of a schedule; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools1, Int32s2, Int64s, Int64s1, UInt8s1
from neurogame.native.bits import whole
from neurogame.native.compiled import compiled, inner
from neurogame.native.struct import Struct

LOAD, GATE, STORE = 0, 1, 2
KINDS = {"load": LOAD, "gate": GATE, "store": STORE}
"""Kinds of steps, as numbers of compiled code."""

_NEVER = 1 << 60


@compiled(arrays=True)
def depth_first(first: int, inputs: Int32s2, gates: Int64s1) -> Int64s:
    """Return gates by what needs them: each one's inputs just before it, larger ones first.

    Args:
        first: number of input rows, ``I``.
        inputs: of all gates; int32 ``[G, 3]``.
        gates: those to order, each after its inputs; int64 ``[n]``.
    """
    count, members = len(gates), np.zeros(len(inputs), np.bool_)
    sizes, used = np.zeros(len(inputs), np.int64), np.zeros(len(inputs), np.bool_)
    for index in range(count):
        members[gates[index]] = True
    below = np.empty(3, np.int64)
    for index in range(count):
        gate = gates[index]
        size = 1
        for place in range(_members_below(first, inputs, members, gate, below)):
            size += sizes[below[place]]
            used[below[place]] = True
        sizes[gate] = min(size, _NEVER)
    order, made, done = np.empty(count, np.int64), 0, np.zeros(len(inputs), np.bool_)
    # A gate stands twice: below its inputs, as complement, to be taken when these are.
    stack, depth = np.empty(4 * count + 4, np.int64), 0
    for index in range(count - 1, -1, -1):
        if not used[gates[index]]:
            stack[depth] = gates[index]
            depth += 1
    while depth > 0:
        depth -= 1
        top = whole(stack[depth])
        gate = top if top >= 0 else ~top
        if done[gate]:
            continue
        if top < 0:
            done[gate] = True
            order[made] = gate
            made += 1
            continue
        stack[depth] = ~gate
        depth += 1
        found = _members_below(first, inputs, members, gate, below)
        for place in range(1, found):
            other = place
            while other > 0 and sizes[below[other]] < sizes[below[other - 1]]:
                below[other], below[other - 1] = below[other - 1], below[other]
                other -= 1
        for place in range(found):
            stack[depth] = below[place]
            depth += 1
    return order[:made]


@inner
def _members_below(first: int, inputs: Int32s2, members: Bools1, gate: int, below: Int64s1) -> int:
    """Write the different members that a gate reads, ascending; return their number."""
    count = 0
    for place in range(rows_of(inputs, gate, below)):
        other = below[place] - first
        if other >= 0 and members[other]:
            below[count] = other
            count += 1
    return count


@inner
def rows_of(inputs: Int32s2, gate: int, rows: Int64s1) -> int:
    """Write the different rows that a gate reads, but for 0, ascending; return their number."""
    count = 0
    for place in range(3):
        row, at = whole(inputs[gate, place]), count
        while at > 0 and rows[at - 1] > row:
            at -= 1
        if row > 0 and (at == 0 or rows[at - 1] != row):
            for moved in range(count, at, -1):
                rows[moved] = rows[moved - 1]
            rows[at] = row
            count += 1
    return count


class Residents(Struct):
    """Values in registers, and the steps so far.

    Attributes:
        rows: that are in registers; int64 ``[registers]``.
        uses: at which gate of the order each of these is read next; int64 ``[registers]``.
        held: how many there are.
        places: of each row among these, -1: it is in none; int64 ``[I + G]``.
        kept: whether a row is in memory as well; bool ``[I + G]``.
        kinds: of the steps, uint8 ``[S]``.
        numbers: of the steps: the row that is loaded or stored, or the gate; int64 ``[S]``.
        steps: how many there are.
    """

    rows: Int64s1
    uses: Int64s1
    held: int = 0
    places: Int64s1
    kept: Bools1
    kinds: UInt8s1
    numbers: Int64s1
    steps: int = 0


@compiled(arrays=True)
def allocate(
    residents: Residents, first: int, inputs: Int32s2, order: Int64s1, is_output: Bools1
) -> None:
    """Insert loads and stores into an order of gates; see :mod:`.schedule`.

    Args:
        residents: none so far, and no steps; rows that other gates compute are in memory.
        first: number of input rows, ``I``.
        inputs: of all gates; int32 ``[G, 3]``.
        order: gates in the order of execution; int64 ``[n]``.
        is_output: rows of these gates that must be stored; bool ``[I + G]``.
    """
    # The different inputs of each gate, ascending, and when they and its result are used next.
    read, after = np.zeros((len(order), 3), np.int64), np.empty((len(order), 4), np.int64)
    following = np.full(len(is_output), _NEVER, np.int64)
    for at in range(len(order) - 1, -1, -1):
        after[at, 3] = following[first + order[at]]
        count = rows_of(inputs, order[at], read[at])
        for place in range(count):
            after[at, place] = following[read[at, place]]
        for place in range(count):
            following[read[at, place]] = at
    for at in range(len(order)):
        row, needed = first + whole(order[at]), 0
        while needed < 3 and read[at, needed] > 0:
            needed += 1
        for place in range(needed):
            if residents.places[read[at, place]] < 0:
                _make_room(residents, at)
                _add(residents, LOAD, whole(read[at, place]))
                _hold(residents, whole(read[at, place]), at)
        for place in range(needed):
            residents.uses[residents.places[read[at, place]]] = after[at, place]
            if after[at, place] == _NEVER:
                _drop(residents, whole(read[at, place]))
        _add(residents, GATE, row - first)
        residents.kept[row] = is_output[row]
        if is_output[row]:
            _add(residents, STORE, row)
        if after[at, 3] < _NEVER:
            _make_room(residents, -1)
            _hold(residents, row, whole(after[at, 3]))


@inner
def _add(residents: Residents, kind: int, number: int) -> None:
    """Add a step."""
    residents.kinds[residents.steps], residents.numbers[residents.steps] = kind, number
    residents.steps += 1


@inner
def _hold(residents: Residents, row: int, use: int) -> None:
    """Have a value in a register."""
    residents.rows[residents.held], residents.uses[residents.held] = row, use
    residents.places[row] = residents.held
    residents.held += 1


@inner
def _drop(residents: Residents, row: int) -> None:
    """Have a value in no register any more: the last one takes its place."""
    place, last = residents.places[row], residents.held - 1
    residents.rows[place], residents.uses[place] = residents.rows[last], residents.uses[last]
    residents.places[residents.rows[place]] = place
    residents.places[row] = -1
    residents.held = last


@inner
def _make_room(residents: Residents, now: int) -> None:
    """Drop the value whose next use is furthest away, if all registers are taken.

    Args:
        residents: the values.
        now: what is used at this gate stays.
    """
    if residents.held < len(residents.rows):
        return
    latest, leaving = -1, -1
    for place in range(residents.held):
        use, row = whole(residents.uses[place]), whole(residents.rows[place])
        if use != now and (use > latest or (use == latest and row < leaving)):
            latest, leaving = use, row
    if not residents.kept[leaving]:
        residents.kept[leaving] = True
        _add(residents, STORE, leaving)
    _drop(residents, leaving)
