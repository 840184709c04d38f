"""The curves of a training run so far, from the lines that it has written."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from neurogame.arena.release_strength import strength_of_run
from neurogame.arena.strength_table import NOTHING_RELEASED, still_rises, strength_sentence
from neurogame.arena.yardstick import MCTS
from neurogame.files import read_rows
from neurogame.learn.run_files import EVALUATIONS, ROUNDS

_MOST_POINTS = 400
_ACROSS = ("seconds", "games")
"""What a curve may be drawn over, as far as it is there."""
_FORESEEN = (
    *(f"log-loss of forecasts at the {part} of games" for part in ("beginning", "middle", "end")),
    "of a blind guess",
)
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
    evaluations = read_rows(folder / EVALUATIONS)
    rows = evaluations or read_rows(folder / ROUNDS)
    across = next((name for name in _ACROSS if rows and name in rows[0]), None)
    lines = []
    if across is not None:
        for name, title in _TITLES.items():
            placed = [_point(row, across, name) for row in rows]
            points = [point for point in placed if point is not None]
            if points:
                lines.append({"name": title, "points": _thinned(points), "share": name == "score"})
    return {"across": across, "curves": lines, "rows": len(rows)} | _strength(folder, evaluations)


def _strength(folder: Path, evaluations: list[dict[str, Any]]) -> dict[str, Any]:
    """Return how strong the releases are, when there were any, and both in words."""
    releases = strength_of_run(folder)
    against = {f"points against {MCTS}": "mcts", "points against untrained": "untrained"}
    named = {**against, "moves that keep the exact value": "exact"}
    told = [release.to_json() for release in releases]
    lines = []
    for name, key in named.items():
        measured = [{"seconds": row["seconds"], **row[key]} for row in told if row[key]]
        points = [_point({**row, "score": _share(row)}, "seconds", "score") for row in measured]
        lines.append({"name": name, "points": [point for point in points if point]})
    compared = [row for row in evaluations if row.keys() >= {"matches", "score", "low", "against"}]
    is_first = {row.get("released") for row in compared} == {False}
    sentence = NOTHING_RELEASED if is_first else strength_sentence(releases)
    foreseen = [(one.seconds, one.forecasts) for one in releases if one.forecasts]
    losses = [
        {"name": name, "points": [[at, [*own.loss, own.blind][place]] for at, own in foreseen]}
        for place, name in enumerate(_FORESEEN if foreseen else ())
    ]
    return {
        "strength": [line for line in lines if line["points"]],
        "forecasts": losses,
        "releases": [row["seconds"] for row in evaluations if row.get("released")],
        "told": ". ".join(filter(None, (sentence, still_rises(compared)))),
    }


def _share(row: dict[str, Any]) -> Any:
    """Return the share of points, or of positions, that a measurement came to."""
    return row.get("score", row.get("share"))


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
