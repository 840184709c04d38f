"""The loops behind common parts of conjunctions; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.ground.atoms import IntArray
from neurogame.netlist.compiled import compiled


@compiled
def count_uses(first: int, start: IntArray, inputs: IntArray, roots: IntArray) -> IntArray:
    """Return how often each node is read by gates that are needed, and as a root."""
    count = len(start) - 1
    uses = np.zeros(first + count, np.int64)
    for literal in roots:
        uses[literal >> 1] += 1
    for gate in range(count - 1, -1, -1):
        if uses[first + gate] > 0:
            for edge in range(start[gate], start[gate + 1]):
                uses[inputs[edge] >> 1] += 1
    return uses


@compiled
def flatten(
    first: int, start: IntArray, inputs: IntArray, roots: IntArray, width: int
) -> tuple[IntArray, IntArray, IntArray]:
    """See :func:`~.conjunctions.flattened`; returns start, inputs and roots."""
    count = len(start) - 1
    uses = count_uses(first, start, inputs, roots)
    # Which gates have to stay: read complemented, as roots, or by several.
    stays = np.zeros(first + count, np.bool_)
    for literal in roots:
        stays[literal >> 1] = True
    for gate in range(count):
        if uses[first + gate] > 0:
            for edge in range(start[gate], start[gate + 1]):
                if inputs[edge] & 1:
                    stays[inputs[edge] >> 1] = True
    sizes = np.zeros(count, np.int64)
    merged = np.zeros(first + count, np.bool_)
    total = 0
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
        total += size
    made = np.empty(total, np.int64)
    made_start = np.zeros(count + 1, np.int64)
    literal_of = np.zeros(first + count, np.int64)
    for node in range(first):
        literal_of[node] = 2 * node
    kept = 0
    filled = 0
    kept_start = np.zeros(count + 1, np.int64)
    kept_inputs = np.empty(total, np.int64)
    out = 0
    for gate in range(count):
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
        part = np.sort(made[begin:filled])
        # Repetitions go, and contradictions make the gate false.
        size = 0
        false = False
        for index in range(len(part)):
            literal = part[index]
            if literal == 1 or (size > 0 and part[size - 1] == literal):
                continue
            if literal == 0 or (size > 0 and part[size - 1] == literal ^ 1 and literal & 1):
                false = True
            part[size] = literal
            size += 1
        if false:
            size = 0
        for index in range(size):
            made[begin + index] = part[index]
        filled = begin + size
        made_start[gate] = begin
        made_start[gate + 1] = filled
        node = first + gate
        if false:
            literal_of[node] = 0
            made[begin] = 0
            filled = begin + 1
            made_start[gate + 1] = filled
        elif size == 0:
            literal_of[node] = 1
        elif size == 1:
            literal_of[node] = part[0]
        elif uses[node] > 0 and not (merged[node] and not stays[node]):
            literal_of[node] = 2 * (first + kept)
            for index in range(size):
                kept_inputs[out] = part[index]
                out += 1
            kept += 1
            kept_start[kept] = out
    new_roots = np.empty(len(roots), np.int64)
    for index in range(len(roots)):
        new_roots[index] = literal_of[roots[index] >> 1] ^ (roots[index] & 1)
    return kept_start[: kept + 1], kept_inputs[:out], new_roots


@compiled
def _slot_of(keys: IntArray, key: int) -> int:
    """Return the place of a key in an open-addressing table, or where it would be inserted."""
    mask = len(keys) - 1
    scrambled = (key ^ (key >> 29)) * 0x2545F4914F6CDD1D
    slot = (scrambled ^ (scrambled >> 32)) & mask
    while keys[slot] != -1 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@compiled
def _relink(
    head: IntArray, after: IntArray, before: IntArray, counts: IntArray, slot: int, change: int
) -> None:
    """Change the count of a pair and move it to the list of pairs of that count."""
    top = len(head) - 1
    old = min(counts[slot], top)
    if old > 0:
        if before[slot] >= 0:
            after[before[slot]] = after[slot]
        else:
            head[old] = after[slot]
        if after[slot] >= 0:
            before[after[slot]] = before[slot]
    counts[slot] += change
    new = min(counts[slot], top)
    if new > 0:
        after[slot] = head[new]
        before[slot] = -1
        if head[new] >= 0:
            before[head[new]] = slot
        head[new] = slot


@compiled
def extract_pairs(
    first: int, start: IntArray, inputs: IntArray, least: int, window: int, slots: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
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
    count = len(start) - 1
    base = first + count
    sizes = np.empty(count, np.int64)
    for gate in range(count):
        sizes[gate] = start[gate + 1] - start[gate]
    keys = np.full(slots, -1, np.int64)
    counts = np.zeros(slots, np.int64)
    after = np.full(slots, -1, np.int64)
    before = np.full(slots, -1, np.int64)
    head = np.full(4096, -1, np.int64)
    used = 0
    full = slots // 10 * 7
    for gate in range(count):
        for i in range(start[gate], start[gate + 1]):
            for j in range(i + 1, min(start[gate + 1], i + 1 + window)):
                if used >= full:
                    break
                key = inputs[i] << 32 | inputs[j]
                slot = _slot_of(keys, key)
                if keys[slot] == -1:
                    keys[slot] = key
                    used += 1
                counts[slot] += 1
    for slot in range(slots):
        if counts[slot] >= least:
            size = counts[slot]
            counts[slot] = 0
            _relink(head, after, before, counts, slot, size)
    # Which conjunctions contain each literal; new literals get their own lists.
    total = start[count]
    room = total // 2 + 1
    occurrence = np.zeros(2 * base + 1, np.int64)
    for edge in range(total):
        occurrence[inputs[edge] + 1] += 1
    for literal in range(2 * base):
        occurrence[literal + 1] += occurrence[literal]
    places = np.empty(2 * total + room, np.int64)
    filled = occurrence.copy()
    for gate in range(count):
        for edge in range(start[gate], start[gate + 1]):
            places[filled[inputs[edge]]] = gate
            filled[inputs[edge]] += 1
    new_begin = np.empty(room + 1, np.int64)
    new_end = np.empty(room + 1, np.int64)
    free = total
    left = np.empty(room, np.int64)
    right = np.empty(room, np.int64)
    made = 0
    top = len(head) - 1
    while top >= least and made < room:
        slot = head[top]
        if slot < 0:
            top -= 1
            continue
        key = keys[slot]
        x, y = key >> 32, key & 0xFFFFFFFF
        _relink(head, after, before, counts, slot, -counts[slot])
        if x < 2 * base:
            begin_x, end_x = occurrence[x], occurrence[x + 1]
        else:
            begin_x, end_x = new_begin[(x >> 1) - base], new_end[(x >> 1) - base]
        if y < 2 * base:
            begin_y, end_y = occurrence[y], occurrence[y + 1]
        else:
            begin_y, end_y = new_begin[(y >> 1) - base], new_end[(y >> 1) - base]
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
        literal = 2 * (base + made)
        new_begin[made], new_end[made] = begin, free
        for place in range(begin, free):
            gate = places[place]
            low = start[gate]
            size = 0
            for edge in range(low, low + sizes[gate]):
                other = inputs[edge]
                if other in (x, y):
                    continue
                inputs[low + size] = other
                size += 1
                for old in (x, y):
                    pair = old << 32 | other if old < other else other << 32 | old
                    slot = _slot_of(keys, pair)
                    if keys[slot] == pair and counts[slot] > 0:
                        _relink(head, after, before, counts, slot, -1)
                if sizes[gate] <= 2 * window:
                    pair = other << 32 | literal
                    slot = _slot_of(keys, pair)
                    if keys[slot] == -1:
                        if used >= full:
                            continue
                        keys[slot] = pair
                        used += 1
                    _relink(head, after, before, counts, slot, 1)
                    if counts[slot] >= least:
                        top = max(top, min(counts[slot], len(head) - 1))
            inputs[low + size] = literal
            sizes[gate] = size + 1
        made += 1
    return left[:made], right[:made], sizes, inputs


@compiled
def _and_table(a: int, b: int) -> int:
    """Return the table of ``b & c`` where these literals may be complemented."""
    return (0x88, 0x44, 0x22, 0x11)[2 * (a & 1) + (b & 1)]


@compiled
def chain(
    first: int,
    start: IntArray,
    sizes: IntArray,
    inputs: IntArray,
    left: IntArray,
    right: IntArray,
    uses: IntArray,
) -> tuple[IntArray, IntArray, IntArray]:
    """Turn conjunctions and pairs into gates of two inputs.

    Inputs that are read elsewhere, too, come first in a chain: a gate of three inputs takes two of
    them at once, or one that only this conjunction reads together with what it is made of.

    Args:
        first: number of inputs.
        start: of the conjunctions.
        sizes: number of inputs of each.
        inputs: their literals, those of new pairs numbered after the conjunctions.
        left: first literal of each pair.
        right: second literal of each pair.
        uses: how often each conjunction and pair is read.

    Returns:
        Tables, rows ``[G, 2]`` flattened, and the literal of each conjunction.
    """
    count = len(start) - 1
    pairs = len(left)
    total = pairs
    for gate in range(count):
        total += max(sizes[gate] - 1, 0)
    table = np.empty(total, np.int64)
    rows = np.empty(2 * total, np.int64)
    literal_of = np.full(first + count + pairs, -1, np.int64)
    for node in range(first):
        literal_of[node] = 2 * node
    stack = np.empty(count + pairs + 1, np.int64)
    made = 0
    for root in range(first, first + count):
        depth = 1
        stack[0] = root
        while depth > 0:
            node = stack[depth - 1]
            if literal_of[node] >= 0:
                depth -= 1
                continue
            waiting = False
            if node >= first + count:
                for literal in (left[node - first - count], right[node - first - count]):
                    if literal_of[literal >> 1] < 0:
                        waiting = True
                        stack[depth] = literal >> 1
                        depth += 1
                        break
                if waiting:
                    continue
                x, y = left[node - first - count], right[node - first - count]
                a = literal_of[x >> 1] ^ (x & 1)
                b = literal_of[y >> 1] ^ (y & 1)
                table[made] = _and_table(a, b)
                rows[2 * made], rows[2 * made + 1] = a >> 1, b >> 1
                literal_of[node] = 2 * (first + made)
                made += 1
                depth -= 1
                continue
            gate = node - first
            for edge in range(start[gate], start[gate] + sizes[gate]):
                if literal_of[inputs[edge] >> 1] < 0:
                    waiting = True
                    stack[depth] = inputs[edge] >> 1
                    depth += 1
                    break
            if waiting:
                continue
            current = -1
            for private in range(2):
                for edge in range(start[gate], start[gate] + sizes[gate]):
                    below = inputs[edge] >> 1
                    alone = 1 if below >= first and uses[below] == 1 else 0
                    if alone != private:
                        continue
                    literal = literal_of[below] ^ (inputs[edge] & 1)
                    if current < 0:
                        current = literal
                        continue
                    table[made] = _and_table(current, literal)
                    rows[2 * made], rows[2 * made + 1] = current >> 1, literal >> 1
                    current = 2 * (first + made)
                    made += 1
            literal_of[node] = current
            depth -= 1
    return table[:made], rows[: 2 * made], literal_of
