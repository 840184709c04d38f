"""The loops behind common parts of conjunctions; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools1, Int32s, Int32s1, Int64s, Int64s1, UInt8s1
from neurogame.kernels.netlist.compiled import callee, compiled

MANY = 1 << 24
"""Slots for pairs above which those that are seen once are left out of a smaller table."""

FEWER = 4
"""So much smaller is the table without them."""


def count_uses(first: int, start: Int64s, inputs: Int64s, roots: Int64s) -> Int64s:
    """Return how often each node is read by gates that are needed, and as a root.

    Args:
        first: number of inputs ``I``, the constant included.
        start: of the conjunctions; int64 ``[G + 1]``.
        inputs: their literals; int64 ``[E]``.
        roots: wanted literals; int64 ``[N]``.

    Returns:
        int64 ``[I + G]``.
    """
    uses = np.bincount(roots >> 1, minlength=first + len(start) - 1)
    _count_uses(first, start, inputs, uses)
    return uses


@compiled
def _count_uses(first: int, start: Int64s1, inputs: Int64s1, uses: Int64s1) -> None:
    """Add how often each node is read by gates that are needed."""
    for gate in range(len(start) - 2, -1, -1):
        if uses[first + gate] > 0:
            for edge in range(start[gate], start[gate + 1]):
                uses[inputs[edge] >> 1] += 1


@compiled
def _find_merged(
    first: int,
    start: Int64s1,
    inputs: Int64s1,
    uses: Int64s1,
    width: int,
    stays: Bools1,
    sizes: Int64s1,
    merged: Bools1,
) -> None:
    """Mark the gates that have to stay, as others read them complemented, and those that go."""
    count = len(start) - 1
    for gate in range(count):
        if uses[first + gate] > 0:
            for edge in range(start[gate], start[gate + 1]):
                if inputs[edge] & 1:
                    stays[inputs[edge] >> 1] = True
    for gate in range(count):
        size = 0
        for edge in range(start[gate], start[gate + 1]):
            below = inputs[edge] >> 1
            if inputs[edge] & 1 == 0 and below >= first and merged[below]:
                size += sizes[below - first]
            else:
                size += 1
        sizes[gate] = size
        node = first + gate
        merged[node] = (uses[node] == 1 and not stays[node]) or (uses[node] > 0 and size <= width)


@callee
def _sort(values: Int64s, begin: int, end: int) -> None:
    """Sort a part of an array in place, by a heap."""
    size = end - begin
    for turn in range(size // 2 + size - 1):
        # First every parent sinks to where it belongs, then the greatest goes to the end.
        place = size // 2 - 1 - turn
        last = size
        if place < 0:
            last = size - 1 - (turn - size // 2)
            values[begin], values[begin + last] = values[begin + last], values[begin]
            place = 0
        while 2 * place + 1 < last:
            child = 2 * place + 1
            if child + 1 < last and values[begin + child] < values[begin + child + 1]:
                child += 1
            if values[begin + place] >= values[begin + child]:
                break
            low, high = begin + place, begin + child
            values[low], values[high] = values[high], values[low]
            place = child


@callee
def _tidy(made: Int64s, begin: int, end: int) -> int:
    """Remove repetitions from literals, in order; return where they end, -1 if they contradict."""
    _sort(made, begin, end)
    out = begin
    false = False
    for place in range(begin, end):
        literal = made[place]
        if literal == 1 or (out > begin and made[out - 1] == literal):
            continue
        if literal == 0 or (out > begin and made[out - 1] == literal ^ 1 and literal & 1):
            false = True
        made[out] = literal
        out += 1
    return -1 if false else out


def flatten(
    first: int, start: Int64s, inputs: Int64s, roots: Int64s, width: int
) -> tuple[Int64s, Int64s, Int64s]:
    """Merge conjunctions that only one other reads, as :func:`~.conjunctions.flattened` says.

    Args:
        first: number of inputs, the constant included.
        start: of the conjunctions; int64 ``[G + 1]``.
        inputs: their literals; int64 ``[E]``.
        roots: wanted literals; int64 ``[N]``.
        width: conjunctions of at most so many inputs are merged whoever reads them.

    Returns:
        Start, inputs and roots of what is left, int64.
    """
    count = len(start) - 1
    uses = count_uses(first, start, inputs, roots)
    stays, merged = np.zeros(first + count, np.bool_), np.zeros(first + count, np.bool_)
    stays[roots >> 1] = True
    sizes = np.zeros(count, np.int64)
    _find_merged(first, start, inputs, uses, width, stays, sizes, merged)
    made, made_start = np.empty(sizes.sum(), np.int64), np.zeros(count + 1, np.int64)
    kept, kept_start = np.empty(len(made), np.int64), np.zeros(count + 1, np.int64)
    literal_of = np.zeros(first + count, np.int64)
    literal_of[:first] = 2 * np.arange(first)
    gates = _flatten(
        first, start, inputs, uses, stays, merged, made, made_start, kept, kept_start, literal_of
    )
    new_roots = literal_of[roots >> 1] ^ (roots & 1)
    return kept_start[: gates + 1], kept[: kept_start[gates]], new_roots


@compiled
def _flatten(
    first: int,
    start: Int64s1,
    inputs: Int64s1,
    uses: Int64s1,
    stays: Bools1,
    merged: Bools1,
    made: Int64s1,
    made_start: Int64s1,
    kept: Int64s1,
    kept_start: Int64s1,
    literal_of: Int64s1,
) -> int:
    """Write the gates that stay and the literal of each node; return the number of gates."""
    gates, filled, out = 0, 0, 0
    for gate in range(len(start) - 1):
        begin = filled
        for edge in range(start[gate], start[gate + 1]):
            literal = inputs[edge]
            below = literal >> 1
            if literal & 1 == 0 and below >= first and merged[below]:
                for place in range(made_start[below - first], made_start[below - first + 1]):
                    made[filled] = made[place]
                    filled += 1
            else:
                made[filled] = literal_of[below] ^ (literal & 1)
                filled += 1
        end = _tidy(made, begin, filled)
        node = first + gate
        if end < 0:
            literal_of[node] = 0
            made[begin] = 0
            end = begin + 1
        elif end == begin:
            literal_of[node] = 1
        elif end == begin + 1:
            literal_of[node] = made[begin]
        elif uses[node] > 0 and not (merged[node] and not stays[node]):
            literal_of[node] = 2 * (first + gates)
            for place in range(begin, end):
                kept[out] = made[place]
                out += 1
            gates += 1
            kept_start[gates] = out
        made_start[gate] = begin
        made_start[gate + 1] = end
        filled = end
    return gates


@callee
def _slot_of(keys: Int64s, key: int) -> int:
    """Return the place of a key in an open-addressing table, or where it would be inserted."""
    mask = len(keys) - 1
    scrambled = (key ^ (key >> 29)) * 0x2545F4914F6CDD1D
    slot = (scrambled ^ (scrambled >> 32)) & mask
    while keys[slot] != -1 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@callee
def _relink(head: Int32s, links: Int32s, slot: int, change: int) -> None:
    """Change the count of a pair and move it to the list of pairs of that count."""
    top = len(head) - 1
    place = 3 * slot
    old = links[place] if links[place] < top else top
    if old > 0:
        after, before = links[place + 1], links[place + 2]
        if before >= 0:
            links[3 * before + 1] = after
        else:
            head[old] = after
        if after >= 0:
            links[3 * after + 2] = before
    links[place] += change
    new = links[place] if links[place] < top else top
    if new > 0:
        links[place + 1] = head[new]
        links[place + 2] = -1
        if head[new] >= 0:
            links[3 * head[new] + 2] = slot
        head[new] = slot


@callee
def _place_of(key: int, mask: int) -> int:
    """Return where a key is counted among the many that are seen once."""
    scrambled = (key ^ (key >> 31)) * 0x369DEA0F31A53F85
    return (scrambled ^ (scrambled >> 29)) & mask


@compiled
def _count_roughly(start: Int64s1, inputs: Int64s1, least: int, window: int, seen: UInt8s1) -> None:
    """Count the pairs of each conjunction, up to so many, several in one place."""
    mask = len(seen) - 1
    for gate in range(len(start) - 1):
        for i in range(start[gate], start[gate + 1]):
            last = i + 1 + window
            last = start[gate + 1] if start[gate + 1] < last else last
            for j in range(i + 1, last):
                place = _place_of(inputs[i] << 32 | inputs[j], mask)
                if seen[place] < least:
                    seen[place] += 1


@compiled
def _count_pairs(
    start: Int64s1,
    inputs: Int64s1,
    least: int,
    window: int,
    full: int,
    seen: UInt8s1,
    keys: Int64s1,
    links: Int32s1,
    head: Int32s1,
) -> int:
    """Count the pairs of each conjunction, and list those that are common; return how many."""
    used = 0
    for gate in range(len(start) - 1):
        for i in range(start[gate], start[gate + 1]):
            last = i + 1 + window
            last = start[gate + 1] if start[gate + 1] < last else last
            for j in range(i + 1, last):
                if used >= full:
                    break
                key = inputs[i] << 32 | inputs[j]
                if seen[_place_of(key, len(seen) - 1)] < least:
                    continue
                slot = _slot_of(keys, key)
                if keys[slot] == -1:
                    keys[slot] = key
                    used += 1
                links[3 * slot] += 1
    for slot in range(len(keys)):
        if links[3 * slot] >= least:
            size = links[3 * slot]
            links[3 * slot] = 0
            _relink(head, links, slot, size)
    return used


def _occurrences(nodes: int, start: Int64s, inputs: Int64s, room: int) -> tuple[Int64s, Int64s]:
    """Return which conjunctions contain each literal, with room for lists of new ones.

    Args:
        nodes: number of inputs and conjunctions.
        start: of the conjunctions.
        inputs: their literals.
        room: for new literals.

    Returns:
        Where the list of each literal begins, ``[2 nodes + 1]``, and the lists.
    """
    total = len(inputs)
    begin = np.zeros(2 * nodes + 1, np.int64)
    np.cumsum(np.bincount(inputs, minlength=2 * nodes), out=begin[1:])
    places = np.empty(2 * total + room, np.int64)
    gate = np.repeat(np.arange(len(start) - 1), np.diff(start))
    places[:total] = gate[np.argsort(inputs, kind="stable")]
    return begin, places


def extract_pairs(
    first: int, start: Int64s, inputs: Int64s, least: int, window: int, slots: int
) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Give pairs of literals that many conjunctions share gates of their own, the commonest first.

    Args:
        first: number of inputs.
        start: of the conjunctions.
        inputs: their literals, each sorted. They are overwritten.
        least: how many conjunctions must share a pair.
        window: in a wide conjunction, only literals so close to each other make pairs.
        slots: size of the table of pairs, a power of two; when it is full the search ends.

    Returns:
        The two literals of each new gate, numbered after the given ones and in terms of them;
        how many inputs each conjunction has left, at its old start; and the inputs.
    """
    sizes = np.diff(start)
    seen = np.full(1, least, np.uint8)
    if slots > MANY:
        # Most pairs of a large circuit are seen once; only the others are listed.
        seen, slots = np.zeros(MANY, np.uint8), slots // FEWER
        _count_roughly(start, inputs, least, window, seen)
    keys = np.full(slots, -1, np.int64)
    # Of each pair its count, and the slots after and before it among those of the same count: what
    # is used together lies together.
    links = np.full(3 * slots, -1, np.int32)
    links[::3] = 0
    head = np.full(4096, -1, np.int32)
    full = slots // 10 * 7
    lists = (keys, links, head)
    used = _count_pairs(start, inputs, least, window, full, seen, *lists)
    room = len(inputs) // 2 + 1
    occurrence, places = _occurrences(first + len(start) - 1, start, inputs, room)
    new_begin, new_end = np.empty(room + 1, np.int64), np.empty(room + 1, np.int64)
    left, right = np.empty(room, np.int64), np.empty(room, np.int64)
    made = _extract_pairs(
        start, inputs, least, window, full, used, *lists,
        sizes, occurrence, places, new_begin, new_end, left, right,
    )  # fmt: skip
    return left[:made], right[:made], sizes, inputs


