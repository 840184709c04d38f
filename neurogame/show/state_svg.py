"""One state as a picture: boards with discs, and the other fluents as a list underneath.

All states of a game have pictures of the same size, unless one lists more than any sampled state
did.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from neurogame.show.paint import Paint, painted_square
from neurogame.show.piece_colours import Piece, key_entries, pieces
from neurogame.show.state_text import wrapped
from neurogame.simulate.game import State

RADIUS = 14.0
"""Of a piece that stands alone on its square."""
_SMALLER, _RAISED = 11.5, 4.5
"""Radius of pieces on painted boards, and how far they are above the middle: the number of a square
stands below them."""
_NARROWEST = 300.0


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
    layout = find_layout(state.game)
    drawings = [BoardDrawing(board) for board in layout.boards]
    amounts = [paint.amounts(board) for board in layout.boards]
    most = max((abs(a) for own in amounts for a in own.values()), default=0.0)
    width = max([_NARROWEST, *(drawing.width + 2 * PADDING for drawing in drawings)])
    parts: list[str] = []
    top = PADDING
    for number, (drawing, own) in enumerate(zip(drawings, amounts, strict=True)):
        squares = _Squares(drawing.board, state, own, paint.frames(drawing.board), most)
        # Programs that let people point at squares find boards and squares by these names.
        parts += [f'<g data-board="{number}">', *drawing.draw(PADDING, top, squares), "</g>"]
        top += drawing.height
        entries, lines = key(drawing, state.game.roles, width, top)
        parts += entries
        top += lines * LINE + GAP / 2
    facts, reserved = _facts(layout, state, width)
    for number, line in enumerate(facts):
        parts.append(svg_text(PADDING, top + LINE * (number + 0.7), line, size=13, anchor="start"))
    height = top + LINE * reserved + PADDING / 2
    return svg_document(f"{state.game.name}: a state", width, height, parts)


@final
class _Squares:
    """Draws what stands on the squares of a board, and what is painted on them."""

    def __init__(
        self,
        board: Board,
        state: State,
        amounts: Mapping[Place, float],
        framed: set[Place],
        most: float,
    ) -> None:
        """Take a board with what is painted on it; ``most``: the largest amount on any board."""
        self._occupied, self._looks = board.occupied(state), pieces(board, state.game.roles)
        self._amounts, self._framed, self._most = amounts, framed, most

    def __call__(self, place: Place, x: float, y: float) -> list[str]:
        """Return what is drawn in a square with its middle there."""
        framed = place in self._framed
        parts = painted_square(
            self._amounts.get(place, 0.0), self._most or 1.0, x, y, framed=framed
        )
        here = [self._looks[content] for content in self._occupied.get(place, [])]
        if self._most:
            return [*parts, *discs(here, x, y - _RAISED, _SMALLER)]
        return [*parts, *discs(here, x, y, RADIUS)]


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
    """Return the lines of the other fluents, and how many lines to keep free for them."""
    room = int((width - 2 * PADDING) / CHARACTER)
    lines = [part for fact in layout.fact_lines(state) for part in wrapped(fact, room)]
    reserved = sum(ceil(facts.longest / (0.85 * room)) for facts in layout.facts if facts.longest)
    return lines, max(reserved, len(lines))
