"""Text to weighted rules, with every error by its place."""

from __future__ import annotations

import math
from typing import final

from neurogame.errors import RulesError
from neurogame.evaluators.rules.weighted_rules import (
    AT_LEAST,
    AT_MOST,
    COUNTS,
    GAME,
    KEPT,
    OPPOSED,
    SIGNATURE,
    WORTH,
    Count,
    RuleSet,
    WeightedRule,
)
from neurogame.gdl.finding import START, Finding, Position
from neurogame.gdl.keywords import is_integer
from neurogame.gdl.nodes import read_nodes
from neurogame.gdl.parse import error_text
from neurogame.gdl.syntax import SyntaxReader
from neurogame.gdl.terms import Compound, Formula, Not, Rule, Sentence, Symbol, Term, Variable
from neurogame.gdl.walk import variable_names
from neurogame.gdl.write import term_text


def read_weighted_rules(text: str, source: str = "<text>") -> RuleSet:
    """Read a file of weighted rules.

    Args:
        text: see :mod:`~neurogame.evaluators.rules.weighted_rules`.
        source: the file name, for messages.

    Raises:
        RulesError: the text is not one; every error as ``file:line:column: message``.
    """
    nodes, errors = read_nodes(text)
    syntax = SyntaxReader()
    reader = _Reader()
    for node in nodes:
        rule = syntax.rule(node)
        if rule is not None:
            reader.statement(rule)
    if not errors and not syntax.errors:
        reader.finish()
    all_errors = sorted([*errors, *syntax.errors, *reader.errors], key=lambda one: one.position)
    if all_errors:
        raise RulesError(error_text(all_errors, source))
    return RuleSet(
        game=reader.names[GAME],
        signature=reader.names[SIGNATURE],
        opposed=reader.opposed,
        facts={name: tuple(rows) for name, rows in reader.facts.items()},
        rules=tuple(reader.rules),
        source=source,
    )


