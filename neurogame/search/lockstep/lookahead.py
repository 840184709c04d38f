"""Full-width look-ahead of one or two plies from many states at once.

Every role judges a state by its own value under the assumption that all others know its move and
answer it to its harm: minimax for two opponents, and a value to rely on in every other game. Chance
answers nobody: its outcomes are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Bools, Float64s, Int64s, UInt64s
from neurogame.evaluators.base import Evaluator
from neurogame.search.lockstep.counter_random import derive
from neurogame.search.lockstep.joint_moves import JointMoves, joint_moves
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch

# States expanded in one piece: bounds the memory that a look-ahead of two plies takes.
_PIECE = 4096


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Judges:
    """Who values the states at the end of a look-ahead.

    Attributes:
        evaluators: all evaluators.
        margin: whether a role's value is ``(own + 1 - other) / 2``; two roles only.
    """

    evaluators: Sequence[Evaluator]
    margin: bool


@final
@dataclass(frozen=True, eq=False)
class Ahead:
    """What lies behind all joint moves of ``A`` states; ``K`` joint moves in all.

    Attributes:
        joint: the joint moves.
        values: what each role makes of each child, float64 ``[K, R]`` in 0..1; NaN where the
            role has no judge.
        chance: the role that is chance, None if there is none.
    """

    joint: JointMoves
    values: Float64s
    chance: int | None = None


def look_ahead(
    game: Game,
    states: StateBatch,
    legal: Bools,
    judge: Int64s,
    judges: Judges,
    depth: int,
    words: UInt64s,
) -> Ahead:
    """Look ahead from non-terminal states.

    Args:
        game: the game.
        states: ``A`` states.
        legal: their legal moves, bool ``[A, M]``.
        judge: whose evaluator each role uses, an index or -1 for none; int64 ``[A, R]``.
        judges: the evaluators.
        depth: plies, at least 1.
        words: a random word per state; used where joint moves are too many to list.
    """
    simulator = game.simulator()
    joint = joint_moves(legal, list(game.move_offsets), words.view(np.int64))
    parents = states.select(torch.from_numpy(joint.parent))
    after = simulator.step(parents, torch.from_numpy(joint.moves), check=False)
    look = simulator.look(after)
    ends = look.terminal.numpy()
    # Goals are whole hundredths: rounding takes the float32 error away.
    goals = np.rint(look.goals.numpy().astype(np.float64) * 100) / 100
    mine = judge[joint.parent]
    values = np.where(ends[:, None] & (mine >= 0), goals, np.nan)
    inner = np.flatnonzero(~ends & (mine >= 0).any(axis=1))
    if depth == 1:
        fluents = after.to_bool()[torch.from_numpy(inner)]
        values[inner] = _estimates(fluents, mine[inner], judges)
        return Ahead(joint, values, game.chance)
    child_words = derive(words, depth)[joint.parent]
    child_legal = look.legal.numpy()
    for begin in range(0, len(inner), _PIECE):
        rows = inner[begin : begin + _PIECE]
        deeper = look_ahead(
            game,
            after.select(torch.from_numpy(rows)),
            child_legal[rows],
            mine[rows],
            judges,
            depth - 1,
            child_words[rows],
        )
        backed = [worth(deeper, role).max(axis=1) for role in range(goals.shape[1])]
        values[rows] = np.where(mine[rows] >= 0, np.stack(backed, axis=1), np.nan)
    return Ahead(joint, values, game.chance)


def worth(ahead: Ahead, role: int) -> Float64s:
    """Return what a role can rely on after each of its moves.

    Args:
        ahead: a look-ahead of ``A`` states.
        role: the role.

    Returns:
        float64 ``[A, widest]`` by rank of the move; -inf beyond the last, 0 without a judge.
    """
    joint = ahead.joint
    states, width = joint.table[role].shape
    result = np.full(states * width, np.inf)
    place = joint.parent * width + joint.rank[:, role]
    values = np.nan_to_num(ahead.values[:, role])
    if ahead.chance is not None:
        values = _averaged(joint, ahead.chance, values)
    np.minimum.at(result, place, values)
    return np.where(joint.table[role] < 0, -np.inf, result.reshape(states, width))


def _averaged(joint: JointMoves, chance: int, values: Float64s) -> Float64s:
    """Return values of joint moves, each the mean over what chance may do instead; ``[K]``."""
    code = joint.parent
    for role in range(joint.rank.shape[1]):
        if role != chance:
            code = code * joint.table[role].shape[1] + joint.rank[:, role]
    group = np.unique(code, return_inverse=True)[1].reshape(-1)
    means: Float64s = (np.bincount(group, weights=values) / np.bincount(group))[group]
    return means


def _estimates(fluents: Tensor, judge: Int64s, judges: Judges) -> Float64s:
    """Return what each role's judge makes of states, float64 ``[N, R]``; NaN without one."""
    values = np.full(judge.shape, np.nan)
    for index, evaluator in enumerate(judges.evaluators):
        rows = np.flatnonzero((judge == index).any(axis=1))
        if len(rows) == 0:
            continue
        with torch.no_grad():
            estimates = evaluator(fluents[torch.from_numpy(rows)]).double().numpy()
        if judges.margin:
            estimates = (estimates + 1.0 - estimates[:, ::-1]) / 2
        values[rows] = np.where(judge[rows] == index, estimates, values[rows])
    return values
