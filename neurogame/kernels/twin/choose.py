"""Exactly uniform choice of one legal move per game, entirely in bit-slices.

The legal moves of all games are counted by a tree of adders, a rank is drawn uniformly below
that count by masked rejection, and the tree is descended to the move of that rank. No game is
ever unpacked, and no move is favoured by rounding.
"""

from __future__ import annotations

import torch
from torch import Tensor

from neurogame.kernels.words.random_words import RandomWords

_FIRST_ATTEMPTS = 6
_MORE_ATTEMPTS = 8


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
    present = (legal != 0).any(dim=1)
    rows = present.nonzero().view(-1)
    if len(rows) <= 1:
        # Nobody has a choice: a role that waits, typically.
        return legal
    if len(rows) < len(legal) // 2:
        chosen = torch.zeros_like(legal)
        return chosen.index_copy_(0, rows, _choose(legal[rows], random, step, role))
    return _choose(legal, random, step, role)


def _choose(legal: Tensor, random: RandomWords, step: int, role: int) -> Tensor:
    counts = count_tree(legal)
    total = counts[-1][:, 0]
    rank = uniform_below(total, random, step, role)
    return descend(counts, rank)[: len(legal)]


def count_tree(flags: Tensor) -> list[Tensor]:
    """Count the ones of each lane by a binary tree of bit-sliced adders.

    Args:
        flags: int64 ``[A, W]``.

    Returns:
        From the leaves to the root: int64 ``[bits, nodes, W]``, least significant bit first.
        Every tensor but the last has an even number of nodes (padded by zeros).
    """
    level = flags[None]
    tree = []
    while level.shape[1] > 1:
        if level.shape[1] % 2:
            level = torch.nn.functional.pad(level, (0, 0, 0, 1))
        tree.append(level)
        left, right = level[:, 0::2], level[:, 1::2]
        total = torch.empty(
            (level.shape[0] + 1, *left.shape[1:]), dtype=torch.int64, device=flags.device
        )
        carry = left[0] & right[0]
        torch.bitwise_xor(left[0], right[0], out=total[0])
        for bit in range(1, level.shape[0]):
            half = left[bit] ^ right[bit]
            torch.bitwise_xor(half, carry, out=total[bit])
            carry = (left[bit] & right[bit]).bitwise_or_(half.bitwise_and_(carry))
        total[-1] = carry
        level = total
    tree.append(level)
    return tree


def uniform_below(total: Tensor, random: RandomWords, step: int, role: int) -> Tensor:
    """Draw a number uniformly in ``0 .. total - 1`` per lane.

    A number of as many bits as ``total - 1`` has is accepted if it is below ``total`` and drawn
    again otherwise, at most one time in two. Attempts are numbered, and each lane takes its
    first accepted one, so the result does not depend on how many are drawn at once.

    Args:
        total: bit-sliced, least significant bit first; int64 ``[bits, W]``.
        random: the random words of these lane words.
        step: number of the step.
        role: number of the role.

    Returns:
        Bit-sliced number; int64 ``[k, W]``, ``k <= bits``. Zero where the total is zero.
    """
    bound = total.clone()
    borrow = torch.full_like(bound[0], -1)
    for plane in bound:
        # plane - borrow: the bit flips where there is a borrow, which stops at a one.
        plane ^= borrow
        borrow = borrow & plane
    some = ~borrow
    mask = torch.zeros_like(bound)
    above = torch.zeros_like(borrow)
    for bit in reversed(range(len(bound))):
        above = above | (bound[bit] & some)
        mask[bit] = above
    bits = int((mask != 0).any(dim=1).sum())
    rank = torch.zeros_like(mask[:bits])
    if bits == 0:
        return rank
    first = range(_FIRST_ATTEMPTS)
    missing = _attempt(rank, some, total, mask[:bits], random, step, role, first)
    attempt = _FIRST_ATTEMPTS
    while True:
        columns = missing.nonzero().view(-1)
        if len(columns) == 0:
            return rank
        part = rank[:, columns]
        missing = torch.zeros_like(missing).index_copy_(
            0,
            columns,
            _attempt(
                part,
                missing[columns],
                total[:, columns],
                mask[:bits, columns],
                random.select(columns),
                step,
                role,
                range(attempt, attempt + _MORE_ATTEMPTS),
            ),
        )
        rank[:, columns] = part
        attempt += _MORE_ATTEMPTS


def _attempt(
    rank: Tensor,
    missing: Tensor,
    total: Tensor,
    mask: Tensor,
    random: RandomWords,
    step: int,
    role: int,
    attempts: range,
) -> Tensor:
    """Fill in the first accepted attempt of the missing lanes; return those still missing."""
    drawn = random.draw(step, role, attempts, len(mask)) & mask
    below = torch.zeros_like(drawn[:, 0])
    for bit in range(len(mask)):
        differ = drawn[:, bit] ^ total[bit]
        below = (differ & total[bit]) | below.bitwise_and_(differ.bitwise_not_())
    for bit in range(len(mask), len(total)):
        below |= total[bit]
    for attempt in range(len(attempts)):
        take = below[attempt] & missing
        rank |= drawn[attempt] & take
        missing = missing & ~take
    return missing


def descend(counts: list[Tensor], rank: Tensor) -> Tensor:
    """Find the leaf of a given rank.

    Args:
        counts: the tree of :func:`count_tree`.
        rank: bit-sliced number below the root's count; int64 ``[k, W]``.

    Returns:
        One bit per lane at the chosen leaf, none where the root's count is zero;
        int64 ``[leaves, W]``.
    """
    root = counts[-1][:, 0]
    active = root[0].clone()
    for plane in root[1:]:
        active |= plane
    active = active[None]
    for level in reversed(counts[:-1]):
        left = level[:, 0::2]
        # A level may have been padded by an empty node, which has no children.
        active = active[: left.shape[1]]
        # One node at most is active per lane, so the sum of the masked counts is their OR.
        passed = (left & active).sum(dim=1) if left.shape[1] > 1 else left[:, 0] & active
        difference, borrow = _subtract(rank, passed)
        both = torch.empty(
            (len(active), 2, active.shape[1]), dtype=torch.int64, device=active.device
        )
        torch.bitwise_and(active, borrow, out=both[:, 0])
        torch.bitwise_and(active, ~borrow, out=both[:, 1])
        rank = difference ^ ((difference ^ rank) & borrow)
        active = both.view(-1, active.shape[-1])
    return active


def _subtract(number: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Return ``number - other`` modulo 2^k and the lanes where it is negative.

    Args:
        number: int64 ``[k, W]``.
        other: int64 ``[j, W]``, any ``j``.
    """
    result = torch.empty_like(number)
    borrow = torch.zeros_like(other[0])
    for bit in range(max(len(number), len(other))):
        if bit >= len(other):
            torch.bitwise_xor(number[bit], borrow, out=result[bit])
            borrow = borrow & result[bit]
        elif bit >= len(number):
            borrow = borrow | other[bit]
        else:
            half = number[bit] ^ other[bit]
            torch.bitwise_xor(half, borrow, out=result[bit])
            borrow = (other[bit] & ~number[bit]).bitwise_or_(
                borrow.bitwise_and_(half.bitwise_not_())
            )
    return result, borrow