@final
class _Reader:
    """Takes statements one after the other, and collects what is wrong with them."""

    def __init__(self) -> None:
        self.errors: list[Finding] = []
        self.names: dict[str, str] = {}
        self.opposed = False
        self.facts: dict[str, list[tuple[Term, ...]]] = {}
        self.rules: list[WeightedRule] = []

    def statement(self, rule: Rule) -> None:
        """Take a fact or a rule."""
        head = rule.head
        arguments = head.arguments if isinstance(head, Compound) else ()
        if head.name == WORTH:
            self._rule(rule, arguments)
        elif rule.body:
            self._error(
                rule.position,
                f"a rule for {head.name!r}; rules are for (worth ROLE NUMBER) alone, everything "
                "else is a fact without '<='",
            )
        elif head.name in (GAME, SIGNATURE):
            self._name(head.name, arguments, rule.position)
        elif head.name.strip("()") == OPPOSED:
            # A word of its own; in parentheses it is another name to GDL, but means the same here.
            self.opposed = True
        elif head.name in KEPT or head.name in ("true", "not"):
            self._error(rule.position, f"{head.name!r} stands in bodies of rules only")
        elif any(variable_names(argument) for argument in arguments):
            self._error(rule.position, "a fact with a variable; write each of its cases")
        else:
            rows = self.facts.setdefault(head.name, [])
            if arguments not in rows:
                rows.append(arguments)

    def finish(self) -> None:
        """Look for what is missing, and for variables that nothing binds."""
        for name in (GAME, SIGNATURE):
            if name not in self.names:
                self._error(START, f"no ({name} ...); it says which game the rules are for")
        for rule in self.rules:
            bound: set[str] = set()
            for condition in rule.conditions:
                if condition.name not in self.facts:
                    known = ", ".join(sorted(self.facts)) or "none"
                    self._error(
                        condition.position,
                        f"no facts ({condition.name} ...) in this file, whose facts are {known}; "
                        "what holds in a state is asked for by (true ...)",
                    )
                bound |= variable_names(condition)
            counted = (fluent for count in rule.counts for fluent in count.fluents)
            for term in (rule.role, *counted):
                for name in sorted(variable_names(term) - bound):
                    self._error(
                        rule.position if term is rule.role else term.position,
                        f"nothing binds ?{name}; a fact of this file in the body must",
                    )

    def _name(self, what: str, arguments: tuple[Term, ...], position: Position) -> None:
        if len(arguments) != 1 or not isinstance(arguments[0], Symbol) or what in self.names:
            self._error(position, f"write ({what} NAME), once")
            return
        self.names[what] = arguments[0].name

    def _rule(self, rule: Rule, arguments: tuple[Term, ...]) -> None:
        weight = _number(arguments[1]) if len(arguments) == 2 else None
        if weight is None or isinstance(arguments[0], Compound):
            self._error(
                rule.head.position,
                f"found {term_text(rule.head)}; write (worth ROLE NUMBER) with log-odds such as "
                "0.25 or -1.5",
            )
            return
        conditions: list[Sentence] = []
        counts: list[Count] = []
        for formula in rule.body:
            literal = self._literal(formula)
            if isinstance(literal, Count):
                counts.append(literal)
            elif literal is not None:
                conditions.append(literal)
        self.rules.append(
            WeightedRule(
                role=arguments[0],
                weight=weight,
                conditions=tuple(conditions),
                counts=tuple(counts),
                position=rule.position,
            )
        )

    def _literal(self, formula: Formula) -> Count | Sentence | None:
        """Return what a literal of a body asks for; None after an error."""
        negated = isinstance(formula, Not)
        inner = formula.formula if isinstance(formula, Not) else formula
        if isinstance(inner, Symbol | Compound) and inner.name == "true":
            fluent = self._fluent(inner)
            held = 0 if negated else 1
            if fluent is None:
                return None
            return Count(low=held, high=held, fluents=(fluent,), position=formula.position)
        if negated or not isinstance(inner, Symbol | Compound):
            self._error(
                formula.position,
                "write facts of this file, (true F), (not (true F)), or (exactly N (true F) ...), "
                "(atleast N ...), (atmost N ...); nothing else stands in a body",
            )
            return None
        return self._count(inner) if inner.name in COUNTS else inner

    def _count(self, sentence: Sentence) -> Count | None:
        arguments = sentence.arguments if isinstance(sentence, Compound) else ()
        number = arguments[0] if arguments else None
        fluents = [self._fluent(argument) for argument in arguments[1:]]
        known = tuple(fluent for fluent in fluents if fluent is not None)
        if not isinstance(number, Symbol) or not is_integer(number.name) or not fluents:
            self._error(
                sentence.position, f"write ({sentence.name} N (true F) ...) with a whole number N"
            )
            return None
        if len(known) < len(fluents):
            return None
        wanted = int(number.name)
        if not 0 <= wanted <= len(known):
            self._error(
                number.position, f"{wanted} of {len(known)} fluents; allowed: 0 to {len(known)}"
            )
            return None
        return Count(
            low=0 if sentence.name == AT_MOST else wanted,
            high=len(known) if sentence.name == AT_LEAST else wanted,
            fluents=known,
            position=sentence.position,
        )

    def _fluent(self, term: Term) -> Term | None:
        if isinstance(term, Compound) and term.name == "true" and len(term.arguments) == 1:
            fluent = term.arguments[0]
            if not isinstance(fluent, Variable):
                return fluent
        self._error(term.position, f"found {term_text(term)}; write (true FLUENT)")
        return None

    def _error(self, position: Position, message: str) -> None:
        self.errors.append(Finding("error", position, message, "weighted-rules"))


def _number(term: Term) -> float | None:
    """Return the number that a term is, or None."""
    try:
        number = float(term.name) if isinstance(term, Symbol) else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None
