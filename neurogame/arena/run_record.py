"""A training run with its last checkpoint: exported, deleted, held against others."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from neurogame.arena.release_strength import ReleaseStrength, strength_of_run
from neurogame.arena.run_head import is_training, read_config
from neurogame.errors import ConfigurationError
from neurogame.files import writing
from neurogame.learn.checkpoints.checkpoint import Checkpoint, load_checkpoint
from neurogame.learn.checkpoints.index import INDEX
from neurogame.learn.event_file import event_files
from neurogame.learn.run_files import BEST, CONFIG, LATEST, LOGS, STRENGTH
from neurogame.learn.run_lock import LOCK, take_lock

_FILES = (CONFIG, *LOGS, STRENGTH, BEST, LATEST)


@final
@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """A training run.

    Attributes:
        path: its folder.
        config: its settings.
        checkpoint: ``latest.pt``, which holds the last release; None where there is none yet.
        strength: of its releases, as far as it was measured.
        is_training: whether a process trains in it.
    """

    path: Path
    config: dict[str, Any]
    checkpoint: Checkpoint | None
    strength: list[ReleaseStrength]
    is_training: bool

    @property
    def game(self) -> str:
        """Name of its game."""
        held = self.checkpoint
        return str(self.config.get("rules", "?")) if held is None else held.game_name

    @property
    def last(self) -> ReleaseStrength | None:
        """The strength of its last release that was measured; the untrained networks are none."""
        return next((one for one in reversed(self.strength) if one.seconds > 0), None)

    def settings(self) -> dict[str, Any]:
        """Return its settings, those of parts by names with dots."""
        return _flat(self.config)


def read_run(path: Path) -> RunRecord:
    """Return a run.

    Raises:
        ConfigurationError: the folder holds none.
        CheckpointError: a file of it is damaged.
    """
    config, latest = read_config(path), path / LATEST
    return RunRecord(
        path=path,
        config=config,
        checkpoint=load_checkpoint(latest) if latest.is_file() else None,
        strength=strength_of_run(path),
        is_training=is_training(path),
    )


def surpassed(runs: Sequence[RunRecord]) -> dict[Path, Path]:
    """Return the runs that are surely weaker than another one of their game, each with the best.

    The last releases that were measured against tree search are compared: the whole interval lies
    below the best one's. Who was not measured, released nothing or still trains is left out.
    """
    known: dict[str, list[tuple[float, float, Path]]] = {}
    for run in runs:
        last, held = run.last, run.checkpoint
        met = None if last is None or run.is_training else last.mcts
        if met is not None and met.matches and held is not None:
            known.setdefault(held.signature, []).append((met.low, met.high, run.path))
    best = {signature: max(own) for signature, own in known.items()}
    return {
        path: best[signature][2]
        for signature, own in known.items()
        for _, high, path in own
        if high < best[signature][0]
    }


def delete_run(path: Path) -> str:
    """Delete the files that training has written in a folder, and the folder if it is then empty.

    Args:
        path: of a run.

    Returns:
        Why the folder stays; empty if it does not.
    """
    if path.is_symlink():
        return f"it is a link; delete {path.resolve()} and the link by hand"
    lock = take_lock(path)
    if lock is None:
        return "a process trains in it"
    # The settings go last: until then it is a run.
    names = [name for name in (*_FILES[::-1], LOCK, INDEX) if (path / name).is_file()]
    try:
        for file in [*event_files(path), *map(path.joinpath, names)]:
            file.unlink()
        others = sorted(file.name for file in path.iterdir())
        if not others:
            path.rmdir()
    except OSError as error:
        return f"{error.strerror or error}; delete it by hand"
    return f"only its own files are deleted, and {', '.join(others)} stays" if others else ""


def export_run(run: RunRecord, out: Path) -> int:
    """Write settings, weights, curves, rules and commands of a run as one zip.

    Args:
        run: with a checkpoint.
        out: the file; an older one is replaced.

    Returns:
        Its size in bytes.

    Raises:
        ConfigurationError: there is no checkpoint yet, or the file cannot be written.
    """
    if run.checkpoint is None:
        raise ConfigurationError(f"{run.path} has no checkpoint yet; wait for its first one")
    name, rules = run.path.resolve().name, f"{run.game}.kif"
    settings = run.settings()
    ends = [f"--{end} {settings[end]:.16g}" for end in ("seconds", "games") if settings.get(end)]
    again = ["neurogame train", rules, *ends, f"--seed {run.checkpoint.random.get('seed', 0)}"]
    commands = [
        f"neurogame view {name}",
        f"neurogame play {name}/{rules} --opponent alphabeta:{name}/{LATEST}",
        f"neurogame inspect {name}/{LATEST}",
        f"neurogame train --resume {name}",
        f"# anew, from the rules; all settings are in {CONFIG}",
        " ".join(again).replace(rules, f"{name}/{rules}"),
    ]
    with (
        writing(str(out), "name a file in another folder"),
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for file in _FILES:
            if (run.path / file).is_file():
                archive.write(run.path / file, f"{name}/{file}")
        archive.writestr(f"{name}/{rules}", run.checkpoint.rules)
        archive.writestr(f"{name}/commands.txt", "\n".join(commands) + "\n")
    return out.stat().st_size


def _flat(values: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Return nested settings by names with dots."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        inside = _flat(value, f"{before}{name}.") if isinstance(value, dict) else None
        flat |= {f"{before}{name}": value} if inside is None else inside
    return flat
