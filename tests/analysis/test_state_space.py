"""The enumeration of states finds what plain sets and the gate-by-gate twin find."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.analysis.random_play import WordEvaluator
from neurogame.analysis.state_space import StateSpace, enumerate_states
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from tests.analysis.random_games import random_game
from tests.analysis.slow_states import slow_space


def check(circuit: Circuit, limit: int) -> StateSpace:
    space = enumerate_states(WordEvaluator(circuit), states=limit, steps=10**6, work=10**9)
    assert space is not None
    slow = slow_space(circuit)
    rows = [tuple(row) for row in space.states.tolist()]
    assert len(set(rows)) == len(rows)
    assert set(rows) == set(slow.values)
    assert rows[0] == tuple(circuit.initial.tolist())
    names = [(r, v) for r, own in zip(circuit.roles, circuit.goals, strict=True) for v, _ in own]
    for index, row in enumerate(rows):
        legal, terminal, goals = slow.values[row]
        assert (space.legal[index] == legal).all()
        assert space.terminal[index] == terminal
        held = {n for n, flag in zip(names, space.goals[index], strict=True) if flag}
        assert held == goals
    steps = zip(space.source.tolist(), space.target.tolist(), strict=True)
    assert Counter((rows[a], rows[b]) for a, b in steps) == Counter(slow.steps)
    return space


@pytest.mark.parametrize(
    ("name", "states"), [("tictactoe", 5478), ("prisoners", None), ("nim", None)]
)
def test_library_games(name: str, states: int | None) -> None:
    space = check(compile_rules(load_rules(name), cache=False), 20_000)
    assert states is None or len(space.states) == states


@given(st.integers(0, 10**6), st.integers(0, 25))
def test_random_games(seed: int, gates: int) -> None:
    check(random_game(seed, gates), 10_000)


def test_limits_give_none() -> None:
    circuit = compile_rules(load_rules("tictactoe"), cache=False)
    evaluator = WordEvaluator(circuit)
    assert enumerate_states(evaluator, states=5477, steps=10**6, work=10**9) is None
    assert enumerate_states(evaluator, states=5478, steps=16_166, work=10**9) is None
    assert enumerate_states(evaluator, states=10**6, steps=10**6, work=100_000) is None
    space = enumerate_states(evaluator, states=5478, steps=16_167, work=10**9)
    assert space is not None
    assert np.bincount(space.source).max() == 9
