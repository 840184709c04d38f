"""The rows of a run as scalars, in the files that TensorBoard reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

from neurogame.errors import MissingExtraError

_PATTERN = "events.out.tfevents.*"
_FLUSH_SECONDS = 5
_STEP = "games"
"""What curves are drawn over; every row has it."""


def event_files(folder: Path) -> list[Path]:
    """Return the event files in a folder, oldest first.

    Args:
        folder: of a run.
    """
    return sorted(folder.glob(_PATTERN))


def check_tensorboard(folder: Path) -> None:
    """Check that event files can be written.

    Args:
        folder: of the run, for the message.

    Raises:
        MissingExtraError: the package ``tensorboard`` is not installed.
    """
    try:
        import torch.utils.tensorboard  # noqa: F401
    except ImportError:
        there = f", and remove {folder / _PATTERN}" if event_files(folder) else ""
        raise MissingExtraError(
            "event files for TensorBoard need the package tensorboard: "
            f"pip install 'neurogame[tensorboard]'; or leave out --tensorboard{there}"
        ) from None


@final
class EventFile:
    """An event file that is written from its beginning; one event holds the numbers of one row.

    It is never gone on with: a run that goes on writes a new one from its logs.
    """

    def __init__(self, folder: Path, begun: float) -> None:
        """Begin a file, with a name that no other one has.

        Args:
            folder: where it goes; must exist.
            begun: when the run began, in seconds since 1970.
        """
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from torch.utils.tensorboard import FileWriter

        self._begun = begun
        write: Any = FileWriter
        self._writer = write(str(folder), flush_secs=_FLUSH_SECONDS)
        # A TensorBoard that looks on forgets what it has read in a former file.
        start = Event(session_log=SessionLog(status=SessionLog.START))
        self._writer.add_event(start, step=0, walltime=begun)

    def add(self, group: str, row: Mapping[str, Any]) -> None:
        """Write the finite numbers of a row, truth values as 0 and 1.

        Their place in time is the beginning of the run and the row's seconds of learning, so that
        it does not depend on pauses.

        Args:
            group: the first part of their tags; the name of the column is the second.
            row: numbers and others by name; ``games`` becomes the step.
        """
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [
            Summary.Value(tag=f"{group}/{name}", simple_value=value)
            for name, value in row.items()
            if name != _STEP and isinstance(value, int | float) and math.isfinite(value)
        ]
        self._writer.add_summary(
            Summary(value=values), int(row[_STEP]), self._begun + float(row["seconds"])
        )

    def flush(self) -> None:
        """Let readers see everything."""
        self._writer.flush()

    def close(self) -> None:
        """Write everything, and end the thread that writes."""
        self._writer.close()
