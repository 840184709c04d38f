"""Which squares of the boards a move touches: those that change when it is made."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from neurogame.show.board_drawing import place_name
from neurogame.show.layout import find_layout
from neurogame.simulate.game import Game, State
from neurogame.simulate.states import StateBatch


def squares_of_fluents(game: Game, fluents: Sequence[int]) -> list[str]:
    """Return the squares that some fluents lie on, as ``BOARD/SQUARE``, which pictures name.

    Args:
        game: the game.
        fluents: their indices.
    """
    squares = {
        f"{number}/{place_name(board.squares[fluent][0])}": None
        for number, board in enumerate(find_layout(game).boards)
        for fluent in fluents
        if fluent in board.squares
    }
    return list(squares)


def squares_of_moves(state: State) -> list[dict[int, list[str]]]:
    """Return per role and legal move the squares that change when it is made.

    Where several roles have a choice the others make their first moves meanwhile, and squares that
    change whatever the role does are left out: they change because of others. Who has no choice
    where others have one touches nothing.

    Args:
        state: one in which every role has a move.
    """
    game = state.game
    rows = [
        [move if role == other else choices[0] for other, choices in enumerate(state.legal_moves)]
        for role, legal in enumerate(state.legal_moves)
        for move in legal
    ]
    batch = StateBatch.from_bool(state.fluents[None].expand(len(rows), -1))
    after = game.simulator().step(batch, torch.tensor(rows), check=False).to_bool()
    touched = iter((after ^ state.fluents).unbind())
    several = sum(len(legal) > 1 for legal in state.legal_moves) > 1
    touching = []
    for legal in state.legal_moves:
        by_move = {
            move: squares_of_fluents(game, next(touched).nonzero().view(-1).tolist())
            for move in legal
        }
        if several:
            always = set.intersection(*(set(squares) for squares in by_move.values()))
            by_move = {m: [s for s in squares if s not in always] for m, squares in by_move.items()}
        is_idle = len(legal) == 1 and any(len(other) > 1 for other in state.legal_moves)
        touching.append({move: [] for move in by_move} if is_idle else by_move)
    return touching
