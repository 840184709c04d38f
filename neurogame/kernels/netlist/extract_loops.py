"""The loops behind common parts of conjunctions; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools1, Int32s1, Int64s, Int64s1, UInt8s1
from neurogame.graph.graph import Graph, replaced
from neurogame.graph.groups import group_starts
from neurogame.native.bits import whole
from neurogame.native.compiled import compiled, inner
from neurogame.native.struct import Struct

MANY = 1 << 24
"""Slots for pairs above which those that are seen once are left out of a smaller table."""

FEWER = 4
"""So much smaller is the table without them."""


class _Merging(Struct):
    """Conjunctions, as those that only one other reads are written out there.

    ``I`` inputs with the constant, ``G`` gates, ``E`` edges.

    Attributes:
        first: ``I``.
        width: conjunctions of at most so many inputs are written out whoever reads them.
        start: gate ``g`` reads ``inputs[start[g]:start[g + 1]]``; ``[G + 1]``.
        inputs: literals; ``[E]``.
        uses: how often each node is read; ``[I + G]``.
        stays: nodes that are wanted, or that others read complemented; ``[I + G]``.
        merged: nodes that are written out where they are read; ``[I + G]``.
        sizes: inputs of each gate once others are written out in it; ``[G]``.
        made: these inputs, of all gates one after the other.
        made_start: where those of each gate begin; ``[G + 1]``.
        kept: those of the gates that stay.
        kept_start: where those of each gate that stays begin; ``[G + 1]``.
        literal_of: what stands for each node afterwards; ``[I + G]``.
    """

    first: int
    width: int
    start: Int64s1
    inputs: Int64s1
    uses: Int64s1
    stays: Bools1
    merged: Bools1
    sizes: Int64s1
    made: Int64s1
    made_start: Int64s1
    kept: Int64s1
    kept_start: Int64s1
    literal_of: Int64s1


def count_uses(form: Graph) -> Int64s:
    """Return how often gates that are needed, and roots, read each node; int64 ``[I + G]``.

    Args:
        form: conjunctions.
    """
    uses = np.bincount(form.outputs >> 1, minlength=form.node_count)
    _count_uses(form.input_count, form.start, form.inputs, uses)
    return uses


@compiled
def _count_uses(first: int, start: Int64s1, inputs: Int64s1, uses: Int64s1) -> None:
    """Add how often each node is read by gates that are needed."""
    for gate in range(len(start) - 2, -1, -1):
        if uses[first + gate] > 0:
            for edge in range(start[gate], start[gate + 1]):
                uses[inputs[edge] >> 1] += 1


def flatten(form: Graph, width: int) -> tuple[Int64s, Int64s, Int64s]:
    """Merge conjunctions that only one other reads, as :func:`~.conjunctions.flattened` says.

    Args:
        form: the conjunctions.
        width: conjunctions of at most so many inputs are merged whoever reads them.

    Returns:
        Start, inputs and roots of what is left, int64.
    """
    gates, nodes, none = form.gate_count, form.node_count, np.zeros(0, np.int64)
    work = _Merging(
        first=form.input_count,
        width=width,
        start=form.start,
        inputs=form.inputs,
        uses=count_uses(form),
        stays=np.zeros(nodes, np.bool_),
        merged=np.zeros(nodes, np.bool_),
        sizes=np.zeros(gates, np.int64),
        made=none,
        made_start=np.zeros(gates + 1, np.int64),
        kept=none,
        kept_start=np.zeros(gates + 1, np.int64),
        literal_of=np.zeros(nodes, np.int64),
    )
    work.stays[form.outputs >> 1] = True
    work.literal_of[: form.input_count] = 2 * np.arange(form.input_count)
    _find_merged(work)
    work.made, work.kept = np.empty((2, work.sizes.sum()), np.int64)
    left = _flatten(work)
    start = work.kept_start[: left + 1]
    return start, work.kept[: start[-1]], replaced(form.outputs, work.literal_of)


@compiled
def _find_merged(work: _Merging) -> None:
    """Mark the gates that have to stay, as others read them complemented, and those that go."""
    first, start, inputs = work.first, work.start, work.inputs
    for gate in range(len(start) - 1):
        if work.uses[first + gate] > 0:
            for edge in range(start[gate], start[gate + 1]):
                if inputs[edge] & 1:
                    work.stays[inputs[edge] >> 1] = True
    for gate in range(len(start) - 1):
        size = 0
        for edge in range(start[gate], start[gate + 1]):
            size += work.sizes[(inputs[edge] >> 1) - first] if _is_merged(work, inputs[edge]) else 1
        work.sizes[gate] = size
        node = first + gate
        uses = work.uses[node]
        work.merged[node] = (uses == 1 and not work.stays[node]) or (
            uses > 0 and size <= work.width
        )


@inner
def _is_merged(work: _Merging, literal: int) -> bool:
    """Return whether a conjunction is written out where this literal of it is read."""
    below = literal >> 1
    return literal & 1 == 0 and below >= work.first and work.merged[below]


@inner
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


@inner
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


@compiled
def _flatten(work: _Merging) -> int:
    """Write the gates that stay and the literal of each node; return the number of gates."""
    first, start, made = work.first, work.start, work.made
    gates, filled, out = 0, 0, 0
    for gate in range(len(start) - 1):
        begin = filled
        for edge in range(start[gate], start[gate + 1]):
            literal = work.inputs[edge]
            below = literal >> 1
            if _is_merged(work, literal):
                for place in range(
                    work.made_start[below - first], work.made_start[below - first + 1]
                ):
                    made[filled] = made[place]
                    filled += 1
            else:
                made[filled] = work.literal_of[below] ^ (literal & 1)
                filled += 1
        end = _tidy(made, begin, filled)
        node = first + gate
        if end < 0:
            work.literal_of[node] = 0
            made[begin] = 0
            end = begin + 1
        elif end == begin:
            work.literal_of[node] = 1
        elif end == begin + 1:
            work.literal_of[node] = made[begin]
        elif work.uses[node] > 0 and not (work.merged[node] and not work.stays[node]):
            work.literal_of[node] = 2 * (first + gates)
            for place in range(begin, end):
                work.kept[out] = made[place]
                out += 1
            gates += 1
            work.kept_start[gates] = out
        work.made_start[gate] = begin
        work.made_start[gate + 1] = end
        filled = end
    return gates


class _Pairs(Struct):
    """Pairs of literals, how often each occurs, and the conjunctions in which they do.

    The table of pairs is one of open addressing. Of each slot ``links`` holds the count of its
    pair, and the slots after and before it among those of the same count: the three are used
    together, so they lie in one cache line.

    Attributes:
        least: how many conjunctions must share a pair.
        window: in a wide conjunction, only literals so close to each other make pairs.
        full: pairs in the table from which on no new ones are taken.
        used: pairs in the table.
        top: no pair is more common; counts above the length of ``head`` are one.
        given: number of literals of the given nodes.
        start: where each conjunction's inputs begin; ``[G + 1]``.
        inputs: their literals, those of new gates last; ``[E]``.
        sizes: how many each still has; ``[G]``.
        seen: rough counts of pairs, several in one place; a power of two.
        keys: greater literal and smaller one of each slot's pair, -1: free; a power of two ``S``.
        links: see above; ``[3 S]``.
        head: first slot of each count, -1: none.
        begins: where the list of conjunctions with each literal begins, new literals last.
        ends: where it ends.
        places: these lists, one after the other.
        left: first literal of each new gate.
        right: second literal of each new gate.
    """

    least: int
    window: int
    full: int
    used: int = 0
    top: int = 0
    given: int
    start: Int64s1
    inputs: Int64s1
    sizes: Int64s1
    seen: UInt8s1
    keys: Int64s1
    links: Int32s1
    head: Int32s1
    begins: Int64s1
    ends: Int64s1
    places: Int64s1
    left: Int64s1
    right: Int64s1


@inner
def _slot_of(keys: Int64s, key: int) -> int:
    """Return the place of a key in an open-addressing table, or where it would be inserted."""
    mask = len(keys) - 1
    scrambled = (key ^ (key >> 29)) * 0x2545F4914F6CDD1D
    slot = (scrambled ^ (scrambled >> 32)) & mask
    while keys[slot] != -1 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@inner
def _relink(pairs: _Pairs, slot: int, change: int) -> None:
    """Change the count of a pair and move it to the list of pairs of that count."""
    head, links = pairs.head, pairs.links
    top = len(head) - 1
    place = 3 * slot
    old = min(links[place], top)
    if old > 0:
        after, before = links[place + 1], links[place + 2]
        if before >= 0:
            links[3 * before + 1] = after
        else:
            head[old] = after
        if after >= 0:
            links[3 * after + 2] = before
    links[place] += change
    new = min(links[place], top)
    if new > 0:
        links[place + 1] = head[new]
        links[place + 2] = -1
        if head[new] >= 0:
            links[3 * head[new] + 2] = slot
        head[new] = slot


@inner
def _place_of(key: int, mask: int) -> int:
    """Return where a key is counted among the many that are seen once."""
    scrambled = (key ^ (key >> 31)) * 0x369DEA0F31A53F85
    return (scrambled ^ (scrambled >> 29)) & mask


@compiled
def _count_roughly(pairs: _Pairs) -> None:
    """Count the pairs of each conjunction, up to ``least``, several in one place."""
    start, inputs, seen = pairs.start, pairs.inputs, pairs.seen
    for gate in range(len(start) - 1):
        for i in range(start[gate], start[gate + 1]):
            for j in range(i + 1, min(i + 1 + pairs.window, start[gate + 1])):
                place = _place_of(inputs[i] << 32 | inputs[j], len(seen) - 1)
                if seen[place] < pairs.least:
                    seen[place] += 1


@compiled
def _count_pairs(pairs: _Pairs) -> None:
    """Count the pairs of each conjunction, and list those that are common."""
    start, inputs, seen = pairs.start, pairs.inputs, pairs.seen
    keys, links = pairs.keys, pairs.links
    for gate in range(len(start) - 1):
        for i in range(start[gate], start[gate + 1]):
            for j in range(i + 1, min(i + 1 + pairs.window, start[gate + 1])):
                if pairs.used >= pairs.full:
                    break
                key = inputs[i] << 32 | inputs[j]
                if seen[_place_of(key, len(seen) - 1)] < pairs.least:
                    continue
                slot = _slot_of(keys, key)
                if keys[slot] == -1:
                    keys[slot] = key
                    pairs.used += 1
                links[3 * slot] += 1
    for slot in range(len(keys)):
        # Of 64 bits, as the other changes: one function is compiled, not two.
        size = whole(links[3 * slot])
        if size >= pairs.least:
            links[3 * slot] = 0
            _relink(pairs, slot, size)


def extract_pairs(
    form: Graph, least: int, window: int, slots: int
) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Give pairs of literals that many conjunctions share gates of their own, the commonest first.

    Args:
        form: the conjunctions; the literals of each are sorted.
        least: how many conjunctions must share a pair.
        window: in a wide conjunction, only literals so close to each other make pairs.
        slots: size of the table of pairs, a power of two; when it is full the search ends.

    Returns:
        The two literals of each new gate, numbered after the given ones and in terms of them;
        how many inputs each conjunction has left, at its old start; and the inputs.
    """
    seen = np.full(1, least, np.uint8)
    filtered = slots > MANY
    if filtered:
        # Most pairs of a large circuit are seen once; only the others are listed.
        seen, slots = np.zeros(MANY, np.uint8), slots // FEWER
    room, given = form.edge_count // 2 + 1, 2 * form.node_count
    begins, ends = np.empty((2, given + 2 * room), np.int64)
    starts = group_starts(np.bincount(form.inputs, minlength=given))
    begins[:given], ends[:given] = starts[:-1], starts[1:]
    places = np.empty(2 * form.edge_count + room, np.int64)
    gate = np.repeat(np.arange(form.gate_count), form.fan_in)
    places[: form.edge_count] = gate[np.argsort(form.inputs, kind="stable")]
    left, right = np.empty((2, room), np.int64)
    pairs = _Pairs(
        least=least,
        window=window,
        full=slots // 10 * 7,
        given=given,
        start=form.start,
        inputs=form.inputs.copy(),
        sizes=form.fan_in,
        seen=seen,
        keys=np.full(slots, -1, np.int64),
        links=np.tile(np.array([0, -1, -1], np.int32), slots),
        head=np.full(4096, -1, np.int32),
        begins=begins,
        ends=ends,
        places=places,
        left=left,
        right=right,
    )
    if filtered:
        _count_roughly(pairs)
    _count_pairs(pairs)
    made = _extract_pairs(pairs)
    return left[:made], right[:made], pairs.sizes, pairs.inputs


