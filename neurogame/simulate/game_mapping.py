"""Where the roles, fluents and moves of a game stand in the same game under other names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from neurogame.errors import CheckpointError
from neurogame.gdl.renaming import find_renaming, renamed_text
from neurogame.simulate.game import Game


@final
@dataclass(frozen=True, kw_only=True)
class GameMapping:
    """Where what one game, the own, has stands in another one of the same rules.

    Attributes:
        roles: for each own role its index in the other game; ``[R]``.
        fluents: for each own fluent its index in the other game; ``[F]``.
        moves: for each own role and move its index within the moves of the same role there.
    """

    roles: tuple[int, ...]
    fluents: tuple[int, ...]
    moves: tuple[tuple[int, ...], ...]

    @property
    def is_identity(self) -> bool:
        """Whether everything stands where it stood."""
        return all(own == tuple(range(len(own))) for own in (self.roles, self.fluents, *self.moves))


def map_game(own: Game, game: Game) -> GameMapping:
    """Return where what a checkpoint's game has stands in another game with the same rules.

    Args:
        own: the game that the checkpoint was trained on.
        game: the game to play; its names and the order of its rules may differ.

    Raises:
        CheckpointError: the rules differ in more than names and order.
    """
    renaming = find_renaming(own.rules, game.rules)
    if renaming is None:
        raise CheckpointError(
            f"the checkpoint was trained on {own.name} ({', '.join(own.roles)}; "
            f"{len(own.fluents)} fluents), and {game.name} ({', '.join(game.roles)}; "
            f"{len(game.fluents)} fluents) has other rules; train one for it"
        )
    try:
        roles = _places(own.roles, game.roles, renaming)
        fluents = _places(own.fluents, game.fluents, renaming)
        moves = tuple(
            _places(texts, game.moves[other], renaming)
            for texts, other in zip(own.moves, roles, strict=True)
        )
    except KeyError as error:
        raise CheckpointError(
            f"{game.name} has the rules of {own.name}, on which the checkpoint was trained, but "
            f"in that order no {error.args[0]} was found reachable; train one for it"
        ) from None
    return GameMapping(roles=roles, fluents=fluents, moves=moves)


def _places(
    texts: Sequence[str], others: Sequence[str], renaming: Mapping[str, str]
) -> tuple[int, ...]:
    """Return where each renamed term stands in a list of terms."""
    place = {other.lower(): index for index, other in enumerate(others)}
    return tuple(place[renamed_text(text, renaming)] for text in texts)
