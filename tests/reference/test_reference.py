"""The reference interpreter against recorded states, hand-worked models and clingo."""

from __future__ import annotations

from itertools import permutations
from typing import Any, cast

import clingo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import GameError, GroundingError, LimitError, NeurogameWarning, RulesError
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Not, Rule, Rules, Symbol
from neurogame.simulate.replay import Report, replay
from neurogame.simulate.trace_backends import ProverBackend
from tests.conftest import shared
from tests.reference import datalog
from tests.reference.datalog import LONGEST_BODY, DatalogProgram
from tests.reference.interpreter import ReferenceGame
from tests.reference.joins import Database

CASES = [
    "connectFour",
    "simpleMutex",
    "test_case_1a",
    "test_case_1b",
    "test_case_2a",
    "test_case_2b",
    "test_case_2c",
    "test_case_3a",
    "test_case_3c",
    "test_case_3d",
    "test_case_4a",
    "test_case_5a",
    "test_case_5b",
    "test_case_5c",
    "test_case_5d",
    "test_case_5e",
    "test_clean_not_distinct",
    "test_distinct_beginning_rule",
    "test_invalid_function_arities_differ",
    "test_invalid_sentence_arities_differ",
    "ticTacToe",
    "test_case_3e",
    "test_case_3f",
]

GAMES = [
    "2pttc",
    "aipsrovers01",
    "biddingTicTacToe",
    "blocker",
    "blocksWorld",
    "coins",
    "connectFour",
    "doubletictactoe",
    "eightPuzzle",
    "futoshiki6",
    "kitten_escapes_from_fire",
    "nim3",
    "nineBoardTicTacToe",
    "nonogram_5x5_1",
    "onestep",
    "pancakes6",
    "queens08ug",
    "ruleDepthLinear",
    "stateSpaceSmall",
    "sum15",
    "survival",
    "ticTacToe",
    "tictactoe_3player",
]

MINIMAL = "(role a) (init s) (legal a go) (goal a 50) (<= terminal (true end)) "


def game(text: str) -> ReferenceGame:
    return ReferenceGame(parse_rules(MINIMAL + text))


def moves(reference: ReferenceGame) -> set[str]:
    return {reference.text(move) for move in reference.legal(reference.initial(), 0)}


def replayed(folder: str, name: str) -> Report:
    source = shared(*folder.split(), f"{name}.kif")
    trace = shared(*folder.replace("games", "").split(), "traces", f"{name}.jsonl.gz")
    reference = ReferenceGame(parse_rules(source.read_text(), source.name))
    return replay(trace, ProverBackend(cast(Any, reference)))


@pytest.mark.parametrize("name", CASES)
def test_edge_cases_agree_with_their_traces(name: str) -> None:
    report = replayed("gdl-cases", name)
    assert report.states > 0
    assert report.details == ()


@pytest.mark.parametrize("name", ["test_case_3b"])
def test_unsafe_rules_are_refused(name: str) -> None:
    with pytest.raises(RulesError, match=rf"{name}\.kif:\d+:\d+: unsafe rule"):
        replayed("gdl-cases", name)


@pytest.mark.parametrize("name", GAMES)
def test_games_agree_with_their_traces(name: str) -> None:
    report = replayed("games", name)
    assert report.states > 0
    assert report.details == ()


@pytest.mark.parametrize("name", ["nineBoardTicTacToe", "eightPuzzle", "blocker"])
def test_answers_on_demand_equal_full_tables(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datalog, "LONGEST_CHAIN", 0)
    assert replayed("games", name).details == ()


def test_long_chains_of_rules_do_not_exhaust_the_stack() -> None:
    links = " ".join(f"(<= (a{i} ?x) (a{i - 1} ?x))" for i in range(1, 600))
    reference = game(f"(<= (a0 ?x) (true ?x)) {links} (<= (legal a (end ?x)) (a599 ?x))")
    assert moves(reference) == {"go", "(end s)"}


@pytest.mark.parametrize("body", list(permutations(["(not (q ?x))", "(p ?x)", "(distinct ?x 2)"])))
def test_the_order_of_literals_does_not_matter(body: tuple[str, ...]) -> None:
    rules = f"(p 1) (p 2) (p 3) (q 3) (<= (legal a (m ?x)) {' '.join(body)})"
    assert moves(game(rules)) == {"go", "(m 1)"}


