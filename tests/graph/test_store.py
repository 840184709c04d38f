"""Bulk gate making against truth tables; structural sharing."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neurogame.graph.graph import AND, FALSE, OR, TRUE
from neurogame.graph.store import GateStore

INPUTS = 4
groups = st.lists(st.lists(st.integers(0, 2 * INPUTS + 1), max_size=6), min_size=1, max_size=8)


def make(store: GateStore, kind: int, lists: list[list[int]]) -> np.ndarray:
    start = np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int64)
    return store.make(kind, np.array([x for own in lists for x in own], np.int64), start)


def truth(store: GateStore, literal: int, inputs: tuple[bool, ...]) -> bool:
    graph = store.graph(np.array([literal]))
    values = [False, *inputs]
    for gate, kind in enumerate(graph.kind):
        own = graph.inputs[graph.start[gate] : graph.start[gate + 1]]
        bits = [values[x >> 1] ^ bool(x & 1) for x in own]
        values.append(all(bits) if kind == AND else any(bits))
    return values[literal >> 1] ^ bool(literal & 1)


@given(groups, st.sampled_from([AND, OR]), groups, st.sampled_from([AND, OR]))
def test_gates_mean_what_they_say(
    first: list[list[int]], kind: int, second: list[list[int]], other: int
) -> None:
    store = GateStore(1 + INPUTS)
    made = make(store, kind, first)
    # The second layer reads literals of the first.
    pool = [*range(2 * INPUTS + 2), *made.tolist(), *(made ^ 1).tolist()]
    above = [[pool[x % len(pool)] for x in group] for group in second]
    top = make(store, other, above)
    for inputs in itertools.product([False, True], repeat=INPUTS):
        for group, literal in [*zip(first, made, strict=True)]:
            bits = [truth(store, x, inputs) for x in group]
            assert truth(store, literal, inputs) == (all(bits) if kind == AND else any(bits))
        for group, literal in zip(above, top, strict=True):
            bits = [truth(store, x, inputs) for x in group]
            assert truth(store, literal, inputs) == (all(bits) if other == AND else any(bits))


def test_equal_gates_are_shared_and_trivial_ones_are_not_made() -> None:
    store = GateStore(1 + INPUTS)
    made = make(store, AND, [[2, 4], [4, 2, 2], [2, TRUE, 4], [2, 3], [6], [], [2, FALSE], [TRUE]])
    assert made.tolist() == [10, 10, 10, FALSE, 6, TRUE, FALSE, TRUE]
    assert make(store, OR, [[2, 4], [2, 3], [], [2, TRUE]]).tolist() == [12, TRUE, FALSE, TRUE]
    assert store.count == 2
    assert store.level_of(np.array([2, 10, 13])).tolist() == [0, 1, 1]
    assert make(store, AND, [[10, 12], [12, 10]]).tolist() == [14, 14]
    assert store.level_of(np.array([14])).tolist() == [2]
