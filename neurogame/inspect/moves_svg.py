"""What somebody thinks of each move of a state, as a picture: a number on the square it touches.

Blue is above the middle, red below it, the stronger the farther; the best move is framed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from neurogame.inspect.move_values import MoveValue
from neurogame.show.board import Board, Place
from neurogame.show.board_drawing import (
    CHARACTER,
    GAP,
    INK,
    LINE,
    PADDING,
    SQUARE,
    BoardDrawing,
    place_name,
    svg_document,
    svg_text,
)
from neurogame.show.layout import find_layout
from neurogame.show.paint import FRAME, NEGATIVE, POSITIVE
from neurogame.show.piece_colours import pieces
from neurogame.show.state_svg import RADIUS, discs, key
from neurogame.show.state_text import wrapped
from neurogame.show.touched import squares_of_moves
from neurogame.simulate.game import State

_WIDE_LETTER, _HALF = 8.5, 0.5


def moves_svg(state: State, role: int, moves: Sequence[MoveValue], *, shares: bool) -> str:
    """Return a state with the values of a role's moves on its boards, as one SVG element.

    A move stands on the squares that it changes, on those without a piece if there are any; where
    several moves change a square the best of them counts. Moves that change none are listed.

    Args:
        state: not terminal; every role has a move.
        role: whose moves.
        moves: what :func:`~neurogame.inspect.move_values.move_values` says of them, at least one.
        shares: whether they are values in 0..1, shown in per cent with one half as the middle, or
            scores, whose middle is their mean.
    """
    touched, layout = squares_of_moves(state)[role], find_layout(state.game)
    middle = _HALF if shares else sum(own.value for own in moves) / len(moves)
    texts = {own.move: f"{100 * own.value:.0f}" if shares else f"{own.value:.2g}" for own in moves}
    drawings = [BoardDrawing(board) for board in layout.boards]
    what = "value of each move, %" if shares else "score of each move"
    title = f"{state.game.roles[role]}: {what}"
    widest = max([_WIDE_LETTER * len(title), *(drawing.width for drawing in drawings)])
    width = widest + 2 * PADDING
    parts = [svg_text(PADDING, PADDING + 14, title, size=14, anchor="start", bold=True)]
    top = PADDING + LINE + GAP / 2
    most = max(abs(own.value - middle) for own in moves) or 1.0
    for number, drawing in enumerate(drawings):
        best = _best_on_squares(drawing.board, number, state, moves, touched)
        painted = {
            place: ((own.value - middle) / most, texts[own.move], own is moves[0])
            for place, own in best.items()
        }
        parts += drawing.draw(PADDING, top, _Squares(drawing.board, state, painted))
        top += drawing.height
        entries, lines = key(drawing, state.game.roles, width, top)
        parts += entries
        top += lines * LINE + GAP / 2
    elsewhere = [f"{own.text} {texts[own.move]}" for own in moves if not touched[own.move]]
    for line in wrapped(", ".join(elsewhere), int((width - 2 * PADDING) / CHARACTER)):
        parts.append(svg_text(PADDING, top + 0.7 * LINE, line, size=12, anchor="start"))
        top += LINE
    return svg_document(title, width, top, parts)


def _best_on_squares(
    board: Board,
    number: int,
    state: State,
    moves: Sequence[MoveValue],
    touched: Mapping[int, Sequence[str]],
) -> dict[Place, MoveValue]:
    """Return the best move on each square of the board of that number."""
    occupied, best = board.occupied(state), dict[Place, MoveValue]()
    names = {f"{number}/{place_name(place)}": place for place in board.places}
    for own in moves:
        places = [names[square] for square in touched[own.move] if square in names]
        for place in [free for free in places if free not in occupied] or places:
            # The best ones come first.
            best.setdefault(place, own)
    return best


@final
class _Squares:
    """Draws what stands on the squares of a board, or what a move there is worth."""

    def __init__(
        self, board: Board, state: State, painted: Mapping[Place, tuple[float, str, bool]]
    ) -> None:
        """Take per square where it lies in -1..1, its text, and whether it is the best move's."""
        self._occupied, self._looks = board.occupied(state), pieces(board, state.game.roles)
        self._painted = painted

    def __call__(self, place: Place, x: float, y: float) -> list[str]:
        """Return what is drawn in a square with its middle there."""
        here = [self._looks[content] for content in self._occupied.get(place, [])]
        if place not in self._painted:
            return discs(here, x, y, RADIUS)
        share, text, is_best = self._painted[place]
        colour, strength = POSITIVE if share > 0 else NEGATIVE, 0.15 + 0.7 * abs(share)
        inner = SQUARE / 2 - 1.5 * is_best
        frame = f'stroke="{FRAME}" stroke-width="3"' if is_best else 'stroke="none"'
        ink = "#ffffff" if strength > 0.55 else INK
        low, size = (SQUARE / 2 - 3, 9) if here else (4.5, 13)
        return [
            f'<rect x="{x - inner:g}" y="{y - inner:g}" width="{2 * inner:g}" '
            f'height="{2 * inner:g}" fill="{colour}" fill-opacity="{strength:.2f}" {frame}/>',
            *discs(here, x, y - 4.5, 0.8 * RADIUS),
            svg_text(x, y + low, text, size=size, ink=ink, room=0.9 * SQUARE, bold=is_best),
        ]
