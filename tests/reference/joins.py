"""One Datalog rule at a time, joined literal by literal through hash indexes on Python sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol, TypeAlias, final

from neurogame.gdl.terms import (
    Compound,
    Distinct,
    Formula,
    Not,
    Rule,
    Sentence,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.walk import arguments_of, relation_of, variable_names
from neurogame.prover.values import Predicate, Row, Value, functor_of, require_safe

# The place of a subterm in a row: argument number, then component numbers (0 is the functor).
Path: TypeAlias = tuple[int, ...]
# Whether a solution was found below this step of a plan.
Step: TypeAlias = "Callable[[PlanMemory], bool]"


def _value_at(row: Row, path: Path) -> Value | None:
    """Return the subterm at a path, or None where the row has another shape."""
    value: Value = row
    for index in path:
        if isinstance(value, str) or index >= len(value):
            return None
        value = value[index]
    return value


class RowSource(Protocol):
    """What a plan reads: the rows of one predicate."""

    def matching(self, paths: tuple[Path, ...], key: Row) -> Iterable[Row]:
        """Return the rows whose subterms at ``paths`` are ``key``."""

    def contains(self, row: Row) -> bool:
        """Return whether a row is there."""


@final
class IndexedRows:
    """Rows that are all known, with hash indexes that are made on first use."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows: set[Row] = set(rows)
        self._indexes: dict[tuple[Path, ...], dict[Row, list[Row]]] = {}

    def update(self, rows: Iterable[Row]) -> None:
        """Add rows that are not there yet, and keep the indexes right."""
        fresh = [row for row in rows if row not in self.rows]
        self.rows.update(fresh)
        for paths, index in self._indexes.items():
            _extend_index(index, paths, fresh)

    def matching(self, paths: tuple[Path, ...], key: Row) -> Iterable[Row]:
        """Return the rows whose subterms at ``paths`` are ``key``."""
        if not paths:
            return self.rows
        index = self._indexes.get(paths)
        if index is None:
            index = self._indexes[paths] = {}
            _extend_index(index, paths, self.rows)
        return index.get(key, ())

    def contains(self, row: Row) -> bool:
        """Return whether a row is there."""
        return row in self.rows


def _extend_index(
    index: dict[Row, list[Row]], paths: tuple[Path, ...], rows: Iterable[Row]
) -> None:
    for row in rows:
        key = tuple(v for v in (_value_at(row, p) for p in paths) if v is not None)
        if len(key) == len(paths):
            index.setdefault(key, []).append(row)


Database: TypeAlias = dict[Predicate, RowSource]
EMPTY = IndexedRows()
NOTHING: Mapping[Predicate, set[Row]] = MappingProxyType({})


@final
@dataclass(slots=True)
class PlanMemory:
    """What a running plan reads and writes.

    Attributes:
        values: one value per variable of the rule.
        database: the tables of all predicates that the rule reads.
        delta: the rows that the distinguished literal of a delta plan ranges over.
        assumed: what negated literals on a negative cycle take to be true.
        known: head rows that need not be found again.
        found: the new head rows.
    """

    values: list[Value]
    database: Database
    delta: IndexedRows
    assumed: Mapping[Predicate, set[Row]]
    known: set[Row]
    found: set[Row]


