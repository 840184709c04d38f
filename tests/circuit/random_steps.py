"""Steps of random games for the tests: states, joint moves and what the simulator makes of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch


@dataclass(frozen=True)
class Steps:
    """``B`` steps from states that are not terminal.

    Attributes:
        states: bool ``[B, F]``.
        legal: bool ``[B, M]``.
        moves: index of each role's move among its own; int64 ``[B, R]``.
        does: the same as flags; bool ``[B, M]``.
        following: bool ``[B, F]``.
    """

    states: np.ndarray
    legal: np.ndarray
    moves: np.ndarray
    does: np.ndarray
    following: np.ndarray


def random_steps(game: Game, lanes: int, plies: int, seed: int) -> Steps:
    """Play games at random and return their steps; games that are over start again."""
    simulator = game.simulator()
    random = np.random.default_rng(seed)
    states = simulator.initial(lanes)
    parts: list[tuple[np.ndarray, ...]] = []
    for _ in range(plies):
        legal, over = simulator.status(states)
        going = (~over & ~_stuck(game, legal)).nonzero().flatten()
        states, flags = states.select(going), legal[going].numpy()
        score = np.where(flags, random.random(flags.shape), -1.0)
        columns = [
            score[:, a:b].argmax(axis=1)
            for a, b in zip(game.move_offsets[:-1], game.move_offsets[1:], strict=True)
        ]
        moves = np.stack(columns, axis=1)
        after = simulator.step(states, torch.from_numpy(moves))
        held = (states.to_bool().numpy(), after.to_bool().numpy())
        parts.append((held[0], flags, moves, flags_of(game, moves), held[1]))
        fresh = simulator.initial(lanes - len(after)).to_bool()
        states = StateBatch.from_bool(torch.cat([after.to_bool(), fresh]))
    return Steps(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def flags_of(game: Game, moves: np.ndarray) -> np.ndarray:
    """Return joint moves, ``[B, R]``, as flags; bool ``[B, M]``."""
    flags = np.zeros((len(moves), game.move_offsets[-1]), np.bool_)
    for role, offset in enumerate(game.move_offsets[:-1]):
        flags[np.arange(len(moves)), offset + moves[:, role]] = True
    return flags


def _stuck(game: Game, legal: torch.Tensor) -> torch.Tensor:
    """Return in which states some role has no legal move; bool ``[B]``."""
    pairs = zip(game.move_offsets[:-1], game.move_offsets[1:], strict=True)
    return torch.stack([~legal[:, a:b].any(dim=1) for a, b in pairs]).any(dim=0)
