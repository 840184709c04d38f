"""What pictures of boards are made of: grids of squares, texts, and the frame around it all.

The first coordinate of a board runs to the right, the second upwards. A picture brings its own
light background, so it is readable on light and dark pages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import final

from neurogame.show.board import Board, Place

SQUARE = 36.0
PADDING = 14.0
GAP = 20.0
LINE = 20.0
CHARACTER = 7.2
"""Pixels; of a text of size 12 about the width of a character."""
INK, FAINT = "#222222", "#66625a"
NARROW_LETTER = 0.62
FLUID = 'style="max-width:100%;height:auto"'
"""Of the root of a picture: it shrinks where there is less room, such as in a notebook."""
_WIDEST_SHOWN = 760.0
PANEL, EDGE = "#fbfaf7", "#c9c5bc"
_SHADES = ("#e6decb", "#f1ecdf")
FONT = "system-ui, 'DejaVu Sans', Arial, sans-serif"


@final
@dataclass(frozen=True)
class BoardDrawing:
    """A board as a grid; all sizes in pixels.

    Attributes:
        board: the board.
    """

    board: Board

    @property
    def margin(self) -> float:
        """Room for the row labels."""
        return 6 + CHARACTER * max(len(label) for label in self.board.rows)

    @property
    def slice_width(self) -> float:
        """One slice with its row labels and the gap after it."""
        grid = SQUARE * len(self.board.columns)
        titles = max(len(self.board.title(i)) for i in range(len(self.board.slices)))
        return self.margin + max(grid, CHARACTER * titles) + GAP

    @property
    def slice_height(self) -> float:
        """One slice with its title and its column labels."""
        return LINE + SQUARE * len(self.board.rows) + LINE + GAP / 2

    @property
    def width(self) -> float:
        """The whole board."""
        return self.slice_width * max(len(row) for row in self.board.arrangement) - GAP

    @property
    def height(self) -> float:
        """The whole board."""
        return self.slice_height * len(self.board.arrangement)

    def draw(
        self, left: float, top: float, square: Callable[[Place, float, float], list[str]]
    ) -> list[str]:
        """Return the elements of the board.

        Args:
            left: of its upper left corner.
            top: of the same.
            square: returns what stands on a square, given its place and the middle of it.
        """
        parts = []
        for line, row in enumerate(self.board.arrangement):
            for column, index in enumerate(row):
                corner = (left + column * self.slice_width, top + line * self.slice_height)
                parts += self._slice(index, square, *corner)
        return parts

    def _slice(
        self,
        index: int,
        square: Callable[[Place, float, float], list[str]],
        left: float,
        top: float,
    ) -> list[str]:
        board, rows = self.board, len(self.board.rows)
        left += self.margin
        parts = [svg_text(left, top + 13, board.title(index), size=12, anchor="start", ink=FAINT)]
        top += LINE
        for place in sorted(p for p in board.places if p[0] == index):
            x, y = left + SQUARE * place[1], top + SQUARE * (rows - 1 - place[2])
            shade = _SHADES[(place[1] + place[2]) % 2]
            parts.append(
                f'<rect x="{x:g}" y="{y:g}" width="{SQUARE:g}" height="{SQUARE:g}" '
                f'fill="{shade}" stroke="{EDGE}" stroke-width="1" '
                f'data-square="{place_name(place)}"/>'
            )
            parts += square(place, x + SQUARE / 2, y + SQUARE / 2)
        for number, label in enumerate(board.columns):
            x = left + SQUARE * (number + 0.5)
            parts.append(svg_text(x, top + SQUARE * rows + 14, label, size=11, ink=FAINT, room=34))
        for number, label in enumerate(board.rows):
            y = top + SQUARE * (rows - 0.5 - number) + 4
            parts.append(svg_text(left - 5, y, label, size=11, anchor="end", ink=FAINT))
        return parts


def place_name(place: Place) -> str:
    """Return the name that the element of a square bears, by which programs find it."""
    return ".".join(map(str, place))


def svg_text(
    x: float,
    y: float,
    text: str,
    *,
    size: float,
    anchor: str = "middle",
    ink: str = INK,
    room: float | None = None,
    bold: bool = False,
) -> str:
    """Return a text element, made smaller where it is longer than its room."""
    if room is not None:
        size = min(size, room / (NARROW_LETTER * max(len(text), 1)))
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:.4g}" font-size="{size:.3g}" text-anchor="{anchor}" '
        f'fill="{ink}"{weight}>{escape(text)}</text>'
    )


def svg_document(title: str, width: float, height: float, parts: list[str]) -> str:
    """Return a picture with a light background."""
    shown = min(1.0, _WIDEST_SHOWN / width)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width * shown:g}" height="{height * shown:g}" '
            f'{FLUID} font-family="{FONT}">',
            f"<title>{escape(title)}</title>",
            f'<rect x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1:g}" rx="8" '
            f'fill="{PANEL}" stroke="{EDGE}"/>',
            *parts,
            "</svg>",
        ]
    )
