"""What kernels do around the gates: ages of games, games left to play, and counts of results.

Counts are kept per word, one row per counter, so that programs never wait for each other; the
host adds them up. Lengths and moves are counted in shared counters by atomic additions.
"""

# mypy: disable-error-code="untyped-decorator,no-any-return"
from __future__ import annotations

import triton
import triton.language as tl

from neurogame.kernels.triton.words import count_ones

GAMES, CUT, STUCK, SEVERAL, PLAYED, FIRST_GOAL = range(6)
"""Rows of the counters."""

_GAMES = tl.constexpr(GAMES)
_CUT = tl.constexpr(CUT)
_STUCK = tl.constexpr(STUCK)
_SEVERAL = tl.constexpr(SEVERAL)


@triton.jit
def add_ones(counter: tl.tensor, words: tl.tensor) -> None:
    """Add the ones of each word to its counter."""
    tl.store(counter, tl.load(counter) + count_ones(words))


@triton.jit
def count_endings(
    counts: tl.tensor,
    stride: tl.tensor,
    terminal: tl.tensor,
    stuck: tl.tensor,
    cut: tl.tensor,
    several: tl.tensor,
) -> None:
    """Count finished games by what ended them.

    Args:
        counts: addresses of the block's first counters.
        stride: from one counter's row to the next.
        terminal: lanes that reached a terminal state.
        stuck: lanes that are stuck.
        cut: lanes that reached the limit of plies.
        several: lanes that have several goals for a role, whatever ended them.
    """
    add_ones(counts + _GAMES * stride, terminal | stuck | cut)
    add_ones(counts + _CUT * stride, cut)
    add_ones(counts + _STUCK * stride, stuck)
    add_ones(counts + _SEVERAL * stride, several & terminal)


@triton.jit
def at_limit(ages: tl.tensor, stride: tl.tensor, planes: tl.tensor, limit: tl.tensor) -> tl.tensor:
    """Return the lanes whose age, a number of bit planes, is the limit."""
    same = tl.load(ages) * 0 - 1
    for plane in range(planes):
        same &= tl.load(ages + plane * stride) ^ ((limit >> plane & 1).to(tl.int64) - 1)
    return same


@triton.jit
def grow_ages(
    ages: tl.tensor,
    stride: tl.tensor,
    planes: tl.tensor,
    playing: tl.tensor,
    over: tl.tensor,
    RESTART: tl.constexpr,
) -> None:
    """Add one to the ages of the lanes that play; with restart, the others' begin at 0 again."""
    carry = playing
    for plane in range(planes):
        old = tl.load(ages + plane * stride)
        new = old ^ carry
        if RESTART:
            new &= ~over
        tl.store(ages + plane * stride, new)
        carry &= old


@triton.jit
def take_game(left: tl.tensor, stride: tl.tensor, planes: tl.tensor, over: tl.tensor) -> tl.tensor:
    """Return the lanes of ``over`` that begin another game, which is taken from those left.

    Args:
        left: addresses of the games left to each lane, a number of bit planes.
        stride: from one plane to the next.
        planes: number of planes.
        over: lanes whose game is over.
    """
    some = over * 0
    for plane in range(planes):
        some |= tl.load(left + plane * stride)
    borrow = over & some
    for plane in range(planes):
        old = tl.load(left + plane * stride)
        tl.store(left + plane * stride, old ^ borrow)
        borrow &= ~old
    return over & some


@triton.jit
def count_lengths(
    lengths: tl.tensor, ages: tl.tensor, stride: tl.tensor, planes: tl.tensor, over: tl.tensor
) -> None:
    """Count the games that are over by their ages, lane by lane."""
    for lane in range(64):
        length = over * 0
        for plane in range(planes):
            length |= (tl.load(ages + plane * stride) >> lane & 1) << plane
        here = over >> lane & 1
        tl.atomic_add(lengths + length, here, mask=here != 0)


@triton.jit
def count_move(made: tl.tensor, words: tl.tensor) -> None:
    """Add the ones of a block to one shared counter."""
    tl.atomic_add(made, tl.sum(count_ones(words), axis=0))
