"""How much the ranking of the legal moves of a role differs between two judgements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Bools, Float64s

_EQUAL = 1e-9


@final
@dataclass(frozen=True, kw_only=True)
class RankingChange:
    """The difference of two judgements of moves, over states in which the role has a choice.

    Values are scaled to 0..1 over the legal moves of each state; where all are equal they are
    0.5.

    Attributes:
        states: number of states; 0 leaves the other numbers 0, or 1 for :attr:`tau`.
        best: share of states whose best move changes. Of several best moves each counts for its
            part: what counts is how many of the new ones were not best.
        shift: mean difference of a scaled value.
        largest: largest difference of a scaled value.
        tau: mean of Kendall's tau-b of the two rankings; 1 where both have all moves equal, 0
            where only one has.
    """

    states: int
    best: float
    shift: float
    largest: float
    tau: float


def ranking_change(
    before: Float64s, after: Float64s, legal: Bools, *, tau: bool = True
) -> RankingChange:
    """Compare two judgements of moves.

    Args:
        before: value of each move in each state, at most 1; float64 ``[S, M]``.
        after: the same by the other judgement.
        legal: which moves are legal; states with fewer than two are passed over; bool ``[S, M]``.
        tau: whether to compute Kendall's tau, which takes longest; else it is NaN.
    """
    rows = np.flatnonzero(legal.sum(axis=1) > 1)
    if not len(rows):
        return RankingChange(states=0, best=0.0, shift=0.0, largest=0.0, tau=1.0)
    legal = legal[rows]
    old, new = _scaled(before[rows], legal), _scaled(after[rows], legal)
    good, chosen = (
        legal & (values >= np.where(legal, values, 0).max(axis=1, keepdims=True) - _EQUAL)
        for values in (old, new)
    )
    still = (good & chosen).sum(axis=1) / chosen.sum(axis=1)
    difference = np.where(legal, np.abs(old - new), 0.0)
    taus = [_tau(o[m], n[m]) for o, n, m in zip(old, new, legal, strict=True)] if tau else [np.nan]
    return RankingChange(
        states=len(rows),
        best=float(1 - still.mean()),
        shift=float((difference.sum(axis=1) / legal.sum(axis=1)).mean()),
        largest=float(difference.max()),
        tau=float(np.mean(taus)),
    )


def _scaled(values: Float64s, legal: Bools) -> Float64s:
    """Scale the legal moves' values to 0..1, or to 0.5 where all are equal but for rounding."""
    high = np.where(legal, values, -np.inf).max(axis=1, keepdims=True)
    low = np.where(legal, values, np.inf).min(axis=1, keepdims=True)
    flat = high - low <= _EQUAL * np.abs(high)
    scaled: Float64s = np.where(flat, 0.5, (values - low) / np.where(flat, 1.0, high - low))
    return scaled


def _tau(old: Float64s, new: Float64s) -> float:
    """Return Kendall's tau-b of two rankings."""
    upper = np.triu_indices(len(old), 1)
    signs = []
    for values in (old, new):
        steps = (values[:, None] - values[None, :])[upper]
        signs.append(np.where(np.abs(steps) <= _EQUAL, 0.0, np.sign(steps)))
    first, second = signs
    size = float(np.sqrt((first**2).sum() * (second**2).sum()))
    if size == 0:
        return float(not first.any() and not second.any())
    return float((first * second).sum()) / size
