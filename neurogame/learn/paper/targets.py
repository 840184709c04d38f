"""What a match teaches goal networks: the targets of the paper's equations (9) and (10).

The network of the goal reached is trained towards +1, all others towards -1, both discounted by
``lambda`` per ply before the end; no value is bootstrapped.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from neurogame.learn.examples import Examples
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.trajectory import Trajectory


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
    config: PaperConfig,
) -> Examples:
    """Return the examples of the paper's learning rule for one match.

    A proved state has the undiscounted signals of its proved goals. Where these are the goals the
    match ended with this is equation (10); after a blunder they are not, and the proof is right
    where the equation would teach the goals of the blunder.

    Args:
        trajectory: one match; a match that was cut off teaches only its proved states.
        network_role: role of each goal network; int64 ``[D]``.
        network_goal: goal of each goal network; float64 ``[D]`` in 0..1.
        config: the discount per ply, the least share of states learned from, and whether proved
            states are treated as such; the terminal state always is.

    Returns:
        Examples with one target column per goal network, in -1..1.

    Reference: Michulke & Thielscher, section 3.5, equations (9) and (10), and section 4.1.
    """
    plies = trajectory.plies
    known = _known_values(trajectory, config.proofs)
    solved = torch.isfinite(known).all(dim=1)
    reached = torch.isclose(known[:, network_role], network_goal[None, :], atol=1e-6, rtol=0.0)
    signals = torch.where(reached, 1.0, -1.0).to(torch.float64)
    if trajectory.finished:
        discounted = outcome_signals(reached[-1], plies, config.lambda_)
        signals = torch.where(solved[:, None], signals, discounted)
        chosen = select_states(solved, config.minimum_share)
    else:
        chosen = solved
    return Examples(trajectory.fluents[chosen], signals[chosen].to(torch.float32))


def _known_values(trajectory: Trajectory, proofs: bool) -> Tensor:
    """Return proved values ``[T + 1, R]``, with the goals as those of a terminal state."""
    known = trajectory.proved.clone()
    if not proofs:
        known[:] = float("nan")
    known[-1] = trajectory.goals if trajectory.finished else known[-1]
    return known
