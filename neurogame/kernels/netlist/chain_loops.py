"""The loop that makes gates of two inputs; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Int32s2, Int64s, Int64s1, UInt8s1
from neurogame.kernels.netlist.netlist import Netlist
from neurogame.native.compiled import compiled, inner
from neurogame.native.struct import Struct


class _Chains(Struct):
    """Conjunctions and pairs, and the gates that they become.

    ``I`` inputs, ``G`` conjunctions, ``P`` pairs: nodes in this order.

    Attributes:
        first: ``I``.
        gates: those made so far.
        start: where each conjunction's inputs begin; ``[G + 1]``.
        sizes: how many they are; ``[G]``.
        inputs: their literals.
        left: first literal of each pair; ``[P]``.
        right: second literal of each pair; ``[P]``.
        uses: how often each node is read; ``[I + G + P]``.
        table: of the gates; room for all.
        rows: which they read, the first always row 0.
        literal_of: of each node, -1 until it is known; ``[I + G + P]``.
        stack: nodes under way.
        done: how many inputs of each conjunction have literals; ``[G]``.
    """

    first: int
    gates: int = 0
    start: Int64s1
    sizes: Int64s1
    inputs: Int64s1
    left: Int64s1
    right: Int64s1
    uses: Int64s1
    table: UInt8s1
    rows: Int32s2
    literal_of: Int64s1
    stack: Int64s1
    done: Int64s1


@inner
def _make(chains: _Chains, a: int, b: int) -> int:
    """Make the gate of two literals; return its own."""
    gate = chains.gates
    # The table of ``b & c`` where either may be complemented.
    chains.table[gate] = 0x88 >> (2 * (a & 1) + (b & 1))
    chains.rows[gate, 1], chains.rows[gate, 2] = a >> 1, b >> 1
    chains.gates += 1
    return 2 * (chains.first + gate)


@inner
def _literal(chains: _Chains, literal: int) -> int:
    """Return what stands for a literal, below 0 if nothing does so far."""
    image: int = chains.literal_of[literal >> 1] ^ (literal & 1)
    return image


def chain(
    first: int,
    start: Int64s,
    sizes: Int64s,
    inputs: Int64s,
    left: Int64s,
    right: Int64s,
    uses: Int64s,
) -> tuple[Netlist, Int64s]:
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
        The gates, and the literal of each input, conjunction and pair.
    """
    count, pairs = len(sizes), len(left)
    total = pairs + int(np.maximum(sizes - 1, 0).sum())
    chains = _Chains(
        first=first,
        start=start,
        sizes=sizes,
        inputs=inputs,
        left=left,
        right=right,
        uses=uses,
        table=np.empty(total, np.uint8),
        rows=np.zeros((total, 3), np.int32),
        literal_of=np.full(first + count + pairs, -1, np.int64),
        stack=np.empty(count + pairs + 1, np.int64),
        done=np.zeros(count, np.int64),
    )
    chains.literal_of[:first] = 2 * np.arange(first)
    _chain(chains)
    made = chains.gates
    return Netlist(first, chains.table[:made], chains.rows[:made]), chains.literal_of


@compiled
def _chain(chains: _Chains) -> None:
    """Make the gates of all conjunctions and of the pairs that they need, each once."""
    first, start, inputs, stack = chains.first, chains.start, chains.inputs, chains.stack
    literal_of, done = chains.literal_of, chains.done
    pairs_begin = first + len(chains.sizes)
    for root in range(first, pairs_begin):
        depth = 1
        stack[0] = root
        while depth > 0:
            node = stack[depth - 1]
            if literal_of[node] >= 0:
                depth -= 1
                continue
            if node >= pairs_begin:
                x, y = chains.left[node - pairs_begin], chains.right[node - pairs_begin]
                a, b = _literal(chains, x), _literal(chains, y)
                if a < 0 or b < 0:
                    stack[depth] = x >> 1 if a < 0 else y >> 1
                    depth += 1
                    continue
                literal_of[node] = _make(chains, a, b)
                depth -= 1
                continue
            gate = node - first
            while done[gate] < chains.sizes[gate]:
                below = inputs[start[gate] + done[gate]] >> 1
                if literal_of[below] < 0:
                    break
                done[gate] += 1
            if done[gate] < chains.sizes[gate]:
                stack[depth] = inputs[start[gate] + done[gate]] >> 1
                depth += 1
                continue
            current = -1
            for private in range(2):
                for edge in range(start[gate], start[gate] + chains.sizes[gate]):
                    below = inputs[edge] >> 1
                    alone = 1 if below >= first and chains.uses[below] == 1 else 0
                    if alone != private:
                        continue
                    literal = _literal(chains, inputs[edge])
                    current = literal if current < 0 else _make(chains, current, literal)
            literal_of[node] = current
            depth -= 1
