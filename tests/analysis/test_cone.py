"""Evaluation of cones: ordinary evaluation is the twin's, three-valued evaluation is sound."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.analysis.cone import ConeFinder
from neurogame.analysis.random_play import WordEvaluator
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from neurogame.graph.graph import AND
from neurogame.graph.lanes import ALL, pack_lanes, unpack_lanes
from tests.circuit.by_hand import NO_ATOMS, graph_of, inputs_of
from tests.circuit.evaluate import evaluate_circuit
from tests.kernels.twin.random_circuits import one_hot, random_circuit, random_moves


def evaluate_partly(circuit: Circuit, literals: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return 0, 1 or 2 (unknown) of literals where each input is 0, 1 or 2; ``[N, B]``.

    Straight from Kleene's tables, gate by gate: the slow twin.
    """
    values = [0, *given.tolist()]

    def of(literal: int) -> int:
        value: int = values[literal >> 1]
        return value if value == 2 else value ^ (literal & 1)

    for gate in range(circuit.gate_count):
        inputs = [of(int(x)) for x in inputs_of(circuit, circuit.input_count + gate)]
        decisive = 0 if circuit.graph.kind[gate] == AND else 1
        if decisive in inputs:
            values.append(decisive)
        else:
            values.append(2 if 2 in inputs else 1 - decisive)
    return np.array([of(int(x)) for x in literals])


def three_valued(circuit: Circuit, literals: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return the same with a cone; ``given`` is ``[inputs, B]``."""
    cone = ConeFinder(circuit.graph).find(literals)
    batch = given.shape[1]
    rows = cone.start(-(-batch // 64))
    own = given[cone.leaves - 1]
    rows[2 : 2 + 2 * cone.leaf_count : 2] = pack_lanes(own != 0)
    rows[3 : 3 + 2 * cone.leaf_count : 2] = pack_lanes(own != 1)
    cone.evaluate(rows)
    index = cone.rows(literals)
    can_hold, can_fail = unpack_lanes(rows[index], batch), unpack_lanes(rows[index ^ 1], batch)
    assert (can_hold | can_fail).all()
    return np.where(can_hold & can_fail, 2, can_hold)


@given(st.integers(0, 10**6), st.integers(0, 30), st.integers(1, 70))
def test_three_values_are_kleenes(seed: int, gates: int, batch: int) -> None:
    circuit = random_circuit(seed, gates)
    literals = circuit.graph.outputs
    given_values = np.random.default_rng(seed).integers(0, 3, (circuit.input_count - 1, batch))
    found = three_valued(circuit, literals, given_values)
    for lane in range(min(batch, 5)):
        assert (found[:, lane] == evaluate_partly(circuit, literals, given_values[:, lane])).all()


@given(st.integers(0, 10**6), st.integers(0, 25))
def test_what_is_known_holds_in_every_completion(seed: int, gates: int) -> None:
    circuit = random_circuit(seed, gates)
    literals = circuit.graph.outputs
    rng = np.random.default_rng(seed)
    partial = rng.integers(0, 2, circuit.input_count - 1)
    unknown = rng.permutation(len(partial))[:6]
    partial[unknown] = 2
    found = three_valued(circuit, literals, partial[:, None])[:, 0]
    completions = np.repeat(partial[:, None], 2 ** len(unknown), axis=1)
    completions[unknown] = np.array(list(product((0, 1), repeat=len(unknown)))).T
    truth = three_valued(circuit, literals, completions)
    assert (truth < 2).all()
    for value, row in zip(found, truth, strict=True):
        assert value == 2 or (row == value).all()


@given(st.integers(0, 10**6))
def test_nothing_is_lost_where_every_input_is_read_once(seed: int) -> None:
    """On a tree Kleene's values are exact: unknown means that completions differ."""
    rng = np.random.default_rng(seed)
    fluents = 7
    pool = (2 * np.arange(1, 1 + fluents) + rng.integers(0, 2, fluents)).tolist()
    rows, kinds, node = [], [], 1 + fluents + 1
    while len(pool) > 1:
        width = min(len(pool), int(rng.integers(2, 4)))
        rows.append(np.sort([pool.pop(int(rng.integers(0, len(pool)))) for _ in range(width)]))
        kinds.append(int(rng.integers(0, 2)))
        pool.append(2 * node + int(rng.integers(0, 2)))
        node += 1
    outputs = np.append(np.ones(1, np.int64), np.zeros(fluents, np.int64))
    circuit = Circuit(
        roles=("r",),
        fluents=tuple(f"f{i}" for i in range(fluents)),
        moves=(("m",),),
        initial=np.zeros(fluents, np.bool_),
        graph=graph_of(1 + fluents + 1, kinds, rows, np.append(outputs, pool)),
        named_goals=((),),
        atoms=NO_ATOMS,
        key="tree",
    )
    literals = np.array(pool)
    states = np.array(list(product((0, 1), repeat=fluents))).T
    inputs = np.concatenate([states, np.ones((1, states.shape[1]), np.int64)])
    truth = three_valued(circuit, literals, inputs)[0].astype(bool)
    for partial in rng.integers(0, 3, (20, fluents)):
        agree = ((partial[:, None] == 2) | (states == partial[:, None])).all(axis=0)
        possible = set(truth[agree].tolist())
        known = three_valued(circuit, literals, np.append(partial, 1)[:, None])[0, 0]
        assert known == (2 if len(possible) == 2 else int(possible.pop()))


@pytest.mark.parametrize("name", ["tictactoe", "breakthrough6", "bidding_tictactoe", "hex5"])
def test_words_are_the_twins(name: str) -> None:
    circuit = compile_rules(load_rules(name))
    check_words(circuit, 130, 3)


@given(st.integers(0, 10**6), st.integers(0, 30), st.integers(1, 130))
def test_words_are_the_twins_on_random_circuits(seed: int, gates: int, batch: int) -> None:
    check_words(random_circuit(seed, gates), batch, seed)


def check_words(circuit: Circuit, batch: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    states = rng.random((batch, len(circuit.fluents))) < rng.random((batch, 1))
    does = one_hot(circuit, random_moves(circuit, batch, rng))
    # Before moving no move is made: the random circuits, unlike games, would mind.
    expected = evaluate_circuit(circuit, states, np.zeros_like(does))
    evaluator = WordEvaluator(circuit)
    legal, terminal, goals = evaluator.look(pack_lanes(states.T))
    assert (expected.legal == unpack_lanes(legal, batch).T).all()
    assert (unpack_lanes(terminal[None], batch)[0] == expected.terminal).all()
    following = evaluator.step(pack_lanes(states.T), pack_lanes(does.T))
    made = evaluate_circuit(circuit, states, does)
    assert (made.next == unpack_lanes(following, batch).T).all()
    names = [(r, v) for r, own in zip(circuit.roles, circuit.goals, strict=True) for v, _ in own]
    flags = unpack_lanes(goals, batch)
    for lane in range(batch):
        held = {name for name, flag in zip(names, flags[:, lane], strict=True) if flag}
        assert held == expected.goals[lane]


def test_packing_is_undone() -> None:
    rows = np.random.default_rng(0).random((5, 131)) < 0.5
    words = pack_lanes(rows)
    assert words.shape == (5, 3)
    assert (unpack_lanes(words, 131) == rows).all()
    assert int(words[0, 0] >> np.uint64(63)) == int(rows[0, 63])
    assert (unpack_lanes(np.full((1, 1), ALL), 64)).all()
