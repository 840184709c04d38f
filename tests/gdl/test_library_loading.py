"""Loading by name or path, and nonstandard rules rewritten in standard GDL."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurogame.errors import NonstandardWarning, RulesError
from neurogame.gdl.check import check_rules, check_text, readable_rules
from neurogame.gdl.library import (
    library_names,
    library_path,
    library_summary,
    load_rules,
    read_text,
    rules_path,
    shipped,
)
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.standard import MAXIMUM_BRANCHES, standard_formulas, without_asked_moves
from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Sentence,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.walk import variables_in
from neurogame.gdl.write import rules_text
from tests.conftest import REPOSITORY
from tests.gdl.small_games import MINIMAL
from tests.gdl.strategies import instance
from tests.library import Patch


def test_names_are_sorted_and_every_game_loads_without_findings() -> None:
    names = library_names()
    assert names == sorted(names)
    assert "tictactoe" in names
    for name in names:
        rules = load_rules(name)
        assert rules.source == str(library_path(name))
        assert [finding.text(name) for finding in check_rules(rules)] == []
        assert ":" in library_summary(name)[0]


def test_a_library_name_in_any_case() -> None:
    assert library_path("TicTacToe") == library_path("tictactoe")
    assert load_rules("TICTACTOE") == load_rules("tictactoe")


def test_unknown_names_suggest_close_ones() -> None:
    with pytest.raises(RulesError, match="named 'tictacto'; did you mean tictactoe"):
        load_rules("tictacto")
    with pytest.raises(RulesError, match=r"the library has .*, nim, .*neurogame games"):
        load_rules("zzzzzzzzzzzz")


def test_paths_with_a_suffix_or_a_folder_are_files(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"there is no file .*none.kif"):
        load_rules(tmp_path / "none.kif")
    with pytest.raises(RulesError, match=r"there is no file tictactoe.kif"):
        load_rules("tictactoe.kif")
    for text in ("(role you)", "; a comment\n(role you)"):
        with pytest.raises(RulesError, match=r"is no name, but the text of rules: Game.from_text"):
            load_rules(text)
    with pytest.raises(RulesError, match=r"is a folder; give the path of one .kif file"):
        load_rules(tmp_path)
    with pytest.raises(RulesError, match=r"there is no file \(1\) copy.kif; give the path"):
        load_rules("(1) copy.kif")
    with pytest.raises(RulesError, match="is empty"):
        load_rules("")


def test_a_rulesheet_given_as_its_own_name_is_refused() -> None:
    with pytest.raises(RulesError, match="cannot look up"):
        load_rules("x" * 5_000 + ".kif")
    with pytest.raises(RulesError, match="is no name, but the text of rules"):
        load_rules(MINIMAL * 50)


def test_library_names_win_over_files_of_that_name(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nim").write_text(MINIMAL, encoding="utf-8")
    Path("own_game").write_text(MINIMAL, encoding="utf-8")
    assert rules_path("nim") == library_path("nim")
    assert rules_path("./nim") == Path("nim")
    assert rules_path(Path("nim")) == Path("nim")
    assert rules_path("own_game") == Path("own_game")


def test_byte_order_mark_and_crlf_files(tmp_path: Path) -> None:
    path = tmp_path / "windows.kif"
    path.write_bytes(b"\xef\xbb\xbf" + MINIMAL.replace("\n", "\r\n").encode())
    rules = load_rules(path)
    assert rules == parse_rules(MINIMAL)
    assert [r.position for r in rules] == [r.position for r in parse_rules(MINIMAL)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_named(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "wide.kif"
    path.write_bytes(MINIMAL.encode(encoding))
    with pytest.raises(RulesError, match=r"wide.kif:1:\d+: (the file is UTF-16|a NUL)"):
        load_rules(path)


def test_bytes_that_are_no_text_are_placed(tmp_path: Path) -> None:
    path = tmp_path / "latin.kif"
    path.write_bytes(b"(role a)\n(role \xe9t\xe9)\n")
    with pytest.raises(RulesError, match=r"latin.kif:2:7: byte 0xe9 is not UTF-8 text"):
        load_rules(path)


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: Patch) -> None:
    path = tmp_path / "secret.kif"
    path.write_text(MINIMAL, encoding="utf-8")

    def refuse(_: Path, mode: str) -> None:
        raise PermissionError(13, f"Permission denied, mode {mode}")

    # Taking the permission away would not stop a test that runs as root.
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(RulesError, match=r"cannot read .*secret\.kif: Permission denied"):
        load_rules(path)


def test_errors_name_file_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "bad.kif"
    path.write_text(MINIMAL + "(<= (next (q ?x))\n  (true p))\n", encoding="utf-8")
    line = MINIMAL.count("\n") + 1
    with pytest.raises(RulesError) as caught:
        load_rules(path)
    assert str(caught.value).startswith(f"{path}:{line}:14: the variable ?x of the head")


_FRAGMENTS = st.sampled_from(
    [b"(", b")", b"<=", b" ", b"\n", b"?x", b"not", b"or", b"goal", b"role", b"a", b"100", b"\xff"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(max_size=80), st.lists(_FRAGMENTS, max_size=30).map(b"".join)))
def test_random_bytes_give_nothing_but_rules_errors(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "random.kif"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NonstandardWarning)
        with pytest.raises(RulesError, match=r"random\.kif"):
            load_rules(path)


def test_a_long_rulesheet_is_read_whole() -> None:
    lines = [f"(<= (next (cell {i} ?x)) (true (cell {i} ?x)) (not (q {i})))" for i in range(1500)]
    rules = parse_rules("\n".join(lines))
    assert len(rules) == 1500
    assert [rule.position.line for rule in rules] == list(range(1, 1501))
    assert parse_rules(rules_text(rules)) == rules


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "text.kif"
    path.write_text("(p é) ; ü\n", encoding="utf-8")
    assert read_text(path) == "(p é) ; ü\n"


_DOMAIN: tuple[Term, ...] = (Symbol("a"), Symbol("b"), Compound("f", (Symbol("a"),)))
_VARIABLES = ("x", "y")
_TERMS: st.SearchStrategy[Term] = st.sampled_from(
    [Variable("x"), Variable("y"), Symbol("a"), Compound("f", (Variable("y"),))]
)


def _formulas(leaves: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    def extend(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        parts = st.lists(inner, max_size=3).map(tuple)
        return st.one_of(st.builds(Or, parts), st.builds(And, parts), st.builds(Not, inner))

    return st.recursive(leaves, extend, max_leaves=6)


_LEAVES: st.SearchStrategy[Formula] = st.one_of(
    st.builds(Compound, st.sampled_from(["p", "q"]), st.tuples(_TERMS)),
    st.builds(Distinct, _TERMS, _TERMS),
)
_RULES = st.builds(
    Rule,
    st.just(Compound("h", (Variable("x"), Variable("y")))),
    st.lists(_formulas(_LEAVES), max_size=3).map(tuple),
)
_FACTS = st.frozensets(
    st.sampled_from([Compound(name, (term,)) for name in "pq" for term in _DOMAIN])
)


def _holds(formula: Formula, facts: frozenset[Sentence], values: Mapping[str, Term]) -> bool:
    match formula:
        case Not():
            return not _holds(formula.formula, facts, values)
        case And():
            return all(_holds(inner, facts, values) for inner in formula.formulas)
        case Or():
            return any(_holds(inner, facts, values) for inner in formula.formulas)
        case Distinct():
            return instance(formula.left, values) != instance(formula.right, values)
    return instance(formula, values) in facts


def _derived(rules: Sequence[Rule], facts: frozenset[Sentence]) -> set[Term]:
    """Return the heads of all instances over the domain whose bodies hold."""
    heads: set[Term] = set()
    for rule in rules:
        for terms in itertools.product(_DOMAIN, repeat=len(_VARIABLES)):
            values: dict[str, Term] = dict(zip(_VARIABLES, terms, strict=True))
            if all(_holds(formula, facts, values) for formula in rule.body):
                heads.add(instance(rule.head, values))
    return {head for head in heads if _is_small(head)}


def _is_small(head: Term) -> bool:
    """Return whether a head's arguments are of the domain, as an equality may go beyond it."""
    return isinstance(head, Compound) and all(a in _DOMAIN for a in head.arguments)


