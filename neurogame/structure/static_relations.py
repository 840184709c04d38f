"""The pairs of constants that static relations join: facts, and what rules derive from facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np

from neurogame.errors import LimitError
from neurogame.gdl.keywords import KEYWORDS
from neurogame.gdl.terms import Rules, Term, Variable
from neurogame.ground.clause_parts import dynamic_predicates, needed_for
from neurogame.ground.clauses import Clause, Literal, clauses_of, require_bound, variables_of
from neurogame.ground.derive import derive
from neurogame.ground.limits import GroundLimits, Watch
from neurogame.ground.pool import TermPool
from neurogame.ground.relation import Database
from neurogame.ground.split import split_clauses

_LIMITS = GroundLimits(rules=500_000)

Pattern: TypeAlias = tuple[Term | None, ...]


@final
@dataclass(frozen=True)
class StaticPairs:
    """Pairs joined by a relation that is the same in every state.

    Attributes:
        name: the relation, folded.
        pattern: its arguments: constants, folded, and None at the two that are open. A relation
            of more than two arguments counts wherever a rule writes constants for all but two.
        pairs: the values of the open arguments, folded; sorted.
    """

    name: str
    pattern: tuple[str | None, ...]
    pairs: tuple[tuple[str, str], ...]


@final
@dataclass(frozen=True)
class StaticRelations:
    """What does not change in a game.

    Attributes:
        joins: pairs by relation and pattern, in source order.
        domains: relations of one argument that never change, ``name/1``: they say what kind of
            thing something is.
    """

    joins: tuple[StaticPairs, ...]
    domains: frozenset[str]


def find_static_relations(rules: Rules) -> StaticRelations:
    """Return what never changes; of too large a rulesheet, what stands there as facts.

    Args:
        rules: a valid rulesheet.
    """
    watch = Watch(_LIMITS)
    try:
        clauses = clauses_of(rules, watch)
        require_bound(clauses, rules)
    except LimitError:
        return StaticRelations((), frozenset())
    static = {c.head.predicate for c in clauses} - dynamic_predicates(clauses)
    domains = frozenset(name for name in static if name.endswith("/1"))
    wanted = _wanted(clauses, static)
    try:
        joins = _joins(needed_for(clauses, wanted), wanted, rules.source)
    except LimitError:
        derived = {c.head.predicate for c in clauses if c.body or c.distinct}
        facts = {name: patterns for name, patterns in wanted.items() if name not in derived}
        joins = _joins([c for c in clauses if c.head.predicate in facts], facts, rules.source)
    return StaticRelations(joins, domains)


def _wanted(clauses: Sequence[Clause], static: set[str]) -> dict[str, list[Pattern]]:
    """Return the patterns of static relations to look at, in source order."""
    by_name: dict[str, dict[Pattern, None]] = {}
    for clause in clauses:
        for literal in (clause.head, *clause.body):
            name, arity = literal.predicate, len(literal.arguments)
            if name not in static or name.rpartition("/")[0] in KEYWORDS or arity < 2:
                continue
            if arity == 2:
                by_name.setdefault(name, {})[(None, None)] = None
            elif literal is not clause.head and _is_slice(literal):
                pattern = tuple(None if isinstance(a, Variable) else a for a in literal.arguments)
                by_name.setdefault(name, {})[pattern] = None
    return {name: list(patterns) for name, patterns in by_name.items()}


def _is_slice(literal: Literal) -> bool:
    """Return whether all arguments but two different variables are constants."""
    names = list(variables_of(literal.arguments))
    open_ = sum(isinstance(argument, Variable) for argument in literal.arguments)
    return len(names) == open_ == len(set(names)) == 2


def _joins(
    clauses: Sequence[Clause], wanted: Mapping[str, list[Pattern]], source: str
) -> tuple[StaticPairs, ...]:
    """Derive relations and return the pairs of each pattern."""
    watch = Watch(_LIMITS)
    pool = TermPool(_LIMITS.depth)
    database = Database(pool)
    derive(split_clauses(list(clauses), watch), database, watch, source)
    matches = []
    for name, patterns in wanted.items():
        rows = database.relation(name).rows.rows
        for pattern in patterns:
            fixed = [(i, pool.ground_term(a)) for i, a in enumerate(pattern) if a is not None]
            chosen = np.ones(len(rows), np.bool_)
            for place, term in fixed:
                chosen &= rows[:, place] == term
            matches.append((name, pattern, dict(fixed), rows[chosen]))
    table = pool.table({})
    joins = []
    for name, pattern, constants, rows in matches:
        open_ = [i for i, part in enumerate(pattern) if part is None]
        pairs = sorted((table.text(a), table.text(b)) for a, b in rows[:, open_].tolist())
        texts = tuple(
            table.text(constants[i]) if i in constants else None for i in range(len(pattern))
        )
        joins.append(StaticPairs(name.rpartition("/")[0], texts, tuple(pairs)))
    return tuple(joins)
