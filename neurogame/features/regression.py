"""Logistic regression: weights under which features foretell the goals of random games."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_ROUNDS = 25


def logistic_weights(rows: Floats, goals: Floats, *, ridge: float) -> tuple[Floats, float]:
    """Return weights and constant under which ``1 / (1 + exp(-(rows w + c)))`` fits goals best.

    Least cross-entropy plus ``ridge / 2`` times the sum of the squared weights of the columns, each
    divided by its standard deviation; found by Newton's method.

    Args:
        rows: float64 ``[N, K]``.
        goals: 0..1; float64 ``[N]``.
        ridge: positive, in units of rows.

    *Reference:* Hastie, Tibshirani and Friedman, "The elements of statistical learning",
    section 4.4.
    """
    middle, scale = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(scale > 1e-9 * (1 + np.abs(middle)), scale, np.inf)
    columns = np.concatenate([(rows - middle) / scale, np.ones((len(rows), 1))], axis=1)
    penalty = np.full(columns.shape[1], ridge)
    penalty[-1] = 1e-6
    found = np.zeros(columns.shape[1])
    for _ in range(_ROUNDS):
        expected = 1 / (1 + np.exp(-(columns @ found)))
        slope = columns.T @ (goals - expected) - penalty * found
        curve = (columns * (expected * (1 - expected))[:, None]).T @ columns
        step = np.linalg.solve(curve + np.diag(penalty), slope)
        found += step
        if np.abs(step).max() < 1e-8:
            break
    weights = found[:-1] / scale
    return weights, float(found[-1] - weights @ middle)
