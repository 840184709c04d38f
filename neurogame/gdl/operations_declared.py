"""What a text in operation notation declares: its state, its actions, its operations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias, final

from neurogame.gdl.finding import Finding, Position, shown
from neurogame.gdl.keywords import KEYWORDS, fresh_name
from neurogame.gdl.operations_words import AND, NOT, OPERATION
from neurogame.gdl.terms import Compound, Rule, Rules, Sentence, Symbol, Term, Variable
from neurogame.gdl.walk import body_sentences, relation_of, subterms

Relation: TypeAlias = tuple[str, int]

CONTROL: Relation = ("control", 1)
FILLER: Relation = ("noop", 0)
"""The move of the roles that are not in control."""

LEGAL: Relation = ("legal", 1)
ACTION: Relation = ("action", 1)
_STATE = (("base", 1), ("init", 1))
_SPECIAL = (LEGAL, ACTION, *_STATE)


@final
@dataclass(frozen=True, slots=True)
class Effect:
    """One effect of an operation.

    Attributes:
        removes: whether it takes the proposition away; else it adds it, or carries it out.
        sentence: the proposition or operation.
    """

    removes: bool
    sentence: Sentence


@final
@dataclass(slots=True)
class Declarations:
    """What the statements of a text say about names; all by name and number of arguments.

    Attributes:
        fluents: the propositions of the state, with the statement that declares each.
        based: those of them that ``base`` declares.
        removed: those that an operation takes away.
        actions: what ``legal`` and ``action`` name.
        any_action: whether a variable stands for an action there.
        operations: what stands before ``::``.
        called: the operations that are effects.
        derived: relations that facts and rules define, in the ordinary way.
        roles: the facts ``role(x)``; a rule for ``role`` counts as two.
        first_legal: where the first rule for ``legal`` stands.
        remarks: warnings.
        errors: errors.
    """

    fluents: dict[Relation, Position] = field(default_factory=dict)
    based: set[Relation] = field(default_factory=set)
    removed: set[Relation] = field(default_factory=set)
    actions: set[Relation] = field(default_factory=set)
    any_action: bool = False
    operations: set[Relation] = field(default_factory=set)
    called: set[Relation] = field(default_factory=set)
    derived: set[Relation] = field(default_factory=set)
    roles: int = 0
    first_legal: Position | None = None
    remarks: list[Finding] = field(default_factory=list)
    errors: list[Finding] = field(default_factory=list)

    @property
    def state_only(self) -> set[Relation]:
        """The propositions of the state that no rule derives, too."""
        return set(self.fluents) - self.derived

    @property
    def filler_is_action(self) -> bool:
        """Whether the role in control may choose the move of the others."""
        return FILLER in self.actions or (self.any_action and FILLER in self.operations)

    def error(self, position: Position, message: str, code: str = "operation") -> None:
        """Note an error."""
        self.errors.append(Finding("error", position, message, code))


def declarations(rules: Rules) -> Declarations:
    """Return what the rules of a text declare; the operations among them come as terms."""
    declared = Declarations()
    for rule in rules:
        if _is_operation(rule):
            _declare_operation(declared, rule)
        else:
            _declare(declared, rule)
    for rule in rules:
        if _is_operation(rule):
            _declare_effects(declared, rule)
    return declared


def _is_operation(rule: Rule) -> bool:
    return rule.head.name == OPERATION


def _declare(declared: Declarations, rule: Rule) -> None:
    relation = relation_of(rule.head)
    if relation not in _SPECIAL:
        declared.derived.add(relation)
        declared.roles += (1 + bool(rule.body)) * (relation == ("role", 1))
        return
    assert isinstance(rule.head, Compound)
    (term,) = rule.head.arguments
    if relation == LEGAL and declared.first_legal is None:
        declared.first_legal = rule.head.position
    if isinstance(term, Variable):
        if relation in _STATE:
            message = (
                f"'{relation[0]}' names no proposition here; write it out, "
                f"such as {relation[0]}(cell(X, Y))"
            )
            declared.error(term.position, message)
        declared.any_action = True
    elif relation in _STATE:
        declared.fluents.setdefault(relation_of(term), rule.position)
        if relation[0] == "base":
            declared.based.add(relation_of(term))
    else:
        declared.actions.add(relation_of(term))


def _declare_operation(declared: Declarations, rule: Rule) -> None:
    assert isinstance(rule.head, Compound)
    operation = rule.head.arguments[0]
    if isinstance(operation, Variable):
        message = "an operation starts with its name, such as mark(X, Y) :: effects"
        declared.error(operation.position, message)
    elif operation.name in KEYWORDS:
        message = f"'{operation.name}' is a reserved word and no operation; choose another name"
        declared.error(operation.position, message)
    else:
        declared.operations.add(relation_of(operation))


def _declare_effects(declared: Declarations, rule: Rule) -> None:
    for effect in effects_of(rule, declared):
        relation, position = relation_of(effect.sentence), effect.sentence.position
        text = shown(f"{relation[0]}/{relation[1]}")
        if effect.removes:
            declared.removed.add(relation)
            if relation not in declared.fluents:
                message = f"{text} is no part of the state: 'base' and 'init' do not declare it"
                declared.remarks.append(Finding("warning", position, message, "undeclared-state"))
        elif relation in declared.operations:
            declared.called.add(relation)
            if relation in declared.fluents:
                message = f"{text} is an operation and a proposition; give one another name"
                declared.error(position, message)
        elif relation not in declared.fluents:
            declared.fluents[relation] = rule.position
            message = f"{text} is taken as a part of the state; declare it by base"
            declared.remarks.append(Finding("warning", position, message, "undeclared-state"))


def effects_of(rule: Rule, declared: Declarations | None = None) -> Iterator[Effect]:
    """Yield the effects of an operation; note what is no effect."""
    assert isinstance(rule.head, Compound)
    todo = list(reversed(rule.head.arguments[1:]))
    while todo:
        term: Term = todo.pop()
        if isinstance(term, Compound) and term.name == AND:
            todo += reversed(term.arguments)
            continue
        removes = isinstance(term, Compound) and term.name == NOT
        if isinstance(term, Compound) and removes:
            term = term.arguments[0]
        if isinstance(term, Symbol | Compound) and term.name not in _NO_EFFECTS:
            yield Effect(removes, term)
        elif declared is not None:
            message = "an effect is a proposition, '~' and a proposition, or an operation"
            declared.error(term.position, message)


_NO_EFFECTS = frozenset({"~", "&", "|", "!=", OPERATION}) | KEYWORDS


@final
class FreshNames:
    """Names that a text does not have."""

    def __init__(self, rules: Rules) -> None:
        sentences = [rule.head for rule in rules]
        sentences += [sentence for rule in rules for sentence, _ in body_sentences(rule.body)]
        self._taken = {part.name for sentence in sentences for part in subterms(sentence)}
        self._taken |= KEYWORDS

    def take(self, name: str) -> str:
        """Return a name, with a number behind it if the text has it; it counts as taken then."""
        fresh = fresh_name(name, self._taken, "_")
        self._taken.add(fresh)
        return fresh
