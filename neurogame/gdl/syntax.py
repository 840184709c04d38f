"""Nested words to facts, rules, formulas and terms: the grammar of GDL above parentheses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, final

from neurogame.gdl.finding import Finding, Position, shown
from neurogame.gdl.keywords import KEYWORDS, SYNTAX_WORDS
from neurogame.gdl.nodes import Group, Node, Word
from neurogame.gdl.terms import (
    And,
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

T = TypeVar("T")

MAXIMUM_NAME = 1000
"""Longest accepted name: the texts of all fluents and moves repeat the names in them."""


@final
class SyntaxReader:
    """Reads top-level nodes one after the other and collects what it finds on the way.

    Every method that reads something returns None after it has noted an error, and goes on with
    the neighbours first, so that one pass notes all errors of a rulesheet. A statement that cannot
    be read is left out where one can tell which relation it is about: that is nonstandard.

    Attributes:
        errors: what could not be read, in reading order.
        remarks: warnings about spelling that the syntax trees do not show.
        spelling: folded name -> first spelling; variables with their ``?``.
    """

    def __init__(self, *, connectives_are_names: bool = True) -> None:
        """Begin with nothing read.

        Args:
            connectives_are_names: whether ``not`` and its kind are ordinary names inside terms;
                not so in infix notation, where they are operators.
        """
        self._connectives_are_names = connectives_are_names
        self.errors: list[Finding] = []
        self.remarks: list[Finding] = []
        self.spelling: dict[str, str] = {}
        self._odd_spellings: set[str] = set()
        self._variables: dict[str, str] = {}
        self._depth = 0

    def rule(self, node: Node) -> Rule | None:
        """Read a fact or a rule."""
        before = len(self.errors)
        rule = self._rule(node)
        name = statement_name(node)
        if rule is None and name is not None:
            left_out = f"; this statement about '{shown(name)}' is left out"
            self.errors[before:] = [
                Finding("nonstandard", error.position, error.message + left_out, error.code, True)
                for error in self.errors[before:]
            ]
        return rule

    def _rule(self, node: Node) -> Rule | None:
        self._variables = {}
        if isinstance(node, Word) or not _starts_with(node.items, "<="):
            head = self.sentence(node, "a fact")
            return None if head is None else Rule(head, (), node.position)
        if len(node.items) == 1:
            self._error(
                node.position, "'<=' without a head; write (<= head literal ...)", "missing-head"
            )
            return None
        head = self.sentence(node.items[1], "the head of a rule")
        literals = node.items[2:]
        if not literals:
            message = "'<=' with an empty body is read as a fact; leave out '<='"
            self._remark(node.position, message, "empty-body")
        body: tuple[Formula, ...] | None = _complete(
            [self.formula(literal) for literal in literals]
        )
        if head is None or body is None:
            return None
        return Rule(head, body, node.position)

    def formula(self, node: Node) -> Formula | None:
        """Read a literal of a rule body, or one nested in not, or, and."""
        if isinstance(node, Word) or not node.items or not isinstance(node.items[0], Word):
            return self.sentence(node, "a literal of a rule body")
        connective = node.items[0].text.lower()
        if connective not in ("not", "or", "and", "distinct"):
            return self.sentence(node, "a literal of a rule body")
        items = node.items[1:]
        if connective == "distinct":
            terms: tuple[Term, ...] | None = _complete([self.term(item) for item in items])
            if not self._has_arity(node.position, connective, len(items), 2) or terms is None:
                return None
            return Distinct(terms[0], terms[1], node.position)
        formulas: tuple[Formula, ...] | None = _complete([self.formula(item) for item in items])
        if connective == "not":
            if not self._has_arity(node.position, connective, len(items), 1) or formulas is None:
                return None
            return Not(formulas[0], node.position)
        if formulas is None:
            return None
        return (Or if connective == "or" else And)(formulas, node.position)

    def sentence(self, node: Node, role: str) -> Sentence | None:
        """Read an atomic sentence; ``role`` says in a message what is expected here."""
        term = self._term(node, f"{role} must be a sentence such as terminal or (cell 1 1 b)")
        if isinstance(term, Variable):
            self._error(
                node.position,
                f"the variable ?{shown(term.name)} cannot be {role}; write a relation name, "
                "with arguments in parentheses if it has any",
                "variable-sentence",
            )
            return None
        return term

    def term(self, node: Node) -> Term | None:
        """Read a term, in which connectives are ordinary names."""
        self._depth += 1
        try:
            return self._term(node, "a term such as ?x or (f a) is expected")
        finally:
            self._depth -= 1

    def _term(self, node: Node, expected: str) -> Term | None:
        """Read a constant, a variable, or a name with arguments."""
        if isinstance(node, Word):
            return self._atom(node, expected)
        if not node.items:
            message = f"empty parentheses '()'; {expected}"
            self._error(node.position, message, "nothing-in-parentheses")
            return None
        name = self._name(node.items[0], expected)
        arguments: tuple[Term, ...] | None = _complete([self.term(a) for a in node.items[1:]])
        if name is None or arguments is None:
            return None
        if not arguments:
            return self._without_arguments(node, name)
        return Compound(name, arguments, node.position)

    def _without_arguments(self, node: Group, name: str) -> Symbol:
        """Read ``(name)``: a keyword as without the parentheses, another name as one of its own."""
        if name in KEYWORDS:
            message = f"({name}) is read as {name}; names without arguments need no parentheses"
            self._remark(node.position, message, "empty-parentheses")
            return Symbol(name, node.position)
        spelled = self.spelling[name]
        message = (
            f"({shown(spelled)}) is never the same as {shown(spelled)}; a name without arguments "
            f"has no parentheses: write {shown(spelled)}"
        )
        self._remark(node.position, message, "empty-parentheses")
        self.spelling.setdefault(f"({name})", f"({spelled})")
        return Symbol(f"({name})", node.position)

    def _atom(self, word: Word, expected: str) -> Term | None:
        if word.text.startswith("?"):
            return self._variable(word)
        name = self._name(word, expected)
        return None if name is None else Symbol(name, word.position)

    def _variable(self, word: Word) -> Variable | None:
        if word.text == "?":
            self._error(word.position, "a variable needs a name after its '?'", "nameless-variable")
            return None
        folded = word.text.lower()
        first = self._variables.setdefault(folded, word.text)
        if first != word.text and word.text not in self._variables.values():
            message = (
                f"{shown(word.text)} differs from {shown(first)} of the same rule only in case; "
                "both are read as one variable"
            )
            self._remark(word.position, message, "variable-case")
            self._variables[word.text] = word.text
        self.spelling.setdefault(folded, word.text)
        return Variable(folded[1:], word.position)

    def _name(self, node: Node, expected: str) -> str | None:
        """Return the folded name of a constant, function or relation."""
        if not isinstance(node, Word):
            message = (
                f"a name must follow an opening parenthesis, found '({shown(_first_word(node))}'; "
                "write (name ...), or remove a parenthesis"
            )
            self._error(node.position, message, "consecutive-open")
            return None
        folded = node.text.lower()
        if node.text.startswith("?"):
            message = (
                f"the variable {shown(node.text)} cannot name a relation or function; "
                "use a constant"
            )
            self._error(node.position, message, "variable-name")
            return None
        if folded in SYNTAX_WORDS:
            if not self._depth or not self._connectives_are_names or folded == "<=":
                message = f"'{node.text}' is a reserved word and cannot stand here; {expected}"
                self._error(node.position, message, "misplaced-word")
                return None
            message = (
                f"'{node.text}' is a reserved word; it is an ordinary name inside a term: choose "
                "another one"
            )
            self.remarks.append(Finding("nonstandard", node.position, message, "keyword-function"))
        if len(folded) > MAXIMUM_NAME:
            message = (
                f"the name {shown(node.text)} is too long, at most {MAXIMUM_NAME:,} characters "
                "are allowed; choose a shorter one"
            )
            self._error(node.position, message, "long-name")
            return None
        if folded not in KEYWORDS:
            self._note_spelling(folded, node)
        return folded

    def _note_spelling(self, folded: str, word: Word) -> None:
        first = self.spelling.setdefault(folded, word.text)
        if first != word.text and word.text not in self._odd_spellings:
            self._odd_spellings.add(word.text)
            message = (
                f"{shown(word.text)} differs from {shown(first)} only in case; both are read as "
                "one name, since GDL ignores case"
            )
            self._remark(word.position, message, "name-case")

    def _has_arity(self, position: Position, name: str, given: int, allowed: int) -> bool:
        if given == allowed:
            return True
        usage = "(distinct term term)" if name == "distinct" else "(not sentence)"
        plural = "" if allowed == 1 else "s"
        message = f"'{name}' takes {allowed} argument{plural}, found {given}; write {usage}"
        self._error(position, message, "connective-arity")
        return False

    def _error(self, position: Position, message: str, code: str) -> None:
        self.errors.append(Finding("error", position, message, code))

    def _remark(self, position: Position, message: str, code: str) -> None:
        self.remarks.append(Finding("warning", position, message, code))


def statement_name(node: Node) -> str | None:
    """Return the relation that a fact or a rule is about, or None where that cannot be read."""
    if isinstance(node, Group) and _starts_with(node.items, "<="):
        if len(node.items) == 1:
            return None
        node = node.items[1]
    if isinstance(node, Group):
        if not node.items or not isinstance(node.items[0], Word):
            return None
        node = node.items[0]
    return None if node.text.startswith("?") or node.text == "<=" else node.text


def _first_word(node: Node) -> str:
    """Return what a node starts with, for a message."""
    opening = ""
    while isinstance(node, Group):
        opening += "("
        if not node.items:
            return opening + ")"
        node = node.items[0]
    return opening + node.text


def _starts_with(items: Sequence[Node], word: str) -> bool:
    return bool(items) and isinstance(items[0], Word) and items[0].text.lower() == word


def _complete(items: Sequence[T | None]) -> tuple[T, ...] | None:
    """Return the items as a tuple, or None if one of them could not be read."""
    complete = tuple(item for item in items if item is not None)
    return complete if len(complete) == len(items) else None
