"""The loop that makes gates of two inputs; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int64s, Int64s1
from neurogame.kernels.netlist.compiled import callee, compiled


@callee
def _and_table(a: int, b: int) -> int:
    """Return the table of ``b & c`` where these literals may be complemented."""
    return 0x88 >> (2 * (a & 1) + (b & 1))


def chain(
    first: int,
    start: Int64s,
    sizes: Int64s,
    inputs: Int64s,
    left: Int64s,
    right: Int64s,
    uses: Int64s,
) -> tuple[Int64s, Int64s, Int64s]:
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
    count, pairs = len(start) - 1, len(left)
    total = pairs + int(np.maximum(sizes - 1, 0).sum())
    table, rows = np.empty(total, np.int64), np.empty(2 * total, np.int64)
    literal_of = np.full(first + count + pairs, -1, np.int64)
    literal_of[:first] = 2 * np.arange(first)
    stack, done = np.empty(count + pairs + 1, np.int64), np.zeros(count, np.int64)
    made = _chain(
        first, start, sizes, inputs, left, right, uses, table, rows, literal_of, stack, done
    )
    return table[:made], rows[: 2 * made], literal_of


@compiled
def _chain(
    first: int,
    start: Int64s1,
    sizes: Int64s1,
    inputs: Int64s1,
    left: Int64s1,
    right: Int64s1,
    uses: Int64s1,
    table: Int64s1,
    rows: Int64s1,
    literal_of: Int64s1,
    stack: Int64s1,
    done: Int64s1,
) -> int:
    """Write what :func:`chain` returns; return the number of gates.

    ``done``, int64 ``[count]``, are the inputs of each conjunction that have literals: 0 at first.
    """
    pairs_begin = first + len(start) - 1
    made = 0
    for root in range(first, pairs_begin):
        depth = 1
        stack[0] = root
        while depth > 0:
            node = stack[depth - 1]
            if literal_of[node] >= 0:
                depth -= 1
                continue
            if node >= pairs_begin:
                x, y = left[node - pairs_begin], right[node - pairs_begin]
                if literal_of[x >> 1] < 0 or literal_of[y >> 1] < 0:
                    stack[depth] = x >> 1 if literal_of[x >> 1] < 0 else y >> 1
                    depth += 1
                    continue
                a = literal_of[x >> 1] ^ (x & 1)
                b = literal_of[y >> 1] ^ (y & 1)
                table[made] = _and_table(a, b)
                rows[2 * made], rows[2 * made + 1] = a >> 1, b >> 1
                literal_of[node] = 2 * (first + made)
                made += 1
                depth -= 1
                continue
            gate = node - first
            while done[gate] < sizes[gate]:
                below = inputs[start[gate] + done[gate]] >> 1
                if literal_of[below] < 0:
                    break
                done[gate] += 1
            if done[gate] < sizes[gate]:
                stack[depth] = inputs[start[gate] + done[gate]] >> 1
                depth += 1
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
    return made
