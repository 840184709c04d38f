"""What the JSON files of a training run tell, read without torch, which takes seconds to load."""

from __future__ import annotations

import json
import warnings
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, final

from neurogame.errors import CheckpointError, ConfigurationError, NeurogameError, NeurogameWarning
from neurogame.files import DAMAGED, read_rows
from neurogame.learn import run_files
from neurogame.learn.run_files import CONFIG, EVALUATIONS, LATEST, ROUNDS, STRENGTH
from neurogame.learn.run_lock import LOCK, take_lock

_END = 1 << 14
"""Bytes that are read of the end of a log."""
_Run = TypeVar("_Run")
_Row = TypeVar("_Row")


@final
@dataclass(frozen=True, kw_only=True)
class RunHead:
    """A training run in a line.

    Attributes:
        path: its folder.
        game: name of its game.
        seconds: of learning so far.
        games: played so far.
        releases: so far.
        size: bytes of its files.
        strength: of the last release that was measured, in words; the untrained networks are none.
        is_training: whether a process trains in it.
    """

    path: Path
    game: str
    seconds: float
    games: int
    releases: int
    size: int
    strength: str
    is_training: bool


def read_head(path: Path) -> RunHead:
    """Return a run in a line.

    Raises:
        ConfigurationError: the folder holds none.
        CheckpointError: a file of it is damaged.
    """
    config, latest = read_config(path), path / LATEST
    if latest.is_file() and not zipfile.is_zipfile(latest):
        raise CheckpointError(f"{latest} is no checkpoint")
    evaluations = read_rows(path / EVALUATIONS)
    last = max([*evaluations[-1:], *_last(path / ROUNDS)], key=_seconds, default={})
    told = strength_rows(path, lambda row: (_seconds(row), strength_words(row)))
    measured = [words for seconds, words in told if seconds > 0]
    return RunHead(
        path=path,
        game=Path(str(config.get("rules", "?"))).stem,
        seconds=_seconds(last),
        games=int(last.get("games", 0)),
        releases=sum(bool(row.get("released")) for row in evaluations),
        size=sum(file.stat().st_size for file in path.iterdir() if file.is_file()),
        strength=measured[-1] if measured else "",
        is_training=is_training(path),
    )


def strength_rows(path: Path, read: Callable[[dict[str, Any]], _Row]) -> list[_Row]:
    """Return what the strength of a run's releases is read as.

    Args:
        path: its folder.
        read: a measurement.

    Raises:
        CheckpointError: a row is none.
    """
    try:
        return [read(row) for row in read_rows(path / STRENGTH)]
    except DAMAGED as error:
        raise CheckpointError(
            f"{path / STRENGTH}: a row is no measurement ({error!r}); delete the row or the file"
        ) from None


def read_config(path: Path) -> dict[str, Any]:
    """Return the settings of a run; see :func:`read_head`."""
    if not (path / CONFIG).is_file():
        raise ConfigurationError(f"{path} holds no training run (no {CONFIG} in it)")
    return run_files.read_config(path)


def is_training(path: Path) -> bool:
    """Return whether a process trains in a folder."""
    return (path / LOCK).exists() and take_lock(path) is None


def find_runs(folder: Path, read: Callable[[Path], _Run]) -> list[_Run]:
    """Return the runs in a folder, by name; damaged ones are left out, with a warning each.

    Args:
        folder: may be missing.
        read: what reads one.
    """
    found = []
    for path in sorted({p.parent for name in (CONFIG, LATEST) for p in folder.glob(f"*/{name}")}):
        try:
            found.append(read(path))
        except (NeurogameError, OSError) as error:
            text = f"{path} is left out: {error}; restore its files or delete the folder"
            warnings.warn(text, NeurogameWarning, stacklevel=2)
    return found


def strength_words(row: Mapping[str, Any]) -> str:
    """Return the strength of a release in a few words.

    Args:
        row: of ``strength.jsonl``.
    """
    told = [
        f"{100 * row[name]['score']:.0f}% {name}"
        for name in ("untrained", "mcts")
        if row[name] is not None and row[name]["matches"]
    ]
    exact = row["exact"]
    if exact is not None:
        told.append(f"{100 * exact['kept'] / exact['positions']:.0f}% exact")
    # Older files tell nothing of forecasts.
    if row.get("forecasts"):
        told.append(f"{thirds(row['forecasts']['loss'])} nats")
    return ", ".join(told)


def thirds(losses: Sequence[float]) -> str:
    """Return log-losses of the beginning, the middle and the end of games, as people read them."""
    return "/".join(f"{loss:.2f}" for loss in losses)


def _seconds(row: Mapping[str, Any]) -> float:
    return float(row.get("seconds", 0.0))


def _last(path: Path) -> list[dict[str, Any]]:
    """Return the last whole row of a log, if it has one, without reading the others."""
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - _END))
            lines = stream.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    for line in reversed(lines):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        return [row] if isinstance(row, dict) else []
    return []
