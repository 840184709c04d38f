"""The folder of a training run: configuration, logs and checkpoints, safe against sudden death."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

from neurogame.errors import CheckpointError, ConfigurationError, LimitError, NeurogameError
from neurogame.files import read_rows, write_text
from neurogame.gdl.library import load_rules
from neurogame.gdl.signature import structural_signature
from neurogame.learn.checkpoints.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from neurogame.learn.event_file import EventFile, check_tensorboard, event_files
from neurogame.learn.run_files import (
    BEST,
    CONFIG,
    EVALUATIONS,
    LATEST,
    LOGS,
    ROUNDS,
    STRENGTH,
    read_config,
)
from neurogame.learn.run_lock import LOCK, RunLock, take_lock

_GROUPS = {ROUNDS: "train", EVALUATIONS: "eval"}
"""First part of the tags of TensorBoard, by the log that holds the rows."""


@final
class RunFolder:
    """Reads and writes the files of one run.

    ``config.json`` the configuration; ``rounds.jsonl`` one line per round of self-play and
    learning; ``evaluations.jsonl`` one line per evaluation; ``strength.jsonl`` one line per release
    whose strength was measured;
    ``latest.pt`` all that is needed to go on; ``best.pt`` the last release. Where they are asked
    for, ``events.out.tfevents.*`` hold the numbers of the same rows for TensorBoard.

    From :meth:`create` or :meth:`resume` to :meth:`close` no other process trains in the folder.

    Args:
        path: the folder.
        tensorboard: whether to write event files; a run that has them keeps them when it goes on.

    Raises:
        MissingExtraError: event files are asked for and ``tensorboard`` is not installed.
    """

    def __init__(self, path: Path | str, *, tensorboard: bool = False) -> None:
        self.path = Path(path)
        self._has_events = tensorboard
        self._events: EventFile | None = None
        if tensorboard:
            check_tensorboard(self.path)
        self._lock: RunLock | None = None

    @property
    def latest(self) -> Path:
        """Path of the checkpoint to resume from."""
        return self.path / LATEST

    def check_free(self) -> None:
        """Check that a new run may start here.

        Raises:
            ConfigurationError: the folder already holds a run, another process trains in it, or
                it is a file.
        """
        if (self.path / LOCK).exists():
            self._alone()
        if self.latest.exists():
            raise ConfigurationError(
                f"{self.path} already holds a run; go on with it by --resume {self.path}, "
                "or choose another --out"
            )
        if self.path.exists() and not self.path.is_dir():
            raise ConfigurationError(f"{self.path} is a file; --out must name a folder")

    def create(self, config: dict[str, Any]) -> None:
        """Make the folder of a new run.

        Args:
            config: written to ``config.json``.

        Raises:
            ConfigurationError: see :meth:`check_free`.
            LimitError: it cannot be written, as of everything here that writes.
        """
        self.check_free()
        with self._writing():
            self.path.mkdir(parents=True, exist_ok=True)
        self._lock = self._alone()
        # Another one may have been quicker.
        self.check_free()
        with self._writing():
            for path in [*map(self.path.joinpath, (*LOGS, STRENGTH)), *event_files(self.path)]:
                path.unlink(missing_ok=True)
            write_text(self.path / CONFIG, json.dumps(config, indent=2) + "\n")

    def config(self) -> dict[str, Any]:
        """Return what :meth:`create` wrote.

        Raises:
            CheckpointError: the file is missing or damaged.
        """
        return read_config(self.path)

    def resume(self) -> Checkpoint:
        """Return the latest checkpoint, and cut the logs back to the moment it was written.

        Raises:
            CheckpointError: there is no run here, or its checkpoint cannot be resumed from, or is
                of another game.
            ConfigurationError: another process trains in the folder.
            MissingExtraError: the run has event files and ``tensorboard`` is not installed.
        """
        if not self.latest.is_file():
            raise CheckpointError(f"{self.path} holds no run to resume (no {LATEST} in it)")
        self._lock = self._alone()
        checkpoint = load_checkpoint(self.latest)
        if checkpoint.optimiser is None:
            raise CheckpointError(f"{self.latest} is without the state needed to resume")
        self._check_game(checkpoint)
        if event_files(self.path) and not self._has_events:
            check_tensorboard(self.path)
            self._has_events = True
        for name in LOGS:
            path = self.path / name
            if path.exists() and path.stat().st_size > checkpoint.logs.get(name, 0):
                os.truncate(path, checkpoint.logs.get(name, 0))
        # Measurements end later than the file is written: releases that it knows stay.
        rows, until = read_rows(self.path / STRENGTH), checkpoint.counters.get("seconds", 0.0)
        known = "".join(
            json.dumps(row) + "\n" for row in rows if row.get("seconds", until) <= until
        )
        if rows:
            with self._writing():
                write_text(self.path / STRENGTH, known)
        if self._has_events:
            self._begin_events()
        return checkpoint

    def _check_game(self, checkpoint: Checkpoint) -> None:
        """Refuse a checkpoint of another game than the run was begun with.

        Raises:
            CheckpointError: somebody has put it there.
        """
        try:
            named = str(self.config().get("rules", checkpoint.game_name))
            # Rules that were edited since then have kept their name: those of the checkpoint count.
            if Path(named).stem == checkpoint.game_name:
                return
            signature = structural_signature(load_rules(named))
        except NeurogameError:
            return  # It is not known: no settings, or the rules are no more where they were.
        if signature != checkpoint.signature:
            raise CheckpointError(
                f"{self.latest} is a checkpoint of {checkpoint.game_name}, but the run is of "
                f"{named}; put its own one back, or begin another run"
            )

    def log_sizes(self) -> dict[str, int]:
        """Return the present length of each log in bytes."""
        paths = {name: self.path / name for name in LOGS}
        return {name: path.stat().st_size for name, path in paths.items() if path.exists()}

    def log_round(self, row: dict[str, Any]) -> None:
        """Keep a round.

        Args:
            row: what there is to say, by name; ``games`` and ``seconds`` are among it, and all
                rows have the same names.
        """
        self._append(ROUNDS, row)

    def log_evaluation(self, row: dict[str, Any]) -> None:
        """Keep an evaluation; see :meth:`log_round`."""
        self._append(EVALUATIONS, row)

    def log_strength(self, row: dict[str, Any]) -> None:
        """Keep how strong a release is; unlike other rows also after :meth:`close`.

        Args:
            row: JSON-able, with its ``seconds``.
        """
        self._write_row(STRENGTH, row)

    def close(self) -> None:
        """End the event file, if there is one, and let other processes train here.

        What is logged afterwards begins a new event file.
        """
        with self._writing():
            if self._events is not None:
                self._events.close()
        self._events = self._lock = None

    def save_latest(self, checkpoint: Checkpoint) -> str:
        """Write ``latest.pt`` and return its hash."""
        with self._writing():
            return save_checkpoint(self.latest, checkpoint)

    def save_best(self, checkpoint: Checkpoint | None) -> None:
        """Write ``best.pt``; None: there is none, as nothing was released."""
        with self._writing():
            if checkpoint is None:
                (self.path / BEST).unlink(missing_ok=True)
            else:
                save_checkpoint(self.path / BEST, checkpoint)

    def _alone(self) -> RunLock:
        """Return the lock of the folder.

        Raises:
            ConfigurationError: another process has it.
        """
        with self._writing():
            lock = take_lock(self.path)
        if lock is None:
            raise ConfigurationError(
                f"another process is training in {self.path}; wait until it has ended or stop it "
                f"(Ctrl-C), then go on with --resume {self.path}, or choose another --out"
            )
        return lock

    def _write_row(self, name: str, row: dict[str, Any]) -> None:
        with self._writing(), (self.path / name).open("a", encoding="utf-8", newline="") as stream:
            stream.write(json.dumps(row) + "\n")

    def _append(self, name: str, row: dict[str, Any]) -> None:
        self._write_row(name, row)
        if self._events is not None:
            with self._writing():
                self._events.add(_GROUPS[name], row)
        elif self._has_events:
            self._begin_events()

    def _begin_events(self) -> None:
        """Write the rows so far to a new event file, which takes the place of former ones."""
        with self._writing():
            former = event_files(self.path)
            self._events = EventFile(self.path, (self.path / CONFIG).stat().st_mtime)
            for name, group in _GROUPS.items():
                if (self.path / name).exists():
                    with (self.path / name).open(encoding="utf-8") as stream:
                        for line in stream:
                            self._events.add(group, json.loads(line))
            self._events.flush()
            for path in former:
                path.unlink()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn what the system refuses into a message; files are whole, old or new."""
        try:
            yield
        except OSError as error:
            again = f"go on with --resume {self.path}" if self.latest.exists() else "start again"
            raise LimitError(
                f"{self.path} cannot be written: {error.strerror or error}; make room or choose "
                f"another folder, then {again}"
            ) from None
