"""Games that are over before they begin, which are no use to who needs a first move."""

from __future__ import annotations

from neurogame.errors import GameError
from neurogame.simulate.game import Game


def check_first_state(game: Game, so: str) -> None:
    """Refuse a game whose initial state is terminal.

    Args:
        game: the game.
        so: what follows from that, for the message.

    Raises:
        GameError: it is.
    """
    if game.initial_state().is_terminal:
        raise GameError(f"{game.name}: its initial state is terminal, so {so}")
