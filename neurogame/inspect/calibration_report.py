"""Calibration of a checkpoint: ``inspect --calibration``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from neurogame.inspect.calibration import calibrate
from neurogame.inspect.subject import Subject
from neurogame.inspect.table import Part, Table
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
        return asdict(calibrate(subject.game, evaluator, matches=_GAMES, seed=seed))


def calibration_parts(report: dict[str, Any]) -> list[Part]:
    """Return a report of :func:`calibration` as people read it."""
    whole, before, after, fitted = (report[k] for k in ("whole", "before", "after", "correction"))
    distances = [{**row, **row["found"]} for row in report["by_distance"]]
    return [
        f"calibration: {report['games']} games, {whole['count']} forecasts\n"
        f"Brier score {whole['brier']:.4f} +- {report['brier_error']:.4f} (the mean outcome as "
        f"only forecast: {whole['constant']:.4f}), expected calibration error "
        f"{whole['error']:.4f} +- {report['calibration_error_error']:.4f}",
        Table(
            whole["bins"],
            "forecasts={low:.1f} - {high:.1f} | number={count} | mean={forecast:.3f} | "
            "outcome={outcome:.3f}",
        ),
        Table(
            distances,
            "plies to end={first} - {last} | number={count} | Brier={brier:.4f} | "
            "nats={loss:.3f} | error={error:.4f}",
        ),
        f"sigmoid({fitted['slope']:.3f} logit(v) {fitted['shift']:+.3f}), fitted on half of the "
        f"games; on the other half Brier {before['brier']:.4f} -> {after['brier']:.4f}, error "
        f"{before['error']:.4f} -> {after['error']:.4f}",
    ]
