"""One state as a picture: boards with discs, and the other fluents as a list underneath.

The first coordinate of a board runs to the right, the second upwards. All states of a game
have pictures of the same size, unless one lists more than any sampled state did. The picture
brings its own light background, so it is readable on light and dark pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import ceil
from typing import final

from neurogame.show.board import Board, Place, StateLayout
from neurogame.show.layout import find_layout
from neurogame.show.piece_colours import Piece, key_entries, pieces
from neurogame.show.state_text import wrapped
from neurogame.simulate.game import State

_SQUARE = 36.0
_RADIUS = 14.0
_PADDING = 14.0
_GAP = 20.0
_LINE = 20.0
_CHARACTER = 7.2
_NARROW_LETTER = 0.62
_NARROWEST = 300.0
_WIDEST_SHOWN = 760.0
_PANEL, _EDGE, _INK, _FAINT = "#fbfaf7", "#c9c5bc", "#222222", "#66625a"
_SHADES = ("#e6decb", "#f1ecdf")
_FONT = "system-ui, 'DejaVu Sans', Arial, sans-serif"


def state_svg(state: State) -> str:
    """Return a state as one SVG element.

    Args:
        state: any state; its boards are found from the fluents of its game.
    """
    layout = find_layout(state.game)
    drawings = [_Drawing(board) for board in layout.boards]
    width = max([_NARROWEST, *(drawing.width + 2 * _PADDING for drawing in drawings)])
    parts: list[str] = []
    top = _PADDING
    for drawing in drawings:
        parts += drawing.draw(state, _PADDING, top)
        top += drawing.height
        entries, lines = _key(drawing, state.game.roles, width, top)
        parts += entries
        top += lines * _LINE + _GAP / 2
    facts, reserved = _facts(layout, state, width)
    for number, line in enumerate(facts):
        parts.append(_text(_PADDING, top + _LINE * (number + 0.7), line, size=13, anchor="start"))
    height = top + _LINE * reserved + _PADDING / 2
    return _document(f"{state.game.name}: a state", width, height, parts)


@final
@dataclass(frozen=True)
class _Drawing:
    """The geometry of one board, in pixels."""

    board: Board

    @property
    def margin(self) -> float:
        """Room for the row labels."""
        return 6 + _CHARACTER * max(len(label) for label in self.board.rows)

    @property
    def slice_width(self) -> float:
        """One slice with its row labels and the gap after it."""
        grid = _SQUARE * len(self.board.columns)
        titles = max(len(self.board.title(i)) for i in range(len(self.board.slices)))
        return self.margin + max(grid, _CHARACTER * titles) + _GAP

    @property
    def slice_height(self) -> float:
        """One slice with its title and its column labels."""
        return _LINE + _SQUARE * len(self.board.rows) + _LINE + _GAP / 2

    @property
    def width(self) -> float:
        """The whole board."""
        return self.slice_width * max(len(row) for row in self.board.arrangement) - _GAP

    @property
    def height(self) -> float:
        """The whole board."""
        return self.slice_height * len(self.board.arrangement)

    def draw(self, state: State, left: float, top: float) -> list[str]:
        """Return the elements of the board whose upper left corner is given."""
        occupied = self.board.occupied(state)
        looks = pieces(self.board, state.game.roles)
        parts = []
        for line, row in enumerate(self.board.arrangement):
            for column, index in enumerate(row):
                corner = (left + column * self.slice_width, top + line * self.slice_height)
                parts += self._slice(index, occupied, looks, *corner)
        return parts

    def _slice(
        self,
        index: int,
        occupied: dict[Place, list[int]],
        looks: list[Piece],
        left: float,
        top: float,
    ) -> list[str]:
        board, rows = self.board, len(self.board.rows)
        left += self.margin
        parts = [_text(left, top + 13, board.title(index), size=12, anchor="start", ink=_FAINT)]
        top += _LINE
        for place in sorted(p for p in board.places if p[0] == index):
            x, y = left + _SQUARE * place[1], top + _SQUARE * (rows - 1 - place[2])
            shade = _SHADES[(place[1] + place[2]) % 2]
            parts.append(
                f'<rect x="{x:g}" y="{y:g}" width="{_SQUARE:g}" height="{_SQUARE:g}" '
                f'fill="{shade}" stroke="{_EDGE}" stroke-width="1"/>'
            )
            here = [looks[content] for content in occupied.get(place, [])]
            parts += _discs(here, x + _SQUARE / 2, y + _SQUARE / 2, _RADIUS)
        for number, label in enumerate(board.columns):
            x = left + _SQUARE * (number + 0.5)
            parts.append(_text(x, top + _SQUARE * rows + 14, label, size=11, ink=_FAINT, room=34))
        for number, label in enumerate(board.rows):
            y = top + _SQUARE * (rows - 0.5 - number) + 4
            parts.append(_text(left - 5, y, label, size=11, anchor="end", ink=_FAINT))
        return parts


def _discs(here: list[Piece], x: float, y: float, radius: float) -> list[str]:
    """Return the pieces of one square; several stand side by side, smaller."""
    parts = []
    radius /= max(len(here), 1)
    for number, piece in enumerate(here):
        centre = x + radius * (2 * number - len(here) + 1)
        # A long text gets a plate instead of a disc.
        half = 1.18 * radius if len(piece.letter) > 2 else radius
        high = 0.7 * radius if len(piece.letter) > 2 else radius
        parts.append(
            f'<rect x="{centre - half:g}" y="{y - high:g}" width="{2 * half:g}" '
            f'height="{2 * high:g}" rx="{high:g}" fill="{piece.fill}" stroke="{_INK}"/>'
        )
        if piece.letter:
            size, room = 15 * radius / _RADIUS, (1.6 if half > radius else 1.85) * half
            y_text = y + 0.36 * min(size, room / (_NARROW_LETTER * len(piece.letter)))
            parts.append(
                _text(centre, y_text, piece.letter, size=size, ink=piece.ink, room=room, bold=True)
            )
    return parts


def _key(
    drawing: _Drawing, roles: tuple[str, ...], width: float, top: float
) -> tuple[list[str], int]:
    """Return what colours and letters mean, and the number of lines that takes."""
    parts: list[str] = []
    left, line = _PADDING, 0
    for piece, name in key_entries(drawing.board, roles):
        room = 30 + _CHARACTER * len(name)
        if left > _PADDING and left + room > width - _PADDING:
            left, line = _PADDING, line + 1
        y = top + _LINE * line + _LINE / 2
        parts += _discs([piece], left + 8, y, 8)
        parts.append(_text(left + 20, y + 4, name, size=12, anchor="start"))
        left += room
    return parts, line + 1 if parts else 0


def _facts(layout: StateLayout, state: State, width: float) -> tuple[list[str], int]:
    """Return the lines of the other fluents, and how many lines to keep free for them."""
    room = int((width - 2 * _PADDING) / _CHARACTER)
    lines = [part for fact in layout.fact_lines(state) for part in wrapped(fact, room)]
    reserved = sum(ceil(facts.longest / (0.85 * room)) for facts in layout.facts if facts.longest)
    return lines, max(reserved, len(lines))


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: float,
    anchor: str = "middle",
    ink: str = _INK,
    room: float | None = None,
    bold: bool = False,
) -> str:
    """Return a text element, made smaller where it is longer than its room."""
    if room is not None:
        size = min(size, room / (_NARROW_LETTER * max(len(text), 1)))
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:.4g}" font-size="{size:.3g}" text-anchor="{anchor}" '
        f'fill="{ink}"{weight}>{escape(text)}</text>'
    )


def _document(title: str, width: float, height: float, parts: list[str]) -> str:
    shown = min(1.0, _WIDEST_SHOWN / width)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width * shown:g}" height="{height * shown:g}" font-family="{_FONT}">',
            f"<title>{escape(title)}</title>",
            f'<rect x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1:g}" rx="8" '
            f'fill="{_PANEL}" stroke="{_EDGE}"/>',
            *parts,
            "</svg>",
        ]
    )
