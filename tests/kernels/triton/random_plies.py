"""Random netlists in five sections, without a game behind them."""

from __future__ import annotations

import numpy as np

from neurogame.circuit.netlist.netlist import Netlist
from neurogame.circuit.netlist.ply import Ply, Section

NONE = np.zeros(0, np.int64)


def random_step(seed: int, gates: int) -> Ply:
    """Return a step netlist whose outputs are any rows, inputs and repetitions included."""
    rng = np.random.default_rng(seed)
    fluents, moves, goals = (int(n) for n in rng.integers(1, 6, 3))
    first = 1 + fluents + moves
    bounds = [0, *np.sort(rng.integers(0, gates + 1, 4)).tolist(), gates]
    goal_gates = range(bounds[Section.GOALS], bounds[Section.GOALS + 1])
    inputs = np.zeros((gates, 3), np.int32)
    for gate in range(gates):
        known = np.arange(first + gate)
        if gate not in goal_gates:
            known = known[~np.isin(known - first, goal_gates)]
        inputs[gate] = rng.choice(known, 3)

    def rows(count: int, end: int = first + gates) -> np.ndarray:
        return rng.integers(0, end, count)

    return Ply(
        netlist=Netlist(first, rng.integers(0, 256, gates).astype(np.uint8), inputs),
        bounds=tuple(bounds),
        terminal=int(rows(1)[0]),
        legal=rows(moves),
        goals=rows(goals),
        several=0,
        stuck=0,
        choices=(),
        reset=0,
        does=np.arange(1 + fluents, first),
        next=rows(fluents),
    )