def test_disjunction_conjunction_and_negated_test() -> None:
    reference = game(
        """(p 1) (p 2) (p 3) (q 2) (r 3)
        (<= (legal a (m ?x)) (p ?x) (or (q ?x) (and (r ?x) (not (q ?x)))))
        (<= (legal a (n ?x ?y)) (p ?x) (p ?y) (not (distinct ?x ?y)))
        (<= (legal a never) (or))"""
    )
    assert moves(reference) == {"go", "(m 2)", "(m 3)", "(n 1 1)", "(n 2 2)", "(n 3 3)"}


def test_repeated_variables_and_nested_terms_match_by_structure() -> None:
    reference = game(
        """(pair 1 1) (pair 1 2) (box (f 1 (g 1))) (box (f 1 (g 2))) (box (f 1)) (box 1)
        (<= (legal a (same ?x)) (pair ?x ?x))
        (<= (legal a (open ?x)) (box (f ?x (g ?x))))
        (<= (legal a (outer ?x)) (box (f ?x ?y)))
        (<= (legal a (any ?x)) (box ?x))"""
    )
    assert moves(reference) == {
        "go",
        "(same 1)",
        "(open 1)",
        "(outer 1)",
        "(any (f 1 (g 1)))",
        "(any (f 1 (g 2)))",
        "(any (f 1))",
        "(any 1)",
    }


def test_a_goal_may_deny_another_goal_of_the_same_role() -> None:
    rules = """(role A) (role B) (init s) (legal a go) (legal b go) (<= terminal (true s))
        (won a) (<= (goal ?r 100) (won ?r)) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))"""
    reference = ReferenceGame(parse_rules(rules))
    state = reference.initial()
    assert [reference.goals(state, role) for role in (0, 1)] == [[100], [0]]
    assert reference.roles == ("A", "B")


def test_goals_are_none_or_several_as_derived() -> None:
    reference = game("(role b) (goal a 7)")
    assert reference.goals(reference.initial(), 0) == [7, 50]
    assert reference.goals(reference.initial(), 1) == []


def test_nothing_persists_without_a_rule() -> None:
    reference = game("(init keep) (<= (next keep) (true keep)) (<= (next end) (does a go))")
    after = reference.next(reference.initial(), [reference.term("GO")])
    assert {reference.text(fluent) for fluent in after} == {"keep", "end"}
    assert reference.terminal(after)
    assert reference.next(after, [reference.term("go")]) == after


def test_text_uses_the_spelling_of_the_rulesheet() -> None:
    reference = game("(legal a (putDown Disc))")
    assert reference.term("(PUTDOWN DISC)") in reference.legal(reference.initial(), 0)
    assert "(putDown Disc)" in moves(reference)


def test_wrong_moves_are_refused() -> None:
    reference = game("")
    state = reference.initial()
    with pytest.raises(GameError, match="fly is not a legal move of a"):
        reference.next(state, [reference.term("fly")])
    with pytest.raises(GameError, match="1 moves, not 2"):
        reference.next(state, [reference.term("go"), reference.term("go")])


def test_goals_outside_the_range_count_as_the_nearest_value_with_a_warning() -> None:
    reference = game("(goal a 101) (goal a win)")
    with pytest.warns(NeurogameWarning, match="role a has the goal 101, outside 0..100"):
        assert reference.goals(reference.initial(), 0) == [50, 100]


def test_an_atom_that_denies_itself_is_refused() -> None:
    with pytest.raises(
        GroundingError, match="<text>: not stratified: bar depends on its own negation"
    ):
        game("(<= foo (role ?r) (not bar)) (<= bar (not foo)) (<= (legal a m) foo)")


def test_no_role_is_refused() -> None:
    with pytest.raises(RulesError, match="needs at least one"):
        ReferenceGame(parse_rules("(legal a b) (goal a 1) (<= terminal (true x))"))


EDGES = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14)


