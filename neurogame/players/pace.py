"""A first look at a game before clocks run, so that the first search knows how long things take."""

from __future__ import annotations

from typing import Protocol

from neurogame.simulate.game import Game, State

_SECONDS = 0.1
"""Time for that look."""


class Rehearsing(Protocol):
    """A search that can find out how long its parts take."""

    def rehearse(self, state: State, role: int, seconds: float) -> None:
        """Search for a moment, and remember nothing else."""


def measure_pace(search: Rehearsing, game: Game, role: int) -> None:
    """Have a search look at the initial state for a moment.

    Args:
        search: of the game.
        game: the game.
        role: index of the searching role.
    """
    state = game.initial_state()
    if not state.is_terminal and all(state.legal_moves):
        search.rehearse(state, role, _SECONDS)
