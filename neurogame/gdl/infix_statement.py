"""One fact or rule of an infix text, token by token, to nested words in prefix order."""

from __future__ import annotations

from collections.abc import Set
from typing import NoReturn, final

from neurogame.gdl.finding import Finding, Position
from neurogame.gdl.infix_frame import Frame
from neurogame.gdl.infix_tokens import BAD, NAME, VARIABLE, Token
from neurogame.gdl.keywords import SYNTAX_WORDS
from neurogame.gdl.nodes import MAXIMUM_DEPTH, MAXIMUM_WORDS, Group, Node, Word


class _StatementError(Exception):
    """Ends the reading of a statement."""

    def __init__(self, position: Position, message: str, code: str) -> None:
        super().__init__(message)
        self.finding = Finding("error", position, message, code)


@final
class Statement:
    """A statement that is being read.

    Open parentheses are on a stack of its own, so depth costs no recursion. The first error is
    kept, and everything after it ignored.
    """

    def __init__(self, first: Token, reserved: Set[str]) -> None:
        """Start a statement.

        Args:
            first: its first token, which is yet to be taken.
            reserved: names that variables made for a lone ``_`` do not get.
        """
        self._column = first.position.column
        self._reserved = reserved
        self._anonymous = 0
        self._frames = [Frame(first.position)]
        self._head: Node | None = None
        self._arrow: Word | None = None
        self._last = first
        self._error: Finding | None = None

    def ends_before(self, token: Token) -> bool:
        """Return whether a token starts the next statement."""
        if not token.starts_line or token.position.column > self._column:
            return False
        if self._error is not None:
            return True
        complete = len(self._frames) == 1 and self._frames[0].operand is not None
        return complete and self._opens_operand(token)

    def take(self, token: Token) -> None:
        """Read one token; the ``.`` at the end is one, too."""
        if self._error is None:
            try:
                self._read(token)
            except _StatementError as error:
                self._error = error.finding
        self._last = token

    def finish(self) -> Node | Finding:
        """Return the statement in prefix order, or what is wrong with it."""
        if self._error is not None:
            return self._error
        try:
            return self._whole()
        except _StatementError as error:
            return error.finding

    def _read(self, token: Token) -> None:
        frame = self._frames[-1]
        kind = token.kind
        if kind == BAD:
            raise _StatementError(token.position, token.text, "unreadable")
        if self._opens_operand(token):
            if frame.operand is not None:
                self._missing_operator(token)
            self._open_operand(token)
        elif kind == "(":
            assert isinstance(frame.operand, Word)
            self._frames.append(Frame(token.position, name=frame.operand))
            frame.operand = None
        elif kind == ")":
            self._close(token)
        elif frame.operand is None:
            self._missing_operand(token)
        elif kind == ":-":
            self._end_head(token)
        elif kind == "," and frame.name is not None:
            frame.arguments.append(frame.formula())
        elif kind == "|":
            frame.end_conjunction()
        elif kind == "!=":
            if frame.left is not None:
                message = "'!=' compares two terms; write X != Y & Y != Z"
                raise _StatementError(token.position, message, "chained-comparison")
            frame.left, frame.operand = frame.operand, None
        elif kind in ("&", ","):
            frame.end_literal()

    def _opens_operand(self, token: Token) -> bool:
        """Return whether a token starts a new operand, as opposed to continuing the last."""
        if token.kind == "(":
            after_name = self._last.kind in (NAME, VARIABLE)
            return not after_name or self._frames[-1].operand is None
        return token.kind in (NAME, VARIABLE, "~")

    def _open_operand(self, token: Token) -> None:
        frame = self._frames[-1]
        if token.kind == "~":
            frame.negations.append(token.position)
        elif token.kind == "(":
            self._frames.append(Frame(token.position))
        elif token.kind == VARIABLE:
            name = self._fresh_variable() if token.text == "_" else token.text
            frame.operand = Word(f"?{name}", token.position)
        else:
            frame.operand = Word(token.text, token.position)

    def _fresh_variable(self) -> str:
        """Return a new name for a lone ``_``."""
        while True:
            self._anonymous += 1
            name = f"_{self._anonymous}"
            if name not in self._reserved:
                return name

    def _close(self, token: Token) -> None:
        if len(self._frames) == 1:
            message = "unmatched ')'; remove it, or add the '(' that it should close"
            raise _StatementError(token.position, message, "unmatched-close")
        frame = self._frames[-1]
        if frame.operand is not None:
            frame.arguments.append(frame.formula())
        elif frame.name is None or not frame.is_empty():
            self._missing_operand(token)
        self._frames.pop()
        self._frames[-1].operand = (
            frame.arguments[0]
            if frame.name is None
            else Group(frame.name.position, [frame.name, *frame.arguments])
        )

    def _end_head(self, arrow: Token) -> None:
        if len(self._frames) > 1:
            message = "':-' inside parentheses; a ')' is missing before it"
            raise _StatementError(arrow.position, message, "unmatched-open")
        if self._arrow is not None:
            message = (
                "a second ':-' in one statement; the rule before it has an '&', ',' or '|' too "
                "many at its end, or its end needs a '.'"
            )
            raise _StatementError(arrow.position, message, "second-arrow")
        self._head, self._arrow = self._frames[0].formula(), Word("<=", arrow.position)

    def _whole(self) -> Node:
        frame = self._frames[0]
        if len(self._frames) > 1:
            count = len(self._frames) - 1
            missing = f"{count:,} ')' are missing" if count > 1 else "one ')' is missing"
            message = f"this '(' is never closed; {missing} before the end of the statement"
            raise _StatementError(self._frames[1].opened, message, "unmatched-open")
        if frame.operand is None:
            message = f"the statement ends after {self._last}; a sentence or term must follow"
            raise _StatementError(self._last.position, message, "missing-operand")
        if self._head is None or self._arrow is None:
            head = whole = frame.formula()
        else:
            head = self._head
            whole = Group(head.position, [self._arrow, head, *frame.literals()])
        first = head.items[0] if isinstance(head, Group) else head
        if isinstance(first, Word) and first.text in SYNTAX_WORDS:
            message = (
                "a statement starts with one sentence; '&', ',', '|', '~', '!=' and distinct "
                "join sentences after ':-' only"
            )
            raise _StatementError(head.position, message, "formula-as-head")
        _check_size(whole)
        return whole

    def _missing_operand(self, token: Token) -> NoReturn:
        if token.kind == ":-" and self._frames[0].is_empty() and self._arrow is None:
            message = "':-' without a head; write head :- literal & literal"
            raise _StatementError(token.position, message, "missing-head")
        message = f"a sentence or term is expected before {token}"
        raise _StatementError(token.position, message, "missing-operand")

    def _missing_operator(self, token: Token) -> NoReturn:
        if len(self._frames) > 1:
            opened = self._frames[-1].opened
            message = (
                f"expected an operator or ')' before {token}; "
                f"the '(' of line {opened.line}, column {opened.column} is open"
            )
        elif token.starts_line:
            message = (
                f"the statement before {token} is complete, but this line is indented further: "
                "continue it with '&' or '|', or end it with '.'"
            )
        else:
            message = (
                f"expected '&', '|' or ':-' before {token}; "
                "a new statement starts on a new line or after '.'"
            )
        raise _StatementError(token.position, message, "missing-operator")


def _check_size(statement: Node) -> None:
    """Raise if a statement is beyond the limits of prefix notation.

    Without recursion, since the nesting may be deeper than Python's stack.
    """
    depth, words, level = 0, 1, [statement]
    while groups := [item for item in level if isinstance(item, Group)]:
        depth += 1
        level = [item for group in groups for item in group.items]
        words += len(level)
    if depth > MAXIMUM_DEPTH:
        message = f"the statement is nested more than {MAXIMUM_DEPTH} deep; use fewer levels"
        raise _StatementError(statement.position, message, "too-deep")
    if words > MAXIMUM_WORDS:
        message = (
            f"the statement has {words:,} words and parentheses, at most {MAXIMUM_WORDS:,} are "
            "allowed; split it into several rules, or look for a missing '.'"
        )
        raise _StatementError(statement.position, message, "too-long-rule")
