"""Infix rules, read and written: meaning, ends of statements, errors, and back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import RulesError
from neurogame.gdl.finding import Position
from neurogame.gdl.infix_write import infix_rule_text, infix_rules_text
from neurogame.gdl.library import library_names, library_path
from neurogame.gdl.nodes import MAXIMUM_DEPTH, MAXIMUM_ERRORS, MAXIMUM_WORDS
from neurogame.gdl.notation import notation_of
from neurogame.gdl.parse import parse_rules, parse_with_findings
from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Rules,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.write import rules_text
from tests.conftest import shared
from tests.gdl.public_rules import public_rules
from tests.gdl.strategies import rulesheets


def infix(text: str) -> Rules:
    """Parse infix rules."""
    return parse_rules(text, "game.hrf")


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("terminal", "terminal"),
        ("role(white).role(b).% two", "(role white) (role b)"),
        ("p :- q & ; one\n % two ; three\n r ;four", "(<= p q r)"),
        ("role(white). role(black)", "(role white) (role black)"),
        ("role(white)\nrole(black)", "(role white) (role black)"),
        ("p :- q", "(<= p q)"),
        ("p(X) :- q(X, f(a, 1)) & ~r(X)", "(<= (p ?x) (q ?x (f a 1)) (not (r ?x)))"),
        ("p :- q, not r, s.", "(<= p q (not r) s)"),
        ("p :- not(q)", "(<= p (not q))"),
        ("p :- ~~q", "(<= p (not (not q)))"),
        ("p :- ~(q & r)", "(<= p (not (and q r)))"),
        ("p :- (a | b) & c", "(<= p (or a b) c)"),
        ("p :- (a, b | c)", "(<= p (or (and a b) c))"),
        ("p :- a & b | c", "(<= p (or (and a b) c))"),
        ("p :- (a & b) & c", "(<= p (and a b) c)"),
        ("p :- ((a))", "(<= p a)"),
        ("p :- (a | b | (c | d))", "(<= p (or a b (or c d)))"),
        ("p :- or() & or(a) & and(b, (c & d))", "(<= p (or) (or a) (and b (and c d)))"),
        ("p :- q(X, Y) & distinct(X, Y)", "(<= p (q ?x ?y) (distinct ?x ?y))"),
        ("p :- q(X, Y) & X != Y", "(<= p (q ?x ?y) (distinct ?x ?y))"),
        ("p :- q(X), X \\= f(a)", "(<= p (q ?x) (distinct ?x (f a)))"),
        ("p :- ~X != Y & q(X, Y)", "(<= p (not (distinct ?x ?y)) (q ?x ?y))"),
        ("'x-y'('+', 'Upper', 'it''s', '%&,|~.:-', -7, 1a)", "(x-y + upper it's %&,|~.:- -7 1a)"),
        ("p(é, École)", "(p é ?école)"),
        ("p :- q(_, X, _)", "(<= p (q ?_1 ?x ?_2))"),
        ("p :- q(_, _1)", "(<= p (q ?_2 ?_1))"),
        ("p(foo())", "(p (foo))"),
        ("p :- terminal()", "(<= p (terminal))"),
        ("p :- q (a)", "(<= p (q a))"),
        ("\ufeffp(a)", "(p a)"),
        ("", ""),
        ("% nothing", ""),
        (";; nothing\n; at all", ""),
    ],
)
def test_infix_means_the_same_as_prefix(text: str, prefix: str) -> None:
    assert infix(text).rules == parse_rules(prefix).rules


def test_example_rules_of_the_literature_are_read() -> None:
    """In the manner of two sources: '.' and ',', or line ends and '&'."""
    dresden = """
legal(W, mark(X, Y)) :- true(cell(X, Y, b)),
   true (control (W)).
