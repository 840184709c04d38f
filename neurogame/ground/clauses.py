"""Rules as flat clauses: conjunctions of literals and inequalities, without ``or``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import final

from neurogame.errors import GroundingError
from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Rules,
    Sentence,
    Symbol,
    Term,
    Variable,
)

MAX_BRANCHES = 4096
"""Most conjunctions that the disjunctions of one rule may expand to."""


@final
@dataclass(frozen=True, slots=True)
class Literal:
    """An atom with its sign.

    Attributes:
        predicate: relation name with its arity, such as ``cell/3``.
        arguments: its arguments.
        negated: whether it is under ``not``.
    """

    predicate: str
    arguments: tuple[Term, ...]
    negated: bool = False


@final
@dataclass(frozen=True, slots=True)
class Clause:
    """``head <- body, distinct``.

    Attributes:
        head: a positive literal.
        body: literals, positive and negative.
        distinct: pairs of terms that must differ.
        source: index of the rule it comes from.
    """

    head: Literal
    body: tuple[Literal, ...]
    distinct: tuple[tuple[Term, Term], ...]
    source: int


def predicate_of(sentence: Sentence) -> str:
    """Return relation name and arity as one key, such as ``cell/3``."""
    if isinstance(sentence, Compound):
        return f"{sentence.name}/{len(sentence.arguments)}"
    return f"{sentence.name}/0"


def literal_of(sentence: Sentence, negated: bool = False) -> Literal:
    """Return a sentence as a literal."""
    arguments = sentence.arguments if isinstance(sentence, Compound) else ()
    return Literal(predicate_of(sentence), arguments, negated)


def variables_of(terms: Iterable[Term]) -> Iterator[str]:
    """Yield the names of the variables in order, repetitions included."""
    for term in terms:
        if isinstance(term, Variable):
            yield term.name
        elif isinstance(term, Compound):
            yield from variables_of(term.arguments)


def clauses_of(rules: Rules) -> list[Clause]:
    """Return the clauses of a rulesheet; a rule with ``or`` gives one clause per branch.

    Raises:
        GroundingError: if the disjunctions of one rule have too many branches.
    """
    clauses = []
    for index, rule in enumerate(rules):
        for body in _branches(rule, rules.source):
            clauses.append(_clause(rule, body, index))
    return clauses


def _clause(rule: Rule, body: tuple[Formula, ...], source: int) -> Clause:
    literals: list[Literal] = []
    distinct: list[tuple[Term, Term]] = []
    for formula in body:
        if isinstance(formula, Distinct):
            distinct.append((formula.left, formula.right))
        elif isinstance(formula, Not):
            assert isinstance(formula.formula, Symbol | Compound)
            literals.append(literal_of(formula.formula, negated=True))
        else:
            assert isinstance(formula, Symbol | Compound)
            literals.append(literal_of(formula))
    return Clause(literal_of(rule.head), tuple(dict.fromkeys(literals)), tuple(distinct), source)


def bind_variables(clause: Clause, rules: Rules) -> Clause:
    """Return the clause with every variable bound by a positive literal.

    The role of a ``legal`` or ``goal`` head ranges over the roles even where the body does not
    say so, as in ``(<= (goal ?r 0) (not (goal ?r 100)))``.

    Raises:
        GroundingError: if another variable is unbound (the rule is unsafe).
    """
    bound = {v for x in clause.body if not x.negated for v in variables_of(x.arguments)}
    used = [*clause.head.arguments, *(a for x in clause.body for a in x.arguments)]
    used += [term for pair in clause.distinct for term in pair]
    free = [v for v in dict.fromkeys(variables_of(used)) if v not in bound]
    if not free:
        return clause
    role = clause.head.arguments[0] if clause.head.predicate in ("legal/2", "goal/2") else None
    if isinstance(role, Variable) and free == [role.name]:
        body = (Literal("role/1", (role,)), *clause.body)
        return Clause(clause.head, body, clause.distinct, clause.source)
    where = rules.rules[clause.source].position
    raise GroundingError(
        f"{rules.source}:{where.line}:{where.column}: the variable ?{free[0]} is in no positive "
        "literal of the body; add one that says what it ranges over"
    )


def _branches(rule: Rule, source: str) -> list[tuple[Formula, ...]]:
    """Return the disjunctive normal form of a body."""
    choices = [_alternatives(formula, rule, source) for formula in rule.body]
    return [sum(branch, ()) for branch in _limited_product(choices, rule, source)]


def _alternatives(formula: Formula, rule: Rule, source: str) -> list[tuple[Formula, ...]]:
    if isinstance(formula, Or):
        return [b for f in formula.formulas for b in _alternatives(f, rule, source)]
    if isinstance(formula, And):
        choices = [_alternatives(f, rule, source) for f in formula.formulas]
        return [sum(branch, ()) for branch in _limited_product(choices, rule, source)]
    if isinstance(formula, Not) and not isinstance(formula.formula, Symbol | Compound):
        where = f"{source}:{formula.position.line}:{formula.position.column}"
        raise GroundingError(f"{where}: only an atomic sentence can be negated")
    return [(formula,)]


def _limited_product(
    choices: list[list[tuple[Formula, ...]]], rule: Rule, source: str
) -> Iterable[tuple[tuple[Formula, ...], ...]]:
    count = 1
    for branch in choices:
        count *= len(branch)
    if count > MAX_BRANCHES:
        where = f"{source}:{rule.position.line}:{rule.position.column}"
        raise GroundingError(
            f"{where}: the disjunctions of this rule expand to {count:,} conjunctions, at most "
            f"{MAX_BRANCHES:,} are allowed; name a disjunction by a relation of its own"
        )
    return product(*choices)
