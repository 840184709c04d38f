"""Whether several runs of learning changed something alike: its mean beside the deviation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Float64s1


@final
@dataclass(frozen=True, kw_only=True)
class RunAgreement:
    """A number that was found in several runs.

    Attributes:
        runs: how many.
        mean: over runs.
        deviation: standard deviation over runs; 0 for a single one.
        same_sign: share of the runs in which it has the sign of the mean, 0..1.
    """

    runs: int
    mean: float
    deviation: float
    same_sign: float


def agreement(numbers: Float64s1) -> RunAgreement:
    """Sum up a number over runs.

    Args:
        numbers: one per run, at least one; float64 ``[K]``.

    >>> agreement(np.array([1.0, 2.0, 3.0]))
    RunAgreement(runs=3, mean=2.0, deviation=1.0, same_sign=1.0)
    """
    mean = float(numbers.mean())
    return RunAgreement(
        runs=len(numbers),
        mean=mean,
        deviation=float(numbers.std(ddof=1)) if len(numbers) > 1 else 0.0,
        same_sign=float((np.sign(numbers) == np.sign(mean)).mean()),
    )
