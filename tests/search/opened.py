"""The positions that openings lead to."""

from __future__ import annotations

from neurogame.search.openings import Opening
from neurogame.simulate.game import Game, State


def play_opening(game: Game, opening: Opening) -> State:
    """Return the position that an opening leads to.

    Args:
        game: the game.
        opening: joint moves, all legal.
    """
    state = game.initial_state()
    for joint in opening:
        state = state.next(joint)
    return state
