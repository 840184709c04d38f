"""Which constants can stand where: a superset for every argument, found by relaxed derivation.

Every argument of every relation has a set of its own; arguments that are terms have sets for
their parts. State and moves count as relations, whose sets only grow. Rules are applied until
nothing changes; a set that grows beyond a limit is open: it may hold anything.
"""

from __future__ import annotations

import functools
import operator
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from neurogame.gdl.keywords import is_integer
from neurogame.gdl.operations_evaluated import EvaluatedRelations, Path
from neurogame.gdl.terms import (
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Sentence,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.walk import arguments_of, body_sentences, relation_of

MAXIMUM_PAIRS = 4_000_000
"""Most pairs of numbers that functions are evaluated for, in all; then results are open."""

_ALL = ("", 0, -1)
_MAXIMUM_DEPTH = 8
_MAXIMUM_DIGITS = 18
_NEGATED: dict[Callable[[int, int], bool], Callable[[int, int], bool]] = {
    operator.lt: operator.ge,
    operator.le: operator.gt,
    operator.gt: operator.le,
    operator.ge: operator.lt,
}


APPLICATIONS = 10_000
"""Most applications of rules, beside 20 of each; then everything is open."""


@final
@dataclass(frozen=True, slots=True)
class ArgumentValues:
    """What a variable can stand for.

    Attributes:
        constants: the constants; None if anything.
        terms: the argument whose terms it can stand for; None for no terms.
    """

    constants: frozenset[str] | None
    terms: Path | None = None

    def meet(self, other: ArgumentValues) -> ArgumentValues:
        """Return a superset of what both allow."""
        if self.constants is None:
            return other
        if other.constants is None:
            return self
        terms = None if self.terms is None or other.terms is None else self.terms
        return ArgumentValues(self.constants & other.constants, terms)

    def is_empty(self) -> bool:
        """Return whether there is nothing."""
        return self.constants is not None and not self.constants and self.terms is None


Bindings: TypeAlias = dict[str, ArgumentValues]


@final
@dataclass(frozen=True, slots=True)
class _Results:
    """What a function has been evaluated for: every pair of two sets, and the results' names."""

    left: frozenset[int] = frozenset()
    right: frozenset[int] = frozenset()
    values: frozenset[str] = frozenset()


@functools.lru_cache(1 << 16)
def integer(name: str) -> int | None:
    """Return the integer that a name reads as, or None."""
    return int(name) if is_integer(name) and len(name) <= _MAXIMUM_DIGITS else None


def integers(values: Iterable[str]) -> frozenset[int]:
    """Return the integers among names."""
    numbers = map(integer, values)
    return frozenset(number for number in numbers if number is not None)


@final
class Ranges:
    """The sets of all arguments.

    Args:
        rules: ordinary rules, with relations of numbers among them that have no facts yet.
        evaluated: what these relations are.
        limit: most constants of one argument.
        declared_only: propositions of the state that are taken to be within what ``base`` and
            ``init`` say of them, whatever the other rules derive.

    Attributes:
        exceeded: whether a set became larger than the limit.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        evaluated: EvaluatedRelations,
        limit: int,
        declared_only: frozenset[tuple[str, int]] = frozenset(),
    ) -> None:
        self.exceeded = False
        self._evaluated = evaluated
        self._limit = limit
        self._declared_only = declared_only
        self._constants: defaultdict[Path, set[str]] = defaultdict(set)
        self._inside: defaultdict[Path, set[tuple[str, int]]] = defaultdict(set)
        self._open: set[Path] = set()
        self._results: dict[int, _Results] = {}  # by the literal, which the rules keep
        self._pairs = 0
        self._changed: set[Path] = set()
        self._derive(rules)

    # Rules ----------------------------------------------------------------------------------------

    def _derive(self, rules: Sequence[Rule]) -> None:
        readers: defaultdict[Path, list[int]] = defaultdict(list)
        for index, rule in enumerate(rules):
            for sentence, negated in body_sentences(rule.body):
                for subject in () if negated else self._subjects(sentence):
                    readers[subject].append(index)
        waiting, queue = set(range(len(rules))), deque(range(len(rules)))
        applied, most = 0, APPLICATIONS + 20 * len(rules)
        while queue:
            applied += 1
            if applied > most:
                self._open.add(())
                self.exceeded = True
                return
            index = queue.popleft()
            waiting.discard(index)
            self._changed.clear()
            self._apply(rules[index])
            for subject in self._changed:
                for reader in readers[subject]:
                    if reader not in waiting:
                        waiting.add(reader)
                        queue.append(reader)

    def _apply(self, rule: Rule) -> None:
        bindings = self.bindings(rule.body)
        if bindings is None:
            return
        for literal in rule.body:
            self._ask(literal, bindings)
        relation = relation_of(rule.head)
        if relation == ("next", 1) and relation_of(inner_of(rule.head)) in self._declared_only:
            return
        for path, term in self._places(rule.head):
            self._write(path, term, bindings)
        if relation == ("base", 1) and relation_of(inner_of(rule.head)) in self._declared_only:
            for path, term in self._places(Compound("true", (inner_of(rule.head),))):
                self._write(path, term, bindings)

    def _ask(self, literal: Formula, bindings: Bindings) -> None:
        """Note what the parameters of counts in a literal can be."""
        for part in literal.formulas if isinstance(literal, Or) else (literal,):
            sentence = part.formula if isinstance(part, Not) else part
            if isinstance(sentence, Compound) and sentence.name in self._evaluated.counts:
                inner = dict(bindings)
                if self.bind(part, inner):
                    values = self._evaluated.counts[sentence.name].values
                    for name, term in zip(values, sentence.arguments[:-1], strict=True):
                        self._write(((name, 1, 0),), term, inner)

    def bindings(self, body: Iterable[Formula]) -> Bindings | None:
        """Return what the variables of a body can stand for; None if it can never hold.

        Variables that no literal binds are missing.
        """
        literals = list(body)
        bindings: Bindings = {}
        for _ in range(len(literals) + 1):
            before = dict(bindings)
            if not all(self.bind(literal, bindings) for literal in literals):
                return None
            if bindings == before:
                break
        return bindings

    def bind(self, literal: Formula, bindings: Bindings) -> bool:
        """Apply a literal; return false if it cannot hold."""
        if isinstance(literal, Or):
            return self._bind_some(literal, bindings)
        if isinstance(literal, Distinct):
            return _exclude(literal, bindings)
        negated = isinstance(literal, Not)
        sentence = literal.formula if isinstance(literal, Not) else literal
        if not isinstance(sentence, Symbol | Compound):
            return True
        compare = self._evaluated.comparisons.get(sentence.name)
        if compare is not None and len(arguments_of(sentence)) == 2:
            return _compare(_NEGATED[compare] if negated else compare, sentence, bindings, negated)
        if negated:
            return True
        if sentence.name in self._evaluated.functions and len(arguments_of(sentence)) == 3:
            return self._evaluate(self._evaluated.functions[sentence.name], sentence, bindings)
        if sentence.name in self._evaluated.counts:
            return self._count(sentence, bindings)
        return all(self._read(path, term, bindings) for path, term in self._places(sentence))

    def _bind_some(self, disjunction: Or, bindings: Bindings) -> bool:
        branches = []
        for formula in disjunction.formulas:
            branch = dict(bindings)
            if self.bind(formula, branch):
                branches.append(branch)
        if not branches:
            return False
        for name in set.intersection(*(set(branch) for branch in branches)):
            sets = [branch[name].constants for branch in branches]
            terms = next((b[name].terms for b in branches if b[name].terms is not None), None)
            known = [constants for constants in sets if constants is not None]
            union = frozenset().union(*known) if len(known) == len(sets) else None
            bindings[name] = ArgumentValues(union, terms)
        return True

    def _evaluate(
        self, function: Callable[[int, int], int], sentence: Sentence, bindings: Bindings
    ) -> bool:
        left, right, result = arguments_of(sentence)
        if not isinstance(result, Variable):
            return True
        operands = constants_of(left, bindings), constants_of(right, bindings)
        if operands[0] is None or operands[1] is None:
            return _restrict(result, ArgumentValues(None), bindings)
        numbers = integers(operands[0]), integers(operands[1])
        known = self._results.get(id(sentence), _Results())
        if not (known.left <= numbers[0] and known.right <= numbers[1]):
            known = _Results()
        # Sets grow by few numbers at a time: only pairs with a new one are evaluated.
        fresh = numbers[0] - known.left, numbers[1] - known.right
        self._pairs += len(fresh[0]) * len(numbers[1]) + len(known.left) * len(fresh[1])
        if self._pairs > MAXIMUM_PAIRS:
            self.exceeded = True
            return _restrict(result, ArgumentValues(None), bindings)
        results = {function(a, b) for a in fresh[0] for b in numbers[1]}
        results |= {function(a, b) for a in known.left for b in fresh[1]}
        values = known.values | {str(number) for number in results}
        self._results[id(sentence)] = _Results(*numbers, values)
        return _restrict(result, ArgumentValues(values), bindings)

    def _count(self, sentence: Sentence, bindings: Bindings) -> bool:
        count = self._evaluated.counts[sentence.name]
        result = arguments_of(sentence)[-1]
        if not isinstance(result, Variable):
            return True
        largest = 1
        for path in count.paths():
            candidates = self.terms(path)
            largest *= self._limit + 1 if candidates is None else len(candidates)
        if largest > self._limit:
            return _restrict(result, ArgumentValues(None), bindings)
        return _restrict(result, ArgumentValues(frozenset(map(str, range(largest + 1)))), bindings)

    # Arguments ------------------------------------------------------------------------------------

    def terms(self, path: Path) -> list[Term] | None:
        """Return what can stand for an argument; None if that is not known, or too much."""
        if self._is_open(path) or any(inside[: len(path)] == path for inside in self._open):
            return None
        terms = list(self._terms(path, self._limit))
        return None if len(terms) > self._limit else terms

    def _terms(self, path: Path, limit: int) -> Iterator[Term]:
        """Yield the terms of an argument, until they are more than a limit."""
        count = 0
        for name in sorted(self._constants[path], key=_order):
            yield Symbol(name)
        for name, arity in sorted(self._inside[path]):
            rows: list[tuple[Term, ...]] = [()]
            for index in range(arity):
                inner = list(self._terms((*path, (name, arity, index)), limit))
                rows = [(*row, term) for row in rows[: limit + 1] for term in inner]
            for row in rows:
                count += 1
                yield Compound(name, row)
                if count > limit:
                    return

    def _subjects(self, sentence: Sentence) -> Iterator[Path]:
        """Yield the changes that concern a reader of a sentence: see :meth:`_note`."""
        count = self._evaluated.counts.get(sentence.name)
        if count is not None:
            arity = len(count.values) + count.items
            yield from (((count.condition, arity, index), _ALL) for index in range(arity))
        for path, term in self._places(sentence):
            if isinstance(term, Compound):
                yield path
                yield (*path, (term.name, len(term.arguments), -1))
            else:
                yield (*path, _ALL)

    def _note(self, path: Path) -> None:
        """Note a change: of the argument itself, or of what stands inside it, for its readers."""
        self._changed |= {
            (path[0], _ALL),
            path if len(path) == 1 else (path[0], (*path[1][:2], -1)),
        }

    def _places(self, sentence: Sentence) -> list[tuple[Path, Term]]:
        """Return the arguments of a sentence, each with its path."""
        relation = relation_of(sentence)
        if relation in (("next", 1), ("init", 1)):
            relation = ("true", 1)
        elif relation == ("does", 2):
            relation = ("legal", 2)
        return [(((*relation, i),), term) for i, term in enumerate(arguments_of(sentence))]

    def _is_open(self, path: Path) -> bool:
        return any(path[:length] in self._open for length in range(len(path) + 1))

    def _read(self, path: Path, term: Term, bindings: Bindings) -> bool:
        """Bind the variables of a term by an argument; return false if nothing can match."""
        if self._is_open(path):
            if isinstance(term, Variable):
                bindings.setdefault(term.name, ArgumentValues(None))
            elif isinstance(term, Compound):
                for index, part in enumerate(term.arguments):
                    self._read((*path, (term.name, len(term.arguments), index)), part, bindings)
            return True
        if isinstance(term, Symbol):
            return term.name in self._constants[path]
        if isinstance(term, Variable):
            inside = path if self._inside[path] else None
            values = ArgumentValues(frozenset(self._constants[path]), inside)
            return _restrict(term, values, bindings)
        function = (term.name, len(term.arguments))
        return function in self._inside[path] and all(
            self._read((*path, (*function, index)), part, bindings)
            for index, part in enumerate(term.arguments)
        )

    def _write(self, path: Path, term: Term, bindings: Bindings) -> None:
        if self._is_open(path):
            return
        if isinstance(term, Symbol):
            self._add(path, {term.name})
        elif isinstance(term, Variable):
            values = bindings.get(term.name, ArgumentValues(None))
            if values.constants is None:
                self._open_up(path)
                return
            self._add(path, values.constants)
            if values.terms is not None and values.terms != path:
                self._copy(values.terms, path)
        else:
            function = (term.name, len(term.arguments))
            self._add_inside(path, function)
            for index, part in enumerate(term.arguments):
                self._write((*path, (*function, index)), part, bindings)

    def _copy(self, source: Path, path: Path) -> None:
        for function in list(self._inside[source]):
            self._add_inside(path, function)
            for index in range(function[1]):
                inner, copied = (*source, (*function, index)), (*path, (*function, index))
                if self._is_open(inner) or len(copied) > _MAXIMUM_DEPTH:
                    self._open_up(copied)
                elif not self._is_open(copied):
                    self._add(copied, self._constants[inner])
                    self._copy(inner, copied)

    def _add(self, path: Path, constants: Iterable[str]) -> None:
        known = self._constants[path]
        size = len(known)
        known.update(constants)
        if len(known) > self._limit:
            self._open_up(path)
        elif len(known) > size:
            self._note(path)

    def _add_inside(self, path: Path, function: tuple[str, int]) -> None:
        if function not in self._inside[path]:
            self._inside[path].add(function)
            self._note(path)

    def _open_up(self, path: Path) -> None:
        self.exceeded = True
        if not self._is_open(path):
            self._open.add(path)
            self._note(path)


def constants_of(term: Term, bindings: Bindings) -> frozenset[str] | None:
    """Return the constants that a term can be; None if anything, or it is not bound."""
    if isinstance(term, Symbol):
        return frozenset((term.name,))
    if isinstance(term, Variable):
        return bindings[term.name].constants if term.name in bindings else None
    return frozenset()


def _restrict(variable: Variable, values: ArgumentValues, bindings: Bindings) -> bool:
    known = bindings.get(variable.name)
    bindings[variable.name] = values if known is None else known.meet(values)
    return not bindings[variable.name].is_empty()


def _exclude(literal: Distinct, bindings: Bindings) -> bool:
    """Take a constant from what a variable can be that is different from it."""
    for variable, constant in ((literal.left, literal.right), (literal.right, literal.left)):
        if isinstance(variable, Variable) and isinstance(constant, Symbol):
            values = bindings.get(variable.name)
            if values is not None and values.constants is not None:
                bindings[variable.name] = ArgumentValues(
                    values.constants - {constant.name}, values.terms
                )
                if bindings[variable.name].is_empty():
                    return False
    return True


def _compare(
    compare: Callable[[int, int], bool], sentence: Sentence, bindings: Bindings, negated: bool
) -> bool:
    """Keep the numbers for which a comparison can hold."""
    left, right = arguments_of(sentence)
    sides = [constants_of(term, bindings) for term in (left, right)]
    for variable, values, others, first in (
        (left, sides[0], sides[1], True),
        (right, sides[1], sides[0], False),
    ):
        if not isinstance(variable, Variable) or values is None or others is None:
            continue
        numbers = integers(others)
        # Without numbers a comparison is false, so its negation keeps everything.
        if negated and len(numbers) < len(others):
            continue
        bounds = [min(numbers), max(numbers)] if numbers else []
        kept = {
            value
            for value in values
            if ((number := integer(value)) is None and negated)
            or (
                number is not None
                and any(compare(*((number, b) if first else (b, number))) for b in bounds)
            )
        }
        terms = bindings[variable.name].terms if negated else None
        bindings[variable.name] = ArgumentValues(frozenset(kept), terms)
        if bindings[variable.name].is_empty():
            return False
    return True


def inner_of(sentence: Sentence) -> Sentence:
    """Return the sentence inside one of one argument; an empty name where a variable stands."""
    (inner,) = arguments_of(sentence)
    return inner if isinstance(inner, Symbol | Compound) else Symbol("")


def _order(name: str) -> tuple[bool, int, str]:
    number = integer(name)
    return number is None, number or 0, name
