"""Rules in operation notation, that of Stanford's course since 2020 ("Gamemaster"), to GDL.

The text comes as rules whose heads may be operations: see
:mod:`neurogame.gdl.operations_words`. What it says, and what becomes of it:

- What ``base``, ``init`` or an effect names is part of the state; it stands bare in bodies.
  A relation that is both declared and derived holds where one of the two does.
- ``legal(a)`` has no role: the one for which ``control`` holds chooses, all others do ``noop``.
  A game of one role needs no ``control``.
- ``a(X) :: condition ==> effects``. An effect is a proposition to add, ``~p`` to take away, or
  another operation to carry out, all with conditions in the old state. What several operations of
  one action do adds up; what is added wins; what is not taken away stays.
- Relations between numbers that no rule defines are evaluated: they become facts about
  the numbers that can occur, see :mod:`neurogame.gdl.operations_numbers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

from neurogame.errors import GroundingError
from neurogame.gdl.finding import START, Finding, Position
from neurogame.gdl.keywords import fresh_name
from neurogame.gdl.operations_declared import (
    ACTION,
    CONTROL,
    FILLER,
    LEGAL,
    Effect,
    FreshNames,
    Relation,
    declarations,
    effects_of,
)
from neurogame.gdl.operations_evaluated import EvaluatedRelations
from neurogame.gdl.operations_formulas import MAXIMUM_ALTERNATIVES, alternatives, without_same
from neurogame.gdl.operations_numbers import number_facts
from neurogame.gdl.operations_words import AND, DISTINCT, NOT, OPERATION, OR
from neurogame.gdl.terms import (
    Compound,
    Formula,
    Not,
    Rule,
    Rules,
    Sentence,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.walk import (
    arguments_of,
    body_sentences,
    negated_if,
    relation_of,
    variable_names,
)

_FOREIGN = {
    ("next", 1): "operations say what changes",
    ("does", 2): "operations say what a move does",
    ("input", 2): "write action(a)",
    ("legal", 2): "write legal(a): the role in control moves",
    ("true", 1): "propositions of the state stand bare",
    ("base", 1): "'base' only declares",
    ("init", 1): "'init' only declares",
}


MAXIMUM_SPLIT = 20_000
"""Most rules that alternatives add, in all."""


def without_operations(rules: Rules) -> tuple[Rules, list[Finding]]:
    """Return the game of a text in operation notation as ordinary rules.

    Args:
        rules: its statements; operations are rules whose heads are terms named ``::``.

    Returns:
        The ordinary rules, with the places of what they come from, and the errors.
    """
    reader = _OperationsReader(rules)
    reader.read()
    spelling = {
        name: spelled
        for name, spelled in rules.spelling.items()
        if name not in (OPERATION, NOT, AND, OR, DISTINCT)
    }
    remarks = (*rules.remarks, *reader.declared.remarks)
    return Rules(tuple(reader.rules), spelling, rules.source, remarks), reader.errors


@final
class _OperationsReader:
    """Makes ordinary rules, one statement after the other.

    Attributes:
        declared: what the text declares.
        rules: the ordinary rules so far.
    """

    def __init__(self, source: Rules) -> None:
        self.declared = declarations(source)
        self.rules: list[Rule] = []
        self._split = 0
        self._source = source
        self._names = FreshNames(source)
        self._evaluated = EvaluatedRelations(self.declared, self._names)
        called = {relation_of(sentence) for r in source for sentence, _ in body_sentences(r.body)}
        self._allowed = self._names.take("allowed") if LEGAL in called else None
        self._action = ACTION[0] if ACTION in called else None
        self._removed = self._names.take("removed")
        self._carried = self._names.take("carried_out")

    @property
    def errors(self) -> list[Finding]:
        """The errors so far; a condition of several effects has each of its errors once."""
        return list(dict.fromkeys(self.declared.errors))

    def read(self) -> None:
        """Translate the whole text."""
        for rule in self._source:
            relation = relation_of(rule.head)
            if rule.head.name == OPERATION:
                self._operation(rule)
            elif relation == LEGAL:
                self._legal(rule)
            elif relation == ACTION:
                self._declared_action(rule)
            elif relation in _FOREIGN and relation not in (("base", 1), ("init", 1)):
                self._foreign(rule.head)
            else:
                self._add(rule.head, rule.body, rule.position)
        self._turns()
        self._persistence()
        facts, errors = number_facts(self.rules, self._evaluated, self._names)
        self.rules += facts
        self.declared.errors.extend(errors)

    # Bodies ---------------------------------------------------------------------------------------

    def _add(
        self,
        head: Sentence,
        body: Iterable[Formula],
        position: Position,
        more: Sequence[Formula] = (),
    ) -> None:
        """Add a rule, or several where its body has alternatives.

        Args:
            head: the head, in ordinary GDL.
            body: the body as it stands in the text.
            position: where the rule stands.
            more: literals in ordinary GDL before the body.
        """
        body = tuple(body)
        self._evaluated.begin((head, *more, *body))
        rows = alternatives(body, self._sentence)
        self._split += 0 if rows is None else len(rows) - 1
        if rows is None or self._split > MAXIMUM_SPLIT:
            message = (
                f"the rule has more than {MAXIMUM_ALTERNATIVES:,} alternatives, or all rules "
                f"together more than {MAXIMUM_SPLIT:,}; give a disjunction a name and its own rule"
            )
            self.declared.error(position, message)
            return
        for row in rows:
            try:
                rule = without_same(Rule(head, (*more, *row), position))
            except GroundingError as error:
                self.declared.error(position, str(error))
                return
            if rule is not None:
                self.rules.append(rule)
        for counted in self._evaluated.new_conditions():
            body = (counted.condition,)
            self._add(counted.head, body, counted.head.position, counted.parameters)

    def _sentence(self, sentence: Sentence, negated: bool) -> Formula:
        """Return what a sentence of a body, or its negation, is in ordinary GDL."""
        relation = relation_of(sentence)
        if relation in self.declared.state_only:
            sentence = Compound("true", (sentence,), sentence.position)
        elif relation == LEGAL and self._allowed is not None:
            sentence = Compound(self._allowed, arguments_of(sentence), sentence.position)
        elif relation in _FOREIGN:
            self._foreign(sentence)
        else:
            evaluated = self._evaluated.formula(sentence, negated)
            if evaluated is not None:
                return evaluated
        return negated_if(sentence, negated)

    def _foreign(self, sentence: Sentence) -> None:
        hint = _FOREIGN[relation_of(sentence)]
        message = f"'{sentence.name}' cannot stand here in operation notation: {hint}"
        self.declared.error(sentence.position, message)

    # Moves ----------------------------------------------------------------------------------------

    def _mover(self, player: Term) -> list[Formula]:
        """Return the literals that say that a role may choose; none with one role alone."""
        if CONTROL in self.declared.state_only:
            return [Compound("true", (Compound(CONTROL[0], (player,)),))]
        if CONTROL in self.declared.derived:
            return [Compound(CONTROL[0], (player,))]
        return [Compound("role", (player,))]

    def _legal(self, rule: Rule) -> None:
        (move,) = arguments_of(rule.head)
        if self._allowed is not None:
            allowed = Compound(self._allowed, (move,), rule.head.position)
            self._add(allowed, rule.body, rule.position)
            return
        player = fresh_variable("player", rule)
        head = Compound("legal", (player, move), rule.head.position)
        self._add(head, rule.body, rule.position, self._mover(player))

    def _declared_action(self, rule: Rule) -> None:
        (move,) = arguments_of(rule.head)
        if self._action is not None:
            self._add(rule.head, rule.body, rule.position)
            return
        player = fresh_variable("player", rule)
        head = Compound("input", (player, move), rule.head.position)
        self._add(head, rule.body, rule.position, [Compound("role", (player,))])

    def _turns(self) -> None:
        """Add who may move, and that the others do nothing."""
        player, move = Variable("player"), Variable("move")
        role = Compound("role", (player,))
        place = self.declared.first_legal or START
        if self._allowed is not None:
            body = (*self._mover(player), Compound(self._allowed, (move,)))
            self.rules.append(Rule(Compound("legal", (player, move)), body, place))
        if self._action is not None:
            body = (role, Compound(self._action, (move,)))
            self.rules.append(Rule(Compound("input", (player, move)), body, place))
        if self.declared.roles <= 1:
            return
        (mover,) = self._mover(player)
        if mover == role and self.declared.first_legal is not None:
            message = "nothing says who moves: a game of several roles needs control(role)"
            self.declared.error(self.declared.first_legal, message)
        noop = Symbol(FILLER[0])
        if any(relation_of(rule.head) == ("input", 2) for rule in self.rules):
            self.rules.append(Rule(Compound("input", (player, noop)), (role,), place))
        self.rules.append(Rule(Compound("legal", (player, noop)), (role, Not(mover)), place))

    # Change ---------------------------------------------------------------------------------------

    def _operation(self, rule: Rule) -> None:
        operation = arguments_of(rule.head)[0]
        if isinstance(operation, Variable):
            return
        trigger = self._trigger(operation, rule)
        for effect in effects_of(rule):
            head = self._effect(effect)
            if head is not None:
                self._add(head, rule.body, rule.position, trigger)

    def _trigger(self, operation: Sentence, rule: Rule) -> list[Formula]:
        """Return the literals that say that an operation is carried out."""
        player = fresh_variable("player", rule)
        if relation_of(operation) in self.declared.called:
            return [Compound(self._carried, (operation,), operation.position)]
        return self._chosen(player, operation)

    def _chosen(self, player: Term, operation: Sentence) -> list[Formula]:
        """Return the literals that say that an operation is the chosen action."""
        does = Compound("does", (player, operation), operation.position)
        if relation_of(operation) == FILLER and self.declared.filler_is_action:
            return [does, *self._mover(player)]
        return [does]

    def _effect(self, effect: Effect) -> Sentence | None:
        """Return the head of the rule for an effect; None if it takes away what never holds."""
        sentence, relation = effect.sentence, relation_of(effect.sentence)
        if effect.removes:
            if relation not in self.declared.fluents:
                return None
            return Compound(self._removed, (sentence,), sentence.position)
        if relation in self.declared.called:
            return Compound(self._carried, (sentence,), sentence.position)
        return Compound("next", (sentence,), sentence.position)

    def _persistence(self) -> None:
        """Add that actions are carried out, and that what is not taken away stays."""
        player = Variable("player")
        for relation in sorted(self.declared.called):
            if not (self.declared.any_action or relation in self.declared.actions):
                continue
            operation = general_sentence(relation)
            head = Compound(self._carried, (operation,))
            self.rules.append(Rule(head, tuple(self._chosen(player, operation))))
        for relation, place in self.declared.fluents.items():
            fluent = general_sentence(relation)
            held: Formula = Compound("true", (fluent,), place)
            body = [held]
            if relation in self.declared.removed:
                body.append(Not(Compound(self._removed, (fluent,))))
            self.rules.append(Rule(Compound("next", (fluent,), place), tuple(body), place))
            if relation in self.declared.derived:
                self.rules.append(Rule(fluent, (held,), place))


def fresh_variable(name: str, rule: Rule) -> Variable:
    """Return a variable that a rule does not have."""
    return Variable(fresh_name(name, variable_names(rule.head, *rule.body), "_"))


def general_sentence(relation: Relation) -> Sentence:
    """Return a sentence with a variable for each argument."""
    name, arity = relation
    if not arity:
        return Symbol(name)
    return Compound(name, tuple(Variable(f"x{number}") for number in range(1, arity + 1)))
