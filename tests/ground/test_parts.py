"""Joins that are made part by part: the same games, and limits that are looked at in time."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.circuit.build import build_circuit
from neurogame.errors import GroundingError, LimitError, RulesError
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Rules
from neurogame.ground import join, rows
from neurogame.ground.ground import ground
from neurogame.ground.limits import GroundLimits, Watch
from neurogame.ground.program import GroundProgram
from tests.ground.test_demand import assert_alike
from tests.prover.random_rules import programs

FILTERED = f"""
(role r) (init p) (legal r go) (goal r 5) (<= terminal (true over))
{" ".join(f"(d {n})" for n in range(30))}
(<= (next (c ?a ?b ?c)) (other ?a ?b ?c))
(<= (other ?a ?b ?c) (d ?a) (d ?b) (d ?c) (distinct (f ?a ?b ?c) (f ?a ?b ?c)))
"""
"""A join of 27,000 rows of which none is left."""


def in_parts(rules: Rules, most: int, limits: GroundLimits | None = None) -> GroundProgram:
    with patch.object(join, "MOST_ROWS", most), patch.object(rows, "STRETCH", most):
        return ground(rules, limits)


@settings(max_examples=60, deadline=None)
@given(programs(), st.integers(0, 7))
def test_in_parts_every_game_stays_what_it_is(text: str, seed: int) -> None:
    rules = parse_rules(text)
    try:
        whole = ground(rules)
        build_circuit(whole, rules)
    except (GroundingError, RulesError) as error:
        with pytest.raises(type(error)):
            build_circuit(in_parts(rules, 2), rules)
        return
    program = in_parts(rules, 2)
    assert program.fluents == whole.fluents
    assert program.moves == whole.moves
    assert_alike(rules, program, seed, 3)


def test_limits_are_looked_at_within_a_join() -> None:
    looks: Counter[str] = Counter()

    def count(watch: Watch, doing: str) -> None:
        looks[doing] += 1

    with patch.object(Watch, "check", count):
        in_parts(parse_rules(FILTERED), 1000)
    assert looks["deriving 'other'"] >= 27


def test_a_join_in_parts_has_as_many_rows_as_one() -> None:
    limits = GroundLimits(rules=26_000)
    with pytest.raises(LimitError, match=r"instances while deriving 'other'"):
        in_parts(parse_rules(FILTERED), 1000, limits)
    in_parts(parse_rules(FILTERED), 1000, GroundLimits(rules=28_000))


def test_what_there_is_no_time_for_is_not_sorted() -> None:
    watch = Watch(GroundLimits(seconds=10))
    watch.check_sort(1_000_000, "testing")
    with pytest.raises(LimitError, match="while testing, which takes 100 s more"):
        watch.check_sort(1_000_000_000, "testing")


def test_a_table_that_grows_looks_at_the_limits() -> None:
    seen: list[float] = []
    with patch.object(rows, "STRETCH", 50):
        table = rows.RowSet(1, seen.append)
        table.add(np.arange(1000)[:, None])
        table.add(np.arange(3000)[:, None])
    assert len(seen) >= 1000 // 50
    assert table.find(np.array([[7], [2999], [3000]])).tolist() == [7, 2999, -1]
