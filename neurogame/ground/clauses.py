"""Rules as flat clauses: conjunctions of literals and inequalities, without ``or``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import final

from neurogame.errors import GroundingError
from neurogame.gdl.disjunctions import branches_of
from neurogame.gdl.equality import solve_equalities
from neurogame.gdl.graph import strong_components
from neurogame.gdl.role_heads import with_role
from neurogame.gdl.terms import (
    Compound,
    Distinct,
    Not,
    Rule,
    Rules,
    Sentence,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.walk import arguments_of, substitute, variables_in
from neurogame.ground.limits import Watch

GIVEN = ("true/1", "does/2")
"""The relations that the state and the moves define."""


@final
@dataclass(frozen=True, slots=True)
class Literal:
    """An atom with its sign.

    Attributes:
        predicate: relation name with its arity, such as ``cell/3``.
        arguments: its arguments.
        negated: whether it is under ``not``.
        is_range: whether it only says what its variables range over: it is no part of the rule,
            because it follows from whatever asks for the head.
    """

    predicate: str
    arguments: tuple[Term, ...]
    negated: bool = False
    is_range: bool = False


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

    @property
    def terms(self) -> list[Term]:
        """The arguments of all literals, the head's first."""
        return [a for x in (self.head, *self.body) for a in x.arguments]


def predicate_of(sentence: Sentence) -> str:
    """Return relation name and arity as one key, such as ``cell/3``."""
    if isinstance(sentence, Compound):
        return f"{sentence.name}/{len(sentence.arguments)}"
    return f"{sentence.name}/0"


def literal_of(sentence: Sentence, negated: bool = False) -> Literal:
    """Return a sentence as a literal."""
    return Literal(predicate_of(sentence), arguments_of(sentence), negated)


def variables_of(terms: Iterable[Term]) -> Iterator[str]:
    """Return the names of the variables in order, repetitions included."""
    return (variable.name for variable in variables_in(*terms))


def arity(predicate: str) -> int:
    """Return the number of arguments of a relation by its key, such as ``cell/3``."""
    return int(predicate.rpartition("/")[2])


def by_head(clauses: Iterable[Clause]) -> defaultdict[str, list[Clause]]:
    """Return the clauses of each relation, in the order of their first ones."""
    of: defaultdict[str, list[Clause]] = defaultdict(list)
    for clause in clauses:
        of[clause.head.predicate].append(clause)
    return of


def predicate_strata(clauses: Iterable[Clause]) -> list[list[str]]:
    """Return the predicates' strongly connected components, dependencies first."""
    of = by_head(clauses)
    uses = {head: [x.predicate for clause in of[head] for x in clause.body] for head in of}
    return strong_components(uses, uses)


def with_terms(literal: Literal, solved: Mapping[str, Term]) -> Literal:
    """Return a literal with its variables replaced by the terms that are given for them."""
    arguments = tuple([substitute(a, solved) for a in literal.arguments])
    return Literal(literal.predicate, arguments, literal.negated, literal.is_range)


def apart(clause: Clause, mark: str) -> Clause:
    """Return a clause with a mark at the end of the name of each variable."""
    names = variables_of([*clause.terms, *chain.from_iterable(clause.distinct)])
    return _solved(clause, {name: Variable(name + mark) for name in names})


def clauses_of(rules: Rules, watch: Watch | None = None) -> list[Clause]:
    """Return the clauses of a rulesheet; a rule with ``or`` gives one clause per branch.

    The role of a ``legal`` or ``goal`` head ranges over the roles where the body does not say so.
    Rules for ``true`` and ``does`` are left out: the state and the moves say what holds of them.

    Args:
        rules: the rulesheet.
        watch: limits, or None.

    Raises:
        GroundingError: if the disjunctions of one rule have too many branches.
        LimitError: if a limit is reached.
    """
    clauses = []
    for index, rule in enumerate(rules):
        if predicate_of(rule.head) in GIVEN:
            continue
        if watch is not None:
            watch.check("reading the rules")
        for body in branches_of(rule, rules.source, GroundingError):
            clause = _clause(with_role(Rule(rule.head, tuple(body))), index)
            if clause is not None:
                clauses.append(clause)
    return clauses


def _clause(rule: Rule, source: int) -> Clause | None:
    """Return the clause of a rule without ``or``, None if an equality in it cannot hold."""
    literals: list[Literal] = []
    distinct: list[tuple[Term, Term]] = []
    equal: list[tuple[Term, Term]] = []
    for formula in rule.body:
        negated = isinstance(formula, Not)
        inner = formula.formula if isinstance(formula, Not) else formula
        if isinstance(inner, Distinct):
            (equal if negated else distinct).append((inner.left, inner.right))
        else:
            assert isinstance(inner, Symbol | Compound)
            literals.append(literal_of(inner, negated))
    clause = Clause(literal_of(rule.head), tuple(dict.fromkeys(literals)), tuple(distinct), source)
    return with_equalities(clause, equal) if equal else clause


def with_equalities(clause: Clause, equal: Iterable[tuple[Term, Term]]) -> Clause | None:
    """Return a clause in which some terms are equal; None if they cannot be."""
    solved = solve_equalities(equal)
    return None if solved is None else _solved(clause, solved)


def _solved(clause: Clause, solved: Mapping[str, Term]) -> Clause:
    """Return a clause with its variables replaced by the terms that are given for them."""
    return Clause(
        with_terms(clause.head, solved),
        tuple(dict.fromkeys(with_terms(x, solved) for x in clause.body)),
        tuple((substitute(a, solved), substitute(b, solved)) for a, b in clause.distinct),
        clause.source,
    )


def require_bound(clauses: Iterable[Clause], rules: Rules) -> None:
    """Refuse clauses with a variable that no positive literal binds.

    Raises:
        GroundingError: there is one (its rule is unsafe).
    """
    for clause in clauses:
        bound = {v for x in clause.body if not x.negated for v in variables_of(x.arguments)}
        used = variables_of([*clause.terms, *chain.from_iterable(clause.distinct)])
        for variable in used:
            if variable not in bound:
                where = rules.rules[clause.source].position
                raise GroundingError(
                    f"{rules.source}:{where.line}:{where.column}: the variable ?{variable} is in "
                    "no positive literal of the body; add one that says what it ranges over"
                )
