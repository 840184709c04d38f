"""Arrays on disk: compiled kernels and what belongs to them, named by what they were made from.

What was loaded last stays in memory, as long as its file is the same: a new search of a game takes
the code of the one before.

Machine code is run as it is. So it is read only from files, and from a folder, that nobody else can
have written; else it is made anew in every process.
"""

from __future__ import annotations

import hashlib
import warnings
from collections import OrderedDict
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from time import perf_counter
from typing import TypeVar, cast

from neurogame.files import DAMAGED, Arrays, cache_folder, is_trusted, read_arrays, write_arrays

_T = TypeVar("_T")

_SOURCES = ("kernels/codegen", "kernels/cuda", "kernels/words", "kernels", "kernels/netlist")
"""Folders whose code decides what is saved."""

_MOST = 32
"""Things that stay in memory; a search of a game loads six."""
_loaded: OrderedDict[tuple[Path, int, int], object] = OrderedDict()
"""What is in memory, by its file as it was read: its inode and time of change."""


def kept(key: str, make: Callable[[], Arrays], unpack: Callable[[Arrays, float], _T]) -> _T:
    """Return what arrays are unpacked to: those that were saved, if they are of any use.

    Args:
        key: that they are saved under.
        make: makes them.
        unpack: makes something of them, and of the seconds that making them has taken, 0 for
            saved ones. What it makes may be handed out more than once.
    """
    file = _file(key)
    if file is not None and file in _loaded:
        _loaded.move_to_end(file)
        return cast(_T, _loaded[file])
    arrays = load_arrays(key)
    if arrays is not None:
        try:
            unpacked = unpack(arrays, 0.0)
        except DAMAGED:
            pass  # They are those of something else.
        else:
            if file is not None:
                _loaded[file] = unpacked
                if len(_loaded) > _MOST:
                    _loaded.popitem(last=False)
            return unpacked
    start = perf_counter()
    arrays = make()
    seconds = perf_counter() - start
    save_arrays(key, arrays)
    return unpack(arrays, seconds)


def load_arrays(key: str) -> Arrays | None:
    """Return what was saved under a key; None if it is absent, of no use, or not to be trusted."""
    path = _path(key)
    if path is None or not path.exists():
        return None
    for place in (path.parent, path):
        if not is_trusted(place):
            _warn(place)
            return None
    return read_arrays(path)


def save_arrays(key: str, arrays: Arrays) -> None:
    """Save arrays under a key; a cache that cannot be written to is no error."""
    path = _path(key)
    if path is not None:
        write_arrays(path, arrays)


@cache
def _warn(place: Path) -> None:
    """Warn of a file, or a folder, once."""
    warnings.warn(
        f"{place} is another user's, or others can write to it: machine code from there is not "
        "run, but made anew; let it be yours alone (chmod go-w), or name another folder with "
        "NEUROGAME_CACHE",
        stacklevel=2,
    )


def _file(key: str) -> tuple[Path, int, int] | None:
    """Return the file of a key, and what tells it from one that was there before; None: no file."""
    path = _path(key)
    try:
        status = None if path is None else path.stat()
    except OSError:
        return None
    return None if path is None or status is None else (path, status.st_ino, status.st_ctime_ns)


def _path(key: str) -> Path | None:
    folder = cache_folder()
    name = hashlib.sha256(f"{_program()} {key}".encode()).hexdigest()[:40]
    return None if folder is None else folder / f"kernel-{name}.npz"


@lru_cache(maxsize=1)
def _program() -> str:
    """Return a hash of the code that makes kernels, so that no kernel outlives its maker."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for file in sorted((package / folder).glob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()
