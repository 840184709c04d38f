"""What GDL forbids and yet has one sensible meaning, rewritten as GDL that says the same.

Everything behind the checks (grounder, interpreter, prover) reads the result, so a rulesheet that
one of them plays, all play:

- declarations that declare nothing (``base``, ``input``) and percepts of GDL-II are left out;
- negations are moved to the sentences: ``(not (or a b))`` is ``(and (not a) (not b))``;
- a negated ``distinct`` is an equality, so its two terms are made the same in the whole rule;
- goals and ``terminal`` are asked where no move is made: there ``does`` holds of nothing, for
  them and for the relations that they look at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from neurogame.errors import GroundingError
from neurogame.gdl.dependencies import MOVE_FREE, Relation, relations_that_need
from neurogame.gdl.equality import with_equal_terms
from neurogame.gdl.finding import Finding, shown
from neurogame.gdl.keywords import KEYWORDS, RELATION_ARITIES, fresh_name
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
)
from neurogame.gdl.walk import (
    arguments_of,
    body_sentences,
    negated_if,
    nodes_in,
    relation_of,
    with_negations_inside,
)
from neurogame.gdl.write import formula_text, term_text

PERCEPTS = ("sees", "percept")
"""Heads of GDL-II: what a role gets to know of a joint move."""

MAXIMUM_BRANCHES = 1000
"""Most rules that one rule with equalities in its branches may become."""

_TRUE, _FALSE = And(()), Or(())


def standard_formulas(rules: Iterable[Rule]) -> tuple[list[Rule], list[Finding]]:
    """Leave out what declares nothing, and make negations of formulas those of sentences.

    Args:
        rules: facts and rules as they were read.

    Returns:
        Rules in which ``not`` stands before sentences alone, and the nonstandard findings.
    """
    rules = list(rules)
    findings: list[Finding] = []
    asked = {sentence.name for rule in rules for sentence, _ in body_sentences(rule.body)}
    percepts = set(PERCEPTS) - asked
    plain: list[Rule] = []
    for rule in rules:
        name, arity = relation_of(rule.head)
        if name in percepts:
            if not any(finding.code == "hidden-information" for finding in findings):
                findings.append(_hidden(rule.head))
        elif name in ("base", "input") and arity != RELATION_ARITIES[name]:
            findings.append(_malformed_declaration(rule.head))
        else:
            plain += _standard(rule, findings)
    return plain, findings


def without_asked_moves(rules: Sequence[Rule]) -> list[Rule]:
    """Return rules whose goals and end look at no move.

    A relation that ``goal`` or ``terminal`` asks, and that depends on ``does``, gets a second
    form for them in which no move is made; ``next`` keeps the first.

    Args:
        rules: with ``not`` before sentences alone.
    """
    moving = relations_that_need("does", rules)
    if not any(_is_asked(rule, moving) for rule in rules):
        return list(rules)
    names = {rule.head.name for rule in rules}
    copies: dict[Relation, str] = {}

    def copy_of(sentence: Sentence) -> Sentence:
        relation = relation_of(sentence)
        if relation not in copies:
            copies[relation] = fresh_name(f"{relation[0]}-unmoved", names)
            names.add(copies[relation])
        return _named(sentence, copies[relation])

    def still(formula: Formula) -> Formula:
        """Return what a formula says where no move is made."""
        match formula:
            case Not():
                inner = still(formula.formula)
                if inner in (_TRUE, _FALSE):
                    return _FALSE if inner == _TRUE else _TRUE
                return Not(inner, formula.position)
            case And() | Or():
                return _joined(formula, [still(inner) for inner in formula.formulas])
            case Distinct():
                return formula
        if formula.name == "does":
            return _FALSE
        is_moved = relation_of(formula) in moving and formula.name not in KEYWORDS
        return copy_of(formula) if is_moved else formula

    def stilled(rule: Rule, head: Sentence) -> list[Rule]:
        body = _joined(_TRUE, [still(formula) for formula in rule.body])
        if body == _FALSE:
            return []
        return [Rule(head, body.formulas if isinstance(body, And) else (body,), rule.position)]

    result: list[Rule] = []
    for rule in rules:
        result += stilled(rule, rule.head) if _is_asked(rule, moving) else [rule]
    done: set[Relation] = set()
    while todo := copies.keys() - done:
        done |= todo
        for rule in rules:
            if relation_of(rule.head) in todo:
                result += stilled(rule, copy_of(rule.head))
    return result


def _is_asked(rule: Rule, moving: Collection[Relation]) -> bool:
    return rule.head.name in MOVE_FREE and any(
        relation_of(sentence) in moving for sentence, _ in body_sentences(rule.body)
    )


def _named(sentence: Sentence, name: str) -> Sentence:
    if isinstance(sentence, Symbol):
        return Symbol(name, sentence.position)
    return Compound(name, sentence.arguments, sentence.position)


def _joined(formula: And | Or, parts: Sequence[Formula]) -> Formula:
    """Return a conjunction or disjunction of parts, some of which may be true or false."""
    is_and = isinstance(formula, And)
    neutral, deciding = (_TRUE, _FALSE) if is_and else (_FALSE, _TRUE)
    if deciding in parts:
        return deciding
    return type(formula)(tuple(part for part in parts if part != neutral), formula.position)


def _hidden(head: Sentence) -> Finding:
    message = (
        f"'{head.name}' says what a role gets to know: hidden information is not modelled, all "
        "roles see the whole state; its rules are left out, remove them"
    )
    return Finding("nonstandard", head.position, message, "hidden-information", True)


def _malformed_declaration(head: Sentence) -> Finding:
    name, arity = relation_of(head)
    usage = "(base fluent)" if name == "base" else "(input role move)"
    arguments = arguments_of(head)
    example = ""
    if len(arguments) > RELATION_ARITIES[name]:
        example = f" such as {shown(term_text(nested_declaration(head)))}"
    message = (
        f"'{name}' with {arity} arguments declares nothing and is left out; write {usage}{example}"
    )
    return Finding("nonstandard", head.position, message, "malformed-declaration", True)


def nested_declaration(head: Sentence) -> Sentence:
    """Return ``(base (cell 1))`` for ``(base cell 1)``: the arguments that belong together."""
    arguments = arguments_of(head)
    first = RELATION_ARITIES[head.name] - 1
    name = arguments[first].name
    inner = Compound(name, arguments[first + 1 :], arguments[first].position)
    return Compound(head.name, (*arguments[:first], inner), head.position)


def _standard(rule: Rule, findings: list[Finding]) -> list[Rule]:
    """Return a rule as rules of standard GDL."""
    findings += [
        _negated(node)
        for node in nodes_in(*rule.body)
        if isinstance(node, Not) and not isinstance(node.formula, Symbol | Compound)
    ]
    body = tuple(with_negations_inside(formula, negated_if) for formula in rule.body)
    if body == rule.body and not any(map(_has_equality, body)):
        return [rule]
    try:
        return _without_equalities(Rule(rule.head, body, rule.position))
    except GroundingError as error:
        findings.append(Finding("error", rule.position, str(error), "too-large-equality"))
        return []


def _negated(formula: Not) -> Finding:
    inner = formula.formula
    assert not isinstance(inner, Symbol | Compound)
    if isinstance(inner, Distinct):
        left, right = term_text(inner.left), term_text(inner.right)
        meaning = f"{shown(left)} and {shown(right)} are the same; write one term in both places"
    elif isinstance(inner, Not):
        meaning = f"{shown(formula_text(inner.formula))}; leave out both 'not'"
    elif isinstance(inner, Or):
        meaning = "none of its branches holds; write one 'not' per branch"
    else:
        meaning = "one of its parts does not hold; write an 'or' of one 'not' per part"
    kind = {Not: "not", Or: "or", And: "and", Distinct: "distinct"}[type(inner)]
    message = f"'not' of '{kind}', where GDL has a sentence, is read as: {meaning}"
    return Finding("nonstandard", formula.position, message, "negated-formula")


def _without_equalities(rule: Rule) -> list[Rule]:
    """Return rules without negated ``distinct`` that together say what a rule says.

    Raises:
        GroundingError: there would be too many, or too large terms in them.
    """
    done: list[Rule] = []
    todo = [rule]
    while todo:
        if len(todo) + len(done) > MAXIMUM_BRANCHES:
            raise GroundingError(
                f"the equalities in the branches of this rule make more than {MAXIMUM_BRANCHES:,} "
                "rules of it; write it as several rules"
            )
        rule = todo.pop()
        literals = [literal for formula in rule.body for literal in _conjuncts(formula)]
        at = next((i for i, f in enumerate(literals) if isinstance(f, Or) and _has_equality(f)), -1)
        if at >= 0:
            branches, others = literals[at], (*literals[:at], *literals[at + 1 :])
            assert isinstance(branches, Or)
            todo += [
                Rule(rule.head, (branch, *others), rule.position)
                for branch in reversed(branches.formulas)
            ]
            continue
        # All at once, so that terms that double are seen before they are built.
        others = tuple(f for f in literals if not _has_equality(f))
        equal = with_equal_terms(Rule(rule.head, others, rule.position), _equalities(literals))
        if equal is not None:
            done.append(equal)
    return done


def _equalities(literals: Sequence[Formula]) -> Iterator[tuple[Term, Term]]:
    for literal in literals:
        if isinstance(literal, Not) and isinstance(literal.formula, Distinct):
            yield literal.formula.left, literal.formula.right


def _conjuncts(formula: Formula) -> list[Formula]:
    if isinstance(formula, And):
        return [literal for inner in formula.formulas for literal in _conjuncts(inner)]
    return [formula]


def _has_equality(formula: Formula) -> bool:
    if isinstance(formula, Not):
        return isinstance(formula.formula, Distinct)
    return isinstance(formula, And | Or) and any(map(_has_equality, formula.formulas))
