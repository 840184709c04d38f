"""How names are used: the keywords' places and arities, goal values, and odd but valid uses."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from neurogame.gdl.finding import START, Finding, Position, shown
from neurogame.gdl.keywords import KEYWORDS, RELATION_ARITIES, is_goal_value
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
    Variable,
)
from neurogame.gdl.walk import arguments_of, body_sentences, nodes_in, relation_of, subterms
from neurogame.gdl.write import term_text

NEVER_HEAD = {
    "true": "the state says what it holds for; write 'init' for the first state, 'next' for others",
    "does": "the players decide what it holds for; write 'legal' for what they may do",
}
NEVER_BODY = {
    "init": "ask (true ...) for the present state",
    "next": "the next state is not known yet; ask for what it depends on",
    "base": "use the relations that define it",
    "input": "ask (legal ...) instead",
}
REQUIRED = {
    "role": "a fact such as (role white)",
    "legal": "a rule such as (<= (legal ?r noop) (role ?r))",
    "goal": "a rule such as (<= (goal ?r 100) ...)",
    "terminal": "a rule such as (<= terminal ...)",
}
USAGE = {
    "role": "(role name)",
    "init": "(init fluent)",
    "true": "(true fluent)",
    "does": "(does role move)",
    "next": "(next fluent)",
    "legal": "(legal role move)",
    "goal": "(goal role value)",
    "terminal": "terminal",
    "base": "(base fluent)",
    "input": "(input role move)",
}
_USUAL = re.compile(r"[a-z0-9_\-]+|\+{1,2}|[<>=]+|[+\-*/]")


def check_keywords(rules: Iterable[Rule]) -> list[Finding]:
    """Return the findings about keywords: where they stand and how many arguments they have."""
    findings: list[Finding] = []
    roles: set[Sentence] = set()
    for rule in rules:
        findings += _head(rule)
        if relation_of(rule.head) == ("role", 1):
            if rule.head in roles:
                findings.append(_repeated_role(rule.head))
            roles.add(rule.head)
        for sentence, _ in body_sentences(rule.body):
            findings += _arity(sentence)
            if sentence.name in NEVER_BODY:
                message = f"'{sentence.name}' cannot stand in a body: {NEVER_BODY[sentence.name]}"
                findings.append(Finding("error", sentence.position, message, "keyword-in-body"))
        for formula in rule.body:
            findings += _disjunctions(formula)
    return findings


def check_required(rules: Iterable[Rule]) -> list[Finding]:
    """Return a finding for every relation that a game needs and that has no rule, at the start."""
    present = {relation_of(rule.head) for rule in rules}
    return [
        Finding("error", START, f"no '{name}' is defined; add {example}", f"no-{name}")
        for name, example in REQUIRED.items()
        if (name, RELATION_ARITIES[name]) not in present
    ]


def _repeated_role(head: Sentence) -> Finding:
    role = shown(term_text(arguments_of(head)[0]))
    message = f"the role '{role}' is named again; it stays one role: remove this fact"
    return Finding("warning", head.position, message, "repeated-role")


def _head(rule: Rule) -> Iterator[Finding]:
    head = rule.head
    yield from _arity(head)
    if head.name in NEVER_HEAD:
        message = f"'{head.name}' cannot be defined by a fact or rule: {NEVER_HEAD[head.name]}"
        yield Finding("error", head.position, message, "keyword-head")
    if head.name == "role" and rule.body:
        message = "'role' cannot be defined by a rule; write one fact such as (role white) per role"
        yield Finding("error", head.position, message, "role-rule")
    if relation_of(head) == ("goal", 2):
        value = arguments_of(head)[1]
        if isinstance(value, Variable):
            return
        name = value.name
        if isinstance(value, Compound) or not is_goal_value(name):
            message = f"the goal value '{shown(name)}' must be an integer from 0 to 100"
            yield Finding("error", value.position, message, "goal-value")


def _arity(sentence: Sentence) -> Iterator[Finding]:
    name, arity = relation_of(sentence)
    allowed = RELATION_ARITIES.get(name, arity)
    if arity != allowed:
        plural = "" if allowed == 1 else "s"
        message = f"'{name}' takes {allowed} argument{plural}, found {arity}; write {USAGE[name]}"
        yield Finding("error", sentence.position, message, "keyword-arity")


def _disjunctions(formula: Formula, depth: int = 0) -> Iterator[Finding]:
    """Warn of empty and nested ``or``."""
    if isinstance(formula, Not):
        yield from _disjunctions(formula.formula)
    elif isinstance(formula, Or | And):
        if not formula.formulas:
            value = "false" if isinstance(formula, Or) else "true"
            name = "or" if isinstance(formula, Or) else "and"
            message = f"empty '{name}' is always {value}; give it a literal or remove it"
            yield Finding("warning", formula.position, message, f"empty-{name}")
        if isinstance(formula, Or) and depth:
            message = "'or' inside 'or'; write its branches in the outer 'or'"
            yield Finding("warning", formula.position, message, "nested-or")
        for inner in formula.formulas:
            yield from _disjunctions(inner, depth + isinstance(formula, Or))


def check_names(rules: Iterable[Rule]) -> list[Finding]:
    """Return the findings about names: keywords as functions, several arities, odd characters."""
    relations: dict[str, dict[int, Position]] = defaultdict(dict)
    functions: dict[str, dict[int, Position]] = defaultdict(dict)
    findings: list[Finding] = []
    odd: dict[str, Position] = {}
    for rule in rules:
        for sentence in _sentences(rule):
            relations[sentence.name].setdefault(relation_of(sentence)[1], sentence.position)
            odd.setdefault(sentence.name, sentence.position)
        for term in _terms(rule):
            odd.setdefault(term.name, term.position)
            if term.name in RELATION_ARITIES:
                findings.append(_keyword_term(term))
            elif isinstance(term, Compound):
                functions[term.name].setdefault(len(term.arguments), term.position)
    for kind, table in (("relation", relations), ("function", functions)):
        for name, arities in table.items():
            if len(arities) > 1 and name not in KEYWORDS:
                counts = " and ".join(map(str, sorted(arities)))
                message = (
                    f"the {kind} '{shown(name)}' is used with {counts} arguments; these are "
                    f"different {kind}s: give each number of arguments a name of its own"
                )
                position = max(arities.values())
                findings.append(Finding("warning", position, message, f"{kind}-arity"))
    for name in sorted(relations.keys() & functions.keys()):
        message = (
            f"'{shown(name)}' names a relation and a function; they have nothing in common: "
            "choose two names"
        )
        position = next(iter(functions[name].values()))
        findings.append(Finding("warning", position, message, "relation-and-function"))
    for name, position in odd.items():
        plain = name[1:-1] if name.startswith("(") else name
        if not _USUAL.fullmatch(plain):
            message = (
                f"unusual character in the name '{shown(name)}'; use letters, digits, '_' and '-'"
            )
            findings.append(Finding("warning", position, message, "unusual-character"))
    return findings


def check_production(rules: Iterable[Rule]) -> list[Finding]:
    """Return the warnings about relations that are never defined, or never used."""
    defined: dict[str, Position] = {}
    used: dict[str, Position] = {}
    for rule in rules:
        defined.setdefault(rule.head.name, rule.position)
        for sentence, _ in body_sentences(rule.body):
            used.setdefault(sentence.name, sentence.position)
    findings = []
    for name, position in used.items():
        if name not in defined and name not in KEYWORDS:
            message = (
                f"'{shown(name)}' is never defined, so it is always false; define it by a fact or "
                "rule, or look for a misspelling"
            )
            findings.append(Finding("warning", position, message, "never-defined"))
    for name, position in defined.items():
        if name not in used and name not in KEYWORDS:
            message = f"'{shown(name)}' is never used; remove it, or look for a misspelling"
            findings.append(Finding("warning", position, message, "never-used"))
    return findings


def _keyword_term(term: Symbol | Compound) -> Finding:
    if isinstance(term, Compound):
        message = (
            f"the keyword '{term.name}' names a function; it is an ordinary name inside a term: "
            "choose another one"
        )
        return Finding("nonstandard", term.position, message, "keyword-function")
    message = f"the keyword '{term.name}' is used as a constant; choose another name"
    return Finding("warning", term.position, message, "keyword-constant")


def _sentences(rule: Rule) -> Iterator[Sentence]:
    yield rule.head
    for sentence, _ in body_sentences(rule.body):
        yield sentence


def _terms(rule: Rule) -> Iterator[Symbol | Compound]:
    """Yield every constant and function term of a rule."""
    for sentence in _sentences(rule):
        yield from subterms(*arguments_of(sentence))
    for formula in nodes_in(*rule.body):
        if isinstance(formula, Distinct):
            yield from subterms(formula.left, formula.right)
