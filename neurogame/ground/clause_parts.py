"""Which relations are static, which depend on the state, and which are derived on demand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import final

from neurogame.gdl.graph import reachable
from neurogame.ground.clauses import (
    Clause,
    Literal,
    by_head,
    predicate_strata,
    variables_of,
)
from neurogame.ground.demand import (
    Patterns,
    binding_patterns,
    demand_clauses,
    on_demand,
)

OUTPUTS = ("legal/2", "next/1", "terminal/0", "goal/2")
"""The relations that a ground program computes."""

_GIVEN = ("true/1", "does/2")
_FIXED = ("role/1", "init/1")


@final
class ClauseParts:
    """The clauses of a rulesheet, by when they are evaluated.

    Attributes:
        clauses: all of them.
        patterns: of the relations that are derived on demand.
        dynamic: the predicates that may differ between states.
        late: static predicates that cannot be derived before it is known what is asked for.
    """

    def __init__(self, clauses: Sequence[Clause], patterns: Patterns) -> None:
        """Sort the clauses.

        Args:
            clauses: all clauses that the outputs depend on.
            patterns: of the relations that are derived on demand.
        """
        self.clauses, self.patterns = clauses, patterns
        self.dynamic = self._dependent = dynamic_predicates(clauses)
        self.late: set[str] = set()
        also: set[str] = set()
        while patterns:
            self.late = _users(clauses, set(patterns) - self.dynamic) - self.dynamic
            # What is asked of a relation is known at the end only; so is what does not hold.
            unsure = {
                c.head.predicate
                for c in clauses
                if c.head.predicate in self.late
                and any(x.negated and x.predicate in self.late for x in c.body)
            }
            if not unsure:
                break
            also |= unsure
            self.dynamic = dynamic_predicates(clauses, also)

    def on_demand(self, small: Collection[str]) -> ClauseParts:
        """Return the same clauses with all relations on demand that can be.

        Args:
            small: relations that shall stay whole.
        """
        heads = {c.head.predicate for c in self.clauses}
        fixed = used_by(self.clauses, _FIXED)
        candidates = heads - {*OUTPUTS, *_GIVEN, *_FIXED} - fixed - set(small) - self.denied
        using = [c for c in self.clauses if c.head.predicate not in fixed]
        patterns = binding_patterns(using, candidates, self.denied, self._dependent)
        return ClauseParts(self.clauses, patterns)

    @cached_property
    def static(self) -> list[Clause]:
        """The clauses that are evaluated exactly, before everything else."""
        return [
            c
            for c in self.clauses
            if c.head.predicate not in self.dynamic and c.head.predicate not in self.late
        ]

    @cached_property
    def moving(self) -> list[Clause]:
        """The clauses whose heads are dynamic."""
        return [c for c in self.clauses if c.head.predicate in self.dynamic]

    @cached_property
    def open(self) -> set[str]:
        """The dynamic predicates whose domains nothing needs: they are only ever asked for.

        Relaxed reachability takes negations as true. And what is used only to define such a
        predicate, about the arguments of its head alone, is only asked for as well.
        """
        asked = set(self.denied)
        if self.patterns:
            return asked
        uses: dict[str, list[tuple[Clause, Literal]]] = defaultdict(list)
        for clause in self.moving:
            for literal in clause.body:
                if not literal.negated:
                    uses[literal.predicate].append((clause, literal))
        left = self.dynamic.intersection(uses) - {*_GIVEN, *OUTPUTS}
        before = -1
        while len(asked) > before:
            before = len(asked)
            asked |= {p for p in left if all(_is_asked(c, x, asked) for c, x in uses[p])}
        return asked

    @cached_property
    def denied(self) -> set[str]:
        """The dynamic predicates that are used, but never in a positive literal."""
        positive = {x.predicate for c in self.moving for x in c.body if not x.negated}
        return self.dynamic - positive - {*_GIVEN, *OUTPUTS}

    def reachable(self, transition: Sequence[Clause]) -> list[Clause]:
        """Return the clauses of the domains of dynamic predicates, and of what is derived late.

        Args:
            transition: clauses that close the domains under play.
        """
        late = [c for c in self.clauses if c.head.predicate in self.late]
        closed = [c for c in self.moving if c.head.predicate not in self.open]
        relaxed = _drop_negation([*closed, *transition], self.dynamic | self.late)
        if not self.patterns:
            return relaxed
        known = {c.head.predicate for c in self.static}
        using = [*self.moving, *late]
        asking = demand_clauses(using, self.patterns, known, self._dependent)
        return [*on_demand([*relaxed, *late], self.patterns), *asking]


def dynamic_predicates(clauses: Sequence[Clause], also: Iterable[str] = ()) -> set[str]:
    """Return the predicates that may differ between states.

    Predicates that depend negatively on themselves count as dynamic, too: on ground atoms they
    may still be stratified, which the circuit decides.

    Args:
        clauses: all clauses.
        also: predicates that shall count as dynamic.
    """
    dynamic = {*_GIVEN, *OUTPUTS, *also}
    of = by_head(clauses)
    for component in predicate_strata(clauses):
        members = set(component)
        bodies = [x for predicate in component for c in of[predicate] for x in c.body]
        if any(x.predicate in dynamic or (x.negated and x.predicate in members) for x in bodies):
            dynamic |= members
    return dynamic


def _is_asked(clause: Clause, literal: Literal, asked: Collection[str]) -> bool:
    """Return whether the head of a clause, which is only asked for, tells all of a literal."""
    if clause.head.predicate not in asked or literal.is_range:
        return False
    return {*variables_of(literal.arguments)} <= {*variables_of(clause.head.arguments)}


def _users(clauses: Sequence[Clause], predicates: Collection[str]) -> set[str]:
    """Return predicates with all those that depend on them."""
    users: dict[str, set[str]] = defaultdict(set)
    for clause in clauses:
        for literal in clause.body:
            users[literal.predicate].add(clause.head.predicate)
    return reachable(predicates, users)


def used_by(clauses: Sequence[Clause], predicates: Iterable[str]) -> set[str]:
    """Return predicates with all those that they depend on."""
    used: dict[str, set[str]] = defaultdict(set)
    for clause in clauses:
        used[clause.head.predicate].update(x.predicate for x in clause.body)
    return reachable(predicates, used)


def needed_for(clauses: Sequence[Clause], predicates: Iterable[str]) -> list[Clause]:
    """Return the clauses that some predicates depend on."""
    wanted = used_by(clauses, predicates)
    return [clause for clause in clauses if clause.head.predicate in wanted]


def _drop_negation(clauses: Iterable[Clause], unsure: Collection[str]) -> list[Clause]:
    """Return clauses that take as true what is negated and unsure."""
    return [
        replace(c, body=tuple(x for x in c.body if not (x.negated and x.predicate in unsure)))
        for c in clauses
    ]