def _negations(formulas: Sequence[Formula]) -> Iterator[Not]:
    for formula in formulas:
        if isinstance(formula, Not):
            yield formula
            yield from _negations([formula.formula])
        elif isinstance(formula, And | Or):
            yield from _negations(formula.formulas)


@given(_RULES, _FACTS)
def test_standard_formulas_say_the_same(rule: Rule, facts: frozenset[Sentence]) -> None:
    plain, findings = standard_formulas([rule])
    assert _derived(plain, facts) == _derived([rule], facts)
    for standard in plain:
        assert all(isinstance(n.formula, Symbol | Compound) for n in _negations(standard.body))
    odd = any(not isinstance(n.formula, Symbol | Compound) for n in _negations(rule.body))
    assert odd == bool(findings)
    if not odd:
        assert plain == [rule]


_NAMES = ["p0", "p1", "p2", "p3"]


@st.composite
def _layered(draw: st.DrawFn) -> list[Rule]:
    """Return rules without variables, each relation above those that it looks at."""
    rules = []
    for number, name in enumerate([*_NAMES, "terminal", "next"]):
        below: list[Formula] = [Symbol(other) for other in _NAMES[:number]]
        below += [Compound("does", (Symbol("r"), Symbol("m"))), Compound("true", (Symbol("s"),))]
        signed: list[Formula] = [*below, *(Not(literal) for literal in below)]
        bodies = st.lists(_literals(st.sampled_from(signed)), max_size=3).map(tuple)
        head: Sentence = Compound("next", (Symbol("s"),)) if name == "next" else Symbol(name)
        rules += [Rule(head, body) for body in draw(st.lists(bodies, min_size=1, max_size=2))]
    return rules


