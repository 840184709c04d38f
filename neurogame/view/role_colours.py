"""The colour of each role: that of its pieces on the board, where pieces bear its name."""

from __future__ import annotations

from neurogame.show.layout import find_layout
from neurogame.show.piece_colours import PALETTE, key_entries
from neurogame.simulate.game import Game


def role_colours(game: Game) -> list[str]:
    """Return a colour for each role, all different as far as there are enough.

    Args:
        game: the game.
    """
    pieces = {
        name.lower(): piece.fill
        for board in find_layout(game).boards
        for piece, name in key_entries(board, game.roles)
    }
    known = [pieces.get(role.lower()) for role in game.roles]
    free = [fill for fill, _ in PALETTE if fill not in known]
    return [
        colour or free[number % len(free)] if free else PALETTE[number % len(PALETTE)][0]
        for number, colour in enumerate(known)
    ]
