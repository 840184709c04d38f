"""Recursion that must end, and negation that must not depend on itself."""

from __future__ import annotations

import pytest

from neurogame.gdl.check import check_rules, check_text
from neurogame.gdl.parse import parse_rules
from tests.gdl.small_games import MINIMAL, codes, findings, places

SUCCESSORS = "(s 0 1) (s 1 2)\n"


@pytest.mark.parametrize(
    "text",
    [
        # Each argument of a recursive sentence is one of the head's ...
        "(<= (q (f ?x)) (q (f ?x)))",
        # ... or of a sentence that is not recursive ...
        "(<= (q ?x) (q ?y) (s ?y ?x))",
        "(<= (q ?x ?z) (q ?x ?y) (s ?y ?z))",
        "(<= (q (f ?x)) (q ?x) (s ?x ?y))",
        "(<= (q (f ?x)) (q (g ?x)) (r (g ?x)))",
        # ... in every branch of an or, or in its own ...
        "(<= (q (f ?x)) (q ?x) (or (s ?x 1) (and (r b) (s 1 ?x))))",
        "(<= (q (f ?x)) (or (and (q ?x) (s ?x 1)) (r ?x)))",
        # ... or ground.
        "(<= (q (f ?x)) (q (g a)) (r ?x))",
        # No cycle, no restriction.
        "(<= (q (f ?x)) (r ?x))",
        # Through next and true the state changes, it is no recursion.
        "(<= (next (n (f ?x))) (true (n ?x)))",
    ],
)
def test_recursion_that_must_end_is_accepted(text: str) -> None:
    assert codes(SUCCESSORS + "(r a)\n" + text) == []


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("(<= (q (f ?x)) (q ?x))", [19]),
        ("(<= (q ?x ?z) (q ?x ?y) (q ?y ?z))", [21, 28]),
        ("(<= (q (f ?x)) (u ?x)) (<= (u ?x) (q ?x))", [19]),
        ("(<= (q (f ?x)) (q ?x) (not (s ?x 1)))", [19]),
        ("(<= (q (f ?x)) (q ?x) (or (s ?x 1) (r b)))", [19]),
        ("(<= (q (f ?x)) (or (q ?x) (s 1 ?x)))", [23]),
        ("(<= (q ?x) (q (f ?x)))", [15]),
    ],
)
def test_recursion_without_a_bound_is_found(text: str, columns: list[int]) -> None:
    expected = [("recursion-restriction", 1, column) for column in columns]
    assert [place for place in places(text) if place[0] == "recursion-restriction"] == expected


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("(<= (q (f ?x)) (q ?x))", "error"),
        ("(<= (q (f ?x)) (u ?x)) (<= (u ?x) (q ?x))", "error"),
        ("(<= (q (f ?x) ?y) (q ?x ?z) (q ?z ?y))", "error"),
        # No term can grow: nothing is wrapped, or only what stands in the recursive sentence.
        ("(<= (q ?x ?z) (q ?x ?y) (q ?y ?z))", "nonstandard"),
        ("(<= (q ?x) (q (f ?x)))", "nonstandard"),
        ("(<= (q (f ?x)) (q (g (f ?x))))", "nonstandard"),
    ],
)
def test_recursion_is_refused_only_where_terms_may_grow(text: str, severity: str) -> None:
    needed = f"{MINIMAL}{SUCCESSORS}{text}(<= (next z) (or (q ?a) (q ?a ?b)))"
    found = [f for f in check_text(needed)[1] if f.code == "recursion-restriction"]
    assert {f.severity for f in found} == {severity}


@pytest.mark.parametrize(
    "text",
    [
        "(<= (h ?x ?n) (true (on ?x ?y)) (h ?y ?m) (s ?m ?n))",
        "(<= (h ?x) (true (on (f ?x) (g ?y))) (h (k ?y)))",
        "(<= (h ?x) (or (true (on ?x ?y)) (true (on ?y ?x))) (h ?y))",
    ],
)
def test_recursion_through_the_state_is_bound_by_it(text: str) -> None:
    assert codes(SUCCESSORS + text) == []


def test_what_only_one_branch_binds_is_not_bound() -> None:
    text = "(<= (h (f ?y)) (or (true (on ?y)) (true p)) (h ?y)) (<= (next z) (h ?a))"
    found = [f for f in findings(text) if f.code == "recursion-restriction"]
    assert [f.severity for f in found] == ["error"]


@pytest.mark.parametrize(
    "text",
    [
        "(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))",
        "(<= (goal ?r 0) (role ?r) (not (goal ?r 100)) (not (goal ?r 50)))"
        "(<= (goal ?r 50) (role ?r) (not (goal ?r 100)))",
        "(<= q (not r)) (<= r (not t)) (<= t (true p))",
        "(<= (next q) (not (true q)))",
        "(<= (q a) (not (q b))) (<= (q b) (not (q c)))",
        "(<= q (r a)) (<= (r ?x) (r ?x) (s ?x 1)) (<= t (not q))",
    ],
)
def test_stratified_negation_is_accepted(text: str) -> None:
    assert codes(SUCCESSORS + text) == []


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("(<= foo (not foo))", [14]),
        ("(<= foo (not bar)) (<= bar (not foo))", [14, 33]),
        ("(<= foo (not bar)) (<= bar baz) (<= baz foo)", [14]),
        ("(<= foo (or (true p) (not bar))) (<= bar foo)", [27]),
        ("(<= (q ?x) (s ?x 1) (not (q ?x)))", [26]),
        ("(<= (q ?x) (s ?x 1) (not (r ?x))) (<= (r ?y) (s ?y ?z) (q ?y))", [26]),
        ("(<= (goal ?r 0) (role ?r) (not (goal ?r 0)))", [32]),
    ],
)
def test_negation_that_depends_on_itself_is_refused(text: str, columns: list[int]) -> None:
    needed = "\n(<= (next z) (or foo (q ?any)))"
    found = findings(SUCCESSORS + text + needed)
    assert {(f.severity, f.code) for f in found} == {("error", "unstratified-negation")}
    assert [f.position.column for f in found] == columns


def test_negation_that_depends_on_itself_where_nothing_needs_it_is_left_out() -> None:
    rules, found = check_text(MINIMAL + "(<= foo (true p) baz) (<= baz (true p) (not foo))")
    (finding,) = (f for f in found if f.code == "unstratified-negation")
    assert finding.severity == "nonstandard"
    assert "left out" in finding.message
    assert {r.head.name for r in rules} & {"foo", "baz"} == {"foo"}


def test_negation_that_only_grounding_can_judge_is_a_warning() -> None:
    text = SUCCESSORS + "(<= (win ?x) (s ?x ?y) (not (win ?y)))"
    found = findings(text)
    assert [(f.severity, f.code) for f in found] == [("warning", "doubtful-negation")]
    assert "grounding" in found[0].message


def test_recursion_and_negation_are_found_through_long_chains_of_rules() -> None:
    chain = "".join(f"(<= q{i} q{i + 1})" for i in range(1500))
    rules = parse_rules(f"{MINIMAL}{chain}(<= q1500 (not q0))")
    assert [f.code for f in check_rules(rules)] == ["unstratified-negation"]
