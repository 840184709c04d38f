"""Text to nested words: the parentheses and words of a KIF text with their positions.

pyparsing splits the text; the trees are built with an explicit stack, so that the depth of
nesting is limited by :data:`MAXIMUM_DEPTH` and not by Python's own stack. The other limits keep
the time and memory of reading and checking small for any input; each is far above what rulesheets
need, and a text beyond it is refused with a message that says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, final

import pyparsing

from neurogame.gdl.finding import START, Finding, Position, shown
from neurogame.gdl.lines import Lines

MAXIMUM_DEPTH = 100
"""Deepest accepted nesting of parentheses (the deepest public rulesheet has 25)."""

MAXIMUM_CHARACTERS = 4 * 2**20
"""Longest accepted text (the longest public rulesheet has 69 thousand characters)."""

MAXIMUM_WORDS = 10_000
"""Most words and opening parentheses of one rule (the longest public rule has 691)."""

SHOWN_WORDS = 4
"""Words that a message shows of a statement that is left out."""

MAXIMUM_ERRORS = 1000
"""Most syntax errors that are collected; reading stops there."""

# Gaps are tokens too: matching them at once is twice as fast as having pyparsing skip them.
_TOKEN = (
    pyparsing.Regex(r"(?:\s++|;[^\r\n]*+)++|[()]|[^\s();]+").leave_whitespace().parse_with_tabs()
)
# Surrogates cannot be written in any encoding; NUL bytes come from binary files and from UTF-16.
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


@final
@dataclass(frozen=True, slots=True)
class Word:
    """A name, variable or reserved word as it stands in the text.

    Attributes:
        text: the word as spelled.
        position: where it starts.
    """

    text: str
    position: Position


@final
@dataclass(slots=True)
class Group:
    """A pair of parentheses; it grows while it is read.

    Attributes:
        position: where its opening parenthesis stands.
        items: what stands between the parentheses, in order.
    """

    position: Position
    items: list[Node] = field(default_factory=list)


Node: TypeAlias = Word | Group


def read_nodes(text: str) -> tuple[list[Node], list[Finding]]:
    """Split a text into words and nested groups.

    Args:
        text: KIF text; ``;`` starts a comment, a leading byte order mark is ignored.

    Returns:
        The top-level words and groups within the limits of this module, and what is wrong with
        characters and parentheses. A statement with a parenthesis too few or too many is left out,
        which is nonstandard, where the next one shows its end: ``(<=`` starts a rule wherever it
        stands, and a parenthesis at the start of a line a statement, where this text is written so.
        At the end of the text nothing shows it, and that is an error.
    """
    text = text.removeprefix("\ufeff")
    refusal = text_error(text)
    if refusal is not None:
        return [], [refusal]
    lines = Lines(text)
    tokens = [(word, lines.position(start)) for word, start in scan_words(text)]
    nodes, errors = _read(tokens, by_lines=False)
    if any(error.code in ("unmatched-open", "unmatched-close") for error in errors):
        others, other_errors = _read(tokens, by_lines=True)
        # Where bodies start at the start of lines, too, this finds far more to be wrong.
        if (len(other_errors), -len(others)) < (len(errors), -len(nodes)):
            return others, other_errors
    return nodes, errors


def scan_words(text: str) -> Iterator[tuple[str, int]]:
    """Yield the words and parentheses of a prefix text, with their offsets."""
    for tokens, start, _ in _TOKEN.scan_string(text):
        token: str = tokens[0]
        if token[0] != ";" and not token[0].isspace():
            yield token, start


def _read(
    tokens: Sequence[tuple[str, Position]], by_lines: bool
) -> tuple[list[Node], list[Finding]]:
    """Read words and parentheses; ``by_lines``: one at the start of a line starts a statement."""
    reader = _NodeReader()
    for index, (token, position) in enumerate(tokens):
        if token == "(":
            is_rule = index + 1 < len(tokens) and tokens[index + 1][0] == "<="
            reader.open(position, is_rule or (by_lines and position.column == 1))
        elif token == ")":
            reader.close(position)
        else:
            reader.word(token, position)
        if len(reader.errors) == MAXIMUM_ERRORS:
            break
    return reader.finish(), reader.errors


def text_error(text: str) -> Finding | None:
    """Return why a text cannot be a rulesheet in any notation, or None."""
    if len(text) > MAXIMUM_CHARACTERS:
        return _too_long(text)
    bad = _NO_TEXT.search(text)
    return _bad_character(Lines(text).position(bad.start()), bad[0]) if bad else None


@final
class _NodeReader:
    """Builds groups with an explicit stack.

    Attributes:
        errors: what was wrong so far.
    """

    def __init__(self) -> None:
        self.errors: list[Finding] = []
        self._top: list[Node] = []
        self._stack: list[Group] = []
        self._ignored = 0  # open parentheses beyond the greatest depth: counted, not kept
        self._words = 0  # words and opening parentheses of the present top-level group
        self._spoilt = False  # the present top-level group breaks a limit and is dropped
        self._doubtful: Finding | None = None  # left out if another statement follows

    def open(self, position: Position, starts_statement: bool) -> None:
        if self._stack and starts_statement and not _is_headless(self._stack[-1]):
            self.errors.append(_left_open(self._stack[0], position))
            self._stack.clear()
            self._ignored = 0
        if not self._stack:
            self._words, self._spoilt, self._doubtful = 0, False, None
        self._count(position)
        if len(self._stack) == MAXIMUM_DEPTH:
            if not self._spoilt:
                self.errors.append(_too_deep(position))
            self._ignored += 1
            self._spoilt = True
        else:
            self._stack.append(Group(position))

    def close(self, position: Position) -> None:
        if self._ignored:
            self._ignored -= 1
        elif not self._stack:
            self._surplus(position)
        else:
            group = self._stack.pop()
            if not self._spoilt:
                self._add(group)

    def word(self, text: str, position: Position) -> None:
        if text == "<=" and not self._stack:
            # What follows is a rule whose parenthesis is missing; the surplus one closes it.
            self.errors.append(_missing_open(position))
            self.open(position, True)
        if not self._stack:
            self._top.append(Word(text, position))
            return
        self._count(position)
        if not self._spoilt:
            self._stack[-1].items.append(Word(text, position))

    def finish(self) -> list[Node]:
        """Return all top-level nodes."""
        if self._stack:
            self.errors.append(_unmatched_open(self._stack, len(self._stack) + self._ignored))
        if self._doubtful is not None:
            at = self.errors.index(self._doubtful)
            self.errors[at] = _unmatched_close(self._doubtful.position)
        return self._top

    def _surplus(self, position: Position) -> None:
        """Leave out the statement before a parenthesis that closes nothing."""
        if not self._top or self._doubtful is not None:
            self.errors.append(_unmatched_close(position))
            return
        last = self._top.pop()
        # A fact without its '(' is a row of words on this line.
        line = [node for node in self._top if node.position.line == last.position.line]
        first = next((node for node in [*line, last] if isinstance(node, Word)), last)
        while self._top and self._top[-1].position >= first.position:
            self._top.pop()
        self._doubtful = _left_out(first, position)
        self.errors.append(self._doubtful)

    def _add(self, group: Group) -> None:
        (self._stack[-1].items if self._stack else self._top).append(group)

    def _count(self, position: Position) -> None:
        self._words += 1
        if self._words == MAXIMUM_WORDS + 1 and not self._spoilt:
            self._spoilt = True
            self.errors.append(_too_many_words(self._stack[0].position, position))


def _is_headless(group: Group) -> bool:
    """Return whether a group is a rule whose head comes next: no rule starts there."""
    return len(group.items) == 1 and group.items[0] == Word("<=", group.items[0].position)


def _start(node: Node) -> str:
    """Return the first words of a statement, for a message."""
    words: list[str] = []
    todo = [node]
    while todo and len(words) < SHOWN_WORDS:
        node = todo.pop()
        if isinstance(node, Word):
            words.append(node.text)
        else:
            todo += reversed(node.items)
    return shown(" ".join(words))


def _too_long(text: str) -> Finding:
    message = (
        f"the text has {len(text):,} characters, at most {MAXIMUM_CHARACTERS:,} are allowed; "
        "is this a rulesheet?"
    )
    return Finding("error", START, message, "too-long")


def _bad_character(position: Position, character: str) -> Finding:
    what = "a NUL character" if character == "\0" else f"the surrogate U+{ord(character):04X}"
    message = (
        f"{what} is not text: the text is binary data or was decoded wrongly; "
        "save the rulesheet as UTF-8"
    )
    return Finding("error", position, message, "bad-character")


def _too_many_words(start: Position, position: Position) -> Finding:
    message = (
        f"the rule that starts at line {start.line}, column {start.column} has more than "
        f"{MAXIMUM_WORDS:,} words and parentheses here; split it into several rules, or look "
        "for missing closing parentheses before this place"
    )
    return Finding("error", position, message, "too-long-rule")


def _too_deep(position: Position) -> Finding:
    message = (
        f"parentheses are nested more than {MAXIMUM_DEPTH} deep here; "
        "write the term with fewer levels, or look for missing closing parentheses before it"
    )
    return Finding("error", position, message, "too-deep")


def _unmatched_close(position: Position) -> Finding:
    message = "unmatched closing parenthesis ')'; remove it, or add the '(' that it should close"
    return Finding("error", position, message, "unmatched-close")


def _left_out(node: Node, position: Position) -> Finding:
    message = (
        f"unmatched closing parenthesis ')'; the statement '{_start(node)} ...' before it is left "
        "out: remove the parenthesis, or add the '(' that it should close"
    )
    return Finding("nonstandard", position, message, "unmatched-close", True)


def _left_open(group: Group, position: Position) -> Finding:
    message = (
        f"unmatched opening parenthesis '(': the statement '{_start(group)} ...' is not closed "
        f"before the next one starts at line {position.line}; it is left out: add the missing ')'"
    )
    return Finding("nonstandard", group.position, message, "unmatched-open", True)


def _missing_open(position: Position) -> Finding:
    message = "'<=' without a '(' before it is read as if it had one; add it"
    return Finding("nonstandard", position, message, "missing-open")


def _unmatched_open(stack: list[Group], depth: int) -> Finding:
    missing = f"{depth:,} ')' are missing" if depth > 1 else "one ')' is missing"
    first = stack[0].items[0] if stack[0].items else None
    name = shown(first.text) if isinstance(first, Word) else ""
    message = (
        f"unmatched opening parenthesis '({name}': it is never closed; {missing} before the end, "
        "add them where the rule should end"
    )
    return Finding("error", stack[0].position, message, "unmatched-open")
