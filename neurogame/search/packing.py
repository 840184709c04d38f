"""States as bytes, the key of a state for all who ask a search; and as words, for compiled code."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools, UInt64s
from neurogame.errors import GameError
from neurogame.graph.lanes import pack_lanes
from neurogame.settings import check_kind
from neurogame.simulate.game import Game, State

REVERSED = np.array([int(f"{octet:08b}"[::-1], 2) for octet in range(256)], np.uint8)
"""Octets with their bits the other way round: from keys of states to their words, and back."""


def state_keys(fluents: Bools) -> list[bytes]:
    """Return the key of each state, as used in ``SearchResult.proved_states``.

    That has eight fluents to the byte, the first fluent in the highest bit.

    Args:
        fluents: states; bool ``[B, F]``.
    """
    return [row.tobytes() for row in np.packbits(fluents, axis=1)]


def state_words(fluents: Bools) -> UInt64s:
    """Return a state as words, fluent ``f`` being bit ``f % 64`` of word ``f // 64``.

    Args:
        fluents: one state; bool ``[F]``.

    Returns:
        uint64 ``[ceil(F / 64)]``.
    """
    words: UInt64s = pack_lanes(fluents[None])[0]
    return words


def root_words(game: Game, state: State, role: int) -> UInt64s:
    """Return the words of a state from which a role is to search.

    Args:
        game: what the search was made for.
        state: the state.
        role: index of the searching role.

    Returns:
        As :func:`state_words`.

    Raises:
        GameError: the state is terminal or of another game, or there is no such role, or it is
            chance.
    """
    check_kind(state, State, "state", "game.initial_state()")
    if state.game.circuit.key != game.circuit.key:
        raise GameError(
            f"search: a state of {state.game.name} was given to a search of {game.name}"
        )
    if role not in range(len(game.roles)):
        raise GameError(
            f"search: role {role}; {game.name} has 0..{len(game.roles) - 1}, and "
            "game.role_index(NAME) is the number of a name"
        )
    if role == game.chance:
        raise GameError(
            f"search: role {role} of {game.name} is chance, which searches for nothing; search "
            f"for one of {', '.join(map(str, game.players))}"
        )
    if state.is_terminal:
        raise GameError("search: the state is terminal, there is no move to find")
    return state_words(state.fluents.cpu().numpy())
