"""Rules taken apart, and joins part by part: they mean the same, within limits."""

from __future__ import annotations

import itertools
from collections import Counter
from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.build import build_circuit
from neurogame.circuit.circuit import Circuit
from neurogame.errors import GroundingError, LimitError, RulesError
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Rules, Symbol, Term, Variable
from neurogame.graph.evaluate import holds
from neurogame.ground import ground as ground_module
from neurogame.ground import join, narrow, rows
from neurogame.ground import rows as rows_module
from neurogame.ground.certain import with_certain
from neurogame.ground.clause_parts import dynamic_predicates
from neurogame.ground.clauses import Clause, Literal, clauses_of, variables_of
from neurogame.ground.derive import derive
from neurogame.ground.ground import ground
from neurogame.ground.join import product_rows
from neurogame.ground.limits import GroundLimits, Watch
from neurogame.ground.pool import TermPool
from neurogame.ground.program import GroundProgram
from neurogame.ground.relation import Database
from neurogame.ground.rows import RowSet
from neurogame.ground.split import split_clauses
from tests.circuit.by_hand import inputs_of
from tests.conftest import shared
from tests.ground.test_demand import assert_alike
from tests.prover.heavy import programs

NAMES = ["x", "y", "z", "u", "v"]
CONSTANTS = ["a", "b", "c"]

terms = st.sampled_from([*map(Variable, NAMES), *map(Symbol, CONSTANTS[:1])])
positive = st.builds(lambda p, a, b: Literal(f"{p}/2", (a, b)), st.sampled_from("pq"), terms, terms)
facts = st.sets(st.tuples(st.sampled_from("pqn"), *[st.sampled_from(CONSTANTS)] * 2), max_size=14)


@st.composite
def safe_clauses(draw: st.DrawFn) -> Clause:
    body = draw(st.lists(positive, min_size=1, max_size=5, unique=True))
    bound = sorted({t.name for x in body for t in x.arguments if isinstance(t, Variable)})
    names: list[Term] = [*map(Variable, bound), Symbol("b")]
    choice = st.sampled_from(names)
    negative = draw(st.lists(st.tuples(choice, choice), max_size=2, unique=True))
    distinct = draw(st.lists(st.tuples(choice, choice), max_size=2, unique=True))
    head = draw(st.lists(choice, max_size=2))
    literals = (*body, *(Literal("n/2", pair, negated=True) for pair in negative))
    return Clause(Literal(f"h/{len(head)}", tuple(head)), literals, tuple(distinct), 0)


def brute_force(clause: Clause, known: set[tuple[str, str, str]]) -> set[tuple[str, ...]]:
    result = set()
    for values in itertools.product(CONSTANTS, repeat=len(NAMES)):
        binding = dict(zip(NAMES, values, strict=True))

        def value(term: Term, binding: dict[str, str] = binding) -> str:
            assert not hasattr(term, "arguments")
            return binding[term.name] if isinstance(term, Variable) else term.name

        if all(
            ((x.predicate[0], value(x.arguments[0]), value(x.arguments[1])) in known) != x.negated
            for x in clause.body
        ) and all(value(a) != value(b) for a, b in clause.distinct):
            result.add(tuple(value(a) for a in clause.head.arguments))
    return result


@given(safe_clauses(), facts)
def test_split_clauses_derive_the_same(clause: Clause, known: set[tuple[str, str, str]]) -> None:
    given_facts = [
        Clause(Literal(f"{p}/2", (Symbol(a), Symbol(b))), (), (), 0) for p, a, b in known
    ]
    database = Database(TermPool(9))
    derive([*given_facts, *split_clauses([clause])], database, Watch(GroundLimits()), "test")
    rows = database.relation(clause.head.predicate).rows.rows
    names = database.pool.table({})
    found = {tuple(names.text(int(t)) for t in row) for row in rows}
    if not clause.head.arguments:
        found = {()} if len(rows) else set()
    assert found == brute_force(clause, known)


def test_long_join_becomes_short() -> None:
    text = " ".join(f"(p ?x{i} ?x{i + 1})" for i in range(9))
    parts = split_clauses(clauses_of(parse_rules(f"(<= (h ?x0) {text})")))
    assert max(len(c.body) for c in parts) == 2
    assert max(len(c.head.arguments) for c in parts) <= 2


