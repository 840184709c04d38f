"""Files of the cache that hold what is known of a game, whatever its names are."""

from __future__ import annotations

from pathlib import Path

from neurogame.errors import LimitError
from neurogame.files import cache_folder
from neurogame.gdl.signature import structural_signature
from neurogame.simulate.game import Game


def game_file(game: Game, content: str, ending: str) -> Path | None:
    """Return the file of a game; its folder need not exist.

    The structural signature is exact: games that only look alike have other files, and the same
    game under other names, or with its roles in another order, has the same one.

    Args:
        game: the game.
        content: what the file holds, with the number of its format.
        ending: of the file's name, without the dot.

    Returns:
        None without a cache, or if the rules are too large to have a signature.
    """
    folder = cache_folder()
    if folder is None:
        return None
    try:
        return folder / f"{content}-{structural_signature(game.rules)}.{ending}"
    except LimitError:
        return None
