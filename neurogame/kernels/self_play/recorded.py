"""Learning from games that were recorded, whoever played them."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import (
    Float32s2,
    Int32s1,
    Int64s1,
    UInt8s1,
    UInt64s2,
)
from neurogame.kernels.rules_network.learn import learn_game
from neurogame.kernels.rules_network.learning import Learning
from neurogame.kernels.rules_network.load import mode_of
from neurogame.kernels.self_play.targets import make_targets
from neurogame.native.struct import Struct


class GamesToLearn(Struct):
    """Games to learn from, one after the other.

    ``G`` games, ``N`` positions of all of them, ``R`` roles, ``Fw`` words of a packed state.

    Attributes:
        learning: what learns.
        states: packed states, none of them terminal; uint64 ``[N, Fw]``.
        modes: memory for their modes; int32 ``[N]``.
        searched: their values by what follows them; float32 ``[N, R]``.
        cut: 1 where the move was not the best one; uint8 ``[N]``.
        goals: of the games, 0..1; float32 ``[G, R]``.
        ended: 1 where the game came to its end, 0 where it was cut off; uint8 ``[G]``.
        targets: 0..1; float32 ``[N, R]``.
        first: the games' first positions, and the number of all; int64 ``[G + 1]``.
        image: symmetry under which embeddings see each game; int64 ``[G]``.
        lambda_: of TD(lambda), 0..1.
    """

    learning: Learning
    states: UInt64s2
    modes: Int32s1
    searched: Float32s2
    cut: UInt8s1
    goals: Float32s2
    ended: UInt8s1
    targets: Float32s2
    first: Int64s1
    image: Int64s1
    lambda_: float


def value_recorded(games: GamesToLearn) -> None:
    """Write the targets of all games."""
    for game in range(len(games.image)):
        first = int(games.first[game])
        make_targets(
            games.searched,
            games.cut,
            games.goals,
            game,
            games.targets,
            first,
            int(games.first[game + 1]) - first,
            games.lambda_,
            games.ended[game] != np.uint8(0),
        )


def learn_recorded(games: GamesToLearn) -> None:
    """Learn from all games, towards the targets that are there."""
    for row in range(len(games.modes)):
        games.modes[row] = mode_of(games.learning.network.mode_fluent, games.states, row)
    for game in range(len(games.image)):
        first = int(games.first[game])
        learn_game(
            games.learning,
            games.states,
            games.modes,
            games.targets,
            first,
            int(games.first[game + 1]) - first,
            int(games.image[game]),
        )
