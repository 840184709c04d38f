"""Rules sorted by what they define, and by what their answers depend on."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import final

from neurogame.gdl.terms import Rule, Rules
from neurogame.prover.datalog import signed_predicates
from neurogame.prover.disjunctions import without_or
from neurogame.prover.joins import (
    Predicate,
    Row,
    arguments_of,
    predicate_of,
    require_safe,
    value_of,
)
from neurogame.prover.role_heads import with_role

TRUE: Predicate = ("true", 1)
DOES: Predicate = ("does", 2)


class Lifetime(IntEnum):
    """For how long an answer stays right."""

    MATCH = 0
    STATE = 1
    MOVE = 2


@final
class SortedRules:
    """The rules of a game, by predicate.

    Args:
        rules: a rulesheet; rules for ``true`` and ``does`` are ignored.

    Raises:
        RulesError: a rule is unsafe.
        LimitError: the disjunctions of a rule expand to too many conjunctions.
    """

    def __init__(self, rules: Rules) -> None:
        self.source = rules.source
        self._facts: dict[Predicate, list[Row]] = {}
        self._rules: dict[Predicate, list[Rule]] = {}
        uses: dict[Predicate, set[Predicate]] = {}
        for whole in rules:
            head = predicate_of(whole.head)
            if head in (TRUE, DOES):
                continue
            for rule in map(with_role, without_or(whole, rules.source)):
                require_safe(rule, rules.source)
                if rule.body:
                    self._rules.setdefault(head, []).append(rule)
                    used = {predicate for predicate, _ in signed_predicates(rule.body)}
                    uses.setdefault(head, set()).update(used)
                else:
                    row = tuple(value_of(argument) for argument in arguments_of(rule.head))
                    self._facts.setdefault(head, []).append(row)
        users: dict[Predicate, set[Predicate]] = {}
        for head, used in uses.items():
            for predicate in used:
                users.setdefault(predicate, set()).add(head)
        self._state = _reached(TRUE, users)
        self._move = _reached(DOES, users)

    def level(self, predicate: Predicate) -> Lifetime:
        """Return for how long the answers about a predicate stay right."""
        if predicate in self._move:
            return Lifetime.MOVE
        return Lifetime.STATE if predicate in self._state else Lifetime.MATCH

    def facts(self, predicate: Predicate) -> Sequence[Row]:
        """Return what holds of a predicate without any condition."""
        return self._facts.get(predicate, ())

    def rules(self, predicate: Predicate) -> Sequence[Rule]:
        """Return the rules with a body that define a predicate, without ``or``."""
        return self._rules.get(predicate, ())

    def is_stored(self, predicate: Predicate) -> bool:
        """Return whether all that holds of a predicate is given, so that nothing is derived."""
        return predicate not in self._rules


def _reached(start: Predicate, edges: dict[Predicate, set[Predicate]]) -> set[Predicate]:
    reached = {start}
    waiting = [start]
    while waiting:
        for predicate in edges.get(waiting.pop(), ()):
            if predicate not in reached:
                reached.add(predicate)
                waiting.append(predicate)
    return reached