def _literals(leaves: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    parts = st.lists(leaves, max_size=3).map(tuple)
    return st.one_of(leaves, st.builds(Or, parts), st.builds(And, parts))


def _model(rules: Sequence[Rule], facts: frozenset[Sentence]) -> frozenset[Sentence]:
    """Return what layered rules derive, whatever their order."""
    known = facts
    levels = [*_NAMES, *(f"{name}-unmoved" for name in _NAMES), "terminal", "next"]
    for name in levels:
        of_level = [rule for rule in rules if rule.head.name == name]
        known |= {r.head for r in of_level if all(_holds(f, known, {}) for f in r.body)}
    return known


@given(_layered(), st.booleans(), st.booleans())
def test_the_end_is_asked_where_no_move_is_made(
    rules: list[Rule], is_moved: bool, holds: bool
) -> None:
    state: frozenset[Sentence] = frozenset({Compound("true", (Symbol("s"),))} if holds else ())
    move = frozenset({Compound("does", (Symbol("r"), Symbol("m")))} if is_moved else ())
    still, moved = _model(rules, state), _model(rules, state | move)
    model = _model(without_asked_moves(rules), state | move)
    assert (Symbol("terminal") in model) == (Symbol("terminal") in still)
    for atom in (Compound("next", (Symbol("s"),)), *map(Symbol, _NAMES)):
        assert (atom in model) == (atom in moved)


def test_terms_that_double_are_an_error() -> None:
    pairs = "".join(f"(not (distinct ?x{i} (f ?x{i + 1} ?x{i + 1})))" for i in range(40))
    found = check_text(f"{MINIMAL}(<= (next (s ?x0)) (true (s ?x0)) {pairs})")[1]
    assert {f.code for f in found if f.severity == "error"} == {"too-large-equality"}


def test_rules_that_ask_for_no_move_stay_as_they_are() -> None:
    rules = check_text(MINIMAL + "(<= (next q) m) (<= m (does a noop))")[0]
    assert without_asked_moves(rules.rules) == list(rules)
    assert not any(rule.head.name.endswith("-unmoved") for rule in rules)


def test_an_equality_makes_two_terms_the_same_in_the_whole_rule() -> None:
    rules = check_text(MINIMAL + "(<= (next (s ?x ?y)) (true (s ?x ?z)) (not (distinct ?x ?y)))")[0]
    assert len({v.name for v in variables_in(rules.rules[-1].head)}) == 1


def test_equalities_in_too_many_branches_are_an_error() -> None:
    branch = "(or (not (distinct ?x a)) (true (s ?x)))"
    text = f"{MINIMAL}(<= (next q) (true (s ?x)) {branch * 12})"
    assert MAXIMUM_BRANCHES < 2**12
    findings = [f for f in check_text(text)[1] if f.severity == "error"]
    assert [f.code for f in findings] == ["too-large-equality"]


@pytest.mark.parametrize(
    ("statement", "left_out"),
    [
        ("(<= (next (q ?x)) (?x a))", "a variable in functor place"),
        ("(<= (next (q ?x)) (true (q ?x)) (distinct ?x))", "one argument"),
        ("(<= (next (q ?x)) (true (q ?x)) ())", "nothing in parentheses"),
        ("(base p q)", "no declaration"),
        ("(<= (sees ?r (does ?s ?m)) (does ?s ?m))", "a percept, unsafe"),
        ("(percept a (f p) q)", "a percept of any form"),
        ("(<= (spare ?x) (true p))", "unsafe, and nothing needs it"),
        ("(spare ?x)", "a fact with a variable, and nothing needs it"),
        ("(<= (spare (f ?x)) (spare ?x))", "terms without end, and nothing needs them"),
        ("(distinct a b)", "a fact that nothing can ask for"),
        ("(<= (next q) (true p)\n", "a parenthesis too few"),
        ("(next q))", "a parenthesis too many"),
        ("next q)", "no parenthesis at the start"),
    ],
)
def test_what_nobody_can_read_is_left_out_with_one_finding(statement: str, left_out: str) -> None:
    game = check_text(MINIMAL + "(<= (next r) (true p))")[0]
    rules, findings = check_text(f"{MINIMAL}{statement}\n(<= (next r) (true p))")
    assert rules == game, left_out
    odd = [finding for finding in findings if finding.severity != "warning"]
    assert [finding.severity for finding in odd] == ["nonstandard"], left_out
    assert odd[0].position.line == MINIMAL.count("\n") + 1


def test_a_rule_that_lacks_its_first_parenthesis_is_read() -> None:
    game = check_text(MINIMAL + "(<= (next r) (true p))")[0]
    rules, findings = check_text(MINIMAL + "<= (next r) (true p))")
    assert rules == game
    assert [(f.severity, f.code) for f in findings] == [("nonstandard", "missing-open")]


def test_rules_whose_bodies_start_at_the_start_of_lines_are_not_torn() -> None:
    text = "(<= (next r)\n(true p)\n(not (true q))\n)\n"
    broken = "(<= (next s)\n(true p\n"
    rules, findings = check_text(f"{MINIMAL}{text}{broken}{text}")
    assert rules.rules[-2:] == check_text(MINIMAL + text + text)[0].rules[-2:]
    assert [(f.severity, f.code) for f in findings] == [("nonstandard", "unmatched-open")]


def test_a_fact_that_is_not_closed_takes_no_other_along() -> None:
    facts = "".join(f"(s {i} {i + 1})\n" for i in range(9)) + "(<= (next q) (s ?x ?y))\n"
    broken = facts.replace("(s 4 5)", "(s 4 5")
    rules, findings = check_text(MINIMAL + broken)
    assert len(rules) == len(check_text(MINIMAL + facts)[0]) - 1
    assert [(f.code, f.position.line - MINIMAL.count("\n")) for f in findings] == [
        ("unmatched-open", 5)
    ]


def test_variables_of_equalities_do_not_capture_each_other() -> None:
    text = "(<= (next (s ?x ?y)) (true (s ?x ?z)) (not (distinct (f ?x ?z) (f ?y ?x))))"
    rules = check_text(MINIMAL + text)[0]
    assert len({v.name for v in variables_in(rules.rules[-1].head)}) == 1
    (literal,) = rules.rules[-1].body
    assert {v.name for v in variables_in(literal)} == {
        v.name for v in variables_in(rules.rules[-1].head)
    }


def test_of_a_rulesheet_with_errors_the_rules_without_them_can_be_read() -> None:
    text = MINIMAL + "(<= (next ?x) (true p))\n(<= (next r) (true p))"
    assert "error" in {finding.severity for finding in check_text(text)[1]}
    assert readable_rules(text) == check_text(MINIMAL + "(<= (next r) (true p))")[0]


def test_what_comes_with_the_package_is_found_where_nothing_of_the_name_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "checkpoints/tictactoe.pt"
    assert shipped(name) == REPOSITORY / name
    assert shipped("checkpoints") == REPOSITORY / "checkpoints"
    for other in ("checkpoints/missing.pt", "elsewhere/tictactoe.pt", tmp_path / name):
        assert shipped(other) == Path(other)
    own = Path(name)
    own.parent.mkdir()
    assert shipped(name) == REPOSITORY / name
    own.touch()
    assert shipped(name) == own
