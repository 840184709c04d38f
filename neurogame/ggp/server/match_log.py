"""The log of one match: a file of JSON lines."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO, final

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST_NAME = 80

Listener = Callable[[str, dict[str, Any]], None]
"""Is told every event and its fields."""


@final
class MatchLog:
    """Writes what happens in a match, one JSON object per line, as soon as it happens.

    May be used by several threads. Nothing that goes wrong here reaches the match: where the
    file cannot be written, one line on standard error says so and the match goes on.

    Args:
        folder: where the file is made, named by the time and the match; None for no file.
        match: the name of the match: any text.
        listener: is told every event too; called by the thread that writes.
    """

    def __init__(self, folder: Path | None, match: str, listener: Listener | None = None) -> None:
        self._lock = threading.Lock()
        self._listener = listener
        self._file: TextIO | None = None
        self.path: Path | None = None
        """The file; None without one."""
        if folder is None:
            return
        path = folder / file_name(match, datetime.now(UTC))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = path.open("x", encoding="utf-8")
            self.path = path
        except OSError as error:
            self._give_up(error)

    def write(self, event: str, **fields: Any) -> None:
        """Append one line: the time, the event and its fields.

        Args:
            event: one word.
            fields: JSON-able values; others are written as their texts.
        """
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._lock:
            if self._file is not None:
                try:
                    line = json.dumps({"time": time, "event": event, **fields}, default=repr)
                    self._file.write(f"{line}\n")
                    self._file.flush()
                except (OSError, TypeError, ValueError, RecursionError) as error:
                    self._give_up(error)
        if self._listener is not None:
            self._listener(event, fields)

    def close(self) -> None:
        """Close the file; what is written later goes nowhere."""
        with self._lock:
            self._shut()

    def _give_up(self, error: Exception) -> None:
        """Say once that the log ends here."""
        print(f"warning: the log of the match ends here: {error}", file=sys.stderr)
        self._shut()

    def _shut(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # A full disk again: said already.
                file.close()


def file_name(match: str, time: datetime) -> str:
    """Return a file name for a match that no sender can turn into another path.

    Args:
        match: the name of the match: any text.
        time: when it began.
    """
    safe = _UNSAFE.sub("_", match)
    if safe != match or len(safe) > _LONGEST_NAME:
        digest = hashlib.sha256(match.encode(errors="backslashreplace")).hexdigest()
        safe = f"{safe[:_LONGEST_NAME]}-{digest[:8]}"
    return f"{time:%Y%m%dT%H%M%S.%f}-{safe}.jsonl"
