"""What roles reach in some plies, found by trying all moves: the slow twin of regression."""

from __future__ import annotations

import numpy as np
import torch

from neurogame.circuit.circuit import Circuit
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


def goals_of(circuit: Circuit, flags: torch.Tensor) -> np.ndarray:
    """Return the one goal value of each role, from the flags of all; int64 ``[B, 2]``."""
    values = np.array([value for pairs in circuit.goals for value, _ in pairs])
    first = len(circuit.goals[0])
    held = flags.numpy() * values
    return np.stack([held[:, :first].sum(axis=1), held[:, first:].sum(axis=1)], axis=1)


def sure_winner(game: Game, states: StateBatch) -> np.ndarray:
    """Return which role has a move that wins whatever the others do, by trying all; -1: neither."""
    tree = game.simulator().expand(states)
    after = game.simulator().derive(tree.states)
    goals, parent = goals_of(game.circuit, after.goal_flags), tree.parent.numpy()
    winner = np.full(states.size, -1)
    for role, pairs in enumerate(game.circuit.goals):
        moves = np.stack([parent, tree.joint[:, role].numpy()], axis=1)
        some, group = np.unique(moves, axis=0, return_inverse=True)
        sure = np.ones(len(some), np.bool_)
        won = after.terminal.numpy() & (goals[:, role] == pairs[0][0])
        np.logical_and.at(sure, group.reshape(-1), won)
        winner[some[sure, 0]] = role
    return winner
