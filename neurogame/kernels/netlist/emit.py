"""The last step: gates with complemented outputs become plain rows, in sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Bools, Int64s, UInt8s
from neurogame.kernels.netlist.netlist import Netlist, gathered

# Per input the table of each gate with that input complemented; uint8 [3, 256].
_FLIP = np.array(
    [gathered(np.arange(256), [m ^ stride for m in range(8)]) for stride in (4, 2, 1)], np.uint8
)


@final
@dataclass(frozen=True, eq=False)
class Emitted:
    """A netlist in its final order.

    Attributes:
        netlist: the gates.
        bounds: section ``s`` has the gates ``bounds[s] .. bounds[s + 1]``.
        rows: row of each root literal; ``[N]``.
    """

    netlist: Netlist
    bounds: tuple[int, ...]
    rows: Int64s


def settle_outputs(netlist: Netlist, literals: Int64s) -> tuple[Netlist, Int64s]:
    """Return the netlist with gates flipped so that every root literal is a plain row.

    A gate that is wanted complemented only is flipped, and the tables of its readers with it;
    where both are wanted, or an input's complement, a gate is added at the end.

    Args:
        netlist: the gates.
        literals: ``2 * row + complement``; int64 ``[N]``.

    Returns:
        The netlist and a row per literal.
    """
    first = netlist.input_count
    plain, complemented = np.zeros((2, netlist.row_count), np.bool_)
    plain[literals[literals & 1 == 0] >> 1] = True
    complemented[literals[literals & 1 == 1] >> 1] = True
    flip = complemented & ~plain
    flip[:first] = False
    inputs = netlist.inputs
    table = netlist.table ^ np.where(flip[first:], 0xFF, 0).astype(np.uint8)
    table = absorbed(table, flip[inputs].astype(np.int64))
    extra = np.flatnonzero(complemented & ~flip)
    row = np.arange(netlist.row_count)
    inverse = row.copy()
    inverse[extra] = netlist.row_count + np.arange(len(extra))
    added = np.zeros((len(extra), 3), np.int32)
    added[:, 2] = extra
    inverters = np.where(extra == 0, 0xFF, 0x55).astype(np.uint8)
    result = Netlist(
        first,
        np.concatenate([table, inverters]),
        np.concatenate([inputs, added]),
    )
    rows = np.where(literals & 1 == 1, inverse[literals >> 1], literals >> 1)
    return result, rows


def absorbed(table: UInt8s, complement: Int64s) -> UInt8s:
    """Return truth tables for inputs some of which (1 in ``[G, 3]``) are complemented."""
    result = table.copy()
    for place in range(3):
        those = complement[:, place] == 1
        result[those] = _FLIP[place][result[those]]
    return result


def cone(netlist: Netlist, rows: Int64s) -> Bools:
    """Return which gates some rows depend on; bool ``[G]``."""
    from neurogame.kernels.netlist.walk_loops import mark_cone

    wanted = np.zeros(netlist.row_count, np.bool_)
    wanted[rows] = True
    mark_cone(netlist.input_count, netlist.inputs, wanted)
    return wanted[netlist.input_count :]


def in_sections(netlist: Netlist, section: Int64s, rows: Int64s) -> Emitted:
    """Order the gates by section, depth first from the roots within each.

    Args:
        netlist: the gates.
        section: section of each gate, none smaller than those of its inputs; -1 for gates that
            are not needed.
        rows: the roots, in the order in which they are to be computed.
    """
    from neurogame.kernels.netlist.walk_loops import depth_first

    first = netlist.input_count
    walk = depth_first(first, netlist.inputs, rows.astype(np.int64))
    walk = walk[section[walk] >= 0]
    order = walk[np.argsort(section[walk], kind="stable")]
    place = np.zeros(netlist.row_count, np.int64)
    place[:first] = np.arange(first)
    place[first + order] = first + np.arange(len(order))
    bounds = np.searchsorted(section[order], np.arange(6))
    return Emitted(
        Netlist(first, netlist.table[order], place[netlist.inputs[order]].astype(np.int32)),
        tuple(bounds.tolist()),
        place[rows],
    )
