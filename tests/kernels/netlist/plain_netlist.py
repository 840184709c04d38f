"""Netlists computed gate by gate: the slow twin of every kernel."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import UInt64s
from neurogame.kernels.netlist.netlist import Netlist


def run_netlist(netlist: Netlist, rows: UInt64s, begin: int = 0, end: int | None = None) -> None:
    """Compute some gates in place, one after another.

    Args:
        netlist: the gates.
        rows: uint64 ``[I + G, W]``; the inputs of the gates are there already.
        begin: first gate.
        end: one past the last gate; None: all.
    """
    for gate in range(begin, netlist.gate_count if end is None else end):
        a, b, c = (rows[row] for row in netlist.inputs[gate])
        rows[netlist.input_count + gate] = lookup(int(netlist.table[gate]), a, b, c)


def lookup(table: int, a: UInt64s, b: UInt64s, c: UInt64s) -> UInt64s:
    """Return the bitwise value of a truth table of three inputs, as the OR of its minterms.

    Args:
        table: bit ``4 a + 2 b + c`` is the value; 0 to 255.
        a: first input; uint64, any shape.
        b: second input; likewise.
        c: third input; likewise.
    """
    value = np.zeros_like(a)
    for minterm in range(8):
        if table >> minterm & 1:
            term = a if minterm & 4 else ~a
            term = term & (b if minterm & 2 else ~b)
            value |= term & (c if minterm & 1 else ~c)
    return value