@inner
def _replace_pair(pairs: _Pairs, x: int, y: int, literal: int, gate: int) -> None:
    """Replace two literals of a conjunction by one, and count its pairs anew."""
    inputs, keys, links = pairs.inputs, pairs.keys, pairs.links
    size, out = pairs.sizes[gate], pairs.start[gate]
    for edge in range(out, out + size):
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
                _relink(pairs, slot, -1)
        if size <= 2 * pairs.window:
            pair = other << 32 | literal
            slot = _slot_of(keys, pair)
            if keys[slot] == -1:
                if pairs.used >= pairs.full:
                    continue
                keys[slot] = pair
                pairs.used += 1
            _relink(pairs, slot, 1)
            if links[3 * slot] >= pairs.least:
                pairs.top = max(pairs.top, min(links[3 * slot], len(pairs.head) - 1))
    inputs[out] = literal
    pairs.sizes[gate] = out + 1 - pairs.start[gate]


@compiled
def _extract_pairs(pairs: _Pairs) -> int:
    """Write what :func:`extract_pairs` returns; return the number of new gates."""
    start, inputs, places = pairs.start, pairs.inputs, pairs.places
    begins, ends = pairs.begins, pairs.ends
    free = len(inputs)
    made = 0
    pairs.top = len(pairs.head) - 1
    while pairs.top >= pairs.least and made < len(pairs.left):
        slot = pairs.head[pairs.top]
        if slot < 0:
            pairs.top -= 1
            continue
        x, y = pairs.keys[slot] >> 32, pairs.keys[slot] & 0xFFFFFFFF
        _relink(pairs, slot, -whole(pairs.links[3 * slot]))
        shorter = y if ends[y] - begins[y] < ends[x] - begins[x] else x
        # Look first: the count is an upper bound where literals have gone meanwhile.
        begin = free
        for place in range(begins[shorter], ends[shorter]):
            gate = places[place]
            seen = 0
            for edge in range(start[gate], start[gate] + pairs.sizes[gate]):
                if inputs[edge] == x or inputs[edge] == y:
                    seen += 1
            if seen == 2 and free < len(places):
                places[free] = gate
                free += 1
        if free - begin < pairs.least:
            free = begin
            continue
        pairs.left[made], pairs.right[made] = x, y
        literal = pairs.given + 2 * made
        begins[literal], ends[literal] = begin, free
        for place in range(begin, free):
            _replace_pair(pairs, x, y, literal, places[place])
        made += 1
    return made
