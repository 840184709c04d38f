r"""Infix rules, the "human-readable format" (HRF) of lecture notes and papers, to nested words.

The result is what :mod:`neurogame.gdl.nodes` makes of the same rules in prefix notation, so every
later step, the messages included, is the same for both notations. The grammar::

    text      = { statement }
    statement = sentence [ ":-" formula | "::" [ formula "==>" ] effects ] [ "." ]
    effects   = conjunct
    formula   = conjunct { "|" conjunct }
    conjunct  = literal { ( "&" | "," ) literal }
    literal   = { "~" | "not" } ( "(" formula ")" | term [ ( "!=" | "\=" ) term ] )
    term      = VARIABLE | NAME [ "(" [ term { "," term } ] ")" ]

- A statement ends with ``.``, or where a line starts that cannot continue it: the
  statement is complete, the line starts with no operator, and it is not indented more than the
  statement's first line. After an error the rest is skipped until ``.`` or such a line.
- A VARIABLE starts with an upper-case letter or ``_``; each lone ``_`` is a variable of its own.
- A NAME is made of letters, digits and ``_``, may be a negative integer, or stands in single
  quotes: ``'x-y'``, ``'++'``, ``'Upper'``. A quote inside is doubled; nothing else is special.
- ``distinct(X, Y)`` is ``X != Y``. ``or(...)`` and ``and(...)`` take any number of formulas, for
  connectives that no operator can write, such as an ``or`` of one.
- ``%`` or ``;`` starts a comment that ends with its line.
- ``a :: c ==> e & ~f``, an operation, is in prefix order ``(<= (:: a e (~ f)) c)``: see
  :mod:`neurogame.gdl.operations_read`. Texts with operations may have facts side by side on a
  line, formulas inside ``countofall``, and quoted names with spaces and parentheses; these
  become ``_``.

*Reference:* the infix examples in M. Genesereth's notes on GDL, and section 2 of M. Trutman and
S. Schiffel, "Creating Action Heuristics for General Game Playing Agents".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import NoReturn, final

import pyparsing

from neurogame.gdl.finding import Finding, Position, shown
from neurogame.gdl.infix_level import InfixLevel, InfixLiteral, size_problem
from neurogame.gdl.infix_tokens import GAP, NAME, NOT, TOKEN, is_variable, refusal, unquoted
from neurogame.gdl.keywords import SYNTAX_WORDS
from neurogame.gdl.lines import Lines
from neurogame.gdl.nodes import MAXIMUM_ERRORS, Group, Node, Word, text_error
from neurogame.gdl.operations_words import COUNTING, OPERATION, OddNames, as_term

_NUMBERED = re.compile(r"_[0-9]+")


def read_infix(text: str, *, operations: bool = False) -> tuple[list[Node], list[Finding]]:
    """Read the statements of an infix text.

    Args:
        text: infix text; a leading byte order mark is ignored.
        operations: whether it is in operation notation.

    Returns:
        The statements as nested words in prefix order, within the limits of
        :mod:`neurogame.gdl.nodes`, and the syntax errors, at most one of each statement.
    """
    text = text.removeprefix("\ufeff")
    unreadable = text_error(text)
    if unreadable is not None:
        return [], [unreadable]
    reader = _Reader(text, operations)
    reader.grammar().parse_string(text)
    return reader.nodes, reader.errors


class _StatementError(Exception):
    """Ends the reading of a statement.

    Attributes:
        offset: the token where the reading ended.
        finding: what is wrong.
    """

    def __init__(self, offset: int, finding: Finding) -> None:
        super().__init__(finding.message)
        self.offset = offset
        self.finding = finding


class _Recovering(pyparsing.ParseElementEnhance):
    """A statement; if it has an error, all up to where the next one can start."""

    def __init__(
        self, statement: pyparsing.ParserElement, recover: Callable[[_StatementError], int]
    ) -> None:
        super().__init__(statement)
        self._recover = recover

    def parseImpl(  # noqa: N802 (the name is that of pyparsing)
        self, instring: str, loc: int, do_actions: bool = True
    ) -> tuple[int, pyparsing.ParseResults]:
        read: Callable[[str, int, bool], tuple[int, pyparsing.ParseResults]] = super().parseImpl
        try:
            return read(instring, loc, do_actions)
        except _StatementError as error:
            return self._recover(error), pyparsing.ParseResults([])


@final
class _Reader:
    """The grammar of a text, and what its parse actions have made of the text.

    pyparsing holds the grammar, all but the nesting: the parse actions keep the open parentheses
    on a stack of their own, because in a grammar that calls itself the depth of nesting would be
    limited by Python's stack. No action is ever undone, so the time is linear.

    Attributes:
        nodes: the statements without errors, in prefix order.
        errors: one error of each of the others.
    """

    def __init__(self, text: str, operations: bool) -> None:
        self.nodes: list[Node] = []
        self.errors: list[Finding] = []
        self._text = text
        self._odd_names = OddNames(text) if operations else None
        self._position = Lines(text).position
        self._numbered = frozenset(_NUMBERED.findall(text))

    def grammar(self) -> pyparsing.ParserElement:
        """Return the grammar of the text."""
        opening = self._token(
            rf"(?:(?P<negation>{NOT})|(?:(?P<name>{NAME}){GAP}(?!\({GAP}\)))?(?P<open>\())",
            self._open,
        )
        term = self._token(rf"(?P<name>{NAME})(?:{GAP}\({GAP}(?P<close>\)))?", self._term)
        term.set_fail_action(self._missing_operand)
        closing = self._token(r"(\))", self._close)
        operator = self._token(r"(:-|::|==>|!=|\\=|[&,|])", self._operator)
        stop = self._token(r"(\.)", lambda _: None)

        operand = opening[...] + term + closing[...]
        statement = (
            pyparsing.Empty().set_parse_action(self._begin)
            + operand
            + (operator + operand)[...]
            + pyparsing.Opt(stop)
            + pyparsing.Empty().set_parse_action(self._end)
        )
        statements = pyparsing.ZeroOrMore(
            _Recovering(statement, self._recover), stop_on=pyparsing.StringEnd()
        )
        return (pyparsing.Regex(GAP) + statements).leave_whitespace().parse_with_tabs()

    def _token(
        self, pattern: str, action: Callable[[re.Match[str]], None]
    ) -> pyparsing.ParserElement:
        """Return the grammar of a token; the last group of its pattern is where it stands."""

        def act(_text: str, _offset: int, tokens: pyparsing.ParseResults) -> list[Node]:
            match: re.Match[str] = tokens[0]
            action(match)
            self._last = match[match.lastindex or 0]
            self._last_offset = match.start(match.lastindex or 0)
            return []

        return pyparsing.Regex(pattern + GAP, as_match=True).set_parse_action(act)

    def _begin(self, _text: str, offset: int, _tokens: pyparsing.ParseResults) -> None:
        self._first = self._position(offset)
        self._levels = [InfixLevel(self._first)]
        self._head: Node | None = None
        self._arrow: Word | None = None
        self._condition: list[Node] | None = None
        names = (f"_{number}" for number in itertools.count(1))
        self._fresh_variables = (name for name in names if name not in self._numbered)

    def _open(self, match: re.Match[str]) -> None:
        if match["negation"]:
            self._levels[-1].literal.negations.append(self._position(match.start()))
        else:
            name = self._word(match) if match["name"] else None
            self._levels.append(InfixLevel(self._position(match.start("open")), name))

    def _term(self, match: re.Match[str]) -> None:
        word = self._word(match)
        node = Group(word.position, [word]) if match["close"] else word
        self._levels[-1].literal.terms.append(node)

    def _word(self, match: re.Match[str]) -> Word:
        name = match["name"]
        if name[0] == "'":
            if self._odd_names is None or name not in self._odd_names:
                self._token_at(match.start())
            name = unquoted(name) if self._odd_names is None else self._odd_names[name]
        elif is_variable(name):
            name = f"?{next(self._fresh_variables) if name == '_' else name}"
        return Word(name, self._position(match.start()))

    def _close(self, match: re.Match[str]) -> None:
        if len(self._levels) == 1:
            self._unmatched_close(match.start())
        level = self._levels.pop()
        node = level.node()
        if self._odd_names is not None and level.name and level.name.text in COUNTING:
            node = as_term(node)
        self._levels[-1].literal.terms.append(node)

    def _operator(self, match: re.Match[str]) -> None:
        level = self._levels[-1]
        if match[1] in (":-", "::"):
            self._end_head(match[1], match.start())
        elif match[1] == "==>":
            self._end_condition(match.start())
        elif match[1] == "|":
            level.arguments[-1].append([InfixLiteral()])
        elif match[1] == "," and level.name is not None:
            level.arguments.append([[InfixLiteral()]])
        elif match[1] in "&,":
            level.arguments[-1][-1].append(InfixLiteral())
        elif len(level.literal.terms) == 2:
            message = "'!=' compares two terms; write X != Y & Y != Z"
            self._refuse(match.start(), message, "chained-comparison")

    def _end_head(self, arrow: str, offset: int) -> None:
        if len(self._levels) > 1:
            message = f"'{arrow}' inside parentheses; a ')' is missing before it"
            self._refuse(offset, message, "unmatched-open")
        if self._arrow is not None:
            message = (
                f"a second '{arrow}' in one statement; the rule before it has an '&', ',' or '|' "
                "too many at its end, or its end needs a '.'"
            )
            self._refuse(offset, message, "second-arrow")
        text = "<=" if arrow == ":-" else OPERATION
        self._head, self._arrow = self._levels[0].node(), Word(text, self._position(offset))
        self._levels = [InfixLevel(self._first)]

    def _end_condition(self, offset: int) -> None:
        arrow = self._arrow
        if len(self._levels) > 1:
            message = "'==>' inside parentheses; a ')' is missing before it"
            self._refuse(offset, message, "unmatched-open")
        if arrow is None or arrow.text != OPERATION or self._condition is not None:
            message = "'==>' stands once, behind '::'; write operation :: condition ==> effects"
            self._refuse(offset, message, "second-arrow")
        self._condition = self._levels[0].body()
        self._levels = [InfixLevel(self._first)]

    def _end(self, _text: str, offset: int, _tokens: pyparsing.ParseResults) -> None:
        if self._last != "." and offset < len(self._text) and not self._facts_may_follow():
            self._check_end(offset)
        if len(self._levels) > 1:
            self._unmatched_open()
        level = self._levels[0]
        if self._head is None or self._arrow is None:
            head = whole = level.node()
        else:
            head = self._head
            whole = self._statement(head, self._arrow, level)
        first = head.items[0] if isinstance(head, Group) else head
        if isinstance(first, Word) and first.text in SYNTAX_WORDS:
            message = (
                "a statement starts with one sentence; '&', ',', '|', '~', '!=' and distinct "
                "join sentences after ':-' only"
            )
            self._refuse(self._last_offset, message, "formula-as-head", head.position)
        problem = size_problem(whole)
        if problem is not None:
            self._refuse(self._last_offset, *problem, whole.position)
        self.nodes.append(whole)

    def _facts_may_follow(self) -> bool:
        return self._odd_names is not None and self._arrow is None and len(self._levels) == 1

    def _statement(self, head: Node, arrow: Word, level: InfixLevel) -> Node:
        """Return a statement with an arrow in prefix order."""
        if arrow.text == "<=":
            return Group(head.position, [arrow, head, *level.body()])
        effects = [as_term(effect) for effect in level.body()]
        operation = Group(head.position, [arrow, head, *effects])
        if not self._condition:
            return operation
        return Group(head.position, [Word("<=", arrow.position), operation, *self._condition])

    def _check_end(self, offset: int) -> None:
        """Raise if a complete statement does not end before the token at an offset."""
        token, position = self._token_at(offset), self._position(offset)
        if len(self._levels) > 1:
            opened = self._levels[-1].opened
            message = (
                f"expected an operator or ')' before {token}; "
                f"the '(' of line {opened.line}, column {opened.column} is open"
            )
        elif position.line == self._position(self._last_offset).line:
            message = (
                f"expected '&', '|' or ':-' before {token}; "
                "a new statement starts on a new line or after '.'"
            )
        elif position.column > self._first.column:
            message = (
                f"the statement before {token} is complete, but this line is indented further: "
                "continue it with '&' or '|', or end it with '.'"
            )
        else:
            return
        self._refuse(offset, message, "missing-operator")

    def _missing_operand(
        self, _text: str, offset: int, _term: pyparsing.ParserElement, _error: Exception
    ) -> NoReturn:
        if offset == len(self._text):
            if len(self._levels) > 1:
                self._unmatched_open()
            message = f"the statement ends after '{self._last}'; a sentence or term must follow"
            self._refuse(self._last_offset, message, "missing-operand")
        token = self._token_at(offset)
        if token == "')'" and len(self._levels) == 1:
            self._unmatched_close(offset)
        if token == "':-'" and self._arrow is None and self._levels[0].is_empty():
            message = "':-' without a head; write head :- literal & literal"
            self._refuse(offset, message, "missing-head")
        message = f"a sentence or term is expected before {token}"
        self._refuse(offset, message, "missing-operand")

    def _token_at(self, offset: int) -> str:
        """Return a token as a message shows it; raise if it is allowed nowhere."""
        match = TOKEN.match(self._text, offset)
        assert match is not None
        problem = refusal(match[1])
        if problem is not None:
            self._refuse(offset, problem, "unreadable")
        return f"'{shown(unquoted(match[1]))}'"

    def _unmatched_close(self, offset: int) -> NoReturn:
        message = "unmatched ')'; remove it, or add the '(' that it should close"
        self._refuse(offset, message, "unmatched-close")

    def _unmatched_open(self) -> NoReturn:
        count = len(self._levels) - 1
        missing = f"{count:,} ')' are missing" if count > 1 else "one ')' is missing"
        message = f"this '(' is never closed; {missing} before the end of the statement"
        self._refuse(self._last_offset, message, "unmatched-open", self._levels[1].opened)

    def _refuse(
        self, offset: int, message: str, code: str, position: Position | None = None
    ) -> NoReturn:
        """End the statement at a token; the error is there, or at another position."""
        position = position or self._position(offset)
        raise _StatementError(offset, Finding("error", position, message, code))

    def _recover(self, error: _StatementError) -> int:
        """Note an error; return where to go on: behind a ``.``, or at the start of a line."""
        self.errors.append(error.finding)
        if len(self.errors) == MAXIMUM_ERRORS:
            return len(self._text)
        line = self._position(error.offset).line
        for token in TOKEN.finditer(self._text, error.offset):
            position = self._position(token.start())
            if position.line > line and position.column <= self._first.column:
                return token.start()
            if token[1] == ".":
                return token.end()
            line = position.line
        return len(self._text)
