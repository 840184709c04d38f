"""Exactly uniform choice of one legal move per game: a rank is drawn among its legal moves."""

from __future__ import annotations

from itertools import count

import torch
from torch import Tensor

from neurogame.kernels.words.pack import join_lanes, spread_lanes
from neurogame.kernels.words.random_words import RandomWords

_FEW = 1 << 18
"""Flags that fit into a processor's cache."""


def choose_uniform(legal: Tensor, random: RandomWords, step: int, role: int) -> Tensor:
    """Choose one legal move per lane, each with the same probability.

    Args:
        legal: one row per move; int64 ``[A, W]``, ``A >= 1``.
        random: the random words of these lane words.
        step: number of the step, a key of the random words.
        role: number of the role, a key of the random words.

    Returns:
        int64 ``[A, W]``: exactly one bit per lane that has a legal move, none in the others.
    """
    rows = (legal != 0).any(dim=1).nonzero().view(-1)
    if len(rows) <= 1:
        # Nobody has a choice: a role that waits, typically.
        return legal
    flags = spread_lanes(legal[rows])
    left = 1 + uniform_below(flags.sum(dim=0), random, step, role)
    if flags.numel() <= _FEW or flags.device.type != "cpu":
        flags *= flags.cumsum(dim=0, dtype=torch.int32) == left.int()
    else:
        # Sums of each lane would jump through memory, which takes a processor six times as long.
        for row in flags:
            left -= row
            row *= left == 0
    return torch.zeros_like(legal).index_copy_(0, rows, join_lanes(flags))


def uniform_below(total: Tensor, random: RandomWords, step: int, role: int) -> Tensor:
    """Draw a number uniformly in ``0 .. total - 1`` per lane.

    A number of as many bits as ``total - 1`` has is accepted if it is below ``total`` and drawn
    again otherwise, at most one time in two. Attempts are numbered, and each lane takes its
    first accepted one.

    Args:
        total: one number per lane; int64 ``[64 W]``.
        random: the random words of these lane words.
        step: number of the step.
        role: number of the role.

    Returns:
        int64 ``[64 W]``; zero where the total is zero.
    """
    mask = (total - 1).clamp(min=0)
    for shift in (1, 2, 4, 8, 16):
        mask |= mask >> shift
    planes = int(mask.max()).bit_length()
    weights = 1 << torch.arange(planes, device=total.device)
    rank, missing = torch.zeros_like(total), total > 1
    for attempt in count():
        lanes = missing.nonzero().view(-1)
        if not len(lanes):
            break
        words = random.draw(step, role, range(attempt, attempt + 1), planes)[0]
        bits = (words[:, lanes >> 6] >> (lanes & 63)) & 1
        drawn = (bits * weights[:, None]).sum(dim=0) & mask[lanes]
        taken = drawn < total[lanes]
        rank[lanes[taken]] = drawn[taken]
        missing[lanes[taken]] = False
    return rank
