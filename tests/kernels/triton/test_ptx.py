"""Assembly of gates: executed line by line, it computes what the netlist computes."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.netlist.netlist import lookup
from neurogame.kernels.triton.ptx import Fragment
from tests.kernels.triton.random_plies import random_step


def execute(fragment: Fragment, operands: list[int]) -> list[int]:
    """Run the three instructions that fragments consist of, on 32-bit registers."""
    registers: dict[str, int] = {}
    declared: set[str] = set()
    results: dict[int, int] = {}
    for line in fragment.text.splitlines():
        if match := re.fullmatch(r"\.reg \.b32 (.*);", line):
            names = match[1].split(", ")
            assert declared.isdisjoint(names)
            declared.update(names)
        elif match := re.fullmatch(r"mov\.b32 (\w+), 0;", line):
            registers[match[1]] = 0
        elif match := re.fullmatch(r"mov\.b64 \{(\w+), (\w+)\}, \$(\d+);", line):
            value = operands[int(match[3]) - len(fragment.outputs)]
            registers[match[1]], registers[match[2]] = value & 0xFFFFFFFF, value >> 32
        elif match := re.fullmatch(r"mov\.b64 \$(\d+), \{(\w+), (\w+)\};", line):
            results[int(match[1])] = registers[match[3]] << 32 | registers[match[2]]
        elif match := re.fullmatch(r"lop3\.b32 (\w+), (\w+), (\w+), (\w+), (\d+);", line):
            inputs = (np.array([registers[name]], np.uint64) for name in match.groups()[1:4])
            assert match[1] in declared
            registers[match[1]] = int(lookup(int(match[5]), *inputs)[0]) & 0xFFFFFFFF
        else:
            assert line in "{}"
    return [results[place] for place in range(len(fragment.outputs))]


@given(st.integers(0, 10**6), st.integers(1, 40))
def test_fragments_are_their_gates(seed: int, gates: int) -> None:
    rng = np.random.default_rng(seed)
    netlist = random_step(seed, gates).netlist
    begin = int(rng.integers(0, gates))
    wanted = rng.integers(0, netlist.row_count, 5).tolist()
    fragment = Fragment(netlist, range(begin, gates), wanted)
    own = range(netlist.input_count + begin, netlist.row_count)
    assert fragment.outputs == sorted(set(wanted) & set(own))
    rows = np.zeros((netlist.row_count, 1), np.uint64)
    rows[1 : netlist.input_count] = rng.integers(0, 2**64, (netlist.input_count - 1, 1), np.uint64)
    netlist.run(rows)
    found = execute(fragment, [int(rows[row, 0]) for row in fragment.inputs])
    assert found == [int(rows[row, 0]) for row in fragment.outputs]
    kinds = fragment.constraints.split(",") if fragment.constraints else []
    assert kinds == ["=l"] * len(fragment.outputs) + ["l"] * len(fragment.inputs)
