"""Joins part by part, and the row set: the same games, limits looked at in time."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.build import build_circuit
from neurogame.errors import GroundingError, LimitError, RulesError
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Rules
from neurogame.ground import ground as ground_module
from neurogame.ground import join, rows
from neurogame.ground import rows as rows_module
from neurogame.ground.clauses import clauses_of
from neurogame.ground.derive import derive
from neurogame.ground.ground import ground
from neurogame.ground.join import product_rows
from neurogame.ground.limits import GroundLimits, Watch
from neurogame.ground.pool import TermPool
from neurogame.ground.program import GroundProgram
from neurogame.ground.relation import Database
from neurogame.ground.rows import RowSet
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


def test_it_is_known_beforehand_how_many_rows_a_product_has() -> None:
    text = """(role a) (two 1) (two 2) (three 1) (three 2) (three 3) (pair 1 2) (pair 2 1)
    (<= (all ?x ?y ?z) (two ?x) (three ?y) (three ?z) (true on))
    (<= (tied ?x ?y) (pair ?x ?z) (pair ?y ?z)) (<= (some ?x) (two ?x) (three ?y))
    (<= (unlike ?x ?y) (two ?x) (three ?y) (distinct ?x ?y))
    (<= (held ?x ?y) (two ?x) (true ?y)) (<= (rest ?x) (three ?x) (not (two ?x)))"""
    clauses = clauses_of(parse_rules(text))
    database = Database(TermPool(9))
    static = [c for c in clauses if not c.body]
    derive(static, database, Watch(GroundLimits()), "test")
    rows = {c.head.predicate: product_rows(c, database) for c in clauses if c.body}
    expected = {"all/3": 18, "tied/2": 0, "some/1": 0, "unlike/2": 0, "held/2": 0, "rest/1": 0}
    assert rows == expected


def test_nothing_large_is_derived_where_a_wider_relation_will_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = """(role a) (init (at 1)) (<= (legal a (go ?x)) (ten ?x)) (<= (goal a 50) (v 1 1 1))
    (<= terminal (w 1 1 1 1)) (<= (next (at ?x)) (does a (go ?x)))
    (<= (v ?x ?y ?z) (true (at ?x)) (ten ?x) (ten ?y) (ten ?z))
    (<= (w ?x ?y ?z ?u) (ten ?x) (ten ?y) (ten ?z) (ten ?u) (true (at 1)))"""
    rules = parse_rules(text + "".join(f"(ten {n})" for n in range(10)))
    derived: list[int] = []
    given_up = ground_module._small

    def small(database: Database) -> set[str]:
        derived.append(database.relation("v/3").rows.count)
        return given_up(database)

    monkeypatch.setattr(ground_module, "_small", small)
    for most in (2_000, 100):
        monkeypatch.setattr(ground_module, "SMALL_ROWS", most)
        program = ground(rules, trial_rows=5_000)
        assert len(program.fluents) == 10
    assert derived == [1_000, 0]


BATCHES = st.integers(0, 4).flatmap(
    lambda arity: st.lists(
        st.lists(st.lists(st.integers(0, 5), min_size=arity, max_size=arity), max_size=12),
        max_size=5,
    ).map(lambda batches: (arity, batches))
)


def check_against_dictionary(arity: int, batches: list[list[list[int]]]) -> None:
    rows, twin = RowSet(arity), dict[tuple[int, ...], int]()
    for batch in batches:
        array = np.array(batch, np.int64).reshape(len(batch), arity)
        before = [twin.get(tuple(r), -1) for r in batch]
        assert rows.find(array).tolist() == before
        expected = [twin.setdefault(tuple(r), len(twin)) for r in batch]
        assert rows.add(array).tolist() == expected
    assert rows.count == len(twin)
    assert [tuple(r) for r in rows.rows.tolist()] == list(twin)


@given(BATCHES)
def test_numbers_rows_in_order_of_arrival(case: tuple[int, list[list[list[int]]]]) -> None:
    check_against_dictionary(*case)


def test_survives_collisions_of_its_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    def weak(columns: np.ndarray) -> np.ndarray:
        total: np.ndarray = columns.sum(axis=1).astype(np.uint64) << np.uint64(61)
        return total

    monkeypatch.setattr(rows_module, "_scatter", weak)
    batches = [[[i % 7, i % 3, i % 5] for i in range(k, k + 40)] for k in (0, 20, 60)]
    check_against_dictionary(3, batches)
    check_against_dictionary(0, [[[]], [[], []]])
