"""A folder of checkpoints in which a game finds its own by the structure of its rules.

Names do not matter: a checkpoint is found by the structural signature of the rules, which is the
same for every scrambled copy of a rulesheet.

What is known of the files is kept in an index file in the folder, so that looking something up
opens no checkpoint. The index can be deleted at any time; :meth:`CheckpointFolder.refresh` makes
it anew. Where nothing can be written it is kept in memory.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import final

from neurogame.errors import CheckpointError
from neurogame.evaluators.kinds import stored_kinds
from neurogame.gdl.library import shipped
from neurogame.gdl.signature import structural_signature
from neurogame.gdl.terms import Rules
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.checkpoints.index import IndexEntry, read_index, write_index
from neurogame.learn.run_files import BEST, LATEST
from neurogame.simulate.game import Game

_SUFFIX = ".pt"
_NUMBERED = re.compile(r"checkpoint-(\d+)\.pt")
_MOST_NAMED = 8
"""Games and files that a message names."""


@final
class CheckpointFolder:
    """The checkpoints in a folder and in the folders within it.

    Several processes may use a folder at once, and training may write into it meanwhile.
    """

    def __init__(self, path: Path | str) -> None:
        """Read the index, if there is one; call :meth:`refresh` to have it follow the files.

        Args:
            path: the folder.

        Raises:
            CheckpointError: there is no such folder.
        """
        self.path = shipped(path)
        if not self.path.is_dir():
            raise CheckpointError(f"{self.path}: no such folder; expected one with checkpoints")
        self._entries = read_index(self.path)

    def refresh(self, *, note: bool = True) -> None:
        """Take note of files that are new, have changed or are gone; only the former are read.

        Files that are no checkpoints, or damaged, are noted as such and passed over.

        Args:
            note: whether to write the index.
        """
        # Another process may have read some of them meanwhile.
        on_disk = read_index(self.path)
        known = {**self._entries, **on_disk}
        entries = {}
        for name, size, modified in _files(self.path):
            entry = known.get(name)
            if entry is None or (entry.size, entry.modified) != (size, modified):
                entry = _read(self.path / name, size, modified)
            if entry is not None:
                entries[name] = entry
        self._entries = entries
        if note and entries != on_disk:
            try:
                write_index(self.path, entries)
            except OSError:
                # A folder that cannot be written: the memory has it.
                return

    def find(self, game: Game | Rules, *, holding: str | None = None) -> Path | None:
        """Return the checkpoint to use for a game, None if there is none; no checkpoint is opened.

        A training run is a folder with ``best.pt``, ``latest.pt`` and ``checkpoint-N.pt``; a file
        of another name is a run by itself. The run that was written to last wins; of its files
        the first of ``best.pt``, ``latest.pt`` and the highest N.

        Args:
            game: the game, or its rules; its names do not matter.
            holding: what the checkpoint must hold, see :func:`holdings`; None: anything.

        Raises:
            LimitError: the rules are too regular to have a signature.
        """
        wanted = structural_signature(game.rules if isinstance(game, Game) else game)
        runs: dict[str, list[str]] = {}
        for name, entry in self._entries.items():
            if entry.signature == wanted and (holding is None or holding in entry.holds):
                runs.setdefault(_run(name), []).append(name)
        if not runs:
            return None
        newest = max(runs, key=lambda run: (self._written(runs[run]), run))
        return self.path / min(runs[newest], key=_rank)

    def describe(self) -> str:
        """Return what there is, as one line for people."""
        readable = [entry for entry in self._entries.values() if not entry.problem]
        games = Counter(f"{e.game} ({', '.join(e.holds) or 'nothing'})" for e in readable)
        texts = [text if n == 1 else f"{n} of {text}" for text, n in sorted(games.items())]
        line = f"{self.path} holds {_listed(texts) or 'no checkpoints'}"
        bad = [name for name, entry in self._entries.items() if entry.problem]
        return f"{line}; not readable: {_listed(bad)}" if bad else line

    def _written(self, names: list[str]) -> int:
        return max(self._entries[name].modified for name in names)


def holdings() -> tuple[str, ...]:
    """Return what a checkpoint may hold: an evaluator, and judges of moves by name."""
    return ("evaluator", *sorted(stored_kinds()))


def _files(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Go through all files that may be checkpoints: path within the folder, size, time."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.endswith(_SUFFIX) or name.startswith("."):
                continue
            path = Path(place, name)
            try:
                status = path.stat()
            except OSError:
                continue
            yield path.relative_to(folder).as_posix(), status.st_size, status.st_mtime_ns


def _read(path: Path, size: int, modified: int) -> IndexEntry | None:
    """Return what a file holds, None if it is gone."""
    try:
        checkpoint = load_checkpoint(path)
    except CheckpointError as error:
        if not path.exists():
            return None
        return IndexEntry(size=size, modified=modified, problem=str(error))
    return IndexEntry(
        size=size,
        modified=modified,
        game=checkpoint.game_name,
        signature=checkpoint.signature,
        holds=(*["evaluator"] * bool(checkpoint.description), *sorted(checkpoint.judges)),
    )


def _run(name: str) -> str:
    """Return the run that a file belongs to."""
    folder, _, file = name.rpartition("/")
    return f"{folder}/" if file in (BEST, LATEST) or _NUMBERED.fullmatch(file) else name


def _rank(name: str) -> tuple[int, int]:
    """Return the place of a file among those of its run, the first is used."""
    file = name.rpartition("/")[2]
    number = _NUMBERED.fullmatch(file)
    if number:
        return 2, -int(number[1])
    return (0 if file == BEST else 1), 0


def _listed(texts: list[str]) -> str:
    """Return texts with commas, the first ones only where there are many."""
    more = len(texts) - _MOST_NAMED
    return ", ".join(texts[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
