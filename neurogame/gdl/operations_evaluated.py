"""Relations that operation notation evaluates: arithmetic, comparison, equality, counting.

They are evaluated where neither facts and rules nor ``base`` and ``init`` define a relation of
that name and number of arguments. Here they become literals of ordinary relations;
:mod:`neurogame.gdl.operations_numbers` adds the facts of these.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, final

from neurogame.gdl.finding import Position, shown
from neurogame.gdl.operations_declared import Declarations, FreshNames, Relation
from neurogame.gdl.operations_formulas import SAME, formula_of
from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Sentence,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.walk import relation_of, variable_names, variables_in

FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "plus": operator.add,
    "minus": operator.sub,
    "times": operator.mul,
}
"""Relations of two numbers and their result."""

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "less": operator.lt,
    "leq": operator.le,
    "greater": operator.gt,
    "geq": operator.ge,
}
"""Relations of two numbers."""

COUNT = "countofall"
EVALUATE = ("evaluate", 2)
BUILT_IN: frozenset[Relation] = frozenset(
    {SAME, EVALUATE, (COUNT, 3), *((name, 3) for name in FUNCTIONS)}
    | {(name, 2) for name in COMPARISONS}
)
"""Every relation that is evaluated."""

_OTHERS = frozenset(
    {
        *("quotient", "remainder", "mod", "power", "abs", "sqrt", "floor", "ceiling", "round"),
        *("min", "max", "minimum", "maximum", "sumofall", "setofall", "bagofall", "length"),
    }
)


Path: TypeAlias = tuple[tuple[str, int, int], ...]
"""An argument: relation or function, its number of arguments, and which; then that inside it."""


@final
@dataclass(frozen=True, slots=True)
class CountRelation:
    """A relation that says how many instances of some variables fulfil a condition.

    Attributes:
        relation: its name; the arguments are the parameters, then the number.
        condition: the relation of parameters and counted variables that is counted.
        values: for each parameter the relation of what it can be.
        items: how many variables are counted.
        position: where the text counts.
    """

    relation: str
    condition: str
    values: tuple[str, ...]
    items: int
    position: Position

    def paths(self) -> Iterator[Path]:
        """Yield the arguments of the condition that are counted."""
        first = len(self.values)
        for index in range(first, first + self.items):
            yield ((self.condition, first + self.items, index),)


@final
@dataclass(frozen=True, slots=True)
class Condition:
    """A rule that is still to be translated: what holds of what is counted.

    Attributes:
        head: its head.
        parameters: ordinary literals that bind the parameters.
        condition: the rest of its body, as it stands in the text.
    """

    head: Sentence
    parameters: tuple[Formula, ...]
    condition: Formula


@final
class EvaluatedRelations:
    """Makes literals of evaluated relations, and remembers which relations these are.

    Attributes:
        functions: relation -> what it evaluates, of three arguments.
        comparisons: relation -> what it evaluates, of two arguments.
        counts: relation -> what it counts.
    """

    def __init__(self, declared: Declarations, names: FreshNames) -> None:
        self.functions: dict[str, Callable[[int, int], int]] = {}
        self.comparisons: dict[str, Callable[[int, int], bool]] = {}
        self.counts: dict[str, CountRelation] = {}
        self._declared = declared
        self._names = names
        self._tables: dict[str, str] = {}
        self._known: dict[tuple[Term, ...], str] = {}
        self._conditions: list[Condition] = []
        self._outside: set[str] = set()
        self._taken: set[str] = set()

    def begin(self, formulas: Iterable[Formula]) -> None:
        """Begin with another rule.

        Args:
            formulas: its head and body.
        """
        parts = list(formulas)
        self._outside = {name for part in parts for name in self._outside_counts(part)}
        self._taken = variable_names(*parts)

    def new_conditions(self) -> list[Condition]:
        """Return the conditions of the counts since the last call."""
        conditions, self._conditions = self._conditions, []
        return conditions

    def formula(self, sentence: Sentence, negated: bool) -> Formula | None:
        """Return what an evaluated relation, or its negation, is; None for another one."""
        relation = relation_of(sentence)
        if self._is_defined(relation):
            return None
        if isinstance(sentence, Symbol):
            return None
        if relation[0] in _OTHERS:
            self._refused(sentence, "is no relation that can be evaluated here")
        literals: list[Formula] = []
        last = self._literal(sentence, relation, literals)
        if last is None:
            return None
        if not negated:
            literals.append(last)
        elif isinstance(last, Compound) and relation_of(last) == SAME:
            left, right = last.arguments
            literals.append(Distinct(left, right, last.position))
        else:
            literals.append(Not(last, sentence.position))
        return literals[0] if len(literals) == 1 else And(tuple(literals), sentence.position)

    def _literal(
        self, sentence: Compound, relation: Relation, before: list[Formula]
    ) -> Compound | None:
        """Return the literal of an evaluated relation; the steps that it needs go before it."""
        arguments = sentence.arguments
        if relation == SAME:
            return sentence
        if relation == EVALUATE:
            return self._evaluation(sentence, before)
        if relation == (COUNT, 3):
            return self._count(sentence, arguments[2])
        if relation in BUILT_IN:
            for argument in arguments:
                if isinstance(argument, Compound):
                    self._refused(argument, "is no number; use evaluate(expression, Value)")
            return Compound(self._table(relation), arguments, sentence.position)
        return None

    def _evaluation(self, sentence: Compound, before: list[Formula]) -> Compound:
        expression, value = sentence.arguments
        result = self._value(expression, before)
        last = before.pop() if before else None
        if not isinstance(last, Compound):
            return Compound(SAME[0], (result, value), sentence.position)
        return Compound(last.name, (*last.arguments[:-1], value), sentence.position)

    def _value(self, term: Term, steps: list[Formula]) -> Term:
        """Return the term for the value of an expression; add the steps to it."""
        if not isinstance(term, Compound):
            return term
        value = self._fresh()
        relation = relation_of(term)
        step: Compound | None
        if relation == (COUNT, 2):
            step = self._count(term, value)
        elif relation[0] in FUNCTIONS and relation[1] == 2:
            operands = [self._value(argument, steps) for argument in term.arguments]
            step = Compound(self._table((relation[0], 3)), (*operands, value), term.position)
        else:
            self._refused(term, "is no expression that can be evaluated here")
            step = None
        if step is not None:
            steps.append(step)
        return value

    def _count(self, term: Compound, number: Term) -> Compound | None:
        counted, condition = term.arguments[:2]
        formula = formula_of(condition)
        items = list(dict.fromkeys(variable.name for variable in variables_in(counted)))
        if formula is None or not items:
            self._refused(
                term, "needs a variable, a condition and a number, as in countofall(X, p(X), N)"
            )
            return None
        clash = [name for name in items if name in self._outside]
        if clash:
            self._refused(term, f"counts ?{clash[0]}, which the rest of the rule uses; rename it")
            return None
        inside = dict.fromkeys(variable.name for variable in variables_in(formula))
        parameters = [name for name in inside if name in self._outside]
        key = (*(Variable(name) for name in parameters), Symbol("/"), counted, condition)
        if key not in self._known:
            self._known[key] = self._new_count(term, parameters, items, formula)
        arguments = (*(Variable(name) for name in parameters), number)
        return Compound(self._known[key], arguments, term.position)

    def _new_count(
        self, term: Compound, parameters: list[str], items: list[str], condition: Formula
    ) -> str:
        name, holds = self._names.take("count"), self._names.take("counts")
        variables = tuple(Variable(name) for name in (*parameters, *items))
        values = tuple(self._names.take("parameter") for _ in parameters)
        pairs = zip(values, variables, strict=False)
        bound = tuple(Compound(value, (variable,)) for value, variable in pairs)
        head = Compound(holds, variables, term.position)
        self._conditions.append(Condition(head, bound, condition))
        self.counts[name] = CountRelation(name, holds, values, len(items), term.position)
        return name

    def _table(self, relation: Relation) -> str:
        """Return the relation that evaluates a function or comparison."""
        name = relation[0]
        if name not in self._tables:
            defined = self._is_defined(relation)
            self._tables[name] = self._names.take(name) if defined else name
            if name in FUNCTIONS:
                self.functions[self._tables[name]] = FUNCTIONS[name]
            else:
                self.comparisons[self._tables[name]] = COMPARISONS[name]
        return self._tables[name]

    def _outside_counts(self, part: Formula | Term) -> Iterator[str]:
        """Yield the variables of a formula that stand outside conditions that are counted."""
        if isinstance(part, Variable):
            yield part.name
        elif isinstance(part, Not):
            yield from self._outside_counts(part.formula)
        elif isinstance(part, And | Or):
            for formula in part.formulas:
                yield from self._outside_counts(formula)
        elif isinstance(part, Distinct):
            yield from self._outside_counts(part.left)
            yield from self._outside_counts(part.right)
        elif isinstance(part, Compound):
            counts = part.name == COUNT and not self._is_defined((COUNT, len(part.arguments)))
            for argument in part.arguments[2 if counts else 0 :]:
                yield from self._outside_counts(argument)

    def _is_defined(self, relation: Relation) -> bool:
        return relation in self._declared.derived or relation in self._declared.fluents

    def _fresh(self) -> Variable:
        number = 1
        while f"value_{number}" in self._taken:
            number += 1
        self._taken.add(f"value_{number}")
        return Variable(f"value_{number}")

    def _refused(self, term: Compound, why: str) -> None:
        """Note an error."""
        name = shown(f"{term.name}/{len(term.arguments)}")
        self._declared.error(term.position, f"{name} {why}", "evaluation")
