"""Body splitting keeps the meaning of random clauses and finds Pentago's lines."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.circuit.build import build_circuit
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Symbol, Term, Variable
from neurogame.ground.clauses import Clause, Literal, clauses_of
from neurogame.ground.derive import derive
from neurogame.ground.ground import ground
from neurogame.ground.limits import GroundLimits, Watch
from neurogame.ground.pool import TermPool
from neurogame.ground.relation import Database
from neurogame.ground.split import split_clauses
from tests.circuit.by_hand import inputs_of
from tests.conftest import shared

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


@settings(max_examples=100)
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