terminal :- done."""
    stanford = """
  legal(W,mark(X,Y)) :-
    true(cell(X,Y,b)) &
    true(control(W))

  terminal :- done"""
    assert infix(dresden) == infix(stanford)
    assert len(infix(dresden)) == 2


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("p :- a &\n  b\nq", "pq"),
        ("p :- a\n  & b\nq", "pq"),
        ("p :- a\n& b\nq", "pq"),
        ("p\n :- a\nq", "pq"),
        ("p :-\na\nq", "pq"),
        ("p(a,\nb)\nq", "pq"),
        ("  p :- a\n  q :- b\nr", "pqr"),
        ("p. q :- a. r", "pqr"),
        ("p.\n     q", "pq"),
        ("p % one :-\nq", "pq"),
        ("p\r\nq\rr", "pqr"),
    ],
)
def test_where_statements_end(text: str, heads: str) -> None:
    assert "".join(rule.head.name for rule in infix(text)) == heads


def test_positions_are_those_of_the_text() -> None:
    rule = infix("a.\n p(X) :-\n\tq(X, c) &\n  (X != 1 | ~r)").rules[1]
    assert rule.position == rule.head.position == Position(2, 2)
    literal, disjunction = rule.body
    assert isinstance(literal, Compound)
    assert isinstance(disjunction, Or)
    assert literal.position == Position(3, 2)
    assert literal.arguments[1].position == Position(3, 7)
    assert [part.position for part in disjunction.formulas] == [Position(4, 4), Position(4, 13)]
    distinct = disjunction.formulas[0]
    assert isinstance(distinct, Distinct)
    assert distinct.right.position == Position(4, 9)


def test_case_is_folded_and_the_first_spelling_kept() -> None:
    rules = infix("pOne(X) :- q(X)\nr :- pone('A') & s(a)")
    assert rules.rules[1].body[0] == Compound("pone", infix("p(a)").rules[0].head.arguments)  # type: ignore[union-attr]
    assert (rules.spelling["pone"], rules.spelling["a"], rules.spelling["?x"]) == (
        "pOne",
        "A",
        "?X",
    )
    assert [remark.code for remark in rules.remarks] == ["name-case", "name-case"]


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("p(a", "1:2", r"never closed; one '\)' is missing"),
        ("p(a, f(b).", "1:2", r"never closed"),
        ("p(f(g(", "1:2", r"3 '\)' are missing"),
        ("p(a))", "1:5", r"unmatched '\)'"),
        ("p :- ()", "1:7", r"expected before '\)'"),
        ("p(a,)", "1:5", r"expected before '\)'"),
        ("p(,a)", "1:3", "expected before ','"),
        ("p :- & q", "1:6", "expected before '&'"),
        ("p :- q | | r", "1:10", r"expected before '\|'"),
        ("p :- q & .", "1:10", r"expected before '\.'"),
        (". p", "1:1", r"expected before '\.'"),
        ("p :- q &", "1:8", "ends after '&'; a sentence or term must follow"),
        ("p :- ~", "1:6", "ends after '~'"),
        ("p :-", "1:3", "ends after ':-'"),
        (":- p", "1:1", "':-' without a head"),
        ("p :- q :- r", "1:8", "a second ':-'"),
        ("p :- a &\nq :- b", "2:3", "a second ':-'"),
        ("p(a :- b)", "1:5", "':-' inside parentheses"),
        ("p q", "1:3", "expected '&', '|' or ':-' before 'q'"),
        ("p :- q(a) (b)", "1:11", r"expected '&', '|' or ':-' before '\('"),
        ("p :- a\n  b", "2:3", "before 'b' is complete, but this line is indented further"),
        ("p(a b)", "1:5", r"expected an operator or '\)' before 'b'; the '\(' of line 1, column 2"),
        ("p & q", "1:1", "a statement starts with one sentence"),
        ("~p :- q", "1:1", "a statement starts with one sentence"),
        ("a | b :- q", "1:1", "a statement starts with one sentence"),
        ("distinct(a, b)", "1:1", "a statement starts with one sentence"),
        ("p :- X != Y != Z", "1:13", "'!=' compares two terms"),
        ("p :- q | ; r", "1:8", r"ends after '\|'"),
        ("p :- ; q", "1:3", "ends after ':-'"),
        ("x-y(a)", "1:1", "unexpected 'x-y'.*single quotes"),
        ("p(++)", "1:3", r"unexpected '\+\+'"),
        ("p(1.5)", "1:3", r"unexpected '1\.5'"),
        ('p("a")', "1:3", "unexpected '\"'"),
        ("p('a", "1:3", "quotation that starts here"),
        ("p('a\n  ')", "1:3", "quotation that starts here"),
        ("p('')", "1:3", "is no name"),
        ("p('a b')", "1:3", "is no name"),
        ("p('f(x)')", "1:3", "is no name"),
        ("p('?x')", "1:3", "is no name"),
        ("p('Or')", "1:3", "reserved word"),
        ("p :- 'distinct'(a, b)", "1:6", "reserved word"),
        ("p(or)", "1:3", "'or' is a reserved word"),
        ("p(a & b)", "1:3", "'and' is a reserved word"),
        ("p(a != b)", "1:3", "'distinct' is a reserved word"),
        ("p :- distinct(a)", "1:6", "'distinct' takes 2 arguments, found 1"),
        ("X", "1:1", r"the variable \?x cannot be a fact"),
        ("X :- p", "1:1", r"the variable \?x cannot be the head of a rule"),
        ("p :- X", "1:6", r"the variable \?x cannot be a literal"),
        ("p :- X(a)", "1:6", r"the variable \?X cannot name"),
        ("p(\0)", "1:3", "NUL"),
        ("p(" + "a" * 1001 + ")", "1:3", "too long"),
    ],
)
def test_syntax_errors_name_place_and_cause(text: str, place: str, said: str) -> None:
    with pytest.raises(RulesError, match=f"^game.hrf:{place}: .*{said}") as caught:
        infix(text)
    assert len(str(caught.value).splitlines()) == 1


def test_every_statement_with_an_error_is_reported_and_the_others_are_read() -> None:
    text = """
