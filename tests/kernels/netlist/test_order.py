"""Gates in order: each after its inputs, however wide, and each input read a few times only."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.array_types import Int64s
from neurogame.kernels.netlist import factor_loops
from neurogame.kernels.netlist.factor_loops import in_order

FIRST = 3


@st.composite
def gates_in_disorder(draw: st.DrawFn) -> tuple[Int64s, list[list[int]], list[int]]:
    """Draw for each gate its place and its inputs, which are inputs or gates before it in turn."""
    count = draw(st.integers(1, 12))
    places = np.array(draw(st.permutations(range(count))), np.int64)
    inputs = []
    for gate in range(count):
        below = [*range(FIRST), *(FIRST + int(places[n]) for n in range(gate))]
        literal = st.builds(lambda n, c: 2 * n + c, st.sampled_from(below), st.integers(0, 1))
        inputs.append(draw(st.lists(literal, max_size=5)))
    node = st.integers(0, FIRST + count - 1)
    return places, inputs, draw(st.lists(st.builds(lambda n: 2 * n, node), max_size=4))


def parts(places: Int64s, inputs: list[list[int]]) -> tuple[Int64s, Int64s, Int64s]:
    sizes = np.array([len(own) for own in inputs])
    begin, end = np.zeros((2, len(inputs)), np.int64)
    end[places] = np.cumsum(sizes)
    begin[places] = np.cumsum(sizes) - sizes
    return begin, end, np.array([x for own in inputs for x in own], np.int64)


def twin(
    begin: Int64s, end: Int64s, inputs: Int64s, roots: list[int]
) -> tuple[list[list[int]], list[int]]:
    """Return the inputs of each gate and the roots, by plain recursion."""
    made: list[list[int]] = []
    number = {node: node for node in range(FIRST)}

    def visit(node: int) -> None:
        if node not in number:
            own = inputs[begin[node - FIRST] : end[node - FIRST]].tolist()
            for literal in own:
                visit(literal >> 1)
            number[node] = FIRST + len(made)
            made.append([2 * number[literal >> 1] + literal % 2 for literal in own])

    for root in roots:
        visit(root >> 1)
    return made, [2 * number[root >> 1] + root % 2 for root in roots]


@given(gates_in_disorder())
def test_gates_come_in_the_order_in_which_a_recursion_makes_them(
    drawn: tuple[Int64s, list[list[int]], list[int]],
) -> None:
    places, inputs, roots = drawn
    given_parts = parts(places, inputs)
    start, made, new_roots = in_order(FIRST, *given_parts, np.array(roots, np.int64))
    expected, expected_roots = twin(*given_parts, roots)
    assert [own.tolist() for own in np.split(made, start[1:-1])][: len(expected)] == expected
    assert new_roots.tolist() == expected_roots


@final
class _Counting:
    """An array that counts how often it is read."""

    def __init__(self, values: Int64s) -> None:
        self.values, self.reads = values, 0

    def __getitem__(self, index: Any) -> Any:
        self.reads += 1
        return self.values[index]

    def __len__(self) -> int:
        return len(self.values)


def test_a_wide_gate_is_not_read_anew_for_each_input() -> None:
    wide = 500
    sizes = [1] * wide + [wide]
    end = np.cumsum(sizes)
    below = [2] * wide + [2 * (FIRST + n) for n in range(wide)]
    inputs = _Counting(np.array(below, np.int64))
    loop = factor_loops.in_order
    plain: Any = getattr(loop, "py_func", loop)
    start, _, _ = plain(FIRST, end - sizes, end, inputs, np.array([2 * (FIRST + wide)], np.int64))
    assert len(start) == wide + 2
    assert inputs.reads < 10 * len(below)
