"""From formulas to gates of two inputs with shared parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.graph.graph import Graph, replaced
from neurogame.graph.groups import places_in_groups
from neurogame.graph.rewrite import conjunctions_of
from neurogame.kernels.netlist.conjunctions import factored, flattened, split_wide
from neurogame.kernels.netlist.netlist import Netlist


@final
@dataclass(frozen=True)
class Style:
    """One way to share parts; which is best differs from game to game.

    Attributes:
        width: conjunctions of at most so many inputs are merged into all that read them.
        least: conjunctions that must share a pair of literals to give it a gate of its own.
        window: in a wide conjunction only literals so close to each other make pairs.
        widest: conjunctions of more inputs are split before pairs are looked for.
    """

    width: int = 0
    least: int = 2
    window: int = 64
    widest: int = 1024


def synthesise(graph: Graph, style: Style) -> tuple[Netlist, Int64s]:
    """Return gates for a graph, and for each of its outputs a literal ``2 * row + complement``.

    The gates are conjunctions of two inputs, or their complements, in the form of a netlist.

    Args:
        graph: the formulas.
        style: how parts are shared.

    Returns:
        The gates, and literals, int64 ``[N]``.
    """
    from neurogame.kernels.netlist import chain_loops, extract_loops

    form = flattened(conjunctions_of(graph), style.width)
    form = split_wide(flattened(factored(form), style.width), style.widest)
    first = form.input_count
    sizes = form.fan_in
    near = np.minimum(sizes, style.window)
    pairs = int((near * sizes).sum())
    slots = 1 << max(12, (4 * pairs).bit_length())
    left, right, left_over, inputs = extract_loops.extract_pairs(
        first, form.start, form.inputs.copy(), style.least, style.window, min(slots, 1 << 25)
    )
    uses = _uses(
        first + form.gate_count + len(left),
        form.start,
        left_over,
        inputs,
        left,
        right,
        form.outputs,
    )
    table, rows, literal = chain_loops.chain(
        first, form.start, left_over, inputs, left, right, uses
    )
    full = np.zeros((len(table), 3), np.int32)
    full[:, 1:] = rows.reshape(-1, 2)
    network = Netlist(first, table.astype(np.uint8), full)
    return network, replaced(form.outputs, literal)


def _uses(
    nodes: int,
    start: Int64s,
    sizes: Int64s,
    inputs: Int64s,
    left: Int64s,
    right: Int64s,
    roots: Int64s,
) -> Int64s:
    """Return how often each node is read."""
    place = places_in_groups(np.diff(start))
    present = inputs[place < np.repeat(sizes, np.diff(start))]
    read = np.concatenate([present, left, right, roots]) >> 1
    return np.bincount(read, minlength=nodes)
