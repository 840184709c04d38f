"""Positive cycles of any shape against iteration from false, state by state."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit import fixpoint
from neurogame.circuit.build import build_circuit
from neurogame.gdl.parse import parse_rules
from neurogame.ground.ground import ground
from tests.circuit.evaluate import evaluate_circuit

FLUENTS = 4
ATOMS = 6

LITERAL = st.tuples(st.integers(0, FLUENTS - 1), st.booleans())
RULE = st.tuples(
    st.integers(0, ATOMS - 1),
    st.lists(st.integers(0, ATOMS - 1), max_size=2),
    st.lists(LITERAL, max_size=2),
)
LINEAR_RULE = st.tuples(
    st.integers(0, ATOMS - 1),
    st.lists(st.integers(0, ATOMS - 1), max_size=1),
    st.lists(LITERAL, max_size=2),
)
Rule = tuple[int, list[int], list[tuple[int, bool]]]


def rulesheet(rules: list[Rule]) -> str:
    """Return a game whose move ``m{i}`` is legal where atom ``p{i}`` holds."""
    lines = ["(role r) (goal r 50) terminal (legal r wait)"]
    for i in range(FLUENTS):
        lines.append(f"(init f{i}) (<= (next f{i}) (true f{i}))")
    lines += [f"(<= (legal r m{i}) p{i})" for i in range(ATOMS)]
    for head, atoms, literals in rules:
        body = [f"p{a}" for a in atoms]
        body += [f"(true f{f})" if sign else f"(not (true f{f}))" for f, sign in literals]
        lines.append(f"(<= p{head} {' '.join(body)})" if body else f"p{head}")
    return "\n".join(lines)


def least_model(rules: list[Rule], state: tuple[bool, ...]) -> set[int]:
    holds: set[int] = set()
    while True:
        found = {
            head
            for head, atoms, literals in rules
            if set(atoms) <= holds and all(state[f] == sign for f, sign in literals)
        }
        if found <= holds:
            return holds
        holds |= found


def check_all_states(rules: list[Rule]) -> None:
    program = ground(parse_rules(rulesheet(rules)))
    circuit = build_circuit(program)
    states = np.array(list(itertools.product([False, True], repeat=FLUENTS)))
    values = evaluate_circuit(
        circuit, states, np.zeros((len(states), circuit.move_count), np.bool_)
    )
    for state, legal in zip(states, values.legal, strict=True):
        moves = {m for m, holds in zip(circuit.moves[0], legal, strict=True) if holds}
        expected = {f"m{i}" for i in least_model(rules, tuple(state.tolist()))}
        assert moves == expected | {"wait"}


@given(st.lists(LINEAR_RULE, max_size=14))
def test_linear_cycles(rules: list[Rule]) -> None:
    check_all_states(rules)


@given(st.lists(RULE, max_size=14))
def test_cycles_of_any_kind(rules: list[Rule]) -> None:
    check_all_states(rules)


def test_unrolling_and_elimination_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    chain: list[Rule] = [((i + 1) % ATOMS, [i], [(i % FLUENTS, i < 3)]) for i in range(ATOMS)]
    rules: list[Rule] = [*chain, (0, [], [(0, True)]), (3, [1], []), (2, [], [(3, False)])]
    check_all_states(rules)
    monkeypatch.setattr(fixpoint, "MOST_UNKNOWNS", 0)
    check_all_states(rules)
