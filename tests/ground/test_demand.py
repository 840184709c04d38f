"""Relations derived on demand: what could not be grounded is, and every game stays what it is."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.build import build_circuit
from neurogame.errors import GroundingError, LimitError, RulesError
from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Rules
from neurogame.ground.clause_parts import dynamic_predicates
from neurogame.ground.clauses import clauses_of, variables_of
from neurogame.ground.demand import binding_patterns
from neurogame.ground.ground import ground
from neurogame.ground.limits import GroundLimits
from neurogame.ground.program import GroundProgram
from neurogame.ground.unfold import unfold
from neurogame.prover.game import ProverGame
from neurogame.simulate.game import Game
from neurogame.simulate.replay import replay
from neurogame.simulate.trace import TraceState
from neurogame.simulate.trace_backends import CircuitBackend, ProverBackend
from tests.conftest import shared
from tests.ground.wide import LISTS, SMALLER
from tests.prover.heavy import programs

NEVER = 10**18
"""So many rows no relation has: nothing is derived on demand."""

SMALL = GroundLimits(rules=200_000)

on_demand = partial(ground, trial_rows=0)


def game_of(rules: Rules, program: GroundProgram) -> Game:
    return Game("own", rules, build_circuit(program, rules), cache=False)


def assert_alike(rules: Rules, program: GroundProgram, seed: int, plies: int) -> None:
    """Compare the circuit with proofs from the rules, in the states of a random game."""
    fast = CircuitBackend(game_of(rules, program))
    slow = ProverBackend(ProverGame(rules))
    chance = random.Random(seed)
    state = slow.initial()
    assert fast.initial() == state
    for ply in range(plies):
        asked = TraceState(
            game=0,
            ply=ply,
            line=1,
            state=state,
            terminal=False,
            legal=(),
            goals=(),
            move=None,
            following=None,
        )
        found = slow.answer([asked])[0]
        if found.terminal or not all(found.legal):
            assert fast.answer([asked])[0] == found
            return
        joint = tuple(chance.choice(sorted(own)) for own in found.legal)
        asked = replace(asked, move=joint)
        found = slow.answer([asked])[0]
        assert fast.answer([asked])[0] == found
        assert found.following is not None
        state = found.following


@pytest.mark.parametrize("name", SMALLER)
def test_wide_relations_are_refused_as_a_whole_and_derived_on_demand(name: str) -> None:
    rules = parse_rules(SMALLER[name])
    with pytest.raises(LimitError, match="200,000 rules"):
        ground(rules, SMALL, NEVER)
    program = ground(rules, SMALL, 50_000)
    for seed in range(2):
        assert_alike(rules, program, seed, 3 if name == "all different" else 10)


@given(programs(), st.integers(0, 7))
def test_on_demand_every_game_stays_what_it_is(text: str, seed: int) -> None:
    rules = parse_rules(text)
    try:
        plain = ground(rules, trial_rows=NEVER)
        build_circuit(plain, rules)
    except (GroundingError, RulesError) as error:
        with pytest.raises(type(error)):
            build_circuit(on_demand(rules), rules)
        return
    program = on_demand(rules)
    assert set(program.fluents) >= set(plain.fluents)
    assert_alike(rules, program, seed, 3)


@pytest.mark.parametrize("name", ["madBishops", "ad_game_2x2", "ghostMaze2p", "cephalopodMicro"])
def test_public_games_on_demand_agree_with_their_traces(name: str) -> None:
    rules = load_rules(shared("games", f"{name}.kif"))
    report = replay(
        shared("traces", f"{name}.jsonl.gz"), CircuitBackend(game_of(rules, on_demand(rules)))
    )
    assert report.states > 0
    assert report.details == ()


def test_patterns_are_what_is_known_where_a_relation_is_used() -> None:
    clauses = clauses_of(parse_rules(LISTS))
    dynamic = dynamic_predicates(clauses)
    relations = ["list/2", "member/2", "without/3", "item/1"]
    found = binding_patterns(clauses, relations, [], dynamic)
    # What may be taken is known from the list alone, or from the items if these come first.
    assert found["list/2"] == ((0,),)
    assert found["without/3"] == ((0, 1),)
    assert "item/1" not in found
    assert set(found["member/2"]) <= {(0, 1), (1,)}


def test_a_definition_takes_the_place_of_a_wide_literal() -> None:
    rules = parse_rules("""
        (<= (five ?a ?b ?c ?d ?e) (one ?a ?x) (one ?b ?x) (one ?c a) (one ?d a) (one ?e a))
        (<= (five a ?b ?c ?d ?e) (one ?b ?c) (one ?d ?e))
        (<= (top ?x) (one ?x ?y) (five ?x ?y b b b) (five b b b b b))
        (<= (not_top ?x) (one ?x ?x) (not (five ?x ?x ?x ?x ?x)))
        """)
    clauses = unfold(clauses_of(rules), {"top/1"})
    tops = [c for c in clauses if c.head.predicate == "top/1"]
    # The second definition holds of a alone, so not of b.
    assert len(tops) == 2
    assert all(x.predicate == "one/2" for c in tops for x in c.body)
    # Each use of the first one has a variable of its own.
    names = {v for x in tops[0].body for v in variables_of(x.arguments) if v.startswith("x'")}
    assert len(names) == 2
    left = next(c for c in clauses if c.head.predicate == "not_top/1")
    assert any(x.predicate == "five/5" and x.negated for x in left.body)


def test_of_what_is_denied_some_part_is() -> None:
    rules = parse_rules("""
        (<= (five ?a ?b ?c ?d ?e) (one ?a ?b) (not (two ?c)) (distinct ?d ?e))
        (<= (top ?x) (one ?x ?y) (not (five ?x ?y b c ?y)))
        (<= (six ?a ?b ?c ?d ?e ?f) (one ?a ?z) (one ?b ?c) (one ?d ?e) (two ?f))
        (<= (other ?x) (two ?x) (not (six ?x ?x ?x ?x ?x ?x)))
        """)
    clauses = unfold(clauses_of(rules), {"top/1", "other/1"})
    expected = parse_rules("""
        (<= (top ?x) (one ?x ?y) (not (one ?x ?y)))
        (<= (top ?x) (one ?x ?y) (two b))
        (<= (top ?x) (one ?x c))
        (<= (other ?x) (two ?x) (not (six ?x ?x ?x ?x ?x ?x)))
        """)
    heads = {"top/1", "other/1"}
    bodies = {(c.head, c.body) for c in clauses if c.head.predicate in heads}
    # What is there about ``six`` that its arguments do not tell cannot be denied in parts.
    assert bodies == {(c.head, c.body) for c in clauses_of(expected)}
