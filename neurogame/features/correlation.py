"""Correlations between columns, from sums that can be added up block by block.

*Reference:* Fisher, "On the probable error of a coefficient of correlation" (1921).
"""

from __future__ import annotations

from typing import final

import numpy as np
import torch

from neurogame.array_types import Float32s, Float64s, Int64s


@final
class Correlations:
    """Sums for the correlations of ``K`` features with ``R`` results and with each other.

    Rows that are not a number in some feature do not count for this feature.

    Attributes:
        count: rows so far.
    """

    def __init__(self, features: int, results: int) -> None:
        """Begin with no rows."""
        self.count = 0
        self._first: Float64s | None = None
        wide = features + results
        self._features = features
        self._sum, self._products = np.zeros(wide), np.zeros((wide, wide))

    def add(self, features: Float32s, results: Float32s) -> None:
        """Take more rows.

        Args:
            features: float32 ``[N, K]``.
            results: float32 ``[N, R]``.
        """
        if not len(features):
            return
        rows = np.concatenate([features, results], axis=1).astype(np.float64)
        if self._first is None:
            # Sums of differences from any fixed point lose less to rounding.
            self._first = rows.mean(axis=0)
        rows -= self._first
        self.count += len(rows)
        self._sum += rows.sum(axis=0)
        # Unlike numpy's, the threads of torch are no more than it is told to take.
        tensor = torch.from_numpy(rows)
        self._products += (tensor.T @ tensor).numpy()

    def merge(self, other: Correlations) -> None:
        """Take all rows that another one has taken."""
        if other._first is None:
            return
        if self._first is None:
            self._first = other._first.copy()
        # The other's differences are from a point of its own.
        apart = other._first - self._first
        across = np.outer(other._sum, apart)
        self._products += other._products + across + across.T + other.count * np.outer(apart, apart)
        self._sum += other._sum + other.count * apart
        self.count += other.count

    def reordered(self, order: Int64s, sign: Float64s) -> Correlations:
        """Return what the same rows give for other features: these in another order, some negated.

        Args:
            order: of features, then of results: which of these each is; int64 ``[K + R]``.
            sign: 1, or -1 where it is the negative; float64 ``[K + R]``.
        """
        permuted = Correlations(self._features, len(order) - self._features)
        permuted.count = self.count
        permuted._first = None if self._first is None else sign * self._first[order]
        permuted._sum = sign * self._sum[order]
        permuted._products = np.outer(sign, sign) * self._products[np.ix_(order, order)]
        return permuted

    def packed(self) -> Float64s:
        """Return all of it as numbers, for :meth:`unpacked`; float64 ``[3 + K + R, K + R]``."""
        first = np.zeros_like(self._sum) if self._first is None else self._first
        count = np.full_like(first, self.count)
        return np.concatenate([np.stack([count, first, self._sum]), self._products])

    @classmethod
    def unpacked(cls, numbers: Float64s, features: int) -> Correlations:
        """Return what :meth:`packed` has packed.

        Args:
            numbers: those.
            features: how many of their columns are features, ``K``.

        Raises:
            ValueError: they are not of that form.
        """
        rows, wide = numbers.shape
        if rows != wide + 3 or wide <= features or not np.isfinite(numbers).all():
            raise ValueError("these are no sums of features and results")
        correlations = cls(features, wide - features)
        correlations.count = int(numbers[0, 0])
        correlations._first = numbers[1].copy() if correlations.count else None
        correlations._sum, correlations._products = numbers[2].copy(), numbers[3:].copy()
        return correlations

    def with_results(self) -> Float64s:
        """Return Pearson's correlation of each feature with each result, 0 without variance.

        Returns:
            float64 ``[K, R]`` in -1..1.
        """
        return self.correlations()[: self._features, self._features :]

    def mean(self) -> Float64s:
        """Return the mean of each feature, then of each result; float64 ``[K + R]``."""
        if self._first is None:
            return np.zeros_like(self._sum)
        means: Float64s = self._first + self._sum / self.count
        return means

    def covariance(self) -> Float64s:
        """Return the covariance of features and results; float64 ``[K + R, K + R]``."""
        if self.count == 0:
            return np.zeros_like(self._products)
        mean = self._sum / self.count
        centred: Float64s = self._products / self.count - np.outer(mean, mean)
        return centred

    def correlations(self) -> Float64s:
        """Return Pearson's correlations of features and results; float64 ``[K + R, K + R]``."""
        covariance = self.covariance()
        # What rounding leaves of a constant is no variance.
        size = np.zeros(len(covariance)) if self._first is None else np.abs(self._first)
        return correlations_of(covariance, 1e-6 * (1 + size))


def correlations_of(covariance: Float64s, least: Float64s | float) -> Float64s:
    """Return Pearson's correlations, 0 for what hardly varies.

    Args:
        covariance: float64 ``[N, N]``.
        least: standard deviations up to this are none; a number, or float64 ``[N]``.

    Returns:
        float64 ``[N, N]`` in -1..1.
    """
    scale = np.sqrt(np.diagonal(covariance).clip(0))
    scale = np.where(scale > least, scale, np.inf)
    correlations: Float64s = (covariance / np.outer(scale, scale)).clip(-1, 1)
    return correlations


def fisher_interval(correlation: Float64s, count: int, z: float) -> tuple[Float64s, Float64s]:
    """Return the interval of correlations of ``count`` independent rows.

    Args:
        correlation: in -1..1.
        count: of rows; with fewer than four the interval is everything.
        z: quantile of the normal distribution.
    """
    if count < 4:
        return np.full_like(correlation, -1.0), np.full_like(correlation, 1.0)
    half = z / np.sqrt(count - 3)
    middle = np.arctanh(correlation.clip(-1 + 1e-12, 1 - 1e-12))
    return np.tanh(middle - half), np.tanh(middle + half)
