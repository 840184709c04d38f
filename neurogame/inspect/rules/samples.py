"""What rules are fitted to: states with an evaluator's log-odds, and the choices between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import torch

from neurogame.arena.positions import played_positions, values_of
from neurogame.arena.reliability import log_odds
from neurogame.array_types import Bools, Bools1, Float64s2, Int64s1
from neurogame.evaluators.base import Evaluator
from neurogame.search.lockstep.counter_random import derive
from neurogame.search.lockstep.joint_moves import joint_moves
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from neurogame.splitmix import seed_word


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class TeacherSamples:
    """States of games, with the states that the moves in some of them lead to.

    Attributes:
        held: which fluents hold; bool ``[N, F]``, none of the states terminal.
        odds: log-odds of the evaluator's values; float64 ``[N, R]``.
        parent: number of the choice that a state is an outcome of, or -1; int64 ``[N]``.
        made: steps: which fluents hold before and after; bool ``[2, T, F]``.
    """

    held: Bools
    odds: Float64s2
    parent: Int64s1
    made: Bools


@final
@dataclass(frozen=True, kw_only=True)
class ExtractConfig:
    """How much extraction may look at.

    Attributes:
        games: games of the evaluator with itself.
        states: states of these games, at most.
        outcomes: states that moves lead to, at most, about.
        candidates: candidates for rules that are weighed, at most.
    """

    games: int = 800
    states: int = 16_000
    outcomes: int = 24_000
    candidates: int = 2000


def gather_samples(
    game: Game, teacher: Evaluator, amount: ExtractConfig, *, epsilon: float, seed: int
) -> TeacherSamples:
    """Let an evaluator play, and ask it about the states and about what moves lead to.

    Args:
        game: the game.
        teacher: plays with itself, one ply ahead.
        amount: how much.
        epsilon: share of random moves, 0..1.
        seed: decides the games and which of their states are taken.

    Raises:
        GameError: no game ended.
    """
    played = played_positions(game, teacher, matches=amount.games, seed=seed, epsilon=epsilon)
    some = played.drawn(amount.states, seed)
    before, after, parent, over = _next_states(game, some.states, amount.outcomes, seed)
    held = np.concatenate([some.states.to_bool().numpy(), after[~over]])
    values = values_of(teacher, StateBatch.from_bool(torch.from_numpy(held)))
    return TeacherSamples(
        held=held,
        odds=log_odds(values),
        parent=np.concatenate([np.full(len(some), -1, np.int64), parent[~over]]),
        made=np.stack([before, after]),
    )


def _next_states(
    game: Game, states: StateBatch, most: int, seed: int
) -> tuple[Bools, Bools, Int64s1, Bools1]:
    """Return states, what all their joint moves lead to, their numbers, and whether it is over."""
    simulator = game.simulator()
    order = np.random.default_rng(seed_word(seed)).permutation(len(states))
    mixed = states.select(torch.from_numpy(order))
    legal = simulator.look(mixed).legal.numpy()
    words = derive(seed, np.arange(len(mixed))).view(np.int64)
    joint = joint_moves(legal, list(game.move_offsets), words)
    # All moves of a state, or none: choices are compared.
    last = int(joint.parent[min(most, len(joint.parent)) - 1])
    rows = np.flatnonzero(joint.parent <= last)
    before = mixed.select(torch.from_numpy(joint.parent[rows]))
    after = simulator.step(before, torch.from_numpy(joint.moves[rows]), check=False)
    over = simulator.look(after).terminal.numpy()
    return before.to_bool().numpy(), after.to_bool().numpy(), joint.parent[rows], over
