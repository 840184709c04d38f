"""In which order straight-line code computes gates, and when it reads and writes memory.

Values live in a bounded number of registers. When registers run out, the value whose next use is
furthest away leaves (Belady's rule), to be read again from memory. Which order of the gates needs
the fewest accesses depends on the circuit, so a few are tried.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import TypeAlias, final

import numpy as np

from neurogame.kernels.netlist.netlist import Netlist

Step: TypeAlias = tuple[str, int]
"""``("load", row)``, ``("gate", gate)`` or ``("store", row)``."""

_COLD = 24
"""Gates after which a value is likely to have left the registers."""

_FEW = 64

_MANY, _MOST = 4000, 20_000
"""Gates beyond which fewer orders are tried, and only one."""


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
    orders = [_depth_first(netlist, gates)]
    ranks = (_by_warmth,) if len(gates) > _MANY else (_by_age, _by_warmth, _by_recency)
    if len(gates) <= _MOST:
        orders += [_Greedy(netlist, gates).order(rank) for rank in ranks]
    schedules = [_pieces(netlist, order, outputs, registers, piece) for order in orders]
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


def _depth_first(netlist: Netlist, gates: Sequence[int]) -> list[int]:
    """Order gates by what needs them: each result's inputs just before it, larger ones first."""
    from neurogame.kernels.codegen.schedule_loops import depth_first

    given = np.array(gates, np.int64)
    order: list[int] = depth_first(netlist.input_count, netlist.inputs, given).tolist()
    return order


@final
class _Greedy:
    """Takes gates whose inputs are known, the most useful one first."""

    def __init__(self, netlist: Netlist, gates: Sequence[int]) -> None:
        self.gates = gates
        self.first = netlist.input_count
        self.inputs = [sorted({int(row) for row in netlist.inputs[gate]} - {0}) for gate in gates]
        self.users: dict[int, list[int]] = {}
        for index, rows in enumerate(self.inputs):
            for row in rows:
                self.users.setdefault(row, []).append(index)
        self.left = {row: len(users) for row, users in self.users.items()}
        self.touched = dict.fromkeys(self.users, -1)
        self.clock = 0

    def balance(self, index: int, cold: int | None = None) -> int:
        """Return how many values more are alive, or needed from memory, after a gate."""
        change = 1 if self.left.get(self.first + self.gates[index]) else 0
        for row in self.inputs[index]:
            touched = self.touched[row]
            change += touched < 0 or (cold is not None and self.clock - touched > cold)
            change -= self.left[row] == 1
        return change

    def order(self, rank: Callable[[_Greedy, int], tuple[int, ...]]) -> list[int]:
        """Return all gates, at each step the one of lowest rank."""
        members = {gate: index for index, gate in enumerate(self.gates)}
        missing = [sum(row - self.first in members for row in rows) for rows in self.inputs]
        done = [False] * len(self.gates)
        order: list[int] = []
        heap = [(*rank(self, index), index) for index, count in enumerate(missing) if not count]
        heapq.heapify(heap)
        while heap:
            *old, index = heapq.heappop(heap)
            if done[index]:
                continue
            new = rank(self, index)
            if new > tuple(old):
                heapq.heappush(heap, (*new, index))
                continue
            done[index] = True
            order.append(self.gates[index])
            self.clock += 1
            again = set()
            for row in self.inputs[index]:
                self.left[row] -= 1
                users = self.users[row]
                # Of a row with thousands of users, not all are ranked again at every use.
                if len(users) <= _FEW or self.touched[row] < 0 or self.left[row] <= 1:
                    again.update(users)
                self.touched[row] = self.clock
            row = self.first + self.gates[index]
            if row in self.users:
                self.touched[row] = self.clock
                for user in self.users[row]:
                    missing[user] -= 1
                    again.add(user)
            for user in again:
                if not done[user] and missing[user] == 0:
                    heapq.heappush(heap, (*rank(self, user), user))
        return order


def _by_recency(state: _Greedy, index: int) -> tuple[int, ...]:
    """Prefer what ends lives, then what was touched last."""
    latest = max((state.touched[row] for row in state.inputs[index]), default=-1)
    return (state.balance(index), -latest)


def _by_age(state: _Greedy, index: int) -> tuple[int, ...]:
    """Prefer what ends lives, then what has no input that has waited long."""
    touched = [state.touched[row] for row in state.inputs[index] if state.touched[row] >= 0]
    return (state.balance(index), -min(touched, default=-1))


def _by_warmth(state: _Greedy, index: int) -> tuple[int, ...]:
    """Prefer what ends lives, where values not touched lately count as new."""
    latest = max((state.touched[row] for row in state.inputs[index]), default=-1)
    return (state.balance(index, _COLD), -latest)


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
