"""In which order straight-line code computes gates, and when it reads and writes memory.

Values live in a bounded number of registers. When registers run out, the value whose next use is
furthest away leaves (Belady's rule), to be read again from memory. Which order of the gates needs
the fewest accesses depends on the circuit, so a few are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from neurogame.kernels.netlist.netlist import Netlist

Step: TypeAlias = tuple[str, int]
"""``("load", row)``, ``("gate", gate)`` or ``("store", row)``."""

_MOST = 20_000
"""Gates beyond which only one order is tried."""


def schedule(
    netlist: Netlist,
    gates: Sequence[int],
    outputs: frozenset[int],
    registers: int,
    piece: int,
) -> list[list[Step]]:
    """Order gates, cut them into pieces, and insert loads and stores.

    Args:
        netlist: the gates.
        gates: those to run, in topological order; other rows are in memory.
        outputs: rows of these gates that must be in memory at the end.
        registers: values that may be in registers at the same time.
        piece: most gates of a piece; between pieces all values are in memory.

    Returns:
        The steps of each piece. A row computed here is stored at most once: when it must give way
        before its last use, or because it is an output or used by a later piece.
    """
    from neurogame.kernels.codegen import schedule_loops as loops

    given = netlist.input_count, netlist.inputs, np.array(gates, np.int64)
    orders = [loops.depth_first(*given)]
    if len(gates) <= _MOST:
        orders += [loops.greedy(*given, is_warm=is_warm) for is_warm in (False, True)]
    schedules = [_pieces(netlist, order.tolist(), outputs, registers, piece) for order in orders]
    return min(schedules, key=_cost)


def _pieces(
    netlist: Netlist,
    order: Sequence[int],
    outputs: frozenset[int],
    registers: int,
    piece: int,
) -> list[list[Step]]:
    """Allocate registers piece by piece, from the last, which knows what it needs."""
    wanted = set(outputs)
    pieces = []
    for begin in reversed(range(0, len(order), piece)):
        gates = order[begin : begin + piece]
        rows = {netlist.input_count + gate for gate in gates}
        pieces.append(allocate(netlist, gates, frozenset(wanted & rows), registers))
        wanted.update(netlist.inputs[gates].ravel().tolist())
    return pieces[::-1]


def _cost(pieces: Sequence[Sequence[Step]]) -> int:
    """Return what memory accesses cost; a store takes twice as long as a load."""
    weight = {"load": 1, "store": 2, "gate": 0}
    return sum(weight[kind] for steps in pieces for kind, _ in steps)


def allocate(
    netlist: Netlist, order: Sequence[int], outputs: frozenset[int], registers: int
) -> list[Step]:
    """Insert loads and stores into an order of gates.

    Args:
        netlist: the gates.
        order: gates in the order of execution.
        outputs: rows of these gates that must be stored.
        registers: values that may be in registers at the same time.
    """
    from neurogame.kernels.codegen.schedule_loops import KINDS, Residents
    from neurogame.kernels.codegen.schedule_loops import allocate as fill

    is_output = np.zeros(netlist.row_count, np.bool_)
    is_output[list(outputs)] = True
    residents = Residents(
        rows=np.zeros(registers, np.int64),
        uses=np.zeros(registers, np.int64),
        places=np.full(netlist.row_count, -1, np.int64),
        kept=np.ones(netlist.row_count, np.bool_),
        kinds=np.empty(8 * len(order), np.uint8),
        numbers=np.empty(8 * len(order), np.int64),
    )
    fill(residents, netlist.input_count, netlist.inputs, np.array(order, np.int64), is_output)
    kinds = map(tuple(KINDS).__getitem__, residents.kinds[: residents.steps].tolist())
    return list(zip(kinds, residents.numbers[: residents.steps].tolist(), strict=True))
