"""Who moves by the rules for ``legal``: one role at a time, or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn, final

from neurogame.errors import RulesError
from neurogame.gdl.finding import Finding, Position
from neurogame.gdl.operations_declared import Declarations, FreshNames, Relation
from neurogame.gdl.operations_evaluated import EvaluatedRelations
from neurogame.gdl.operations_ranges import Ranges
from neurogame.gdl.terms import Compound, Rule, Rules, Sentence, Symbol, Term, Variable
from neurogame.gdl.walk import arguments_of, body_sentences, relation_of

_MAXIMUM_NAMES = 2000


@final
@dataclass(frozen=True, slots=True)
class Turns:
    """Who moves.

    Attributes:
        control: the proposition of the state whose argument is the role that has a choice; None
            with one role alone.
        idle: the only move of the others; None if no rule names one.
        actions: the actions to choose from, by name and number of arguments.
    """

    control: str | None
    idle: str | None
    actions: tuple[Relation, ...]

    def is_choice(self, rule: Rule) -> bool:
        """Return whether a rule for ``legal`` is one for the role in control."""
        return self.control is None or self.control in _controls(rule)

    def is_for_all(self, rule: Rule) -> bool:
        """Return whether a rule for the idle move does not say that the role has no choice."""
        if self.is_choice(rule):
            return False
        inner = [s for s, _ in body_sentences(rule.body) if relation_of(s) == ("true", 1)]
        return all(relation_of(_proposition(s)) != (self.control, 1) for s in inner)


def turns_of(rules: Rules) -> Turns:
    """Return who moves by the rules.

    Raises:
        RulesError: the rules do not say it in a form that operations can have.
    """
    legal = [rule for rule in rules if relation_of(rule.head) == ("legal", 2)]
    if not legal:
        raise RulesError(f"{rules.source}: no rule for legal: nothing can be done by operations")
    control = None
    if len({rule.head for rule in rules if relation_of(rule.head) == ("role", 1)}) > 1:
        candidates = dict.fromkeys(name for rule in legal for name in _controls(rule))
        control = next((name for name in candidates if _fits(name, legal)), None)
        if control is None:
            _refuse_turns(rules, legal, list(candidates))
    turns = Turns(control, None, ())
    choices = [rule for rule in legal if turns.is_choice(rule) or turns.is_for_all(rule)]
    moves = [arguments_of(rule.head)[1] for rule in choices]
    named = [relation_of(move) for move in moves if not isinstance(move, Variable)]
    if len(named) < len(moves):
        evaluated = EvaluatedRelations(Declarations(), FreshNames(rules))
        functions = Ranges(rules.rules, evaluated, _MAXIMUM_NAMES).functions((("legal", 2, 1),))
        if functions is None:
            place = moves[[isinstance(move, Variable) for move in moves].index(True)].position
            refuse(rules, place, "it is not known which actions this variable stands for")
        named += functions
    idle = next((_move_name(rule) for rule in legal if not turns.is_choice(rule)), None)
    return Turns(control, idle, tuple(dict.fromkeys(named)))


def refuse(rules: Rules, position: Position, message: str) -> NoReturn:
    """Raise an error at a place of a rulesheet."""
    finding = Finding("error", position, message, "no-operations")
    raise RulesError(f"{finding.place(rules.source)}: {message}")


def _refuse_turns(rules: Rules, legal: Sequence[Rule], controls: Sequence[str]) -> NoReturn:
    """Raise an error about rules for ``legal`` by which more than one role may have a choice."""
    control = controls[0] if controls else "control"
    odd = [rule for rule in legal if control not in _controls(rule)]
    rule = next((rule for rule in odd if _move_name(rule) is None), odd[0] if odd else legal[0])
    message = (
        "operations are for games in which one role at a time has a choice, told by one "
        "proposition such as (true (control ?r)) in every rule for legal but those for one "
        "fixed move of the others; this rule is none of them"
    )
    refuse(rules, rule.head.position, message)


def _controls(rule: Rule) -> Iterator[str]:
    """Yield the propositions in the body that say something about the role of a ``legal`` head."""
    role = arguments_of(rule.head)[0]
    for literal in rule.body:
        if isinstance(literal, Compound) and literal.name == "true":
            (inner,) = literal.arguments
            if isinstance(inner, Compound) and inner.arguments == (role,):
                yield inner.name


def _proposition(sentence: Sentence) -> Sentence:
    (inner,) = arguments_of(sentence)
    return Symbol("") if isinstance(inner, Variable) else inner


def _fits(control: str, legal: Sequence[Rule]) -> bool:
    others = {_move_name(rule) for rule in legal if control not in _controls(rule)}
    return len(others) <= 1 and None not in others


def _move_name(rule: Rule) -> str | None:
    """Return the move of a ``legal`` head if it is a name alone."""
    move: Term = arguments_of(rule.head)[1]
    return move.name if isinstance(move, Symbol) else None
