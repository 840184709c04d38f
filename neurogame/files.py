"""Files that are written whole or not at all: the old version or the new, never half of one."""

from __future__ import annotations

import contextlib
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from neurogame.errors import ConfigurationError

try:
    import fcntl
except ImportError:  # Systems without it have no locks.
    fcntl = None  # type: ignore[assignment]

Arrays: TypeAlias = dict[str, npt.NDArray[Any]]

CACHE_VARIABLE = "NEUROGAME_CACHE"
"""Environment variable with the cache folder; empty switches the cache off."""


def cache_folder() -> Path | None:
    """Return the folder of the cache, or None if it is switched off."""
    named = os.environ.get(CACHE_VARIABLE)
    if named is not None:
        return Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "neurogame"


def write_whole(path: Path, write: Callable[[BinaryIO], None], *, lasting: bool = True) -> None:
    """Write a file beside ``path`` and rename it into place.

    A process killed at any moment leaves the old file or the new one. Leftover temporary files
    start with a dot and are ignored by everything else.

    Args:
        path: the final path; its folder must exist.
        write: writes the contents to an open binary file.
        lasting: whether to force the contents to the disk first, so that even a power cut does not
            leave half of them.
    """
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            write(cast(BinaryIO, stream))
            if lasting:
                stream.flush()
                os.fsync(stream.fileno())
        # mkstemp makes files private; these get the rights of any other new file.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write a text as :func:`write_whole` does, in UTF-8.

    Args:
        path: the final path; its folder must exist.
        text: what the file is to hold.
    """
    data = text.encode()

    def write(stream: BinaryIO) -> None:
        stream.write(data)

    write_whole(path, write)


def write_output(path: Path, text: str, *, force: bool) -> None:
    """Write a file that a user has named, as a whole or not at all.

    Args:
        path: the file.
        text: what it is to hold.
        force: whether an existing file is replaced.

    Raises:
        ConfigurationError: the file exists, or cannot be written.
    """
    try:
        if path.exists() and not force:
            raise ConfigurationError(f"{path} exists already; give --force to replace it")
        write_text(path, text)
    except OSError as error:
        raise ConfigurationError(f"cannot write {path}: {error.strerror or error}") from error


def lock_file(stream: BinaryIO, *, wait: bool) -> bool:
    """Keep all others, threads and processes, from locking a file until it is closed.

    Args:
        stream: the file, open for writing.
        wait: whether to wait while another one has it.

    Returns:
        Whether nobody else has it; True, too, where the system or the file system has no locks.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks.
        return True
    return True


def read_arrays(path: Path) -> Arrays | None:
    """Return the arrays of a file of the cache, or None if it is absent or damaged."""
    try:
        with np.load(path, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays to a file of the cache.

    A folder that cannot be written to (a full disk, a read-only home) is no error: what is in a
    cache can be made again.
    """
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, lambda file: np.savez(file, allow_pickle=False, **arrays), lasting=False)
