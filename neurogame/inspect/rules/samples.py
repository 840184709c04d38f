"""What rules are fitted to: states with an evaluator's log-odds, and the choices between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import torch

from neurogame.array_types import Bools1, Float64s2, Int64s1
from neurogame.evaluators.base import Evaluator
from neurogame.inspect.positions import played_positions, values_of
from neurogame.inspect.reliability import log_odds
from neurogame.learn.counter_random import derive
from neurogame.learn.joint_moves import joint_moves
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch

EPSILON = 0.5
"""Share of random moves in the games: rules shall hold in what search looks at, too."""


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Samples:
    """States of games, with the states that the moves in some of them lead to.

    Attributes:
        held: which fluents hold; bool ``[N, F]``, none of the states terminal.
        odds: log-odds of the evaluator's values; float64 ``[N, R]``.
        parent: number of the choice that a state is an outcome of, or -1; int64 ``[N]``.
    """

    held: npt.NDArray[np.bool_]
    odds: Float64s2
    parent: Int64s1

    def __len__(self) -> int:
        """Return the number of states, ``N``."""
        return len(self.held)


def gather_samples(
    game: Game, evaluator: Evaluator, *, games: int, states: int, outcomes: int, seed: int
) -> Samples:
    """Let an evaluator play with itself, and ask it about states and about what moves lead to.

    Args:
        game: the game.
        evaluator: who is asked, and plays one ply ahead with half of the moves at random.
        games: number of games, at least 1.
        states: of these games, at most.
        outcomes: states that all moves of some of these states lead to, at most, but for those of
            one state.
        seed: decides the games and which of their states are taken.

    Raises:
        GameError: no game ended.
    """
    played = played_positions(game, evaluator, matches=games, seed=seed, epsilon=EPSILON)
    some = played.drawn(states, seed)
    held, parent, over = _next_states(game, some.states, outcomes, seed)
    after = held[~over]
    every = StateBatch.from_bool(torch.from_numpy(np.concatenate([some.states.to_bool(), after])))
    return Samples(
        held=every.to_bool().numpy(),
        odds=log_odds(values_of(evaluator, every)),
        parent=np.concatenate([np.full(len(some), -1, np.int64), parent[~over]]),
    )


def _next_states(
    game: Game, states: StateBatch, most: int, seed: int
) -> tuple[npt.NDArray[np.bool_], Int64s1, Bools1]:
    """Return what all joint moves of some states lead to, from which, and whether it is over."""
    simulator = game.simulator()
    order = np.random.default_rng(seed).permutation(len(states))
    mixed = states.select(torch.from_numpy(order))
    legal = simulator.look(mixed).legal.numpy()
    words = derive(seed, np.arange(len(mixed))).view(np.int64)
    joint = joint_moves(legal, list(game.move_offsets), words)
    # All moves of a state, or none: choices are compared.
    last = int(joint.parent[min(most, len(joint.parent)) - 1])
    rows = np.flatnonzero(joint.parent <= last)
    after = simulator.step(
        mixed.select(torch.from_numpy(joint.parent[rows])),
        torch.from_numpy(joint.moves[rows]),
        check=False,
    )
    over = simulator.look(after).terminal.numpy()
    return after.to_bool().numpy(), joint.parent[rows], over
