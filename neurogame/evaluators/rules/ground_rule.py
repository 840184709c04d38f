"""Instances of weighted rules: every way in which the facts of a file bind the variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import final

from neurogame.circuit.circuit import Circuit
from neurogame.errors import LimitError, RulesError
from neurogame.evaluators.rules.weighted_rules import Facts, RuleSet, WeightedRule
from neurogame.gdl.finding import Position
from neurogame.gdl.terms import Compound, Sentence, Symbol, Term, Variable
from neurogame.gdl.walk import arguments_of, substitute
from neurogame.gdl.write import term_text

MOST = 100_000
"""Instances of one rule."""

Bindings = dict[str, Term]


@final
@dataclass(frozen=True, order=True)
class GroundCount:
    """That so many of some fluents hold.

    Attributes:
        fluents: their numbers; at least one, none twice.
        low: how many at least.
        high: how many at most.
    """

    fluents: tuple[int, ...]
    low: int
    high: int


@final
@dataclass(frozen=True)
class GroundRule:
    """An instance of a weighted rule.

    Attributes:
        role: to whom it is worth something.
        weight: log-odds.
        counts: all of which must be right.
    """

    role: int
    weight: float
    counts: tuple[GroundCount, ...]


def ground_rules(rule_set: RuleSet, circuit: Circuit) -> list[list[GroundRule]]:
    """Return the instances of each rule.

    Args:
        rule_set: the rules.
        circuit: of their game.

    Raises:
        RulesError: a role or fluent is not the game's; with its place.
        LimitError: a rule has more than 100,000 instances.
    """
    roles = {name.lower(): number for number, name in enumerate(circuit.roles)}
    fluents = {text.lower(): number for number, text in enumerate(circuit.fluents)}
    if rule_set.opposed and len(roles) != 2:
        raise RulesError(
            f"{rule_set.source}: 'opposed' is for games with two roles, this one has {len(roles)}; "
            "remove it"
        )

    def number(what: str, term: Term, bound: Bindings, known: Mapping[str, int]) -> int:
        text = term_text(substitute(term, bound))
        if text not in known:
            raise RulesError(
                f"{_place(rule_set, term.position)}: the game has no {what} {text}; it has "
                f"{len(known)}, such as {next(iter(known), 'none')}"
            )
        return known[text]

    def instance(rule: WeightedRule, bound: Bindings) -> GroundRule:
        counts = []
        for count in rule.counts:
            counted_fluents = tuple(number("fluent", one, bound, fluents) for one in count.fluents)
            if len(set(counted_fluents)) < len(counted_fluents):
                raise RulesError(
                    f"{_place(rule_set, count.position)}: a fluent is counted twice where "
                    f"{_text(bound)}; count each once"
                )
            counts.append(GroundCount(counted_fluents, count.low, count.high))
        role = number("role", rule.role, bound, roles)
        return GroundRule(role, rule.weight, tuple(counts))

    all_instances = []
    for rule in rule_set.rules:
        instances = []
        for bound in _bindings(rule.conditions, rule_set.facts, {}):
            instances.append(instance(rule, bound))
            if len(instances) > MOST:
                raise LimitError(
                    f"{_place(rule_set, rule.position)}: the rule has more than {MOST:,} "
                    "instances; write facts that bind its variables together"
                )
        all_instances.append(instances)
    return all_instances


def _bindings(
    conditions: tuple[Sentence, ...], facts: Facts, bound: Bindings
) -> Iterator[Bindings]:
    """Yield every way in which all conditions are facts."""
    if not conditions:
        yield bound
        return
    first, rest = conditions[0], conditions[1:]
    arguments = arguments_of(first)
    for row in facts.get(first.name, ()):
        more = dict(bound)
        if len(row) == len(arguments) and all(
            _matches(argument, value, more) for argument, value in zip(arguments, row, strict=True)
        ):
            yield from _bindings(rest, facts, more)


def _matches(pattern: Term, value: Term, bound: Bindings) -> bool:
    """Return whether a term fits, and note what that binds."""
    if isinstance(pattern, Variable):
        return bound.setdefault(pattern.name, value) == value
    if isinstance(pattern, Symbol):
        return pattern == value
    return (
        isinstance(value, Compound)
        and pattern.name == value.name
        and len(pattern.arguments) == len(value.arguments)
        and all(map(lambda p, v: _matches(p, v, bound), pattern.arguments, value.arguments))
    )


def _text(bound: Bindings) -> str:
    return ", ".join(f"?{name} is {term_text(value)}" for name, value in bound.items()) or "it is"


def _place(rule_set: RuleSet, position: Position) -> str:
    return f"{rule_set.source}:{position.line}:{position.column}"
