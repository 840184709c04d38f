"""What the experiments on learning share: results that survive a stop, and their summaries."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from neurogame.files import write_whole


class Cells:
    """A folder with one JSON file for each finished cell of an experiment."""

    def __init__(self, folder: Path) -> None:
        """Use a folder; it is made if it is not there."""
        self.folder = folder / "cells"
        self.folder.mkdir(parents=True, exist_ok=True)

    def has(self, name: str) -> bool:
        """Return whether a cell is finished."""
        return self._path(name).exists()

    def put(self, name: str, found: Mapping[str, Any]) -> None:
        """Keep a finished cell; the file is there whole or not at all."""
        data = json.dumps(found, indent=1).encode()

        def write(stream: BinaryIO) -> None:
            stream.write(data)

        write_whole(self._path(name), write)

    def all(self) -> list[dict[str, Any]]:
        """Return the finished cells, by name."""
        return [json.loads(path.read_text()) for path in sorted(self.folder.glob("*.json"))]

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"


def progress(text: str) -> None:
    """Say on standard error what begins, and when."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def share(rows: Sequence[Mapping[str, Any]], key: str) -> str:
    """Return the pooled score of comparisons in per cent, with half its 95 % interval.

    Args:
        rows: hold a comparison, as JSON, under the key; of different seeds.
        key: of the comparison.
    """
    found = [row[key] for row in rows]
    mean = sum(one["score"] for one in found) / len(found)
    # Openings of different seeds are independent, so variances add.
    half = sum(((one["high"] - one["low"]) / 2) ** 2 for one in found) ** 0.5 / len(found)
    return f"{100 * mean:.1f} ± {100 * half:.1f}"


def pooled(rows: Sequence[Mapping[str, Any]], key: str, *, each: bool = True) -> str:
    """Return :func:`share` with each seed's own score; ``not released`` where one has none."""
    if any(key not in row for row in rows):
        return "not released"
    own = ", ".join(f"{100 * row[key]['score']:.0f}" for row in rows)
    return share(rows, key) + (f" [{own}]" if each and len(rows) > 1 else "")
