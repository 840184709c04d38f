"""What an environment tells of a state: its fluents, or the squares of its board as planes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast, final

import numpy as np
import numpy.typing as npt

from neurogame.array_types import Bools
from neurogame.errors import ConfigurationError, GameError
from neurogame.show.layout import find_layout
from neurogame.simulate.first_state import check_first_state
from neurogame.simulate.game import Game, State

Observed: TypeAlias = npt.NDArray[np.int8]

MODES = ["ansi", "svg"]
"""How states can be rendered."""


@final
class Observation:
    """Tells states as arrays of 0 and 1; the same for all roles, as they know the whole state.

    Attributes:
        shape: of one state: ``[F]``, or ``[planes, height, width]``.
    """

    def __init__(self, game: Game, *, planes: bool) -> None:
        """Look for the board, if it is asked for.

        Args:
            game: the game.
            planes: whether to tell the largest board: a plane for what may stand on a square, of
                several slices or boards one after the other; other fluents are left out.

        Raises:
            GameError: there is no board.
        """
        self.shape: tuple[int, ...] = (len(game.fluents),)
        self._fluents: npt.NDArray[np.intp] | None = None
        if not planes:
            return
        boards = find_layout(game).boards
        if not boards:
            raise GameError(
                f"{game.name} has no board that could be told as planes; take planes=False, which "
                "tells all fluents"
            )
        board = max(boards, key=lambda one: len(one.squares))
        squares = board.squares
        contents = 1 + max(content for _, content in squares.values())
        self.shape = (
            contents * (1 + max(place[0] for place, _ in squares.values())),
            1 + max(place[2] for place, _ in squares.values()),
            1 + max(place[1] for place, _ in squares.values()),
        )
        self._fluents = np.array(list(squares), np.intp)
        cells = [
            ((index * contents + content) * self.shape[1] + row) * self.shape[2] + column
            for (index, column, row), content in squares.values()
        ]
        self._cells = np.array(cells, np.intp)

    def of_state(self, state: State) -> Observed:
        """Return what is told of one state; int8 ``[*shape]``."""
        told: Observed = self.of(state.fluents.numpy()[None])[0]
        return told

    def of(self, fluents: Bools) -> Observed:
        """Return what is told of states.

        Args:
            fluents: which hold; bool ``[B, F]``.

        Returns:
            int8 ``[B, *shape]``.
        """
        if self._fluents is None:
            return fluents.view(np.int8)
        told = np.zeros((len(fluents), int(np.prod(self.shape))), np.int8)
        told[:, self._cells] = fluents[:, self._fluents]
        return told.reshape(len(fluents), *self.shape)


def reward_of(goal: float | None) -> float:
    """Return a goal of 0..100 as reward from -1, the worst, to 1; of none 0 is assumed."""
    return (goal or 0.0) / 50 - 1


def legal_mask(state: State, role: int) -> Bools:
    """Return which moves of a role are legal, none at the end; bool ``[moves]``."""
    mask: Bools = np.zeros(len(state.game.moves[role]), np.bool_)
    if not state.is_terminal:
        mask[list(state.legal_moves[role])] = True
    return mask


def check_action(state: State, role: int, action: object, *, whose: str = "", mask: str) -> None:
    """Refuse what is no legal move.

    Args:
        state: not terminal.
        role: who moves.
        action: index within the role's own moves, if it is one.
        whose: what stands behind the action in the message.
        mask: where an environment tells the legal moves.

    Raises:
        GameError: it is none; the message lists the legal ones.
    """
    legal, texts = state.legal_moves[role], state.game.moves[role]
    text = isinstance(action, str)
    if text or np.ndim(cast(Any, action)) or action not in legal:
        raise GameError(
            f"action {repr(action) if text else action}{whose} is not legal here; legal are "
            + (", ".join(f"{one} {texts[one]}" for one in legal) or "none: reset() begins anew")
            + f"; see {mask}"
        )


def check_begun(begun: object) -> None:
    """Refuse a move where no match is going on.

    Args:
        begun: empty or false before a reset, and after an end that agents leave.

    Raises:
        GameError: there is no match.
    """
    if not begun:
        raise GameError("no match is going on: reset() begins one")


def check_not_stuck(state: State) -> None:
    """Refuse a state in which a role has no legal move.

    Raises:
        GameError: there is such a role.
    """
    for role, options in zip(state.game.roles, state.legal_moves, strict=True):
        if not options:
            raise GameError(f"{state.game.name}: {role} has no legal move: no match goes on")


def check_playable(game: Game, roles: Sequence[int]) -> None:
    """Refuse a game of which no match can be played.

    Args:
        game: the game.
        roles: those that are asked for moves.

    Raises:
        GameError: it is over before it begins, or one of them never has a move.
    """
    check_first_state(game, "no match can be played")
    for role in roles:
        if not game.moves[role]:
            raise GameError(f"{game.name}: {game.roles[role]} never has a move to choose from")


def learner_of(game: Game, role: str | None) -> int:
    """Return the number of the role that learns: of the first that somebody plays, or of its name.

    Raises:
        GameError: there is no such role, it is chance or never has a move, or no match of the game
            can be played.
    """
    number = game.players[0] if role is None else game.role_index(role)
    if number == game.chance:
        raise GameError(
            f"{game.name}: {role} is chance, which wants nothing; the roles that can learn are "
            f"{', '.join(game.roles[player] for player in game.players)}"
        )
    check_playable(game, [number])
    return number


def checked_mode(mode: str | None) -> str | None:
    """Return a render mode, None for none.

    Raises:
        ConfigurationError: there is no such one.
    """
    if mode not in (None, *MODES):
        raise ConfigurationError(f"render_mode={mode!r}; allowed: {', '.join(MODES)}")
    return mode


def picture(state: State, mode: str | None) -> str | None:
    """Return a state as a render mode says: ``ansi``, ``svg``, or None for nothing."""
    if mode is None:
        return None
    return state.svg() if mode == "svg" else str(state)
