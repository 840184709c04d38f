"""Grounding's policies: domains, limits, errors."""

from __future__ import annotations

import numpy as np
import pytest

from neurogame.errors import ConfigurationError, GroundingError, LimitError
from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Rules
from neurogame.ground import limits as limits_module
from neurogame.ground.ground import ground
from neurogame.ground.limits import GroundLimits
from neurogame.ground.program import GroundProgram

COUNTER = """
(role Robot) (init (Step 0)) (succ 0 1) (succ 1 2)
(<= (legal Robot (say hello)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 2)))
(<= (goal robot 100) (true (step 2)))
(<= (goal robot 0) (not (true (step 2))))
(<= (unused ?x) (succ ?x ?x))
"""


def same(left: GroundProgram, right: GroundProgram) -> bool:
    arrays = ("initial", "rule_head", "rule_start", "rule_body", "rule_source", "legal", "next")
    atoms = range(len(left.atoms))
    return (
        all(np.array_equal(getattr(left, a), getattr(right, a)) for a in arrays)
        and (left.roles, left.fluents, left.moves) == (right.roles, right.fluents, right.moves)
        and (left.terminal, left.goals, left.key) == (right.terminal, right.goals, right.key)
        and [left.atoms.text(a) for a in atoms] == [right.atoms.text(a) for a in atoms]
    )


def test_domains_come_from_reachability_and_keep_their_spelling() -> None:
    program = ground(parse_rules(COUNTER))
    assert program.roles == ("Robot",)
    assert program.fluents == ("(Step 0)", "(Step 1)", "(Step 2)")
    assert program.moves == (("(say hello)",),)
    assert program.initial.tolist() == [True, False, False]
    assert program.next.tolist()[0] == -1
    assert [v for v, _ in program.goals[0]] == [100, 0]


def test_static_atoms_are_simplified_away() -> None:
    """A9: no static atom remains, and role vanishes."""
    program = ground(load_rules("tictactoe"))
    names = {program.atoms.text(a).strip("(").split()[0] for a in range(len(program.atoms))}
    assert not names & {"role", "index", "succ", "init", "base", "input"}


def test_reachable_fluents_missing_from_base_are_kept() -> None:
    rules = parse_rules(COUNTER + "(base (step 0)) (input robot (say hello))")
    assert len(ground(rules).fluents) == 3


def test_the_role_of_a_head_ranges_over_the_roles() -> None:
    rules = parse_rules(
        "(role a) (role b) (listed a) (<= (legal ?p ?p) (listed a)) terminal (init q)"
        "(<= (goal ?p 100) (listed ?p)) (<= (goal ?p 0) (not (listed ?p)))"
    )
    program = ground(rules)
    assert program.moves == (("a",), ("b",))
    # Asked before ?p is known, the negation holds, since b is not listed: as in GGP-Base.
    assert [[v for v, _ in role] for role in program.goals] == [[100, 0], [0]]


def test_moves_of_no_role_are_dropped() -> None:
    rules = parse_rules(COUNTER + "(legal stranger wave) (goal stranger 100)")
    program = ground(rules)
    assert program.moves == (("(say hello)",),)
    assert len(program.goals) == 1


@pytest.mark.parametrize(
    ("limits", "what"),
    [(GroundLimits(rules=2), "2 rules"), (GroundLimits(seconds=1e-9), "1e-09 s")],
)
def test_limits_stop_with_their_name(limits: GroundLimits, what: str) -> None:
    with pytest.raises(LimitError, match=what):
        ground(load_rules("breakthrough"), limits)


def test_the_memory_limit_stops_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    grown = iter(range(100, 10_000, 60))
    monkeypatch.setattr(limits_module, "LOOK_EVERY", 0.0)
    monkeypatch.setattr(limits_module, "memory_mb", lambda: float(next(grown)))
    with pytest.raises(LimitError, match="the limit is 200 MiB"):
        ground(load_rules("breakthrough"), GroundLimits(memory_mb=200))


def test_endless_terms_stop_at_the_depth_limit() -> None:
    rules = parse_rules(
        "(role r) (init (n z)) (<= (next (n (s ?x))) (true (n ?x))) (<= (legal r go))"
        "(<= terminal (true (n q))) (goal r 0)"
    )
    with pytest.raises(
        LimitError, match=r"the function '[sn]' builds terms nested more than 50 deep"
    ):
        ground(rules, GroundLimits(depth=50))


def test_limits_must_be_positive() -> None:
    with pytest.raises(ConfigurationError):
        GroundLimits(seconds=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(role r) (legal r go) (<= (init a) (true b)) terminal (goal r 0)", "'init' depends"),
        ("(legal r go) terminal (goal r 0) (init a)", "no role"),
        (
            "(role r) (legal r go) (goal r 0)\n(<= terminal (not (true ?x)))",
            r"<text>:2:1: the variable \?x is in no positive literal",
        ),
    ],
)
def test_bad_rules_are_refused(text: str, message: str) -> None:
    with pytest.raises(GroundingError, match=message):
        ground(parse_rules(text))


def test_the_same_rules_in_another_order_give_the_same_domains() -> None:
    rules = load_rules("connectfour")
    reversed_rules = Rules(tuple(reversed(rules.rules)), rules.spelling, rules.source)
    one, other = ground(rules), ground(reversed_rules)
    assert (one.fluents, one.moves) == (other.fluents, other.moves)
    assert one.rule_count == other.rule_count