def test_pentago_rows_cost_no_three_to_the_twenty_first() -> None:
    """A36, A37: 21 free variables per row rule, yet only the 12 rows and few instances."""
    path = shared("games", "pentago.kif")
    program = ground(parse_rules(path.read_text()))
    assert program.rule_count < 3000
    circuit = build_circuit(program)
    widths = {
        program.atoms.text(atom): len(inputs_of(circuit, circuit.input_count + gate))
        for gate, atom in enumerate(circuit.graph.atom.tolist())
        if atom >= 0
    }
    # The diagonals are written as two rules, one per direction, of four lines each.
    assert [widths[f"({line} red)"] for line in ("row", "col", "diag")] == [12, 12, 2]
    assert np.sum([f.startswith("(cellHolds") for f in program.fluents]) == 72


THREATS = """
(role white)
(size 1) (size 2) (size 3) (size 4)
(succ 1 2) (succ 2 3) (succ 3 4)
(kind tower) (kind bishop)
(<= (other ?a ?b ?c ?d) (distinct ?a ?c) (size ?a) (size ?b) (size ?c) (size ?d))
(<= (other ?a ?b ?c ?d) (distinct ?b ?d) (size ?a) (size ?b) (size ?c) (size ?d))
(init (cell 1 1 tower))
(<= (input ?p (put ?x ?y ?k)) (role ?p) (size ?x) (size ?y) (kind ?k))
(<= (legal ?p (put ?x ?y ?k))
    (role ?p) (size ?x) (size ?y) (kind ?k)
    (not (true (cell ?x ?y tower)))
    (not (taken ?x ?y ?x ?y ?x ?x))
    (not (taken ?x ?y ?y ?x ?y ?y)))
(<= (next (cell ?x ?y ?k)) (does ?p (put ?x ?y ?k)))
(<= (next (cell ?x ?y ?k)) (true (cell ?x ?y ?k)))
(<= (near ?u ?v ?x ?y ?i ?j)
    (true (cell ?u ?v tower)) (succ ?u ?x) (size ?y) (size ?i) (size ?j) (distinct ?i ?v))
(<= (far ?u ?v ?x ?y ?i ?j)
    (true (cell ?u ?v bishop)) (succ ?v ?y) (size ?x) (size ?i) (size ?j) (distinct ?j ?u))
(<= (taken ?cx ?cy ?x ?y ?i ?j)
    (or (near ?u ?v ?x ?y ?i ?j) (far ?u ?v ?x ?y ?i ?j) (far ?v ?u ?x ?y ?i ?j))
    (hidden ?w) (other ?cx ?cy ?u ?v))
(<= (hidden ?w) (true (cell ?w 1 tower)))
(<= terminal (true (cell 4 4 tower)))
(<= (goal white 100) (true (cell 4 4 tower)))
(<= (goal white 0) (not (true (cell 4 4 tower))))
"""

LIKE_CHESS = "(<= (taken ?a ?b ?c ?d ?e ?f ?g) {} (other ?a ?b ?u ?v))"


def circuit_of(text: str) -> tuple[Circuit, int]:
    rules = parse_rules(text)
    program = ground(rules)
    return build_circuit(program, rules), program.rule_count


def test_rules_taken_apart_mean_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narrow, "WIDE", 8)
    monkeypatch.setattr(narrow, "NARROW", 7)
    apart, some = circuit_of(THREATS)
    monkeypatch.setattr(narrow, "WIDE", 99)
    whole, others = circuit_of(THREATS)
    assert some != others
    assert (apart.fluents, apart.moves) == (whole.fluents, whole.moves)
    states = np.random.default_rng(1).random((300, apart.input_count - 1)) < 0.3
    assert (holds(apart.graph, states) == holds(whole.graph, states)).all()
    # Both answers of what the rules say occur.
    assert 0 < holds(apart.graph, states)[:, : len(apart.legal)].mean() < 1


def parts_of(body: str) -> list[Clause]:
    clauses = clauses_of(parse_rules(THREATS + LIKE_CHESS.format(body)))
    found = narrow.narrowed(clauses, {"true/1", "near/7", "far/7"}, Watch(GroundLimits()))
    return [c for c in found if c.head.predicate in ("taken/7",) or "any" in c.head.predicate]


