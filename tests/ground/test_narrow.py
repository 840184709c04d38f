"""Rules that tie many variables together are taken apart, and mean the same."""

from __future__ import annotations

import numpy as np
import pytest

from neurogame.circuit.build import build_circuit
from neurogame.circuit.circuit import Circuit
from neurogame.gdl.parse import parse_rules
from neurogame.graph.evaluate import holds
from neurogame.ground import narrow
from neurogame.ground.clauses import Clause, clauses_of, variables_of
from neurogame.ground.ground import ground
from neurogame.ground.limits import GroundLimits, Watch

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
