"""A cover computes what it covers, with no more gates."""

from __future__ import annotations

import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.graph.lanes import ALL
from neurogame.kernels.netlist.mapping import Effort, cover_netlist
from neurogame.kernels.netlist.netlist import Netlist
from tests.processes import environment, run

INPUTS = 7


def random_netlist(seed: int, gates: int) -> Netlist:
    """Return gates of two or three inputs, most of them ANDs."""
    rng = np.random.default_rng(seed)
    inputs = np.zeros((gates, 3), np.int32)
    table = np.zeros(gates, np.uint8)
    for gate in range(gates):
        near = max(0, INPUTS + gate - 12)
        inputs[gate] = rng.integers(near, INPUTS + gate, 3)
        if rng.random() < 0.8:
            inputs[gate, 0] = 0
            table[gate] = rng.choice([0x88, 0x44, 0x22, 0x11, 0x66])
        else:
            table[gate] = rng.integers(0, 256)
    return Netlist(INPUTS, table, inputs)


def values(netlist: Netlist, literals: np.ndarray) -> np.ndarray:
    """Return the roots for all assignments of the inputs."""
    lanes = np.arange(64, dtype=np.uint64)
    rows = np.zeros((netlist.row_count, 1), np.uint64)
    for place in range(INPUTS - 1):
        rows[1 + place, 0] = np.bitwise_or.reduce(
            (lanes >> np.uint64(place) & np.uint64(1)) << lanes
        )
    netlist.run(rows)
    result: np.ndarray = rows[literals >> 1] ^ np.where(literals & 1, ALL, np.uint64(0))[:, None]
    return result


@given(st.integers(0, 2**32), st.integers(1, 120), st.integers(1, 8))
def test_covers_are_equal(seed: int, gates: int, cuts: int) -> None:
    netlist = random_netlist(seed, gates)
    roots = np.random.default_rng(seed).integers(0, 2 * netlist.row_count, 12)
    cover = cover_netlist(netlist, roots, Effort(cuts=cuts, flow=2, exact=2))
    assert (values(cover.netlist, cover.roots) == values(netlist, roots)).all()
    assert cover.netlist.gate_count <= gates
    assert len(cover.origin) == cover.netlist.gate_count


def test_an_adder_of_ands_needs_two_gates() -> None:
    """Sum and carry of three bits, written with five gates of two inputs."""
    gates = [(0x66, 1, 2), (0x66, 7, 3), (0x88, 1, 2), (0x88, 7, 3), (0xEE, 9, 10)]
    netlist = Netlist(
        INPUTS,
        np.array([table for table, _, _ in gates], np.uint8),
        np.array([(0, a, b) for _, a, b in gates], np.int32),
    )
    cover = cover_netlist(netlist, np.array([2 * 8, 2 * 11]), Effort())
    assert cover.netlist.gate_count == 2


def test_plain_python_finds_the_same_gates() -> None:
    """Where there is no numba the same loops run uncompiled."""
    program = (
        "from neurogame.circuit.compile import compile_rules\n"
        "from neurogame.kernels.netlist.build import build_play\n"
        "from neurogame.kernels.netlist.facts import find_facts\n"
        "from neurogame.gdl.library import load_rules\n"
        "circuit = compile_rules(load_rules('nim'))\n"
        "netlist = build_play(circuit, find_facts(circuit)).netlist\n"
        "print(netlist.table.tolist(), netlist.inputs.tolist())\n"
    )
    printed = []
    for disabled in ("0", "1"):
        done = run([sys.executable, "-c", program], env=environment(NUMBA_DISABLE_JIT=disabled))
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert len(printed[0]) > 100