@callee
def _replace_pair(
    x: int,
    y: int,
    literal: int,
    low: int,
    size: int,
    inputs: Int64s,
    least: int,
    window: int,
    full: int,
    used: int,
    top: int,
    keys: Int64s,
    links: Int32s,
    head: Int32s,
) -> tuple[int, int, int]:
    """Replace two literals of a conjunction by one, and count its pairs anew.

    Returns:
        Its new size, the pairs in use, and the highest count that may occur.
    """
    out = low
    for edge in range(low, low + size):
        other = inputs[edge]
        if other == x or other == y:  # noqa: SIM109 - a tuple takes longer to compile
            continue
        inputs[out] = other
        out += 1
        for turn in range(2):
            old = y if turn else x
            pair = old << 32 | other if old < other else other << 32 | old
            slot = _slot_of(keys, pair)
            if keys[slot] == pair and links[3 * slot] > 0:
                _relink(head, links, slot, -1)
        if size <= 2 * window:
            pair = other << 32 | literal
            slot = _slot_of(keys, pair)
            if keys[slot] == -1:
                if used >= full:
                    continue
                keys[slot] = pair
                used += 1
            _relink(head, links, slot, 1)
            if links[3 * slot] >= least:
                common = links[3 * slot] if links[3 * slot] < len(head) - 1 else len(head) - 1
                top = common if common > top else top
    inputs[out] = literal
    return out + 1 - low, used, top


