"""What somebody thinks of each move of a state, as a picture: a number on the square it touches.

Blue is above the middle, red below it, the stronger the farther; the best move is framed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from neurogame.inspect.move_values import MoveValue
from neurogame.show.board import Board, Place
from neurogame.show.board_drawing import place_name
from neurogame.show.layout import find_layout
from neurogame.show.paint import Mark
from neurogame.show.state_svg import marked_state
from neurogame.show.touched import squares_of_moves
from neurogame.simulate.game import State


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
    touched, boards = squares_of_moves(state)[role], find_layout(state.game).boards
    middle = 0.5 if shares else sum(choice.value for choice in moves) / len(moves)
    most = max(abs(choice.value - middle) for choice in moves) or 1.0
    texts = {
        choice.move: f"{100 * choice.value:.0f}" if shares else f"{choice.value:.2g}"
        for choice in moves
    }
    marks = [
        {
            place: Mark(
                share=(choice.value - middle) / most,
                text=texts[choice.move],
                is_framed=choice is moves[0],
            )
            for place, choice in _best_on_squares(board, number, state, moves, touched).items()
        }
        for number, board in enumerate(boards)
    ]
    what = "value of each move, %" if shares else "score of each move"
    elsewhere = [
        f"{choice.text} {texts[choice.move]}" for choice in moves if not touched[choice.move]
    ]
    title = f"{state.game.roles[role]}: {what}"
    return marked_state(state, marks, title=title, more=", ".join(elsewhere))


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
    for choice in moves:
        places = [names[square] for square in touched[choice.move] if square in names]
        for place in [free for free in places if free not in occupied] or places:
            # The best ones come first.
            best.setdefault(place, choice)
    return best
