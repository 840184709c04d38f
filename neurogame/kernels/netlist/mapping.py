"""Covering a netlist by as few gates of three inputs as possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from neurogame.array_types import Int64s
from neurogame.kernels.netlist.netlist import Netlist


@final
@dataclass(frozen=True)
class Effort:
    """How hard to look for a small cover.

    Attributes:
        cuts: cuts kept per gate, at least 1.
        flow: passes by area flow, at least 1.
        exact: passes by exact area.
    """

    cuts: int = 8
    flow: int = 3
    exact: int = 3


@final
@dataclass(frozen=True, eq=False)
class Cover:
    """A netlist that computes the roots of another.

    Attributes:
        netlist: the gates.
        origin: row of the other netlist that each gate computes; ``[G]``.
        roots: literal ``2 * row + complement`` of each root; ``[N]``.
    """

    netlist: Netlist
    origin: Int64s
    roots: Int64s


def cover_netlist(netlist: Netlist, roots: Int64s, effort: Effort) -> Cover:
    """Cover the gates that some root literals depend on.

    Args:
        netlist: the gates.
        roots: literals ``2 * row + complement``; int64 ``[N]``.
        effort: how hard to try.
    """
    from neurogame.kernels.netlist import map_loops

    made, origin, literal = map_loops.cover(
        netlist, roots >> 1, effort.cuts, effort.flow, effort.exact
    )
    return Cover(made, origin, literal[roots >> 1] ^ (roots & 1))
