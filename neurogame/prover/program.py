"""Rules sorted by what they define, and by what their answers depend on."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import final

from neurogame.errors import LimitError
from neurogame.gdl.disjunctions import branches_of
from neurogame.gdl.graph import reachable, strong_components
from neurogame.gdl.role_heads import with_role
from neurogame.gdl.terms import Rule, Rules
from neurogame.gdl.walk import arguments_of, body_sentences, relation_of
from neurogame.prover.values import Predicate, Row, require_safe, value_of

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
        denied: dict[Predicate, set[Predicate]] = {}
        for whole in rules:
            head = relation_of(whole.head)
            if head in (TRUE, DOES):
                continue
            for branch in branches_of(whole, rules.source, LimitError):
                rule = with_role(Rule(whole.head, tuple(branch), whole.position))
                require_safe(rule, rules.source)
                if rule.body:
                    self._rules.setdefault(head, []).append(rule)
                    for sentence, negated in body_sentences(rule.body):
                        uses.setdefault(head, set()).add(relation_of(sentence))
                        if negated:
                            denied.setdefault(head, set()).add(relation_of(sentence))
                else:
                    row = tuple(value_of(argument) for argument in arguments_of(rule.head))
                    self._facts.setdefault(head, []).append(row)
        users: dict[Predicate, set[Predicate]] = {}
        for head, used in uses.items():
            for predicate in used:
                users.setdefault(predicate, set()).add(head)
        self._state = reachable([TRUE], users)
        self._move = reachable([DOES], users)
        components = map(set, strong_components(uses, {h: list(used) for h, used in uses.items()}))
        self.on_negative_cycles = {
            predicate
            for component in components
            if any(denied.get(head, set()) & component for head in component)
            for predicate in component
        }
        """The predicates that may depend on their own negation."""
        self.doubtful = reachable(self.on_negative_cycles, users)
        """Those, and the predicates that depend on them."""

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
