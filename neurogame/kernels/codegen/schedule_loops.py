"""Loops over the gates of a schedule; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools1, Int32s2, Int64s, Int64s1, Int64s2, UInt8s1
from neurogame.native.bits import whole
from neurogame.native.compiled import compiled, inner
from neurogame.native.struct import Struct

LOAD, GATE, STORE = 0, 1, 2
KINDS = {"load": LOAD, "gate": GATE, "store": STORE}
"""Kinds of steps, as numbers of compiled code."""

_NEVER = 1 << 60
_COLD = 24
"""Gates after which a value is likely to have left the registers."""
_FEW = 64
_BITS = 25
""":func:`greedy` is for fewer gates than this power of two."""
_MASK = (1 << _BITS) - 1


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


class _Alive(Struct):
    """What has been computed of some gates, and which of them may be next.

    ``n`` gates to order, ``R`` rows. A gate is known by its index among them.

    Attributes:
        is_warm: how they are chosen, see :func:`greedy`.
        clock: gates taken so far.
        read: the different rows that each gate reads, then zeros; int64 ``[n, 3]``.
        row: of each gate's result; int64 ``[n]``.
        users: gates that read each row, row by row; int64.
        starts: where those of each row start; int64 ``[R + 1]``.
        left: of each row, how many have not been taken; int64 ``[R]``.
        touched: when each row was used or computed last, -1: it was not; int64 ``[R]``.
        missing: inputs of each gate that are results of gates not taken; int64 ``[n]``.
        taken: which gates have been taken; bool ``[n]``.
        heap: gates that may be next, with their ranks when they were offered: a binary heap; int64.
        size: how many there are.
    """

    is_warm: int
    clock: int = 0
    read: Int64s2
    row: Int64s1
    users: Int64s1
    starts: Int64s1
    left: Int64s1
    touched: Int64s1
    missing: Int64s1
    taken: Bools1
    heap: Int64s1
    size: int = 0


def greedy(first: int, inputs: Int32s2, gates: Int64s1, *, is_warm: bool) -> Int64s:
    """Return gates in an order in which each is the most useful one whose inputs are known.

    That is which ends most lives of values and begins fewest, then which has no input that has
    waited long.

    Args:
        first: number of input rows, ``I``.
        inputs: of all gates; int32 ``[G, 3]``.
        gates: those to order, each after its inputs; int64 ``[n]``.
        is_warm: whether values that were not touched lately begin to live again, and the input
            that was touched last counts instead.
    """
    rows = first + len(inputs)
    read, missing = np.zeros((len(gates), 3), np.int64), np.zeros(len(gates), np.int64)
    starts = np.zeros(rows + 1, np.int64)
    users = _find_users(first, inputs, gates, read, missing, starts)
    alive = _Alive(
        is_warm=is_warm,
        read=read,
        row=first + gates,
        users=users,
        starts=starts,
        left=np.diff(starts),
        touched=np.full(rows, -1, np.int64),
        missing=missing,
        taken=np.zeros(len(gates), np.bool_),
        heap=np.zeros(2 * len(gates) + len(users), np.int64),
    )
    order = np.empty_like(gates)
    while _take_all(alive, order):
        alive.heap = np.append(alive.heap, np.zeros_like(alive.heap))
    return gates[order]


@compiled(arrays=True)
def _find_users(
    first: int,
    inputs: Int32s2,
    gates: Int64s1,
    read: Int64s2,
    missing: Int64s1,
    starts: Int64s1,
) -> Int64s:
    """Write three fields of :class:`_Alive`, and return a fourth one, the users of rows."""
    members = np.zeros(len(starts), np.bool_)
    for index in range(len(gates)):
        members[first + gates[index]] = True
        for place in range(rows_of(inputs, whole(gates[index]), read[index])):
            starts[read[index, place] + 1] += 1
            missing[index] += members[read[index, place]]
    for row in range(len(starts) - 1):
        starts[row + 1] += starts[row]
    filled, users = starts.copy(), np.empty(starts[-1], np.int64)
    for index in range(len(gates)):
        for place in range(3):
            row = read[index, place]
            if row > 0:
                users[filled[row]] = index
                filled[row] += 1
    return users


@compiled
def _take_all(alive: _Alive, order: Int64s1) -> bool:
    """Write the gates in the order in which they are taken; return whether it needs more room."""
    if alive.clock == 0:
        for index in range(len(order)):
            if alive.missing[index] == 0:
                _offer(alive, index)
    while alive.size > 0:
        # Nothing offers more gates than read the rows of one.
        if alive.size + len(alive.users) > len(alive.heap):
            return True
        key = whole(alive.heap[0])
        index = key & _MASK
        now = _key(alive, index)
        _remove_first(alive)
        if alive.taken[index]:
            continue
        if now > key:
            # Its rank has become worse since it was offered.
            _add_key(alive, now)
            continue
        order[alive.clock] = index
        alive.clock += 1
        _take(alive, index)
    return False


@inner
def _take(alive: _Alive, index: int) -> None:
    """Have a gate computed, and offer again those whose rank may be better now."""
    alive.taken[index] = True
    result, few = alive.row[index], 0
    for place in range(3):
        row = alive.read[index, place]
        if row > 0:
            alive.left[row] -= 1
            uses = alive.starts[row + 1] - alive.starts[row]
            # Of a row with thousands of users, not all are ranked again at every use.
            if uses <= _FEW or alive.touched[row] < 0 or alive.left[row] <= 1:
                few |= 1 << place
            alive.touched[row] = alive.clock
    for user in range(alive.starts[result], alive.starts[result + 1]):
        alive.missing[alive.users[user]] -= 1
        alive.touched[result] = alive.clock
    for place in range(4):
        row = result if place == 3 else alive.read[index, place]
        if place == 3 or (few >> place) & 1:
            for user in range(alive.starts[row], alive.starts[row + 1]):
                other = whole(alive.users[user])
                if alive.missing[other] == 0 and not alive.taken[other]:
                    _offer(alive, other)


@inner
def _key(alive: _Alive, index: int) -> int:
    """Return what is less for gates that are more useful, and different for each gate."""
    change, chosen = 0, -1
    if alive.left[alive.row[index]] > 0:
        change = 1
    for place in range(3):
        row = alive.read[index, place]
        if row == 0:
            continue
        touched = whole(alive.touched[row])
        is_new = touched < 0 or (alive.is_warm and alive.clock - touched > _COLD)
        change += int(is_new) - int(alive.left[row] == 1)
        if alive.is_warm:
            chosen = max(chosen, touched)
        elif touched >= 0 and (chosen < 0 or touched < chosen):
            chosen = touched
    return (((change + 4) << _BITS) + len(alive.row) - chosen << _BITS) + index


@inner
def _offer(alive: _Alive, index: int) -> None:
    """Have a gate among those that may be next, at its present rank."""
    _add_key(alive, _key(alive, index))


@inner
def _add_key(alive: _Alive, key: int) -> None:
    """Add to the heap."""
    heap, place = alive.heap, whole(alive.size)
    alive.size += 1
    while place > 0 and heap[(place - 1) >> 1] > key:
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
    heap[place] = key


@inner
def _remove_first(alive: _Alive) -> None:
    """Take the least out of the heap."""
    alive.size -= 1
    heap, size, place = alive.heap, whole(alive.size), 0
    key = heap[size]
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and heap[below + 1] < heap[below]:
            below += 1
        if key <= heap[below]:
            break
        heap[place] = heap[below]
        place = below
    heap[place] = key


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
