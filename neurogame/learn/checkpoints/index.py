"""What is known of the checkpoints of a folder: a file that is only a memory, never the truth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, final

from neurogame.files import write_text

INDEX = "checkpoints.json"
"""Name of the index file in the folder."""
_FORMAT, _VERSION = "neurogame checkpoint index", 2


@final
@dataclass(frozen=True, kw_only=True)
class IndexEntry:
    """A file of the folder, as it was when it was read.

    Attributes:
        size: bytes.
        modified: time of its last change, in nanoseconds since 1970.
        problem: why it is not a checkpoint that can be read; empty if it is one.
        game: name of the game.
        signature: structural signature of the game's rules.
        holds: what it holds: ``evaluator``, and names of judges of moves.
    """

    size: int
    modified: int
    problem: str = ""
    game: str = ""
    signature: str = ""
    holds: tuple[str, ...] = ()


def read_index(folder: Path) -> dict[str, IndexEntry]:
    """Return what the index file says: relative path, with slashes -> entry.

    A file that is missing, damaged or of another version says nothing; nor does a damaged entry.

    Args:
        folder: where it lies.
    """
    try:
        document = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(document, dict) or not isinstance(document.get("files"), dict):
        return {}
    if (document.get("format"), document.get("version")) != (_FORMAT, _VERSION):
        return {}
    entries = ((name, _entry(values)) for name, values in document["files"].items())
    return {name: entry for name, entry in entries if entry is not None}


def write_index(folder: Path, entries: Mapping[str, IndexEntry]) -> None:
    """Write the index file; at no moment is there half of it.

    Args:
        folder: where it shall lie.
        entries: relative path, with slashes -> entry.

    Raises:
        OSError: nothing can be written there.
    """
    files = {name: asdict(entry) for name, entry in sorted(entries.items())}
    document = {"format": _FORMAT, "version": _VERSION, "files": files}
    write_text(folder / INDEX, json.dumps(document, indent=1) + "\n")


def _entry(values: Any) -> IndexEntry | None:
    """Return an entry that was read, None if it is not one."""
    if not isinstance(values, dict) or set(values) != {field.name for field in fields(IndexEntry)}:
        return None
    kinds = {"size": int, "modified": int, "problem": str, "game": str, "signature": str}
    sound = all(type(values[name]) is kind for name, kind in (*kinds.items(), ("holds", list)))
    if not sound or not all(isinstance(held, str) for held in values["holds"]):
        return None
    return IndexEntry(**{**values, "holds": tuple(values["holds"])})
