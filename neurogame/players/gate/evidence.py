"""Whether a judge ranks moves as random games do: rank correlation with playout outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
import torch

from neurogame.array_types import Bools, Float64s, Int64s
from neurogame.intervals import mean_interval
from neurogame.judges.moves import MoveJudge
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import play_out
from neurogame.simulate.samples import sample_states
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch
from neurogame.splitmix import seed_word

_PLAYOUTS = 32
"""Of every move."""
MOST_PLAYOUTS = 1 << 16
"""Playouts that are made at most."""


@final
@dataclass(frozen=True, kw_only=True)
class ScoreEvidence:
    """How a judge's scores go with the outcomes of random games.

    Attributes:
        states: choices looked at: a role with two or more legal moves in a state.
        silent: share of them in which all moves have the same score, 0..1.
        correlation: mean of Spearman's rank correlation between scores and mean outcomes over
            the other choices, -1..1; noise in the outcomes draws it towards 0, never beyond. 0
            where there are none.
        correlation_ci95: its 95 % interval; None where it cannot be told.
        gain: mean outcome of the moves with the best score minus that of all moves, over all
            choices, -1..1 (goal / 100).
        gain_ci95: its 95 % interval; None where it cannot be told.
    """

    states: int
    silent: float
    correlation: float
    correlation_ci95: tuple[float, float] | None
    gain: float
    gain_ci95: tuple[float, float] | None

    @property
    def is_against(self) -> bool:
        """Whether the judge certainly ranks moves the wrong way round, or says nothing at all."""
        wrong = self.correlation_ci95 is not None and self.correlation_ci95[1] < 0
        return wrong or self.silent == 1 or self.states == 0


def measure_evidence(
    game: Game,
    judge: MoveJudge,
    *,
    seed: int,
    states: int = 256,
    most: int = MOST_PLAYOUTS,
) -> ScoreEvidence:
    """Compare a judge's scores with random playouts of every move in some random states.

    Args:
        game: the game.
        judge: of its moves.
        seed: decides states, other roles' moves and playouts.
        states: random states to look at, at least 1; fewer where moves are many.
        most: playouts of one role's moves in all, at least 1.
    """
    simulator = game.simulator()
    random = np.random.default_rng(seed_word(seed))
    sampled = sample_states(simulator, states, seed)
    legal = simulator.status(sampled)[0].numpy()
    flags = sampled.to_bool().numpy()
    offsets = game.circuit.move_offsets
    role_moves = [legal[:, a:b] for a, b in pairwise(offsets)]
    room = max(most // _PLAYOUTS, 1)
    correlations: list[float] = []
    gains: list[float] = []
    for role in game.players:
        mine = role_moves[role]
        rows = np.flatnonzero(mine.sum(axis=1) > 1)
        # As many states as the bound on playouts allows, each with all its moves.
        rows = rows[np.cumsum(mine[rows].sum(axis=1)) * len(role_moves) <= room]
        if not len(rows):
            continue
        scores = judge.move_scores(flags[rows], mine[rows], role)
        parents, moves = mine[rows].nonzero()
        joint = np.stack(
            [
                np.repeat(moves, _PLAYOUTS)
                if other == role
                else _drawn(legal_of, np.repeat(rows[parents], _PLAYOUTS), random)
                for other, legal_of in enumerate(role_moves)
            ],
            axis=1,
        )
        values = _outcomes(simulator, sampled, np.repeat(rows[parents], _PLAYOUTS), joint, seed)
        mean = values[:, role].reshape(-1, _PLAYOUTS).mean(axis=1)
        ends = np.cumsum(mine[rows].sum(axis=1))[:-1]
        for given, means in zip(
            np.split(scores[parents, moves].astype(np.float64), ends),
            np.split(mean, ends),
            strict=True,
        ):
            gains.append(float(means[given == given.max()].mean() - means.mean()))
            if given.min() < given.max():
                correlations.append(_spearman(given, means))
    return ScoreEvidence(
        states=len(gains),
        silent=1 - len(correlations) / len(gains) if gains else 1.0,
        correlation=float(np.mean(correlations)) if correlations else 0.0,
        correlation_ci95=mean_interval(correlations),
        gain=float(np.mean(gains)) if gains else 0.0,
        gain_ci95=mean_interval(gains),
    )


def _outcomes(
    simulator: Simulator,
    states: StateBatch,
    parents: Int64s,
    joint: Int64s,
    seed: int,
) -> Float64s:
    """Return the goals / 100 of a random game after each joint move; ``[P, R]``."""
    begin = states.select(torch.from_numpy(parents))
    children = simulator.step(begin, torch.from_numpy(joint), check=False)
    goals: Float64s = play_out(simulator, children, seed).goals.double().numpy()
    return goals


def _drawn(legal: Bools, rows: Int64s, random: np.random.Generator) -> Int64s:
    """Return a random legal move for each row."""
    weights = random.random((len(rows), legal.shape[1])) * legal[rows]
    moves: Int64s = weights.argmax(axis=1)
    return moves


def _spearman(first: Float64s, second: Float64s) -> float:
    """Return the rank correlation of two sequences, 0 where all of one are equal."""
    one, other = _ranks(first), _ranks(second)
    one, other = one - one.mean(), other - other.mean()
    size = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / size if size > 0 else 0.0


def _ranks(values: Float64s) -> Float64s:
    """Return the rank of each value, equal ones their mean rank."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(count)
    means: Float64s = (ends - (count - 1) / 2.0)[place.reshape(-1)]
    return means