def test_each_part_is_about_one_coordinate() -> None:
    parts = parts_of("(near ?u ?v ?c ?d ?e ?f ?g)")
    assert len(parts) == 2
    assert all(not any(x.predicate == "other/4" for x in c.body) for c in parts)
    assert [len(c.distinct) for c in parts] == [1, 1]


def test_rules_that_differ_in_one_relation_become_one() -> None:
    parts = parts_of("(or (near ?u ?v ?c ?d ?e ?f ?g) (far ?u ?v ?c ?d ?e ?f ?g))")
    names = [c.head.predicate for c in parts]
    assert len(parts) == 4
    assert names[2:] == ["taken/7", "taken/7"]
    assert names[0] == names[1]
    assert [c.body[0].predicate for c in parts[:2]] == ["near/7", "far/7"]
    assert all(names[0] in [x.predicate for x in c.body] for c in parts[2:])


def test_rules_that_stay_wide_stay_whole() -> None:
    body = "(near ?u ?v ?c ?d ?e ?f ?g) (far ?u ?v ?a ?b ?c ?d ?e)"
    (clause,) = parts_of(body)
    assert len({*variables_of(a for x in clause.body for a in x.arguments)}) == 9


FILES = "abcdefg"

CLASHES = f"""
(role white) (init (step 1))
{" ".join(f"(succ {n} {n + 1})" for n in range(1, 8))} {
    " ".join(f"(rank {n})" for n in range(1, 6))
}
(<= (legal white (place ?y)) (rank ?y))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (filled ?m ?y)) (true (step ?m)) (does white (place ?y)))
(<= (next (filled ?m ?y)) (true (filled ?m ?y)))
(<= (free ?x ?y) (rank ?x) (rank ?y) (not (true (filled ?x ?y))))
(<= (clash ?x1 ?y ?x2 ?y) (succ ?x1 ?x2) (rank ?y))
(<= (clash ?x1 ?y ?x3 ?y) (succ ?x1 ?x2) (free ?x2 ?y) (clash ?x2 ?y ?x3 ?y))
(<= (clash ?x1 ?y1 ?x2 ?y2) (succ ?x1 ?x2) (succ ?y1 ?y2) (rank ?y2))
(<= (clash ?x1 ?y2 ?x2 ?y1) (succ ?x1 ?x2) (succ ?y1 ?y2) (rank ?y2))
(<= (solution {" ".join(f"?{f}" for f in FILES)}) {" ".join(f"(rank ?{f})" for f in FILES)}
    {
    " ".join(
        f"(not (clash {m} ?{f} {n} ?{g}))"
        for (m, f), (n, g) in combinations(enumerate(FILES, 1), 2)
    )
})
(<= terminal (true (step 8)))
(<= hope (true (filled 1 ?a)) (solution {" ".join(f"?{f}" for f in FILES)}))
(<= (goal white 100) hope) (<= (goal white 0) (not hope))
"""
"""Seven files of five ranks: of 78,125 combinations few have no neighbours that clash."""

LIMITS = GroundLimits(rules=20_000)


def test_denied_neighbours_are_left_out_before_the_state_is_known() -> None:
    rules = parse_rules(CLASHES)
    program = ground(rules, LIMITS, trial_rows=15_000)
    assert 100 < program.rule_count < 10_000
    assert_alike(rules, program, seed=3, plies=8)


def test_without_what_is_sure_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ground_module, "with_certain", lambda clauses, *_: (clauses, set()))
    with pytest.raises(LimitError):
        ground(parse_rules(CLASHES), LIMITS, trial_rows=15_000)


def test_only_rules_that_no_state_changes_are_sure() -> None:
    clauses = clauses_of(parse_rules(CLASHES))
    found, sure = with_certain(clauses, dynamic_predicates(clauses), {"succ/2", "rank/1"})
    assert sure == {"*sure.clash/4"}
    assert sum(c.head.predicate == "*sure.clash/4" for c in found) == 3
    (solution,) = [c for c in found if c.head.predicate == "solution/7"]
    assert sum(x.negated and x.predicate == "*sure.clash/4" for x in solution.body) == 21
    others = [c for c in found if c.head.predicate not in ("*sure.clash/4", "solution/7")]
    assert others == [c for c in clauses if c.head.predicate != "solution/7"]


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
