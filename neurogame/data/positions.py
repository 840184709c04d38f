"""Positions of games of random moves, or of an evaluator against itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.arena.positions import played_positions
from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.settings import whole
from neurogame.simulate.game import Game, game_of
from neurogame.simulate.samples import check_phase, sample_games
from neurogame.simulate.states import StateBatch
from neurogame.splitmix import seed_word

_OF_A_GAME = 8
"""Positions drawn for each game that is played: more come quicker, and are more alike."""


@final
@dataclass(frozen=True, eq=False)
class DrawnPositions:
    """States in which a move was made, with what their games came to.

    Attributes:
        states: ``N`` states, in random order; ``states.to_bool()`` is ``[N, F]``.
        targets: goal of each role / 100 at the end of the state's game; float32 ``[N, R]`` in 0..1.
        plies: joint moves made before each; int64 ``[N]``.
        to_end: joint moves from each to the end of its game, at least 1; int64 ``[N]``.
    """

    states: StateBatch
    targets: Tensor
    plies: Tensor
    to_end: Tensor

    def __len__(self) -> int:
        """Return the number of positions, ``N``."""
        return len(self.states)


def positions(
    game: Game | str | Path,
    n: int,
    seed: int = 0,
    *,
    phase: tuple[float, float] = (0.0, 1.0),
    evaluator: Evaluator | None = None,
    epsilon: float = 0.2,
) -> DrawnPositions:
    """Play games, an eighth as many as positions, and draw positions of them, which may repeat.

    Games that do not end within 1000 plies are left out.

    Args:
        game: the game, or its name or file.
        n: number of positions, at least 1.
        seed: any whole number; with the other arguments it decides what is returned.
        phase: which part of each game they are of: from what share of its plies to what share,
            within 0..1; ``(0.75, 1)`` is the last quarter.
        evaluator: plays all roles, one ply ahead; None: all moves are random, which is thousands of
            times as quick.
        epsilon: chance of a random move instead of the evaluator's best, 0..1.

    Raises:
        GameError: an argument is out of its range, or no game has such a position.
        ConfigurationError: a number is no whole number.
    """
    game, n, seed = game_of(game), whole(n, "n"), seed_word(seed)
    if n < 1:
        raise GameError(f"n={n}; must be at least 1")
    check_part(phase, epsilon)
    games = -(-n // _OF_A_GAME)
    if evaluator is None:
        simulator = game.simulator(backend="auto")
        drawn = sample_games(simulator, n, seed, games=games, phase=phase, finished=True)
        return DrawnPositions(
            drawn.states, drawn.outcomes, drawn.plies, drawn.lengths - drawn.plies
        )
    played = played_positions(game, evaluator, matches=games, seed=seed, epsilon=epsilon)
    share = played.plies / (played.plies + played.to_end)
    fitting = np.flatnonzero((phase[0] <= share) & (share < phase[1]))
    if len(fitting) == 0:
        raise GameError(f"no position of {games} games is in the phase {phase}, in 0..1")
    rows = np.random.default_rng(seed).choice(fitting, n)
    return DrawnPositions(
        played.states.select(torch.from_numpy(rows)),
        torch.from_numpy(played.outcomes[rows]).float(),
        torch.from_numpy(played.plies[rows]),
        torch.from_numpy(played.to_end[rows]),
    )


def check_part(phase: tuple[float, float], epsilon: float) -> None:
    """Refuse a phase or a chance of random moves that is out of its range.

    Raises:
        GameError: it is.
    """
    check_phase(phase)
    if not 0 <= epsilon <= 1:
        raise GameError(f"epsilon={epsilon}; must be within 0..1")
