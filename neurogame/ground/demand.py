"""Goal-directed derivation: relations of which only what is asked for is ever derived.

An auxiliary relation may have far more atoms than any state asks for: "exactly one of these nine
cells is marked" has ten arguments, sums have three, lists have no end. Wherever such a relation is
used some of its arguments are known by then: that is a *binding pattern* of it. For each pattern a
*demand relation* collects the values that are asked about, and a copy of every clause of the
relation begins with it::

    total(z) <- first(x), second(y), plus(x, y, z)       !plus(x, y) <- first(x), second(y)
    plus(x, y, z) <- succ(v, y), plus(x, v, w), ...       !plus(x, v) <- !plus(x, y), succ(v, y)
                                                 plus(x, y, z) <- !plus(x, y), succ(v, y), ...

*Reference:* Bancilhon, Maier, Sagiv and Ullman, "Magic sets and other strange ways to implement
logic programs" (1986); Beeri and Ramakrishnan, "On the power of magic" (1991).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, final

from neurogame.gdl.equality import solve_equalities
from neurogame.gdl.terms import Term
from neurogame.gdl.walk import substitute
from neurogame.ground.clauses import (
    Clause,
    Literal,
    apart,
    by_head,
    predicate_strata,
    variables_of,
    with_terms,
)

DEMAND = "!"
"""Before a predicate: a relation of what is asked of it."""

MOST_PATTERNS = 4
"""Most binding patterns of a relation; of more, only what they have in common counts."""

NARROWED = 4
"""Most clauses of a relation whose inequalities narrow what is asked of it."""

Pattern: TypeAlias = tuple[int, ...]
"""The arguments of a relation that are known where it is used: their places, ascending."""

Patterns: TypeAlias = Mapping[str, tuple[Pattern, ...]]
"""The binding patterns of each relation that is derived on demand."""


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

    @property
    def pattern(self) -> Pattern:
        """The arguments that are known."""
        arguments = enumerate(self.literal.arguments)
        return tuple(place for place, a in arguments if self.known.issuperset(variables_of((a,))))


def binding_patterns(
    clauses: Sequence[Clause],
    candidates: Collection[str],
    asked: Collection[str],
    dynamic: Collection[str],
) -> dict[str, tuple[Pattern, ...]]:
    """Return how relations are used; those of which somewhere nothing is known are left out.

    Args:
        clauses: all clauses that use the candidates.
        candidates: relations that may be derived on demand.
        asked: relations that only occur under ``not``, where all arguments are known.
        dynamic: relations that depend on the state.
    """
    wanted = set(candidates)
    while True:
        patterns = _Bindings(_Usage(clauses, {*wanted, *asked}, dynamic)).patterns
        nothing = {p for p in wanted if () in patterns.get(p, [()])}
        if not nothing:
            return {p: tuple(patterns[p]) for p in sorted(patterns)}
        # What is derived as a whole makes more known elsewhere.
        wanted -= nothing


def on_demand(clauses: Iterable[Clause], patterns: Patterns) -> list[Clause]:
    """Return clauses that derive only what is asked for.

    Args:
        clauses: clauses of any relations.
        patterns: of the relations that are derived on demand.
    """
    return [
        clause
        if pattern is None
        else replace(clause, body=(_demand(clause.head, pattern), *clause.body))
        for clause in clauses
        for pattern in patterns.get(clause.head.predicate, (None,))
    ]


def demand_clauses(
    clauses: Sequence[Clause],
    patterns: Patterns,
    known: Collection[str],
    dynamic: Collection[str],
) -> list[Clause]:
    """Return the clauses that derive what is asked for.

    Negated literals are left out of them: more may be asked for than is needed, never less.

    Args:
        clauses: all clauses that use the relations, and all clauses of them.
        patterns: of the relations that are derived on demand.
        known: relations that are derived as a whole before all this.
        dynamic: relations that depend on the state.
    """
    usage = _Usage(clauses, patterns, dynamic)
    demands = {}
    for clause in clauses:
        for pattern in patterns.get(clause.head.predicate, (None,)):
            for site in usage.sites(clause, pattern):
                demand = _demand_clause(clause, site, patterns)
                narrowed = _narrowed(
                    demand, site, usage.of[site.literal.predicate], patterns, known
                )
                demands.update({replace(x, source=0): x for x in narrowed if x.head not in x.body})
    return list(demands.values())


@final
class _Bindings:
    """Finds the binding patterns of relations, from those who use them downwards.

    Attributes:
        patterns: those found by now.
    """

    def __init__(self, usage: _Usage) -> None:
        self.patterns: dict[str, list[Pattern]] = {}
        self._usage = usage
        self._merged: set[str] = set()
        self._todo: list[tuple[Clause, Pattern | None]] = [
            (clause, None)
            for head, clauses in usage.of.items()
            if head not in usage.relations
            for clause in clauses
        ]
        while self._todo:
            for site in self._usage.sites(*self._todo.pop()):
                self._add(site.literal.predicate, site.pattern)

    def _add(self, predicate: str, pattern: Pattern) -> None:
        """Note that a relation is used so."""
        patterns = self.patterns.setdefault(predicate, [])
        if predicate in self._merged:
            pattern = _common([*patterns, pattern])
        if pattern in patterns:
            return
        patterns.append(pattern)
        if predicate in self._merged or len(patterns) > MOST_PATTERNS:
            self._merged.add(predicate)
            patterns[:] = [pattern := _common(patterns)]
        self._todo += [(clause, pattern) for clause in self._usage.of[predicate]]


def _common(patterns: Sequence[Pattern]) -> Pattern:
    """Return the places that several patterns have in common."""
    return tuple(sorted(set(patterns[0]).intersection(*patterns)))


@final
class _Usage:
    """Where clauses use relations that are derived on demand.

    Attributes:
        of: the clauses of each relation.
        relations: those that are derived on demand.
    """

    def __init__(
        self, clauses: Sequence[Clause], relations: Collection[str], dynamic: Collection[str]
    ) -> None:
        self.of = by_head(clauses)
        self._component = {
            p: number for number, members in enumerate(predicate_strata(clauses)) for p in members
        }
        self.relations, self._dynamic = relations, dynamic

    def sites(self, clause: Clause, pattern: Pattern | None) -> Iterator[_Site]:
        """Yield where a body uses the relations, each with what is known by then.

        What is derived as a whole comes first, then what depends on the state, of which there is
        never much, then the relation whose arguments are known best, and so on. But a recursion
        that asks as precisely as it was asked needs no more than what leads on from there.

        Args:
            clause: the clause.
            pattern: what is known of its head; None if its head is derived as a whole.
        """
        waiting = [x for x in clause.body if not x.negated and x.predicate in self.relations]
        negated = [x for x in clause.body if x.negated and x.predicate in self.relations]
        if not waiting and not negated:
            return
        before = [] if pattern is None else [_demand(clause.head, pattern)]
        known = {v for x in before for v in variables_of(x.arguments)}
        whole = [x for x in clause.body if not x.negated and x.predicate not in self.relations]
        while waiting:
            _take(whole, before, known)
            place, site = self._best(waiting, before, known)
            if whole and not self._is_precise(site, clause.head.predicate, pattern):
                _take(whole, before, known, all_of_them=True)
                continue
            yield site
            before.append(waiting.pop(place))
            known.update(variables_of(site.literal.arguments))
        _take(whole, before, known, all_of_them=True)
        for literal in negated:
            yield _Site(literal, frozenset(known), tuple(before))

    def _best(
        self, waiting: Sequence[Literal], before: Sequence[Literal], known: Collection[str]
    ) -> tuple[int, _Site]:
        """Return the place of the literal that comes next, and what is known of it."""
        sites = [_Site(x, frozenset(known), tuple(before)) for x in waiting]
        lacking = [len(site.literal.arguments) - len(site.pattern) for site in sites]
        keys = [
            (missing > 0, site.literal.predicate not in self._dynamic, missing, place)
            for place, (site, missing) in enumerate(zip(sites, lacking, strict=True))
        ]
        place = min(keys)[-1]
        return place, sites[place]

    def _is_precise(self, site: _Site, head: str, pattern: Pattern | None) -> bool:
        """Return whether a site is part of a recursion that asks as precisely as it was asked."""
        if pattern is None or self._component.get(site.literal.predicate) != self._component.get(
            head
        ):
            return False
        return len(site.pattern) >= len(pattern)


def _take(
    waiting: list[Literal], before: list[Literal], known: set[str], *, all_of_them: bool = False
) -> None:
    """Move literals to those that come before: those that share variables with them, or all."""
    changed = True
    while changed:
        changed = False
        for literal in list(waiting):
            names = set(variables_of(literal.arguments))
            if all_of_them or names & known:
                waiting.remove(literal)
                before.append(literal)
                known |= names
                changed = True


def _demand(literal: Literal, pattern: Pattern) -> Literal:
    """Return what a literal asks for."""
    places = ",".join(map(str, pattern))
    name = f"{DEMAND}{literal.predicate}:{places}/{len(pattern)}"
    return Literal(name, tuple(literal.arguments[place] for place in pattern))


def _served(site: _Site, patterns: Patterns) -> Pattern:
    """Return the pattern by which a site asks: of those that fit, the one that says most."""
    fitting = [p for p in patterns[site.literal.predicate] if set(p) <= set(site.pattern)]
    return max(fitting, key=len)


def _demand_clause(clause: Clause, site: _Site, patterns: Patterns) -> Clause:
    """Return the clause that derives what is asked for at one site of a clause."""
    head = _demand(site.literal, _served(site, patterns))
    body = _connected(head, site.before)
    known = {v for x in body for v in variables_of(x.arguments)}
    distinct = tuple(p for p in clause.distinct if known.issuperset(variables_of(p)))
    return Clause(head, body, distinct, clause.source)


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
    return tuple(x for x, is_chosen in zip(body, chosen, strict=True) if is_chosen)


def _narrowed(
    demand: Clause,
    site: _Site,
    clauses: Sequence[Clause],
    patterns: Patterns,
    known: Collection[str],
) -> list[Clause]:
    """Return clauses that ask only for what some clause of the relation might derive.

    "All different" is asked of few of all combinations, if its inequalities are known in time.

    Args:
        demand: asks for it all.
        site: what it asks for.
        clauses: of the relation that is asked.
        patterns: of the relations that are derived on demand.
        known: relations that are derived as a whole before.
    """
    if not 0 < len(clauses) <= NARROWED:
        return [demand]
    narrowed = []
    for clause in clauses:
        renamed = apart(clause, "'")
        asked = _demand(renamed.head, _served(site, patterns))
        solved = solve_equalities(zip(asked.arguments, demand.head.arguments, strict=True))
        if solved is None:
            continue
        inside = frozenset(variables_of(asked.arguments))
        pairs = [p for p in renamed.distinct if inside.issuperset(variables_of(p))]
        if not pairs:
            return [demand]
        certain = [x for x in renamed.body if not x.negated and x.predicate in known]
        more = [x for x in certain if inside.issuperset(variables_of(x.arguments))]
        body = tuple(with_terms(x, solved) for x in (*demand.body, *more))
        distinct = tuple(
            (substitute(a, solved), substitute(b, solved)) for a, b in (*demand.distinct, *pairs)
        )
        if not _is_safe(body, distinct):
            return [demand]
        narrowed.append(Clause(with_terms(demand.head, solved), body, distinct, demand.source))
    return narrowed


def _is_safe(body: Iterable[Literal], distinct: Iterable[tuple[Term, Term]]) -> bool:
    """Return whether the body binds the variables of the inequalities."""
    bound = {v for x in body for v in variables_of(x.arguments)}
    return all(bound.issuperset(variables_of(pair)) for pair in distinct)
