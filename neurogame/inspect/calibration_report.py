"""Calibration of a checkpoint as one JSON-able report and as text: ``inspect --calibration``."""

from __future__ import annotations

from typing import Any

from neurogame.inspect.calibration import calibrate
from neurogame.inspect.subject import Subject
from neurogame.waiting import during

_GAMES = 400


def calibration(subject: Subject, seed: int = 0) -> dict[str, Any]:
    """Return how far the values of an evaluator can be taken at their word.

    Args:
        subject: what is looked at.
        seed: decides the games that are played.

    Raises:
        CheckpointError: it holds no evaluator.
    """
    evaluator, _ = subject.values()
    with during("playing games for the calibration", 30):
        return calibrate(subject.game, evaluator, matches=_GAMES, seed=seed).to_json()


def print_calibration(report: dict[str, Any]) -> None:
    """Print a report of :func:`calibration`."""
    whole, odd, even = report["whole"], report["before"], report["after"]
    print(f"\ncalibration: {report['games']} games, {whole['count']} forecasts")
    print(
        f"Brier score {whole['brier']:.4f} +- {report['brier_error']:.4f} (the mean outcome as "
        f"only forecast: {whole['constant']:.4f}), expected calibration error "
        f"{whole['error']:.4f} +- {report['calibration_error_error']:.4f}"
    )
    print(f"\n{'forecasts':>12s} {'number':>8s} {'mean':>7s} {'outcome':>8s}")
    for row in whole["bins"]:
        span = f"{row['low']:.1f} - {row['high']:.1f}"
        print(f"{span:>12s} {row['count']:8d} {row['forecast']:7.3f} {row['outcome']:8.3f}")
    print(f"\n{'plies to end':>12s} {'number':>8s} {'Brier':>7s} {'error':>8s}")
    for row in report["by_distance"]:
        span, found = f"{row['first']} - {row['last']}", row["found"]
        print(f"{span:>12s} {found['count']:8d} {found['brier']:7.4f} {found['error']:8.4f}")
    fitted = report["correction"]
    print(
        f"\nsigmoid({fitted['slope']:.3f} logit(v) {fitted['shift']:+.3f}), fitted on half of the "
        f"games; on the other half Brier {odd['brier']:.4f} -> {even['brier']:.4f}, error "
        f"{odd['error']:.4f} -> {even['error']:.4f}"
    )
