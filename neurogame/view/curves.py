"""The curves of a training run so far, from the lines that it has written."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from neurogame.learn.run_folder import EVALUATIONS, ROUNDS

_MOST_POINTS = 400
_LARGEST = 1 << 26
"""Bytes of a log that are read, from its beginning."""
_ACROSS = ("seconds", "games")
"""What a curve may be drawn over, as far as it is there."""
_TITLES = {
    "score": "score against the release before",
    "loss": "loss",
    "games_per_second": "games per second",
}


def curves(folder: Path) -> dict[str, Any]:
    """Return the curves of a run, JSON-able: of evaluations, else of rounds.

    A line that is half written is left out, so that a run may go on meanwhile.

    Args:
        folder: of the run.
    """
    rows = _rows(folder / EVALUATIONS) or _rows(folder / ROUNDS)
    across = next((name for name in _ACROSS if rows and name in rows[0]), None)
    lines = []
    if across is not None:
        for name, title in _TITLES.items():
            placed = [_point(row, across, name) for row in rows]
            points = [point for point in placed if point is not None]
            if points:
                lines.append({"name": title, "points": _thinned(points), "share": name == "score"})
    return {"across": across, "curves": lines, "rows": len(rows)}


def _rows(path: Path) -> list[dict[str, Any]]:
    """Return the whole lines of a log, each an object."""
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            text = stream.read(_LARGEST)
    except OSError:
        return []
    rows = []
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows


def _point(row: dict[str, Any], across: str, name: str) -> list[float] | None:
    """Return a place on a curve: ``[x, y]``, or ``[x, y, low, high]`` with its interval."""
    place = [_number(row.get(axis)) for axis in (across, name)]
    ends = [_number(row.get(end)) for end in ("low", "high")] if name == "score" else []
    point = [value for value in (place if None in ends else [*place, *ends]) if value is not None]
    return None if None in place else point


def _number(value: object) -> float | None:
    """Return a finite number, else None."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _thinned(points: list[list[float]]) -> list[list[float]]:
    """Return at most so many points that a curve can show, the last one among them."""
    step = -(-len(points) // _MOST_POINTS)
    return points[::-1][::step][::-1] if step > 1 else points
