"""Rules taken apart - split, narrowed, known before the state - and they mean the same."""

from __future__ import annotations

import itertools
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.build import build_circuit
from neurogame.circuit.circuit import Circuit
from neurogame.errors import LimitError
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Symbol, Term, Variable
from neurogame.graph.evaluate import holds
from neurogame.ground import ground as ground_module
from neurogame.ground import narrow
from neurogame.ground.certain import with_certain
from neurogame.ground.clause_parts import dynamic_predicates
from neurogame.ground.clauses import Clause, Literal, clauses_of, variables_of
from neurogame.ground.derive import derive
from neurogame.ground.ground import ground
from neurogame.ground.limits import GroundLimits, Watch
from neurogame.ground.pool import TermPool
from neurogame.ground.relation import Database
from neurogame.ground.split import split_clauses
from tests.circuit.by_hand import inputs_of
from tests.conftest import shared
from tests.ground.test_demand import assert_alike

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
    found = {tuple(database.pool.name(int(t)) for t in row) for row in rows}
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
