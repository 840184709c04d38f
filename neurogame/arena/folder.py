"""The folder of an arena: what is measured, every finished match at once, and the results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, final

from neurogame.arena.arena_result import ArenaResult
from neurogame.arena.crosstable import Key
from neurogame.arena.fingerprint import differences
from neurogame.arena.report import markdown
from neurogame.arena.schedule import Slot
from neurogame.errors import ConfigurationError
from neurogame.files import lock_file, write_text, writing
from neurogame.players.record import MatchRecord
from neurogame.version import __version__

SETTINGS = "settings.json"
MATCHES = "matches.jsonl"
RESULTS = "results.json"
TABLE = "table.md"
_AGAIN = "make room, then give the same command to go on"


@final
class ArenaFolder:
    """Reads and writes the files of one arena.

    ``settings.json`` fixes what is measured; ``matches.jsonl`` has one line per finished match,
    written as soon as it is over; ``results.json`` and ``table.md`` are made from
    them. A process killed at any moment leaves at most half a line, which is cut off.
    """

    def __init__(self, path: Path, values: Mapping[str, Any]) -> None:
        """Open the folder, and make it if it is new.

        Args:
            path: the folder.
            values: what is measured, see
                :func:`neurogame.arena.fingerprint.fingerprint`.

        Raises:
            ConfigurationError: something else was measured here, another arena writes here, or
                files cannot be read or written.
        """
        self.path = path
        self._values = json.loads(json.dumps(values))
        with writing(f"--output {path}", "name a folder that can be written"):
            path.mkdir(parents=True, exist_ok=True)
            # Without a buffer: a line is written as a whole or not at all.
            self._stream: BinaryIO = (path / MATCHES).open("ab", buffering=0)
        try:
            if not lock_file(self._stream, wait=False):
                raise ConfigurationError(
                    f"--output {path}: another arena is writing here; wait for it, or choose "
                    "another folder"
                )
            self._check_settings()
        except BaseException:
            self._stream.close()
            raise

    def close(self) -> None:
        """Let others write here."""
        self._stream.close()

    def _check_settings(self) -> None:
        """Write what is measured, or compare it with what was."""
        path = self.path / SETTINGS
        before: dict[str, Any] | None = None
        if path.exists():
            try:
                before = json.loads(path.read_text(encoding="utf-8"))["measured"]
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise ConfigurationError(
                    f"{path} cannot be read ({error}); choose another --output"
                ) from None
        elif (self.path / MATCHES).stat().st_size:
            raise ConfigurationError(
                f"{self.path / MATCHES} is there without {SETTINGS}: nobody knows what it "
                "measured; choose another --output"
            )
        if before is not None:
            differing = differences(before, self._values)
            if differing:
                raise ConfigurationError(
                    f"{self.path} measured something else: {'; '.join(differing)}. Give the same "
                    "settings to go on, or choose another --output"
                )
        if before != self._values:
            self._write(SETTINGS, {"neurogame": __version__, "measured": self._values})

    def played(self, slots: Mapping[Key, Slot]) -> list[tuple[Slot, MatchRecord]]:
        """Return the matches of earlier runs, and cut off half a line at the end.

        Args:
            slots: all matches of the plan.

        Raises:
            ConfigurationError: a whole line is not a match of the plan.
        """
        data = (self.path / MATCHES).read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            self._stream.truncate(whole)
        rounds = []
        for number, line in enumerate(data[:whole].splitlines(), 1):
            try:
                rounds.append(self._read(line, slots))
            except (ValueError, KeyError, TypeError) as error:
                raise ConfigurationError(
                    f"{self.path / MATCHES}, line {number}, is damaged "
                    f"({type(error).__name__}: {error}); delete this line to go on"
                ) from None
        return rounds

    def append(self, slot: Slot, record: MatchRecord) -> None:
        """Write down a finished match.

        Args:
            slot: its place in the plan.
            record: what happened.
        """
        line = {
            "game": self._values["games"][slot.game],
            "limit": self._values["limits"][slot.limit],
            "lineup": slot.lineup,
            "block": slot.block,
            "number": slot.number,
            "seats": slot.seats,
            "match": record.as_dict(),
        }
        with writing(f"--output {self.path}", _AGAIN):
            self._stream.write(json.dumps(line).encode() + b"\n")

    def _read(self, line: bytes, slots: Mapping[Key, Slot]) -> tuple[Slot, MatchRecord]:
        """Return the match in a line."""
        values = json.loads(line)
        key = (
            self._values["games"].index(values["game"]),
            self._values["limits"].index(values["limit"]),
            tuple(values["lineup"]),
            values["block"],
            values["number"],
        )
        return slots[key], MatchRecord.from_dict(values["match"])

    def write_result(self, result: ArenaResult) -> None:
        """Write the results of all matches so far.

        Args:
            result: the results.
        """
        self._write(RESULTS, result.as_dict())
        self._write_text(TABLE, markdown(result))

    def _write(self, name: str, values: Mapping[str, Any]) -> None:
        self._write_text(name, json.dumps(values, indent=1) + "\n")

    def _write_text(self, name: str, text: str) -> None:
        with writing(f"--output {self.path}", _AGAIN):
            write_text(self.path / name, text)
