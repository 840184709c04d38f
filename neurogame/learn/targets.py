"""What a match teaches: training targets for goal networks and for values per role.

Two kinds. *Outcome* targets are the paper's equations (9) and (10): the network of the goal
reached is trained towards +1, all others towards -1, both discounted by ``lambda`` per ply before
the end; no value is bootstrapped. *TD(lambda)* targets are returns that mix the evaluator's own
values of the following states with the final goals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neurogame.learn.trajectory import Trajectory


@final
@dataclass(frozen=True, eq=False)
class Examples:
    """States with their targets.

    Attributes:
        fluents: bool ``[N, F]``.
        targets: float32 ``[N, D]``; outcome: one column per goal network, in -1..1; td: one column
            per role, in 0..1.
    """

    fluents: Tensor
    targets: Tensor

    def __len__(self) -> int:
        """Return the number of states, ``N``."""
        return int(self.fluents.shape[0])


def join_examples(parts: list[Examples]) -> Examples:
    """Return the examples of several matches one after the other; at least one part."""
    return Examples(
        torch.cat([part.fluents for part in parts]), torch.cat([part.targets for part in parts])
    )


def outcome_signals(reached: Tensor, plies: int, lambda_: float) -> Tensor:
    """Return the signals of the paper for all states of a match.

    Args:
        reached: bool ``[D]``, whether a goal network stands for a goal of the terminal state.
        plies: length of the match, ``T``.
        lambda_: discount per ply in 0..1.

    Returns:
        float64 ``[T + 1, D]`` in -1..1: row ``T - k`` holds ``+lambda^k`` for the networks reached
        and ``-lambda^k`` for the others.

    Reference: Michulke & Thielscher, section 3.5, equation (9).
    """
    sign = torch.where(reached, 1.0, -1.0).to(torch.float64)
    # 0 ** 0 is 1: with lambda = 0 only the terminal state has a signal.
    scale = torch.tensor([lambda_ ** (plies - t) for t in range(plies + 1)], dtype=torch.float64)
    return scale[:, None] * sign[None, :]


def select_states(solved: Tensor, minimum_share: float) -> Tensor:
    """Return which states of a match are learned from.

    All solved states are. Where they are fewer than ``minimum_share`` of the states, unsolved ones
    are added from the end of the match until the share is reached.

    Args:
        solved: bool ``[T + 1]``.
        minimum_share: in 0..1.

    Returns:
        bool ``[T + 1]``.

    Reference: Michulke & Thielscher, section 4.1.
    """
    chosen = solved.clone()
    # The tolerance keeps 0.1 * 30 states at 3, although the product is 3.0000000000000004.
    missing = math.ceil(minimum_share * len(solved) - 1e-9) - int(solved.sum())
    for t in range(len(solved) - 1, -1, -1):
        if missing <= 0:
            break
        if not bool(chosen[t]):
            chosen[t] = True
            missing -= 1
    return chosen


def outcome_examples(
    trajectory: Trajectory,
    network_role: Tensor,
    network_goal: Tensor,
    *,
    lambda_: float,
    minimum_share: float,
    proofs: bool,
) -> Examples:
    """Return the examples of the paper's learning rule for one match.

    A proved state has the undiscounted signals of its proved goals. Where these are the goals the
    match ended with this is equation (10); after a blunder they are not, and the proof is right
    where the equation would teach the goals of the blunder.

    Args:
        trajectory: one match; a match that was cut off teaches only its proved states.
        network_role: role of each goal network; int64 ``[D]``.
        network_goal: goal of each goal network; float64 ``[D]`` in 0..1.
        lambda_: discount per ply in 0..1.
        minimum_share: least share of states learned from, 0..1.
        proofs: whether proved states are treated as such; the terminal state always is.

    Returns:
        Examples with one target column per goal network, in -1..1.

    Reference: Michulke & Thielscher, section 3.5, equations (9) and (10), and section 4.1.
    """
    plies = trajectory.plies
    known = _known_values(trajectory, proofs)
    solved = torch.isfinite(known).all(dim=1)
    reached = torch.isclose(known[:, network_role], network_goal[None, :], atol=1e-6, rtol=0.0)
    signals = torch.where(reached, 1.0, -1.0).to(torch.float64)
    if trajectory.finished:
        discounted = outcome_signals(reached[-1], plies, lambda_)
        signals = torch.where(solved[:, None], signals, discounted)
        chosen = select_states(solved, minimum_share)
    else:
        chosen = solved
    return Examples(trajectory.fluents[chosen], signals[chosen].to(torch.float32))


def lambda_returns(
    values: Tensor, goals: Tensor, known: Tensor, searched: Tensor, explored: Tensor, lambda_: float
) -> Tensor:
    """Return the TD(lambda) returns of all states of a match, per role.

    ``G_T`` are the goals and ``G_t = (1 - lambda) V(s_{t+1}) + lambda G_{t+1}``. A known (proved)
    value replaces ``G_t``. A random move says nothing about the value of the state it was played
    in: there ``G_t`` is the value that the search backed up, or ``V(s_t)`` where there is none,
    which cuts the trace.

    Args:
        values: the evaluator's values, float64 ``[T + 1, R]`` in 0..1.
        goals: goals of the last state, float64 ``[R]``; NaN rows: its value is taken instead.
        known: proved values, float64 ``[T + 1, R]``, NaN rows where nothing is proved.
        searched: backed-up values, float64 ``[T + 1, R]``, NaN rows where nothing was searched.
        explored: bool ``[T]``, whether the move played was random.
        lambda_: trace decay in 0..1; 1 is the plain outcome, 0 one-step TD.

    Returns:
        float64 ``[T + 1, R]`` in 0..1.

    Reference: Sutton & Barto, Reinforcement Learning, 2nd edition, section 12.1.
    """
    plies = len(explored)
    # The values along the match, with the truth in place of the guess where it is known.
    best = torch.where(torch.isnan(known), values, known)
    returns = best.clone()
    if not bool(torch.isnan(goals).any()):
        best[plies] = goals
        returns[plies] = goals
    for t in range(plies - 1, -1, -1):
        if bool(torch.isfinite(known[t]).all()):
            returns[t] = known[t]
        elif bool(explored[t]):
            returns[t] = torch.where(torch.isnan(searched[t]), values[t], searched[t])
        else:
            returns[t] = (1.0 - lambda_) * best[t + 1] + lambda_ * returns[t + 1]
    return returns


def td_examples(
    trajectory: Trajectory, values: Tensor, *, lambda_: float, proofs: bool
) -> Examples:
    """Return all states of one match with their TD(lambda) returns.

    Args:
        trajectory: one match.
        values: the evaluator's present values of its states, float ``[T + 1, R]`` in 0..1.
        lambda_: trace decay in 0..1.
        proofs: whether proved values replace returns.

    Returns:
        Examples with one target column per role, in 0..1.
    """
    known = _known_values(trajectory, proofs)
    returns = lambda_returns(
        values.to(torch.float64),
        trajectory.goals,
        known,
        trajectory.searched,
        trajectory.explored,
        lambda_,
    )
    return Examples(trajectory.fluents, returns.to(torch.float32))


def _known_values(trajectory: Trajectory, proofs: bool) -> Tensor:
    """Return proved values ``[T + 1, R]``, with the goals as those of a terminal state."""
    known = trajectory.proved.clone()
    if not proofs:
        known[:] = float("nan")
    known[-1] = trajectory.goals if trajectory.finished else known[-1]
    return known