role(x)
p(a b)
q :- r &&
     s t u ((
init(a). bad bad. init(b)
next(X) :- true(X)) & y
goal(x, 100) :- ! c
  & d
terminal :- done
last(("""
    rules, errors = parse_with_findings(text, "game.hrf")
    assert [rule.head.name for rule in rules] == ["role", "init", "init", "terminal"]
    places = [(error.position.line, error.position.column) for error in errors]
    assert places == [(3, 5), (4, 9), (6, 14), (7, 19), (8, 17), (11, 5)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("p(" * 10_000, "unmatched-open"),
        ("p :- " + "(" * 10_000, "unmatched-open"),
        ("p :- " + "(" * 10_000 + ")" * 10_000, "missing-operand"),
        ("p(" * 10_000 + "x" + ")" * 10_000, "too-deep"),
        ("p :- " + "~" * 10_000 + "q", "too-deep"),
        ("p :- " + "(a | (b & " * 10_000 + "c" + "))" * 10_000, "too-deep"),
        ("p(" + "a, " * MAXIMUM_WORDS + "a)", "too-long-rule"),
        ("~" * 10_000, "missing-operand"),
    ],
)
def test_deep_and_long_statements_are_one_error_and_no_crash(text: str, code: str) -> None:
    _, errors = parse_with_findings(text, "game.hrf")
    assert [error.code for error in errors] == [code]


def test_nesting_up_to_the_limit_of_prefix_notation() -> None:
    deep = "f(" * MAXIMUM_DEPTH + "x" + ")" * MAXIMUM_DEPTH
    assert infix(deep).rules == parse_rules("(f " * MAXIMUM_DEPTH + "x" + ")" * MAXIMUM_DEPTH).rules
    with pytest.raises(RulesError, match="nested more than"):
        infix(f"f({deep})")
    assert len(infix("p :- " + "(" * 10_000 + "q" + ")" * 10_000)) == 1


def test_a_flood_of_errors_stops_the_reading() -> None:
    _, errors = parse_with_findings("p q\n" * 2 * MAXIMUM_ERRORS, "game.hrf")
    assert len(errors) == MAXIMUM_ERRORS


@pytest.mark.parametrize(
    ("text", "source", "kind", "why"),
    [
        ("role(a)", "game.hrf", "infix", "line 1 starts with 'role(a)'"),
        ("role(a)", "folder/GAME.KIF", "infix", "line 1 starts with 'role(a)'"),
        ("\n%c\n succ(1, 2)\n(p)", "game.kif", "infix", "line 3 starts with 'succ(1,'"),
        ("(role a)", "game.hrf", "prefix", "the text starts with '('"),
        ("; p :- q\n (role a)", "game.hrf", "prefix", "the text starts with '('"),
        ("terminal\n(<= p q)", "game.hrf", "prefix", "line 2 has '(<='"),
        ("terminal\n(role a)", "game.hrf", "prefix", "line 2 starts with '('"),
        ("p :- q", "game.kif", "infix", "line 1 has a head and ':-'"),
        ("% (<= p q)\np :- q", "game.kif", "infix", "line 2 has a head and ':-'"),
        ("% about\nrole(a)\np(X) :-\n q(X)", "game.txt", "infix", "line 3 has a head and ':-'"),
        ("p\n% :- q", "<text>", "prefix", "nothing in it looks like another"),
        ("\np\n  'q'(X, f(a)):- r", "<text>", "infix", "line 3 has a head and ':-'"),
        ("p\n:-\n(q :-)\n(<= p(q :- r)\n    (q :-)\n    :-)", "a.hrf", "prefix", "line 4 has"),
        ("p" + " (" * 50_000 + ") :" * 50_000, "<text>", "prefix", "nothing"),
        ("terminal ; :-\n(role a)", "<text>", "prefix", "line 2 starts with '('"),
        ("-7 :-\n    (p | q)", "game.kif", "infix", "line 1 has a head and ':-'"),
        ("'%&'('(;') :-\n    (p | q)", "game.kif", "infix", "line 1 has a head and ':-'"),
        ("p:-q", "game.kif", "infix", "line 1 has a head and ':-'"),
        ("terminal", "game.hrf", "infix", "its name ends in .hrf"),
        ("terminal", "game.kif", "prefix", "its name ends in .kif"),
        ("\ufeff ; c\r\n(p :- q)", "<text>", "prefix", "the text starts with '('"),
        (";" * 50_000 + " ;" * 50_000, "<text>", "prefix", "nothing"),
        ("", "<text>", "prefix", "nothing"),
        ("role(a)\na :: ~p", "game.kif", "operation", "line 2 has '::'"),
        ("role(a)\np(X) :- q(X)\n a\n ==> p", "<text>", "operation", "line 4 has '==>'"),
        ("role(a)\n% a :: b\np('::') :- q", "<text>", "infix", "line 3 has a head"),
        ("terminal\n(<= (p a::b) q)", "<text>", "prefix", "line 2 has '(<='"),
    ],
)
def test_the_text_says_which_notation_it_is(text: str, source: str, kind: str, why: str) -> None:
    notation = notation_of(text, source)
    assert notation.kind == kind
    assert notation.reason.startswith(why)


@pytest.mark.parametrize(
    ("text", "source", "said"),
    [
        ("role(a)\np q\np(", "g.kif", "(read as infix notation, because line 1 starts with"),
        ("(p ())\n(q ())", "g.hrf", "(read as prefix notation, because the text starts with '(')"),
        ("a :: b c\np(", "g.kif", "(read as operation notation, because line 1 has '::')"),
    ],
)
def test_the_first_syntax_error_says_once_which_notation_was_assumed(
    text: str, source: str, said: str
) -> None:
    _, errors = parse_with_findings(text, source)
    assert said in errors[0].message
    assert len(errors) > 1
    assert not any("read as" in error.message for error in errors[1:])


@given(st.text("()abX_1'~|&,.:-!=%; \n\t?\\", max_size=60))
def test_any_text_gives_rules_or_placed_errors(text: str) -> None:
    rules, errors = parse_with_findings(text, "game.hrf")
    lines = text.splitlines(keepends=True)
    for error in errors:
        line, column = error.position.line, error.position.column
        assert lines[line - 1][column - 1 : column].strip(), "an error points at a character"
    for rule in rules:
        assert rule.position >= Position(1, 1)


WORDS = [
    *("p", "q(a)", "X", "'x-y'", "(", ")", ",", "&", "|", "~", "not", "!=", ":-", ".", "\n"),
    *("\n ", "or(", "distinct("),
]


@given(st.lists(st.sampled_from(WORDS), max_size=25))
def test_any_words_give_rules_or_placed_errors(words: list[str]) -> None:
    text = " ".join(words)
    rules, errors = parse_with_findings(text, "game.hrf")
    assert rules.rules or errors or not text.strip()


def numbered(rules: Rules) -> list[Rule]:
    """Return the rules with the variables of each called v0, v1 ... in order of appearance."""
    return [_numbered_rule(rule) for rule in rules]


def _numbered_rule(rule: Rule) -> Rule:
    names: dict[str, str] = {}

    def term(node: Term) -> Term:
        if isinstance(node, Variable):
            return Variable(names.setdefault(node.name, f"v{len(names)}"))
        if isinstance(node, Symbol):
            return node
        return Compound(node.name, tuple(term(a) for a in node.arguments))

    def formula(node: Formula) -> Formula:
        if isinstance(node, Symbol | Compound):
            changed = term(node)
            assert isinstance(changed, Symbol | Compound)
            return changed
        if isinstance(node, Distinct):
            return Distinct(term(node.left), term(node.right))
        if isinstance(node, Not):
            return Not(formula(node.formula))
        return replace(node, formulas=tuple(formula(f) for f in node.formulas))

    head = formula(rule.head)
    assert isinstance(head, Symbol | Compound)
    return Rule(head, tuple(formula(f) for f in rule.body))


def check_round_trip(rules: Rules) -> str:
    """Check prefix to infix to prefix and infix to prefix to infix; return the infix text."""
    text = infix_rules_text(rules)
    again = parse_rules(text, "game.hrf")
    assert numbered(again) == numbered(rules)
    prefix = rules_text(again)
    from_prefix = parse_rules(prefix, "game.kif")
    assert from_prefix.rules == again.rules
    assert infix_rules_text(from_prefix) == text
    return text


@given(rulesheets())
def test_random_rules_round_trip(rules: Rules) -> None:
    check_round_trip(rules)


def test_a_name_like_an_arrow_is_a_name() -> None:
    assert check_round_trip(parse_rules("(:: a b) (<= (:: (~ a)) (==> b))")).startswith(
        "'::'(a, b)"
    )


SPELLINGS = st.text("aBx_1-%&,|~.:!'\\\"é=", min_size=1, max_size=4)


@given(st.lists(st.tuples(SPELLINGS, st.lists(SPELLINGS, max_size=4)), max_size=4))
def test_names_in_any_spelling_round_trip(parts: list[tuple[str, list[str]]]) -> None:
    """The texts, not the trees, are random here: so the first spellings are, too."""
    prefix = "\n".join(
        f"(<= ({name} c {' '.join('?' + v for v in variables)}) ({name}) {name})"
        for name, variables in parts
    )
    rules = parse_rules(prefix)
    check_round_trip(rules)
    kept = {k: v for k, v in rules.spelling.items() if k[0] != "?"}
    found = parse_rules(infix_rules_text(rules), "game.hrf").spelling
    assert {k: v for k, v in found.items() if k[0] != "?"} == kept


@pytest.mark.parametrize("name", library_names())
def test_library_games_round_trip(name: str) -> None:
    check_round_trip(parse_rules(library_path(name).read_text(encoding="utf-8")))


@pytest.mark.parametrize(("folder", "every"), [("games", 8), ("gdl-cases", 1)])
def test_public_rulesheets_round_trip(folder: str, every: int) -> None:
    for path in sorted(shared(folder).glob("*.kif"))[::every]:
        check_round_trip(public_rules(path))


def test_one_rule_as_text() -> None:
    prefix = """
    (<= (next (Cell ?m ?newRow B)) (true (cell ?m ?newRow ?c)) (not p) (not (distinct ?c b))
        (or (not q) (distinct ?m 1) (and (r it's) (move-x +)))
        (and (or) (or p)) (foo) terminal)
    """
    assert infix_rules_text(parse_rules(prefix)) == (
        "next('Cell'(M, NewRow, 'B')) :-\n"
        "    true('Cell'(M, NewRow, C)) &\n"
        "    ~p &\n"
        "    ~distinct(C, 'B') &\n"
        "    (~q | distinct(M, 1) | (r('it''s') & 'move-x'('+'))) &\n"
        "    (or() & or(p)) &\n"
        "    foo() &\n"
        "    terminal\n"
    )


def test_variables_that_would_become_the_same_get_numbers() -> None:
    rules = parse_rules("(p ?x+ ?x_ ?x- ?_ ?1 ?v_ ?v1 ?_a ?é)")
    assert infix_rules_text(rules) == "p(X__2, X_, X__3, V__2, V1_2, V_, V1, _a, V__3)\n"


def test_variables_of_different_rules_may_get_the_same_name() -> None:
    rules = parse_rules("(p ?x+) (p ?x-) (p ?aB+) (p ?ab_)")
    assert infix_rules_text(rules) == "p(X_)\np(X_)\np(Ab_)\np(Ab_)\n"


def test_without_spelling_the_folded_names_are_written() -> None:
    rules = parse_rules("(<= (Legal ?Who noOp) (ROLE ?who))")
    assert infix_rule_text(rules.rules[0]) == "legal(Who, noop) :-\n    role(Who)"
    assert infix_rules_text(rules) == "legal(Who, noOp) :-\n    role(Who)\n"


def test_empty_and_single_connectives_keep_their_shape() -> None:
    rule = Rule(Symbol("p"), (Or(()), And(()), Or((Symbol("q"),)), And((Symbol("q"), Symbol("r")))))
    assert infix_rule_text(rule) == "p :-\n    or() &\n    and() &\n    or(q) &\n    (q & r)"