@final
class RulePlan:
    """One rule without ``or``, compiled to a chain of closures in an order that is safe.

    Args:
        rule: head and body; the body holds sentences, ``not`` and ``distinct`` only.
        source: file name for messages.
        assumed: predicates whose negation is read from :attr:`PlanMemory.assumed`.
        delta: position in the body of the literal that ranges over :attr:`PlanMemory.delta`.

    Raises:
        RulesError: a variable is not bound by any positive literal.
    """

    def __init__(
        self, rule: Rule, source: str, assumed: frozenset[Predicate], delta: int | None = None
    ) -> None:
        self.head = relation_of(rule.head)
        self._slots: dict[str, int] = {}
        order = _ordered(rule, source, delta)
        bound: set[str] = set()
        frames: list[Callable[[Step], Step]] = []
        head_names = variable_names(rule.head)
        pruned = False
        for literal in order:
            if head_names <= bound and not pruned:
                frames.append(self._unless_known(rule.head))
                pruned = True
            first_only = head_names <= bound
            if isinstance(literal, Symbol | Compound):
                ranges_over_delta = delta is not None and literal is rule.body[delta]
                frames.append(self._scan(literal, bound, first_only, ranges_over_delta))
                bound |= variable_names(literal)
            else:
                frames.append(self._test(literal, assumed))
        step = self._emit(rule.head)
        for frame in reversed(frames):
            step = frame(step)
        self._first = step

    def run(
        self,
        database: Database,
        *,
        delta: IndexedRows = EMPTY,
        known: set[Row] = EMPTY.rows,
        assumed: Mapping[Predicate, set[Row]] = NOTHING,
    ) -> set[Row]:
        """Return the head rows that the rule derives and that are not known yet."""
        frame = PlanMemory([""] * len(self._slots), database, delta, assumed, known, set())
        self._first(frame)
        return frame.found

    def _slot(self, name: str) -> int:
        return self._slots.setdefault(name, len(self._slots))

    def _builder(self, term: Term) -> Callable[[list[Value]], Value]:
        """Return a function from variable values to the ground instance of a term."""
        if isinstance(term, Symbol):
            name = term.name
            return lambda values: name
        if isinstance(term, Variable):
            slot = self._slot(term.name)
            return lambda values: values[slot]
        parts = [self._builder(a) for a in term.arguments]
        functor = functor_of(term)
        return lambda values: (functor, *[part(values) for part in parts])

    def _row_builder(self, sentence: Sentence) -> Callable[[list[Value]], Row]:
        parts = [self._builder(a) for a in arguments_of(sentence)]
        return lambda values: tuple([part(values) for part in parts])

    def _emit(self, head: Sentence) -> Step:
        build = self._row_builder(head)

        def emit(frame: PlanMemory) -> bool:
            row = build(frame.values)
            if row not in frame.known:
                frame.found.add(row)
            return True

        return emit

    def _unless_known(self, head: Sentence) -> Callable[[Step], Step]:
        """Cut the rest of the body short where the head is complete and already derived."""
        build = self._row_builder(head)

        def chain(then: Step) -> Step:
            def unless_known(frame: PlanMemory) -> bool:
                row = build(frame.values)
                return row in frame.found or row in frame.known or then(frame)

            return unless_known

        return chain

    def _test(self, literal: Formula, assumed: frozenset[Predicate]) -> Callable[[Step], Step]:
        if isinstance(literal, Not) and isinstance(literal.formula, Symbol | Compound):
            return self._absent(literal.formula, assumed)
        wanted = isinstance(literal, Not)
        inner = literal.formula if isinstance(literal, Not) else literal
        assert isinstance(inner, Distinct)
        left, right = self._builder(inner.left), self._builder(inner.right)

        def chain(then: Step) -> Step:
            def compare(frame: PlanMemory) -> bool:
                equal = left(frame.values) == right(frame.values)
                return equal is wanted and then(frame)

            return compare

        return chain

    def _absent(self, sentence: Sentence, assumed: frozenset[Predicate]) -> Callable[[Step], Step]:
        build, predicate = self._row_builder(sentence), relation_of(sentence)
        on_cycle = predicate in assumed

        def chain(then: Step) -> Step:
            def absent(frame: PlanMemory) -> bool:
                row = build(frame.values)
                if on_cycle:
                    held = row in frame.assumed.get(predicate, EMPTY.rows)
                else:
                    held = frame.database.get(predicate, EMPTY).contains(row)
                return not held and then(frame)

            return absent

        return chain

    def _scan(
        self, literal: Sentence, bound: set[str], first_only: bool, over_delta: bool
    ) -> Callable[[Step], Step]:
        """Range over the rows that match; stop at the first solution if more change nothing."""
        predicate = relation_of(literal)
        shape = _Shape()
        for place, argument in enumerate(arguments_of(literal)):
            shape.visit(argument, (place,), bound)
        paths = tuple(path for path, _ in shape.known)
        key = [self._builder(term) for _, term in shape.known]
        binds = [(self._slot(name), path) for name, path in shape.binds]
        repeats = [(self._slot(name), path) for name, path in shape.repeats]

        def chain(then: Step) -> Step:
            def scan(frame: PlanMemory) -> bool:
                values = frame.values
                table = frame.delta if over_delta else frame.database.get(predicate, EMPTY)
                for row in table.matching(paths, tuple([part(values) for part in key])):
                    for slot, path in binds:
                        value = row[path[0]] if len(path) == 1 else _value_at(row, path)
                        if value is None:
                            break
                        values[slot] = value
                    else:
                        if all(values[s] == _value_at(row, p) for s, p in repeats) and (
                            then(frame) and first_only
                        ):
                            return True
                return False

            return scan

        return chain


@final
@dataclass(slots=True)
class _Shape:
    """How a literal matches rows, given the variables that are bound before it.

    Attributes:
        known: places whose subterm is known beforehand (constants, functors, bound variables).
        binds: places that give an unbound variable its value.
        repeats: further places of a variable that this same literal binds.
    """

    known: list[tuple[Path, Term]] = field(default_factory=list)
    binds: list[tuple[str, Path]] = field(default_factory=list)
    repeats: list[tuple[str, Path]] = field(default_factory=list)

    def visit(self, term: Term, path: Path, bound: set[str]) -> None:
        """Enter one subterm and everything below it."""
        if isinstance(term, Compound):
            self.known.append(((*path, 0), Symbol(functor_of(term))))
            for place, argument in enumerate(term.arguments, start=1):
                self.visit(argument, (*path, place), bound)
        elif isinstance(term, Symbol) or term.name in bound:
            self.known.append((path, term))
        elif any(name == term.name for name, _ in self.binds):
            self.repeats.append((term.name, path))
        else:
            self.binds.append((term.name, path))


def _ordered(rule: Rule, source: str, first: int | None) -> list[Formula]:
    """Order a body: tests as early as they are safe, then the literal that opens least."""
    rest = list(rule.body)
    order: list[Formula] = []
    bound: set[str] = set()
    if first is not None:
        order.append(rest.pop(first))
        bound |= variable_names(order[0])
    while rest:
        best = min(range(len(rest)), key=lambda i: _cost(rest[i], bound))
        if _cost(rest[best], bound)[0] == _UNSAFE:
            break
        order.append(rest.pop(best))
        bound |= variable_names(order[-1])
    require_safe(rule, source)
    return order


_UNSAFE = 9


def _cost(literal: Formula, bound: set[str]) -> tuple[int, int]:
    free = len(variable_names(literal) - bound)
    if not isinstance(literal, Symbol | Compound):
        return (0 if free == 0 else _UNSAFE, free)
    if free == 0 or literal.name == "does":
        # Moves are as good as a test: there is one row per role.
        return (0, 1 + free)
    # A literal that shares no variable with what is bound multiplies: a cross product.
    connected = not bound or any(name in bound for name in variable_names(literal))
    return (1 if connected else 2, free)