@compiled
def _extract_pairs(
    start: Int64s1,
    inputs: Int64s1,
    least: int,
    window: int,
    full: int,
    used: int,
    keys: Int64s1,
    links: Int32s1,
    head: Int32s1,
    sizes: Int64s1,
    occurrence: Int64s1,
    places: Int64s1,
    new_begin: Int64s1,
    new_end: Int64s1,
    left: Int64s1,
    right: Int64s1,
) -> int:
    """Write what :func:`extract_pairs` returns; return the number of new gates."""
    literals = len(occurrence) - 1
    free = len(inputs)
    made = 0
    top = len(head) - 1
    while top >= least and made < len(left):
        slot = head[top]
        if slot < 0:
            top -= 1
            continue
        x, y = keys[slot] >> 32, keys[slot] & 0xFFFFFFFF
        _relink(head, links, slot, -links[3 * slot])
        if x < literals:
            begin_x, end_x = occurrence[x], occurrence[x + 1]
        else:
            begin_x, end_x = new_begin[(x - literals) >> 1], new_end[(x - literals) >> 1]
        if y < literals:
            begin_y, end_y = occurrence[y], occurrence[y + 1]
        else:
            begin_y, end_y = new_begin[(y - literals) >> 1], new_end[(y - literals) >> 1]
        if end_y - begin_y < end_x - begin_x:
            begin_x, end_x = begin_y, end_y
        # Look first: the count is an upper bound where literals have gone meanwhile.
        begin = free
        for place in range(begin_x, end_x):
            gate = places[place]
            seen = 0
            for edge in range(start[gate], start[gate] + sizes[gate]):
                if inputs[edge] == x or inputs[edge] == y:
                    seen += 1
            if seen == 2 and free < len(places):
                places[free] = gate
                free += 1
        if free - begin < least:
            free = begin
            continue
        left[made], right[made] = x, y
        new_begin[made], new_end[made] = begin, free
        for place in range(begin, free):
            gate = places[place]
            sizes[gate], used, top = _replace_pair(
                x, y, literals + 2 * made, start[gate], sizes[gate], inputs,
                least, window, full, used, top, keys, links, head,
            )  # fmt: skip
        made += 1
    return made
