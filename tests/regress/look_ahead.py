"""What a role can reach in some plies, found by trying all moves: the slow twin of regression."""

from __future__ import annotations

import numpy as np
import torch

from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch


def values_of_moves(
    game: Game, role: int, states: np.ndarray, plies: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Try all joint moves in states that are not terminal.

    A role maximises whether its goals hold; the others minimise, and know its move.

    Returns:
        The row and the role's move, of all its legal moves in all states, and which of its goals
        hold in the end; int64 ``[K]``, int64 ``[K]``, bool ``[K, N]``.
    """
    batch = StateBatch.from_bool(torch.from_numpy(states))
    tree = game.simulator().expand(batch)
    key = np.stack([tree.parent.numpy(), tree.joint[:, role].numpy()], axis=1)
    pairs, group = np.unique(key, axis=0, return_inverse=True)
    after = _values(game, role, tree.states.to_bool().numpy(), plies - 1)
    least = np.ones((len(pairs), after.shape[1]), np.bool_)
    np.logical_and.at(least, group.reshape(-1), after)
    return pairs[:, 0], pairs[:, 1], least


def _values(game: Game, role: int, states: np.ndarray, plies: int) -> np.ndarray:
    """Return which goals the role can bring about in so many plies; bool ``[B, N]``."""
    derived = game.simulator().derive(StateBatch.from_bool(torch.from_numpy(states)))
    first = sum(len(pairs) for pairs in game.circuit.goals[:role])
    count = len(game.circuit.goals[role])
    values: np.ndarray = derived.goal_flags[:, first : first + count].numpy().copy()
    going = np.flatnonzero(~derived.terminal.numpy())
    if plies and len(going):
        row, _, found = values_of_moves(game, role, states[going], plies)
        assert len(np.unique(row)) == len(going), "no role is ever without a move in these games"
        values[going] = False
        np.logical_or.at(values, going[row], found)
    return values