@given(EDGES)
def test_closures_over_cycles_are_least_fixpoints(edges: set[tuple[int, int]]) -> None:
    facts = " ".join(f"(edge {x} {y})" for x, y in sorted(edges))
    reference = game(
        f"""{facts} (<= (legal a (path ?x ?y)) (reach ?x ?y))
        (<= (reach ?x ?y) (edge ?x ?y)) (<= (reach ?x ?z) (reach ?x ?y) (edge ?y ?z))"""
    )
    expected = set(edges)
    while more := {(x, z) for x, y in expected for w, z in edges if y == w} - expected:
        expected |= more
    assert moves(reference) == {"go"} | {f"(path {x} {y})" for x, y in expected}


@given(EDGES)
def test_negative_cycles_are_decided_atom_by_atom(edges: set[tuple[int, int]]) -> None:
    """A position is won if some step leads to a lost one; steps only lead downwards."""
    down = {(max(edge), min(edge)) for edge in edges if edge[0] != edge[1]}
    facts = " ".join(f"(edge {x} {y})" for x, y in sorted(down))
    reference = game(
        f"{facts} (<= (won ?x) (edge ?x ?y) (not (won ?y))) (<= (legal a (w ?x)) (won ?x))"
    )
    won: set[int] = set()
    for position in range(7):
        if any(x == position and y not in won for x, y in down):
            won.add(position)
    assert moves(reference) == {"go"} | {f"(w {x})" for x in won}


LITERAL = st.tuples(st.sampled_from("pqrstu"), st.booleans())
CLAUSES = st.lists(
    st.tuples(st.sampled_from("pqrstu"), st.lists(LITERAL, max_size=3)), min_size=1, max_size=12
)


@given(CLAUSES)
def test_models_are_the_only_stable_model(
    clauses: list[tuple[str, list[tuple[str, bool]]]],
) -> None:
    """Where the engine finds a model, clingo finds exactly that one and no other."""
    rules = Rules(
        tuple(
            Rule(Symbol(head), tuple(Not(Symbol(n)) if neg else Symbol(n) for n, neg in body))
            for head, body in clauses
        )
    )
    database: Database = {}
    try:
        for stratum in DatalogProgram(rules, frozenset()).strata:
            stratum.evaluate(database)
    except GroundingError:
        return
    model = {name for (name, _), table in database.items() if table.contains(())}
    control = clingo.Control(["--models=0", "--warn=none"])
    control.add(
        "base",
        [],
        " ".join(
            f"{head} :- {', '.join(('not ' if neg else '') + n for n, neg in body)}."
            if body
            else f"{head}."
            for head, body in clauses
        ),
    )
    control.ground([("base", [])])
    found: list[set[str]] = []
    control.solve(on_model=lambda m: found.append({str(atom) for atom in m.symbols(atoms=True)}))
    assert found == [model]


def test_long_rules_run_within_pythons_stack() -> None:
    """The deepest that is allowed: a long rule over a chain of questions, with deep terms."""
    deep = "(f " * 95 + "?x" + ")" * 95
    chain = "".join(
        f"(<= (w{i} ?x {deep}) (w{i + 1} ?x {deep}) {'(role a) ' * 13})" for i in range(20)
    )
    text = f"{chain}(<= (w20 ?x {deep}) (arg ?x)) (arg 7)"
    long = f"(<= (legal a (go ?x)) (arg ?x) {'(role a) ' * (LONGEST_BODY - 2)}(w0 ?x {deep}))"
    assert moves(game(f"{text}{long}")) == {"go", "(go 7)"}
    with pytest.raises(LimitError, match="251 literals"):
        game(f"{text}{long[:-1]} (true s))")


def test_disjunctions_that_explode_are_refused() -> None:
    choices = "(or (true s) (role a)) " * 40
    for body in (
        choices,
        f"(and (or) (and {choices}))",
        f"(not (or (not (true s)) (not {choices[:23]})"
        f"{'(and (not (true s)) (not (role a)))' * 40}))",
    ):
        with pytest.raises(LimitError, match=r"<text>:1:\d+: the disjunctions .* more than 4,096"):
            game(f"(<= (legal a x) {body})")
    assert moves(game(f"(<= (legal a x) (or) {choices})")) == {"go"}
