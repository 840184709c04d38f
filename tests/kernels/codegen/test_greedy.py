"""The order in which gates are taken by rank, against a slow twin in plain Python."""

from __future__ import annotations

import heapq
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.kernels.codegen.schedule_loops import greedy
from neurogame.kernels.netlist.netlist import Netlist
from tests.kernels.codegen.random_netlists import random_netlist

COLD, FEW = 24, 64


class Twin:
    """Takes gates one after the other; values are told by their rows."""

    def __init__(self, netlist: Netlist, gates: list[int], *, is_warm: bool) -> None:
        self.first, self.is_warm = netlist.input_count, is_warm
        self.reads = {g: {int(row) for row in netlist.inputs[g]} - {0} for g in gates}
        self.users: dict[int, set[int]] = {}
        for gate, rows in self.reads.items():
            for row in rows:
                self.users.setdefault(row, set()).add(gate)
        self.order: list[int] = []
        self.touched: dict[int, int] = {}

    def left(self, row: int) -> int:
        """Return how many of a row's readers have not been taken."""
        return len(self.users.get(row, set()).difference(self.order))

    def is_ready(self, gate: int) -> bool:
        """Return whether a gate can be taken."""
        results = {row - self.first for row in self.reads[gate]}
        return gate not in self.order and not (results & set(self.reads)).difference(self.order)

    def key(self, gate: int) -> tuple[int, int]:
        """Return lives begun less those ended, and how long ago an input was touched, negated."""
        rows, now = self.reads[gate], len(self.order)
        touched = [self.touched[row] for row in rows if row in self.touched]
        cold = COLD if self.is_warm else now
        new = sum(row not in self.touched or now - self.touched[row] > cold for row in rows)
        begun = new + (self.left(self.first + gate) > 0)
        chosen = (max if self.is_warm else min)(touched, default=-1)
        return begun - sum(self.left(row) == 1 for row in rows), -chosen

    def run(self) -> list[int]:
        """Return all gates, each the best of those whose ranks were looked at."""
        place = {gate: index for index, gate in enumerate(self.reads)}
        heap = [(self.key(gate), place[gate], gate) for gate in self.reads if self.is_ready(gate)]
        heapq.heapify(heap)
        while heap:
            old, _, gate = heapq.heappop(heap)
            if gate in self.order:
                continue
            if (now := self.key(gate)) > old:
                heapq.heappush(heap, (now, place[gate], gate))
                continue
            self.order.append(gate)
            again = set(self.users.get(self.first + gate, set()))
            for row in self.reads[gate]:
                users = self.users[row]
                if len(users) <= FEW or row not in self.touched or self.left(row) <= 1:
                    again |= users
                self.touched[row] = len(self.order)
            if self.first + gate in self.users:
                self.touched[self.first + gate] = len(self.order)
            for user in filter(self.is_ready, again):
                heapq.heappush(heap, (self.key(user), place[user], user))
        return self.order


def check(netlist: Netlist, gates: list[int], *, is_warm: bool) -> None:
    given = netlist.input_count, netlist.inputs, np.array(gates, np.int64)
    assert greedy(*given, is_warm=is_warm).tolist() == Twin(netlist, gates, is_warm=is_warm).run()


@given(
    seed=st.integers(0, 1 << 32),
    inputs=st.integers(2, 40),
    count=st.integers(1, 150),
    share=st.floats(0.2, 1.0),
    is_warm=st.booleans(),
)
def test_gates_are_taken_as_the_twin_takes_them(
    seed: int, inputs: int, count: int, share: float, is_warm: bool
) -> None:
    netlist = random_netlist(seed, inputs, count)
    chosen = np.random.default_rng(seed).random(count) < share
    check(netlist, np.flatnonzero(chosen).tolist(), is_warm=is_warm)


@pytest.mark.parametrize("is_warm", [False, True])
def test_rows_with_many_users(is_warm: bool) -> None:
    # All gates read one of two inputs, so not all users are ranked again at every use.
    netlist = random_netlist(5, 12, 400)
    inputs = netlist.inputs.copy()
    inputs[:, 0] = 1 + np.arange(400) % 2
    check(replace(netlist, inputs=inputs), list(range(400)), is_warm=is_warm)
