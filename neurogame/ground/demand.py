"""Goal-directed derivation: relations of which only what is asked for is ever derived.

An auxiliary relation may have far more atoms than any state asks for: "exactly one of these nine
cells is marked" has ten arguments, sums have three, lists have no end. Wherever such a relation is
used some of its arguments are known by then: its *binding pattern*. A *demand relation* collects
the values with which these arguments are asked for, and every clause of the relation begins with
it::

    first(n) <- row(a, b, c), only(n, a, b, c)         ?only(a, b, c) <- row(a, b, c)
    only(1, a, b, c) <- mark(a), ...             only(1, a, b, c) <- ?only(a, b, c), mark(a), ...

*Reference:* Bancilhon, Maier, Sagiv and Ullman, "Magic sets and other strange ways to implement
logic programs" (1986); Beeri and Ramakrishnan, "On the power of magic" (1991).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, final

from neurogame.gdl.terms import Term
from neurogame.ground.clauses import Clause, Literal, apart, arity, variables_of, with_terms
from neurogame.ground.equality import solve_equalities, substitute

DEMAND = "!"
"""Before a predicate: the relation of what is asked of it."""

NARROWED = 4
"""Most clauses of a relation whose inequalities narrow what is asked of it."""

Pattern: TypeAlias = tuple[int, ...]
"""The arguments of a relation that are known wherever it is used: their places, ascending."""


@final
@dataclass(frozen=True)
class _Site:
    """A place where a relation is used.

    Attributes:
        literal: how it is used.
        known: names of the variables that are known by then.
        before: the literals that make them known.
    """

    literal: Literal
    known: frozenset[str]
    before: tuple[Literal, ...]

    def bound(self) -> set[int]:
        """Return the places of the arguments that are known."""
        arguments = enumerate(self.literal.arguments)
        return {place for place, a in arguments if self.known.issuperset(variables_of((a,)))}


def binding_patterns(
    clauses: Sequence[Clause], candidates: Collection[str], asked: Collection[str]
) -> dict[str, Pattern]:
    """Return what is known wherever a relation is used; relations with nothing known are left out.

    Args:
        clauses: all clauses that use the candidates.
        candidates: relations that may be derived on demand.
        asked: relations that only occur under ``not``, where all arguments are known.
    """
    wanted = set(candidates)
    while True:
        patterns = {p: frozenset(range(arity(p))) for p in [*sorted(wanted), *asked]}
        changed = True
        while changed:
            changed = False
            for clause in clauses:
                for site in _sites(clause, {p: tuple(sorted(own)) for p, own in patterns.items()}):
                    own = patterns[site.literal.predicate]
                    left = own & site.bound()
                    changed |= left != own
                    patterns[site.literal.predicate] = left
        nothing = {p for p in wanted if not patterns[p]}
        if not nothing:
            return {p: tuple(sorted(own)) for p, own in patterns.items()}
        # What is derived as a whole makes more known elsewhere.
        wanted -= nothing


def on_demand(clauses: Iterable[Clause], patterns: Mapping[str, Pattern]) -> list[Clause]:
    """Return clauses that derive only what is asked for.

    Args:
        clauses: clauses of any relations.
        patterns: of the relations that are derived on demand.
    """
    return [
        replace(c, body=(_demand(c.head, patterns), *c.body)) if c.head.predicate in patterns else c
        for c in clauses
    ]


def demand_clauses(
    clauses: Sequence[Clause], patterns: Mapping[str, Pattern], known: Collection[str]
) -> list[Clause]:
    """Return the clauses that derive what is asked for.

    Negated literals are left out of them: more may be asked for than is needed, never less.

    Args:
        clauses: all clauses that use the relations, and all clauses of them.
        patterns: of the relations that are derived on demand.
        known: relations that are derived as a whole before all this.
    """
    of: dict[str, list[Clause]] = defaultdict(list)
    for clause in clauses:
        of[clause.head.predicate].append(clause)
    found = {}
    for clause in clauses:
        for site in _sites(clause, patterns):
            head = _demand(site.literal, patterns)
            own = Clause(head, _connected(head, site.before), (), clause.source)
            own = replace(own, distinct=_bound_pairs(clause.distinct, own.body))
            for narrowed in _narrowed(own, of[site.literal.predicate], patterns, known):
                if narrowed.head not in narrowed.body:
                    found[replace(narrowed, source=0)] = narrowed
    return list(found.values())


def _demand(literal: Literal, patterns: Mapping[str, Pattern]) -> Literal:
    """Return what a literal asks for."""
    pattern = patterns[literal.predicate]
    name = f"{DEMAND}{literal.predicate}/{len(pattern)}"
    return Literal(name, tuple(literal.arguments[place] for place in pattern))


def _sites(clause: Clause, patterns: Mapping[str, Pattern]) -> Iterator[_Site]:
    """Yield where a body uses relations that are derived on demand, each with what is known then.

    All that is derived as a whole comes first, then those whose arguments are known best.
    """
    if not any(x.predicate in patterns for x in clause.body):
        return
    before = []
    if clause.head.predicate in patterns:
        before.append(_demand(clause.head, patterns))
    positive = [x for x in clause.body if not x.negated]
    before += [x for x in positive if x.predicate not in patterns]
    waiting = [x for x in positive if x.predicate in patterns]
    known = {v for x in before for v in variables_of(x.arguments)}
    while waiting:
        sites = [_Site(x, frozenset(known), tuple(before)) for x in waiting]
        lacking = [len(set(patterns[site.literal.predicate]) - site.bound()) for site in sites]
        best = lacking.index(min(lacking))
        yield sites[best]
        chosen = waiting.pop(best)
        before.append(chosen)
        known.update(variables_of(chosen.arguments))
    for literal in clause.body:
        if literal.negated and literal.predicate in patterns:
            yield _Site(literal, frozenset(known), tuple(before))


def _connected(head: Literal, body: Sequence[Literal]) -> tuple[Literal, ...]:
    """Return the literals that share variables with the head, directly or through others."""
    reached = set(variables_of(head.arguments))
    used = [set(variables_of(x.arguments)) for x in body]
    chosen = [False] * len(body)
    changed = True
    while changed:
        changed = False
        for place, names in enumerate(used):
            if not chosen[place] and names & reached:
                chosen[place] = changed = True
                reached |= names
    return tuple(x for x, own in zip(body, chosen, strict=True) if own)


def _bound_pairs(
    pairs: Iterable[tuple[Term, Term]], body: Sequence[Literal]
) -> tuple[tuple[Term, Term], ...]:
    """Return the inequalities all of whose variables are in the body."""
    known = {v for x in body for v in variables_of(x.arguments)}
    return tuple(pair for pair in pairs if known.issuperset(variables_of(pair)))


def _narrowed(
    demand: Clause,
    clauses: Sequence[Clause],
    patterns: Mapping[str, Pattern],
    known: Collection[str],
) -> list[Clause]:
    """Return clauses that ask only for what some clause of the relation might derive.

    "All different" is asked of few of all combinations, if its inequalities are known in time.

    Args:
        demand: asks for it all.
        clauses: of the relation that is asked.
        patterns: of the relations that are derived on demand.
        known: relations that are derived as a whole before.
    """
    if not 0 < len(clauses) <= NARROWED:
        return [demand]
    found = []
    for clause in clauses:
        own = apart(clause, "'")
        asked = _demand(own.head, patterns)
        solved = solve_equalities(zip(asked.arguments, demand.head.arguments, strict=True))
        if solved is None:
            continue
        inside = frozenset(variables_of(asked.arguments))
        pairs = [p for p in own.distinct if inside.issuperset(variables_of(p))]
        if not pairs:
            return [demand]
        more = [
            x
            for x in own.body
            if not x.negated
            and x.predicate in known
            and inside.issuperset(variables_of(x.arguments))
        ]
        body = tuple(with_terms(x, solved) for x in (*demand.body, *more))
        distinct = tuple(
            (substitute(a, solved), substitute(b, solved)) for a, b in (*demand.distinct, *pairs)
        )
        if not {v for p in distinct for v in variables_of(p)} <= {
            v for x in body if not x.negated for v in variables_of(x.arguments)
        }:
            return [demand]
        found.append(Clause(with_terms(demand.head, solved), body, distinct, demand.source))
    return found
