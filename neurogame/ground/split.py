"""Body splitting: long joins are cut into short ones through auxiliary relations.

A variable that occurs in only some literals of a body is projected out as early as possible:
those literals move into an auxiliary relation (named ``*rule.k``) over their other variables. A
negated literal whose other variables are bound elsewhere takes copies along of what binds them.
This is bucket elimination; it keeps the number of ground instances near the size of the
largest sub-join, and it factors the circuit. Auxiliary relations that are equal up to the names
of their variables are made once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import final

from neurogame.gdl.terms import Term, Variable
from neurogame.gdl.walk import substitute
from neurogame.ground.clauses import Clause, Literal, variables_of, with_terms
from neurogame.ground.limits import GroundLimits, Watch

MIN_ARITY = 4
"""An auxiliary relation may always have this many arguments, more only if a literal has more."""

WIDE = 7
"""Variables of a rule from which ranges are copied, so that negated literals can be moved."""


def split_clauses(
    clauses: list[Clause], watch: Watch | None = None, dynamic: Collection[str] = ()
) -> list[Clause]:
    """Return equivalent clauses with short bodies; auxiliary clauses come before their use.

    Args:
        clauses: clauses without unbound variables.
        watch: limits, or None.
        dynamic: relations that depend on the state; negated literals with variables of other
            parts of a rule stay where they are unless these are given.

    Raises:
        LimitError: if a limit is reached.
    """
    splitter = _Splitter(watch or Watch(GroundLimits()), set(dynamic))
    result: list[Clause] = []
    for clause in clauses:
        rest = splitter.split(clause)
        result.extend(splitter.take_new())
        result.append(rest)
    return result


@final
@dataclass(slots=True)
class _Bucket:
    """The literals that move into one auxiliary relation, and what stays visible of them."""

    literals: list[Literal]
    distinct: list[tuple[Term, Term]]
    kept: list[str]


@final
@dataclass
class _Splitter:
    watch: Watch
    dynamic: set[str]
    made: dict[object, str] = field(default_factory=dict)
    new: list[Clause] = field(default_factory=list)
    counters: dict[int, int] = field(default_factory=dict)

    def take_new(self) -> list[Clause]:
        """Return the auxiliary clauses made since the last call."""
        taken, self.new = self.new, []
        return taken

    def split(self, clause: Clause) -> Clause:
        """Project out variables one bucket at a time until none is worth it."""
        widest = max((len(set(variables_of(x.arguments))) for x in clause.body), default=0)
        while True:
            bucket = _best_bucket(clause, max(MIN_ARITY, widest), self.watch, self.dynamic)
            if bucket is None:
                return clause
            auxiliary = self._auxiliary(bucket, clause.source)
            body = (x for x in clause.body if x not in bucket.literals)
            clause = Clause(
                clause.head,
                tuple(dict.fromkeys((auxiliary, *body))),
                tuple(p for p in clause.distinct if p not in bucket.distinct),
                clause.source,
            )

    def _auxiliary(self, bucket: _Bucket, source: int) -> Literal:
        body, order = _canonical(bucket)
        name = self.made.get(body)
        if name is None:
            number = self.counters.get(source, 0) + 1
            self.counters[source] = number
            name = f"*{source}.{number}/{len(order)}"
            self.made[body] = name
            if any(x.predicate in self.dynamic for x in bucket.literals):
                self.dynamic.add(name)
            head = Literal(name, tuple(Variable(f"v{i}") for i in range(len(order))))
            self.new.append(Clause(head, body[0], body[1], source))
        return Literal(name, tuple(Variable(v) for v in order))


def _canonical(
    bucket: _Bucket,
) -> tuple[tuple[tuple[Literal, ...], tuple[tuple[Term, Term], ...]], list[str]]:
    """Rename the variables by order of occurrence; return the body and the kept variables."""
    kept = set(bucket.kept)
    seen: list[str] = []
    for literal in bucket.literals:
        for variable in variables_of(literal.arguments):
            if variable not in seen:
                seen.append(variable)
    order = [v for v in seen if v in kept]
    names: dict[str, Term] = {v: Variable(f"v{i}") for i, v in enumerate(order)}
    others = enumerate(v for v in seen if v not in kept)
    names |= {v: Variable(f"w{i}") for i, v in others}
    literals = tuple(with_terms(literal, names) for literal in bucket.literals)
    distinct = tuple((substitute(a, names), substitute(b, names)) for a, b in bucket.distinct)
    return (literals, distinct), order


def _best_bucket(
    clause: Clause, max_arity: int, watch: Watch, dynamic: Collection[str]
) -> _Bucket | None:
    """Return the bucket with the smallest auxiliary relation, or None if none is worth it."""
    positive = [x for x in clause.body if not x.negated]
    if len(positive) < 2:
        return None
    head = set(variables_of(clause.head.arguments))
    candidates = dict.fromkeys(
        v for x in positive for v in variables_of(x.arguments) if v not in head
    )
    best: tuple[tuple[int, int], _Bucket] | None = None
    for variable in candidates:
        watch.check("splitting a rule into shorter ones")
        bucket = _bucket(clause, variable, head, dynamic)
        if bucket is None or len(bucket.kept) > max_arity:
            continue
        cost = (len(bucket.kept), len(bucket.literals))
        if best is None or cost < best[0]:
            best = (cost, bucket)
    return best[1] if best else None


def _bucket(
    clause: Clause, variable: str, head: set[str], dynamic: Collection[str]
) -> _Bucket | None:
    """Return the bucket that eliminates a variable, or None if it would be the whole body."""
    used = {x: set(variables_of(x.arguments)) for x in clause.body}
    pairs = {p: set(variables_of(p)) for p in clause.distinct}
    literals = [x for x in clause.body if variable in used[x]]
    distinct = [p for p in clause.distinct if variable in pairs[p]]
    bound = {v for x in literals if not x.negated for v in used[x]}
    inside = set().union(*(used[x] for x in literals), *(pairs[p] for p in distinct))
    rest = [x for x in clause.body if x not in literals]
    if not rest:
        return None
    if not inside <= bound:
        names = {v for variables in used.values() for v in variables}
        if len(names) < WIDE or not any(x.predicate in dynamic for x in literals):
            return None
        ranges = _ranges(inside - bound, inside, [x for x in rest if not x.negated])
        bound |= inside
        literals = [*literals, *ranges]
    rest_pairs = [p for p in clause.distinct if p not in distinct]
    outside = head.union(*(used[x] for x in rest), *(pairs[p] for p in rest_pairs))
    return _Bucket(literals, distinct, sorted(bound & outside))


def _ranges(
    missing: Collection[str], inside: Collection[str], body: Sequence[Literal]
) -> list[Literal]:
    """Return literals that say what some variables range over, as narrow as there are.

    Args:
        missing: the variables.
        inside: these and others that keep their names; all others are no concern.
        body: positive literals, in which all of them occur.
    """
    left = set(missing)
    ranges: list[Literal] = []
    while left:
        used = {x: set(variables_of(x.arguments)) for x in body}
        best = min(body, key=lambda x: (-len(used[x] & left), len(used[x])))
        others = {v: Variable(f"{v}*{len(ranges)}") for v in used[best] if v not in inside}
        ranges.append(replace(with_terms(best, others), is_range=True))
        left -= used[best]
    return ranges
