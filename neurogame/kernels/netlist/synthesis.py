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
    sizes = form.fan_in
    near = np.minimum(sizes, style.window)
    pairs = int((near * sizes).sum())
    slots = 1 << max(12, (4 * pairs).bit_length())
    left, right, left_over, inputs = extract_loops.extract_pairs(
        form, style.least, style.window, min(slots, 1 << 25)
    )
    # What conjunctions have left stands at their old start, with a gap behind it.
    present = inputs[places_in_groups(sizes) < np.repeat(left_over, sizes)]
    read = np.concatenate([present, left, right, form.outputs]) >> 1
    uses = np.bincount(read, minlength=form.node_count + len(left))
    network, literal = chain_loops.chain(
        form.input_count, form.start, left_over, inputs, left, right, uses
    )
    return network, replaced(form.outputs, literal)
