"""The text of a rulesheet as words and parentheses that know their place, for changing it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import final

from neurogame.gdl.finding import Position
from neurogame.gdl.lines import Lines
from neurogame.gdl.nodes import scan_words


@final
@dataclass(slots=True)
class SourcePiece:
    """A word, or a pair of parentheses with what stands in it.

    Attributes:
        begin: offset of its first character.
        end: offset behind its last character; that of the text where a parenthesis is not closed.
        word: the word as spelled; empty for parentheses.
        closed: whether its parentheses, if it has any, are closed.
        pieces: what stands between the parentheses.
        parent: the parentheses around it.
    """

    begin: int
    end: int
    word: str = ""
    closed: bool = True
    pieces: list[SourcePiece] = field(default_factory=list)
    parent: SourcePiece | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The folded word, or that after the opening parenthesis; empty if there is none."""
        first = self if self.word else self.pieces[0] if self.pieces else self
        return first.word.lower()

    @property
    def statement(self) -> SourcePiece:
        """The outermost piece around this one."""
        return self if self.parent is None else self.parent.statement

    def inside(self) -> Iterator[SourcePiece]:
        """Yield this piece and all inside it, in reading order."""
        yield self
        for piece in self.pieces:
            yield from piece.inside()


@final
class Source:
    """A prefix text with its pieces.

    Attributes:
        text: the whole text.
        top: the outermost pieces, in order; surplus parentheses are left out.
    """

    def __init__(self, text: str) -> None:
        """Split a text."""
        self.text = text
        self.top: list[SourcePiece] = []
        self._lines = Lines(text)
        self._starts: dict[int, SourcePiece] = {}
        stack: list[SourcePiece] = []
        for word, begin in scan_words(text):
            if word == ")":
                if stack:
                    stack[-1].end, stack[-1].closed = begin + 1, True
                    stack.pop()
                continue
            parent = stack[-1] if stack else None
            piece = SourcePiece(
                begin, begin + len(word), "" if word == "(" else word, parent=parent
            )
            (parent.pieces if parent else self.top).append(piece)
            self._starts[begin] = piece
            if word == "(":
                piece.end, piece.closed = len(text), False
                stack.append(piece)

    def offset(self, position: Position) -> int:
        """Return the offset of a place."""
        return self._lines.offset(position)

    def at(self, position: Position) -> SourcePiece | None:
        """Return the piece that starts at a place."""
        return self._starts.get(self.offset(position))

    def shown(self, piece: SourcePiece) -> str:
        """Return the text of a piece."""
        return self.text[piece.begin : piece.end]


@final
@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of ``text[begin:end]``."""

    begin: int
    end: int
    text: str


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Return a text with replacements; of two that overlap the first in the text is made."""
    parts: list[str] = []
    done = 0
    for edit in sorted(set(edits), key=lambda edit: (edit.begin, edit.end)):
        if edit.begin >= done:
            parts += [text[done : edit.begin], edit.text]
            done = edit.end
    return "".join([*parts, text[done:]])
