"""One state as a picture: boards with discs, and the other fluents as a list underneath.

All states of a game have pictures of the same size, unless one lists more than any sampled state
did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import final

from neurogame.show.board import Board, Place, StateLayout
from neurogame.show.board_drawing import (
    CHARACTER,
    GAP,
    INK,
    LINE,
    NARROW_LETTER,
    PADDING,
    BoardDrawing,
    svg_document,
    svg_text,
)
from neurogame.show.layout import find_layout
from neurogame.show.paint import Mark, Paint
from neurogame.show.piece_colours import Piece, key_entries, pieces
from neurogame.show.state_text import wrapped
from neurogame.simulate.game import State

RADIUS = 14.0
"""Of a piece that stands alone on its square."""
_SMALLER, _RAISED = 11.5, 4.5
"""Radius of pieces on numbered squares, and how far they are above the middle: the number stands
below them."""
_NARROWEST, _WIDE_LETTER = 300.0, 8.5


def state_svg(state: State, paint: Paint | None = None) -> str:
    """Return a state as one SVG element.

    Args:
        state: any state; its boards are found from the fluents of its game.
        paint: what is painted on the squares, such as what they add to a value.

    Raises:
        GameError: the paint is another game's.
    """
    paint = paint or Paint()
    paint.check(state)
    return marked_state(state, paint.marks(find_layout(state.game).boards))


def marked_state(
    state: State,
    marks: Sequence[Mapping[Place, Mark]],
    *,
    title: str = "",
    more: str = "",
) -> str:
    """Return a state with marks on its squares as one SVG element.

    Args:
        state: any state.
        marks: of each board, by square.
        title: a line above the boards; empty: none.
        more: a text below.
    """
    layout = find_layout(state.game)
    drawings = [BoardDrawing(board) for board in layout.boards]
    width = max([_NARROWEST, *(drawing.width + 2 * PADDING for drawing in drawings)])
    width = max(width, _WIDE_LETTER * len(title) + 2 * PADDING)
    parts: list[str] = []
    top = PADDING
    if title:
        parts.append(svg_text(PADDING, top + 14, title, size=14, anchor="start", bold=True))
        top += LINE + GAP / 2
    for number, (drawing, board_marks) in enumerate(zip(drawings, marks, strict=True)):
        squares = Squares(drawing.board, board_marks, state)
        # Programs that let people point at squares find boards and squares by these names.
        parts += [f'<g data-board="{number}">', *drawing.draw(PADDING, top, squares), "</g>"]
        top += drawing.height
        entries, lines = key(drawing, state.game.roles, width, top)
        parts += entries
        top += lines * LINE + GAP / 2
    facts, reserved = _facts(layout, state, width)
    facts += wrapped(more, int((width - 2 * PADDING) / CHARACTER))
    for number, line in enumerate(facts):
        parts.append(svg_text(PADDING, top + LINE * (number + 0.7), line, size=13, anchor="start"))
    height = top + LINE * max(reserved, len(facts)) + PADDING / 2
    return svg_document(title or f"{state.game.name}: a state", width, height, parts)


@final
class Squares:
    """Draws what is painted on the squares of a board, and what stands there."""

    def __init__(
        self, board: Board, marks: Mapping[Place, Mark], state: State | None = None
    ) -> None:
        """Take a board with what is painted on it; without a state nothing stands there."""
        self._marks, self._here = marks, dict[Place, list[Piece]]()
        if state is not None:
            looks = pieces(board, state.game.roles)
            for place, contents in board.occupied(state).items():
                self._here[place] = [looks[content] for content in contents]

    def __call__(self, place: Place, x: float, y: float) -> list[str]:
        """Return what is drawn in a square with its middle there."""
        here, mark = self._here.get(place, []), self._marks.get(place, Mark())
        raised, radius = (_RAISED, _SMALLER) if mark.text else (0.0, RADIUS)
        return [*mark.draw(x, y, has_piece=bool(here)), *discs(here, x, y - raised, radius)]


def discs(here: list[Piece], x: float, y: float, radius: float) -> list[str]:
    """Return the pieces of one square; several stand side by side, smaller.

    Args:
        here: what stands there.
        x: the middle of the square.
        y: the same.
        radius: of a piece that stands alone.
    """
    parts = []
    radius /= max(len(here), 1)
    for number, piece in enumerate(here):
        centre = x + radius * (2 * number - len(here) + 1)
        # A long text gets a plate instead of a disc.
        half = 1.18 * radius if len(piece.letter) > 2 else radius
        high = 0.7 * radius if len(piece.letter) > 2 else radius
        parts.append(
            f'<rect x="{centre - half:g}" y="{y - high:g}" width="{2 * half:g}" '
            f'height="{2 * high:g}" rx="{high:g}" fill="{piece.fill}" stroke="{INK}"/>'
        )
        if piece.letter:
            size, room = 15 * radius / RADIUS, (1.6 if half > radius else 1.85) * half
            y_text = y + 0.36 * min(size, room / (NARROW_LETTER * len(piece.letter)))
            parts.append(
                svg_text(
                    centre, y_text, piece.letter, size=size, ink=piece.ink, room=room, bold=True
                )
            )
    return parts


def key(
    drawing: BoardDrawing, roles: tuple[str, ...], width: float, top: float
) -> tuple[list[str], int]:
    """Return what colours and letters mean, and the number of lines that takes.

    Args:
        drawing: the board that they stand on.
        roles: of the game.
        width: of the picture.
        top: of the first line.
    """
    parts: list[str] = []
    left, line = PADDING, 0
    for piece, name in key_entries(drawing.board, roles):
        room = 30 + CHARACTER * len(name)
        if left > PADDING and left + room > width - PADDING:
            left, line = PADDING, line + 1
        y = top + LINE * line + LINE / 2
        parts += discs([piece], left + 8, y, 8)
        parts.append(svg_text(left + 20, y + 4, name, size=12, anchor="start"))
        left += room
    return parts, line + 1 if parts else 0


def _facts(layout: StateLayout, state: State, width: float) -> tuple[list[str], int]:
    """Return the lines of the other fluents, and how many lines they mostly take."""
    room = int((width - 2 * PADDING) / CHARACTER)
    lines = [part for fact in layout.fact_lines(state) for part in wrapped(fact, room)]
    reserved = sum(ceil(facts.longest / (0.85 * room)) for facts in layout.facts if facts.longest)
    return lines, reserved
