"""Graphs: evaluated in words, pruned, rewritten, narrowed, made positive, shared and sorted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError
from neurogame.graph.evaluate import holds
from neurogame.graph.extend import with_more_gates, with_more_inputs
from neurogame.graph.graph import AND, FALSE, OR, TRUE, Graph
from neurogame.graph.groups import sorted_in_groups
from neurogame.graph.lanes import pack_lanes, unpack_lanes
from neurogame.graph.levels import levels, runs
from neurogame.graph.positive import positive
from neurogame.graph.prune import needed, prune, prune_by_level
from neurogame.graph.rewrite import assuming, narrowed, rewrite, substituted
from neurogame.graph.store import GateStore
from neurogame.simulate.game import Game
from tests.circuit.evaluate import evaluate_circuit
from tests.evaluators.hand_made import random_circuit, random_states

FLUENTS = 8


def goals_of(circuit: Circuit) -> Graph:
    return circuit.graph.with_outputs(np.append(circuit.goal_literals, [TRUE, FALSE]))


def slow_truth(circuit: Circuit, states: np.ndarray) -> np.ndarray:
    found = evaluate_circuit(circuit, states, np.zeros((len(states), 0), np.bool_)).goals
    keys = [(r, v) for r, p in zip(circuit.roles, circuit.goals, strict=True) for v, _ in p]
    rows = [[*(key in own for key in keys), True, False] for own in found]
    return np.array(rows, np.bool_).reshape(len(states), len(keys) + 2)


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 130])
def test_lane_of_a_word_is_its_bit(count: int) -> None:
    rows = np.random.default_rng(count).random((3, count)) < 0.4
    words = pack_lanes(rows)
    assert words.shape == (3, -(-count // 64))
    for row, own in zip(rows.tolist(), words.tolist(), strict=True):
        assert sum(word << 64 * place for place, word in enumerate(own)) == sum(
            flag << lane for lane, flag in enumerate(row)
        )
    assert (unpack_lanes(words, count) == rows).all()


@given(seed=st.integers(0, 10**6), width=st.sampled_from([None, 2, 3]), batch=st.integers(0, 130))
def test_graphs_mean_what_the_gates_say(seed: int, width: int | None, batch: int) -> None:
    circuit = random_circuit(seed, FLUENTS)
    states = random_states(batch, FLUENTS, seed)
    expected = slow_truth(circuit, states)
    graph = goals_of(circuit)
    assert (holds(graph, states) == expected).all()
    for pruned in (prune(graph), prune_by_level(graph)):
        assert (holds(pruned, states) == expected).all()
        assert pruned.gate_count == needed(graph)[circuit.input_count :].sum()
        assert needed(pruned)[circuit.input_count :].all()
    assert (np.diff(prune_by_level(graph).level) >= 0).all()
    store = GateStore(circuit.input_count)
    literals = rewrite(graph, 2 * np.arange(circuit.input_count), store, width)
    again = prune(store.graph(literals))
    assert (holds(again, states) == expected).all()
    if width is not None:
        assert again.fan_in.max(initial=0) <= width
        assert (holds(narrowed(graph, width), states) == expected).all()
    in_order = np.concatenate([again.level[gates] for gates in levels(again)] or [again.level])
    assert (np.diff(in_order) >= 0).all()
    assert sorted(np.concatenate([in_order[:0], *runs(again)])) == list(range(again.gate_count))


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_rewriting_substitutes(seed: int) -> None:
    """A constant, another fluent and a negation in place of fluents."""
    circuit = random_circuit(seed, FLUENTS)
    graph = goals_of(circuit)
    leaves = 2 * np.arange(circuit.input_count)
    leaves[1:5] = [TRUE, FALSE, leaves[6], leaves[7] ^ 1]
    states = random_states(70, FLUENTS, seed)
    changed = states.copy()
    changed[:, 0], changed[:, 1] = True, False
    changed[:, 2], changed[:, 3] = states[:, 5], ~states[:, 6]
    expected = slow_truth(circuit, changed)
    assert (holds(substituted(graph, leaves), states) == expected).all()


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), width=st.sampled_from([2, 3, 30]), narrow=st.booleans())
def test_what_facts_decide_changes_no_truth_where_they_hold(
    seed: int, width: int, narrow: bool
) -> None:
    circuit = random_circuit(seed, FLUENTS)
    graph = goals_of(circuit)
    graph = narrowed(graph, width) if narrow else graph
    states = random_states(130, FLUENTS, seed)
    truth = holds(graph, states)
    for number, literal in enumerate(graph.outputs.tolist()):
        for fact in (literal, literal ^ 1):
            simpler = assuming(graph.with_outputs(np.array([fact])), graph, width)
            here = truth[:, number] ^ bool(fact != literal)
            assert (holds(simpler, states)[here] == truth[here]).all()
            assert simpler.outputs[number] >> 1 == 0


def test_parts_of_a_fact_are_decided_down_to_the_inputs() -> None:
    store = GateStore(8)
    a, b, c, d, e = 2 * np.arange(1, 6)[:, None]
    either = store.pairs(OR, a, b)
    fact = store.pairs(AND, either ^ 1, store.pairs(AND, c, d))
    formulas = [store.pairs(OR, store.pairs(AND, a, e), store.pairs(AND, d, e)), either, c, e]
    simpler = assuming(store.graph(fact), store.graph(np.concatenate(formulas)), 4)
    assert simpler.outputs.tolist() == [*e, FALSE, TRUE, *e]
    assert simpler.gate_count == 0


def test_assignments_of_another_size_are_refused() -> None:
    with pytest.raises(GameError, match=r"\[B, 8\]"):
        holds(goals_of(random_circuit(1, FLUENTS)), np.zeros((2, 9), np.bool_))


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_more_inputs_and_gates_leave_the_others_as_they_were(seed: int) -> None:
    circuit = random_circuit(seed, FLUENTS)
    graph = with_more_inputs(goals_of(circuit), 2)
    states = random_states(30, FLUENTS, seed)
    both = np.concatenate([states, random_states(30, 2, seed)], axis=1)
    new = 2 * np.array([[FLUENTS + 1, FLUENTS + 2]])
    longer, nodes = with_more_gates(graph, AND, np.concatenate([new, new ^ 1]))
    found = holds(longer.with_outputs(np.append(longer.outputs, 2 * nodes)), both)
    assert (found[:, :-2] == slow_truth(circuit, states)).all()
    assert (found[:, -2] == both[:, -2:].all(axis=1)).all()
    assert (found[:, -1] == ~both[:, -2:].any(axis=1)).all()


def slow_holds(graph: Graph, leaves: np.ndarray, inputs: np.ndarray) -> list[bool]:
    """Return which outputs hold, node by node."""
    held = [bool(inputs[leaf >> 1]) != bool(leaf & 1) for leaf in leaves.tolist()]
    truth = [False, *held]
    for gate in range(graph.gate_count):
        own = graph.inputs[graph.start[gate] : graph.start[gate + 1]].tolist()
        assert all(literal & 1 == 0 and literal >> 1 < len(truth) for literal in own)
        below = [truth[literal >> 1] for literal in own]
        truth.append(all(below) if graph.kind[gate] == AND else any(below))
    return [truth[literal >> 1] for literal in graph.outputs.tolist()]


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "breakthrough"])
def test_pushing_negations_down_changes_no_truth(name: str) -> None:
    circuit = Game.load(name).circuit
    found, leaves = positive(circuit.graph)
    assert (np.diff(found.level) >= 0).all()
    assert (np.diff(leaves) > 0).all()
    rng = np.random.default_rng(1)
    flags = rng.random((8, circuit.input_count - 1)) < 0.4
    for row, held in zip(flags, holds(circuit.graph, flags), strict=True):
        assert slow_holds(found, leaves, np.concatenate([[False], row])) == held.tolist()


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


_VALUES = st.lists(
    st.tuples(st.integers(0, 2**31 - 1) | st.integers(0, 2**60), st.integers(0, 2**32 - 1)),
    max_size=40,
)


@given(_VALUES)
def test_each_group_ascends(pairs: list[tuple[int, int]]) -> None:
    group = np.array(sorted(g for g, _ in pairs), np.int64)
    values = np.array([v for _, v in pairs], np.int64)
    expected = values[np.lexsort((values, group))]
    assert sorted_in_groups(group, values).tolist() == expected.tolist()
