"""Ordinary rules to operation notation, where one role at a time has a choice.

Who moves is found in the rules: see :mod:`neurogame.gdl.operations_turns`. The text says what the
rules say exactly if one role is in control in every state that is not terminal, and the others
have just the one move without choice; :func:`neurogame.prover.same_play.first_difference`
tells by playing.

Every rule for ``next`` is an effect. The operation ``advance``, which every action carries out,
takes away what does not stay by itself; what is added wins. A rule
``(<= (next p) (true p) (not q))`` becomes ``p & q ==> ~p``. Relations that depend on the move get
the action's arguments as further arguments of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

from neurogame.gdl.finding import Position, shown
from neurogame.gdl.infix_write import infix_rules_text
from neurogame.gdl.keywords import KEYWORDS
from neurogame.gdl.operations_declared import (
    ACTION,
    CONTROL,
    LEGAL,
    Declarations,
    FreshNames,
    Relation,
)
from neurogame.gdl.operations_evaluated import BUILT_IN, EvaluatedRelations
from neurogame.gdl.operations_ranges import Ranges, inner_of
from neurogame.gdl.operations_read import fresh_variable, general_sentence
from neurogame.gdl.operations_turns import refuse, turns_of
from neurogame.gdl.operations_words import AND, DISTINCT, NOT, OPERATION, OR
from neurogame.gdl.terms import (
    And,
    Compound,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Rules,
    Sentence,
    Symbol,
    Term,
    Variable,
)
from neurogame.gdl.walk import arguments_of, body_sentences, relation_of, variables_in

_FALSE, _TRUE = Or(()), And(())
_NEXT, _DOES, _STATE = ("next", 1), ("does", 2), (("true", 1), ("init", 1), ("base", 1))
_MAXIMUM_VALUES = 2000


def operations_text(rules: Rules) -> str:
    """Return a rulesheet as text in operation notation.

    Args:
        rules: ordinary rules.

    Returns:
        The text. Read again it plays as the rules do; the roles that have no choice do ``noop``
        there, and who has one is told by ``control``.

    Raises:
        RulesError: this finds no form with operations for the rules; the message has the place.
    """
    return infix_rules_text(with_operations(rules), operations=True)


def with_operations(rules: Rules) -> Rules:
    """Return rules whose heads may be operations: see :mod:`neurogame.gdl.operations_words`.

    Raises:
        RulesError: see :func:`operations_text`.
    """
    written = tuple(_OperationsWriter(rules).statements())
    return Rules(written, rules.spelling, rules.source, rules.remarks)


@final
class _OperationsWriter:
    """Makes statements with operations, one rule after the other."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._turns = turns_of(rules)
        self._names = FreshNames(rules)
        for word in (OPERATION, NOT, AND, OR, DISTINCT):
            if word in self._names:
                refuse(rules, rules.rules[0].position, f"the name '{word}' has a meaning there")
        self._fluents = self._find_fluents()
        self._moving = self._find_moving()
        self._renamed: dict[tuple[bool, Relation], str] = {}
        self._rename()
        self._special: dict[tuple[Relation, Relation], str] = {}
        self._never: set[tuple[Relation, Relation]] = set()
        self._advance = Symbol(self._names.take("advance"))

    def statements(self) -> list[Rule]:
        """Return all statements."""
        frames = self._frames()
        special = self._moving_statements()
        ordinary: list[Rule] = []
        changes: list[Rule] = []
        for rule in self._rules:
            relation = relation_of(rule.head)
            if relation == ("legal", 2):
                ordinary += self._legal(rule)
            elif relation == ("input", 2):
                ordinary += self._action(rule)
            elif relation == _NEXT:
                frame = frames.get(relation_of(inner_of(rule.head)))
                changes += self._removals(rule) if frame is rule else self._addition(rule)
            elif relation == ("base", 1) and isinstance(arguments_of(rule.head)[0], Variable):
                continue
            elif relation not in self._moving:
                body = [self._formula(literal, None) for literal in rule.body]
                ordinary += _rules(self._sentence(rule.head), body, rule.position)
        for relation, position in self._fluents.items():
            if relation not in frames:
                fluent = self._state(general_sentence(relation))
                taken = Compound(NOT, (fluent,))
                changes += _rules(_operation(self._advance, taken), [fluent], position)
        ordinary += self._declarations()
        if not changes:
            changes += self._no_change()
        if any(arguments_of(change.head)[0] == self._advance for change in changes):
            calls = [_operation(general_sentence(a), self._advance) for a in self._turns.actions]
            changes = [*(Rule(call) for call in calls), *changes]
        return [*ordinary, *special, *changes]

    def _no_change(self) -> list[Rule]:
        """Return an operation without consequences: a text without any is in infix notation."""
        if not self._fluents:
            refuse(self._rules, self._rules.rules[0].position, "no state that can change")
        fluent = self._state(general_sentence(next(iter(self._fluents))))
        return _rules(_operation(self._advance, fluent), [fluent], self._rules.rules[0].position)

    # What the rules are about ---------------------------------------------------------------------

    def _find_fluents(self) -> dict[Relation, Position]:
        """Return the propositions of the state that can become true."""
        fluents: dict[Relation, Position] = {}
        for rule in self._rules:
            if relation_of(rule.head) in (("init", 1), _NEXT):
                fluents.setdefault(relation_of(self._named(rule.head)), rule.position)
        for relation, position in fluents.items():
            if relation in self._turns.actions or relation[0] in KEYWORDS:
                message = f"a proposition of the state has the name of an action: {relation[0]}"
                refuse(self._rules, position, message)
        return fluents

    def _named(self, sentence: Sentence) -> Sentence:
        """Return the proposition inside ``true``, ``next``, ``init`` or ``base``."""
        (inner,) = arguments_of(sentence)
        if isinstance(inner, Variable):
            message = f"a variable stands for a proposition in '{sentence.name}'; write it out"
            refuse(self._rules, sentence.position, message)
        return inner

    def _find_moving(self) -> set[Relation]:
        """Return the relations that depend on the move."""
        moving: set[Relation] = set()
        size = -1
        while len(moving) > size:
            size = len(moving)
            for rule in self._rules:
                called = {relation_of(sentence) for sentence, _ in body_sentences(rule.body)}
                relation = relation_of(rule.head)
                if called & {_DOES, *moving} and relation != _NEXT:
                    if relation[0] in KEYWORDS:
                        message = f"'{relation[0]}' depends on the move, which it cannot here"
                        refuse(self._rules, rule.position, message)
                    moving.add(relation)
        return moving

    def _rename(self) -> None:
        """Give other names to what would mean something else."""
        if self._turns.control is not None:
            self._renamed[True, (self._turns.control, 1)] = CONTROL[0]
        fluents = set(self._fluents)
        if CONTROL in fluents and self._turns.control != CONTROL[0]:
            self._renamed[True, CONTROL] = self._names.take("control")
        defined = {relation_of(rule.head) for rule in self._rules}
        called = {relation_of(s) for rule in self._rules for s, _ in body_sentences(rule.body)}
        taken = {CONTROL, LEGAL, ACTION, ("same", 2), *fluents}
        for relation in sorted(
            (defined | called) - {(word, n) for word in KEYWORDS for n in (0, 1, 2)}
        ):
            if relation in taken or (relation in BUILT_IN and relation not in defined):
                self._renamed[False, relation] = self._names.take(relation[0])

    def _frames(self) -> dict[Relation, Rule]:
        """Return for propositions one rule by which they stay, all but under conditions."""
        frames: dict[Relation, Rule] = {}
        for rule in self._rules:
            if relation_of(rule.head) != _NEXT:
                continue
            fluent = self._named(rule.head)
            names = [a.name for a in arguments_of(fluent) if isinstance(a, Variable)]
            general = len(set(names)) == len(arguments_of(fluent))
            others = [part for part in rule.body if part != Compound("true", (fluent,))]
            bound = all(
                not isinstance(part, And | Or)
                and {v.name for v in variables_in(part)} <= set(names)
                for part in others
            )
            if general and bound and len(others) < len(rule.body):
                frames.setdefault(relation_of(fluent), rule)
        return frames

    # Formulas -------------------------------------------------------------------------------------

    def _state(self, fluent: Sentence) -> Sentence:
        return _called(fluent, self._renamed.get((True, relation_of(fluent))))

    def _sentence(self, sentence: Sentence) -> Sentence:
        if relation_of(sentence) in _STATE:
            inner = self._state(self._named(sentence))
            if sentence.name == "true":
                return inner
            return Compound(sentence.name, (inner,), sentence.position)
        return _called(sentence, self._renamed.get((False, relation_of(sentence))))

    def _formula(self, formula: Formula, move: Sentence | None) -> Formula:
        """Return a formula as it stands in the text.

        Args:
            formula: a formula of the rules.
            move: the action of the role in control; None where no move is made.
        """
        if isinstance(formula, Not):
            return _not(self._formula(formula.formula, move))
        if isinstance(formula, And | Or):
            parts = [self._formula(part, move) for part in formula.formulas]
            return _and(parts) if isinstance(formula, And) else _or(parts)
        if isinstance(formula, Distinct):
            return formula
        relation = relation_of(formula)
        if relation == ("legal", 2):
            role, action = arguments_of(formula)
            chosen = Compound(LEGAL[0], (action,), formula.position)
            return _or([_and([self._mover(role), chosen]), self._idles(role, action)])
        if relation == _DOES or relation in self._moving:
            if move is None:
                message = f"'{shown(formula.name)}' depends on the move where there is none"
                refuse(self._rules, formula.position, message)
            if relation == _DOES:
                role, action = arguments_of(formula)
                chosen_too = _and([self._mover(role), _equal(action, move)])
                return _or([chosen_too, self._idles(role, action)])
            if (relation, relation_of(move)) in self._never:
                return _FALSE
            name = self._special_name(relation, relation_of(move))
            arguments = (*arguments_of(move), *arguments_of(formula))
            return _sentence_of(name, arguments, formula.position)
        return self._sentence(formula)

    def _mover(self, role: Term) -> Formula:
        """Return that a role has the choice."""
        return Compound("role" if self._turns.control is None else CONTROL[0], (role,))

    def _idles(self, role: Term, move: Term) -> Formula:
        """Return that a role has no choice, and a move is the one that it makes."""
        if self._turns.control is None or self._turns.idle is None:
            return _FALSE
        waits: list[Formula] = [Compound("role", (role,)), Not(self._mover(role))]
        return _and([*waits, _equal(move, Symbol(self._turns.idle))])

    def _special_name(self, relation: Relation, action: Relation) -> str:
        """Return the name of a relation that depends on the move, for one action."""
        key = (relation, action)
        if key not in self._special:
            self._special[key] = self._names.take(f"{relation[0]}_{action[0]}".strip("()"))
        return self._special[key]

    # Statements -----------------------------------------------------------------------------------

    def _legal(self, rule: Rule) -> list[Rule]:
        role, move = arguments_of(rule.head)
        body = list(rule.body)
        if self._turns.is_for_all(rule):
            body.append(Compound("true", (Compound(self._turns.control or "", (role,)),)))
        elif not self._turns.is_choice(rule):
            return []
        parts: list[Formula | Term] = [move, *body]
        places = [part for part in parts if any(role == v for v in variables_in(part))]
        if isinstance(role, Variable) and len(places) == 1 and self._turns.control is not None:
            body.remove(Compound("true", (Compound(self._turns.control, (role,)),)))
        head = Compound(LEGAL[0], (move,), rule.head.position)
        return _rules(head, [self._formula(part, None) for part in body], rule.position)

    def _action(self, rule: Rule) -> list[Rule]:
        move = arguments_of(rule.head)[1]
        idle = Symbol(self._turns.idle or "")
        if move == idle and relation_of(idle) not in self._turns.actions:
            return []
        head = Compound(ACTION[0], (move,), rule.head.position)
        return _rules(head, [self._formula(part, None) for part in rule.body], rule.position)

    def _addition(self, rule: Rule) -> list[Rule]:
        fluent = self._state(self._named(rule.head))
        return self._effect(Rule(fluent, rule.body, rule.position))

    def _removals(self, rule: Rule) -> list[Rule]:
        """Return the statements for a rule by which a proposition stays."""
        fluent = self._named(rule.head)
        held = Compound("true", (fluent,))
        taken = Compound(NOT, (self._state(fluent),), fluent.position)
        return [
            statement
            for part in rule.body
            if part != held
            for statement in self._effect(
                Rule(
                    taken,
                    (held, part.formula if isinstance(part, Not) else Not(part)),
                    rule.position,
                )
            )
        ]

    def _effect(self, rule: Rule) -> list[Rule]:
        """Return the operations for a rule whose head is an effect."""
        called = {relation_of(sentence) for sentence, _ in body_sentences(rule.body)}
        if not called & {_DOES, *self._moving}:
            body = [self._formula(part, None) for part in rule.body]
            return _rules(_operation(self._advance, rule.head), body, rule.position)
        return [
            statement
            for action in self._turns.actions
            for move, body in [self._for_action(rule, action)]
            for statement in _rules(_operation(move, rule.head), body, rule.position)
        ]

    def _moving_statements(self) -> list[Rule]:
        """Return the rules of all relations that depend on the move; note which never hold."""
        keys = [(relation, a) for relation in sorted(self._moving) for a in self._turns.actions]
        while True:
            size, statements = len(self._never), []
            for key in keys:
                rules = self._moving_rules(*key)
                self._never |= set() if rules else {key}
                statements += rules
            if len(self._never) == size:
                return statements

    def _moving_rules(self, relation: Relation, action: Relation) -> list[Rule]:
        """Return the rules of a relation that depends on the move, for one action."""
        name = self._special_name(relation, action)
        statements = []
        for rule in self._rules:
            if relation_of(rule.head) == relation:
                move, body = self._for_action(rule, action)
                arguments = (*arguments_of(move), *arguments_of(rule.head))
                head = _sentence_of(name, arguments, rule.head.position)
                statements += _rules(head, [Compound(LEGAL[0], (move,)), *body], rule.position)
        return statements

    def _for_action(self, rule: Rule, action: Relation) -> tuple[Sentence, list[Formula]]:
        """Return the move and the body of a rule for one action of the role in control."""
        for part in rule.body:
            if isinstance(part, Compound) and relation_of(part) == _DOES:
                role, move = part.arguments
                if isinstance(move, Variable) or relation_of(move) != action:
                    continue
                if isinstance(move, Symbol) and move.name == self._turns.idle:
                    continue
                others = [self._formula(other, move) for other in rule.body if other is not part]
                return move, [self._mover(role), *others]
        taken: list[Variable] = []
        for _ in range(action[1]):
            other = Rule(rule.head, (*rule.body, *(Compound("role", (v,)) for v in taken)))
            taken.append(fresh_variable("a", other))
        sentence = _sentence_of(action[0], tuple(taken), rule.position)
        return sentence, [self._formula(part, sentence) for part in rule.body]

    def _declarations(self) -> list[Rule]:
        """Return ``base`` for propositions that no rule declares, from what can occur."""
        declared = {
            relation_of(inner_of(rule.head))
            for rule in self._rules
            if relation_of(rule.head) in (("base", 1), ("init", 1))
        }
        missing = [relation for relation in self._fluents if relation not in declared]
        if not missing:
            return []
        ranges = Ranges(
            self._rules.rules, EvaluatedRelations(Declarations(), self._names), _MAXIMUM_VALUES
        )
        statements = []
        for relation in missing:
            fluent = self._state(general_sentence(relation))
            places = range(relation[1])
            values = [ranges.terms((("true", 1, 0), (*relation, index))) for index in places]
            if not all(values):
                continue
            body = []
            for index, (variable, terms) in enumerate(
                zip(arguments_of(fluent), values, strict=True)
            ):
                name = self._names.take(f"{relation[0]}_{index + 1}")
                statements += [Rule(Compound(name, (term,))) for term in terms or ()]
                body.append(Compound(name, (variable,)))
            statements.append(Rule(Compound("base", (fluent,)), tuple(body)))
        return statements


def _rules(head: Sentence, body: Iterable[Formula], position: Position) -> list[Rule]:
    """Return a statement, or none if its body is false."""
    whole = _and(body)
    if whole == _FALSE:
        return []
    return [Rule(head, whole.formulas if isinstance(whole, And) else (whole,), position)]


def _operation(move: Sentence, effect: Term) -> Compound:
    return Compound(OPERATION, (move, effect))


def _called(sentence: Sentence, name: str | None) -> Sentence:
    return (
        sentence if name is None else _sentence_of(name, arguments_of(sentence), sentence.position)
    )


def _sentence_of(name: str, arguments: Sequence[Term], position: Position) -> Sentence:
    return Compound(name, tuple(arguments), position) if arguments else Symbol(name, position)


def _and(parts: Iterable[Formula]) -> Formula:
    return _joined(And, _FALSE, parts)


def _or(parts: Iterable[Formula]) -> Formula:
    return _joined(Or, _TRUE, parts)


def _joined(kind: type[And | Or], decided: Formula, parts: Iterable[Formula]) -> Formula:
    """Return a flat conjunction or disjunction, decided by a part that decides it."""
    flat: list[Formula] = []
    for part in parts:
        flat += part.formulas if isinstance(part, kind) else (part,)
    if decided in flat:
        return decided
    unique = tuple(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else kind(unique)


def _not(formula: Formula) -> Formula:
    if formula in (_FALSE, _TRUE):
        return _TRUE if formula == _FALSE else _FALSE
    return formula.formula if isinstance(formula, Not) else Not(formula)


def _equal(left: Term, right: Term) -> Formula:
    """Return that two terms are the same."""
    if left == right:
        return _TRUE
    if isinstance(left, Variable) or isinstance(right, Variable):
        return Compound("same", (left, right), left.position)
    if relation_of(left) != relation_of(right):
        return _FALSE
    pairs = zip(arguments_of(left), arguments_of(right), strict=True)
    return _and(_equal(one, other) for one, other in pairs) if arguments_of(left) else _FALSE
