"""Files that are written whole or not at all: the old version or the new, never half of one."""

from __future__ import annotations

import contextlib
import json
import math
import os
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
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

DAMAGED = (ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError)
"""What is raised by arrays of a cache that are not those that they should be."""

_LARGEST_LOG = 1 << 26
"""Bytes of a log that are read, from its beginning."""

_NAME = "written as"
"""The array with the name of its file."""

CACHE_VARIABLE = "NEUROGAME_CACHE"
"""Environment variable with the cache folder; empty switches the cache off."""


def cache_folder() -> Path | None:
    """Return the folder of the cache, or None if it is switched off."""
    named = os.environ.get(CACHE_VARIABLE)
    if named is not None:
        return Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "neurogame"


def write_whole(path: Path, write: Callable[[BinaryIO], object], *, lasting: bool = True) -> None:
    """Write a file beside ``path`` and rename it into place.

    A process killed at any moment leaves the old file or the new one. Leftover temporary files
    start with a dot and are ignored by everything else. Where ``path`` is a link to a file, that
    file is written, also if it is not there yet. What is no file, such as a device or a
    pipe, is written to as it is, and never replaced.

    Args:
        path: the final path; its folder must exist.
        write: writes the contents to an open binary file.
        lasting: whether to force the contents to the disk first, so that even a power cut does not
            leave half of them.
    """
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                write(stream)
        else:
            # A link stays, and leads to what is written; in a cache nothing leads elsewhere.
            _write_beside(Path(os.path.realpath(path)) if lasting else path, write, lasting)
    except OSError as error:
        # What was asked for, not the file beside it.
        error.filename, error.filename2 = str(path), None
        raise


def _write_beside(path: Path, write: Callable[[BinaryIO], object], lasting: bool) -> None:
    """Write a file beside another, and put it in the place of that."""
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
    write_whole(path, lambda stream: stream.write(text.encode()))


@contextlib.contextmanager
def writing(what: str, advice: str = "") -> Iterator[None]:
    """Turn what the system refuses into a message.

    Args:
        what: is written: a path, with the option that names it.
        advice: what else to name; nothing where that is clear.

    Raises:
        ConfigurationError: it cannot be written.
    """
    try:
        yield
    except OSError as error:
        reason = f"{error.strerror or error}{advice and f'; {advice}'}"
        raise ConfigurationError(f"cannot write {what}: {reason}") from error


def check_output(option: str, path: Path) -> None:
    """Refuse a file that could not be written, before the work begins that it is to hold.

    Args:
        option: that names it.
        path: the file.

    Raises:
        ConfigurationError: it is a folder, or its folder is not there.
    """
    if path.is_dir():
        raise ConfigurationError(f"{option} {path} is a folder; name a file")
    if not path.parent.is_dir():
        raise ConfigurationError(f"{option} {path}: there is no folder {path.parent}; make one")


def write_output(path: Path, text: str, *, force: bool) -> None:
    """Write a file that a user has named, as a whole or not at all.

    Args:
        path: the file.
        text: what it is to hold.
        force: whether an existing file is replaced.

    Raises:
        ConfigurationError: the file exists, or cannot be written.
    """
    with writing(str(path)):
        if path.exists() and not force:
            raise ConfigurationError(f"{path} exists already; give --force to replace it")
        write_text(path, text)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the whole rows of a file of JSON lines, objects each; none where there is no file.

    A line that is half written is left out, so that another process may go on meanwhile.

    Args:
        path: of a ``.jsonl`` file; its first 64 MiB are read.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            text = stream.read(_LARGEST_LOG)
    except OSError:
        return []
    rows = []
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows


def put_aside(path: Path, reason: str) -> None:
    """Rename a file that is of no use, so that another one can take its place, and warn once.

    Args:
        path: the file; beside it one of its name with ``.damaged`` behind is replaced.
        reason: what is wrong with it, and what becomes of that, for people.
    """
    aside = path.with_name(f"{path.name}.damaged")
    with contextlib.suppress(OSError):
        os.replace(path, aside)
    warnings.warn(f"{path} is not used, and now {aside.name}: {reason}", stacklevel=2)


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


def is_trusted(path: Path) -> bool:
    """Return whether only this user, or the system's own, can have written a file or into a folder.

    A group that is the user's alone counts as the user. Asked of what is run: machine code.

    Args:
        path: what is there; what is not there is not trusted.
    """
    if not hasattr(os, "geteuid"):
        return True  # There rights are not told like this.
    try:
        status = path.stat()
    except OSError:
        return False
    others = status.st_mode & 0o002 or (status.st_mode & 0o020 and not _is_alone(status.st_gid))
    return status.st_uid in (0, os.geteuid()) and not others


def _is_alone(group: int) -> bool:
    """Return whether this user is the one member of a group, as many systems give each user one."""
    import grp
    import pwd

    try:
        user, group_entry = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return group_entry.gr_name == user.pw_name and set(group_entry.gr_mem) <= {user.pw_name}


def read_arrays(path: Path) -> Arrays | None:
    """Return the arrays of a file of the cache, or None if it is absent or of no use.

    Of no use is a file that is damaged, was written under another name, or claims to be larger
    than it is.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                _check_claim(archive, entry)
        with np.load(path, allow_pickle=False) as data:
            arrays = {name: data[name] for name in data.files}
    except (OSError, LookupError, EOFError, *DAMAGED, zipfile.BadZipFile, zlib.error):
        return None
    name = arrays.pop(_NAME, None)
    return arrays if name is not None and str(name) == path.name else None


def _check_claim(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    """Refuse an array whose shape asks for other than its bytes: room is made for it by its shape.

    Raises:
        ValueError: so it is, or it is no array.
    """
    with archive.open(entry) as stream:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0
        shape, _, dtype = (read if version == (1, 0) else np.lib.format.read_array_header_2_0)(
            stream
        )
        held = entry.compress_size - stream.tell()
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != held:
        raise ValueError(f"{entry.filename}: an array of shape {shape} in {held:,} bytes")


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays to a file of the cache.

    A folder that cannot be written to (a full disk, a read-only home) is no error: what is in a
    cache can be made again.
    """
    named = {**arrays, _NAME: np.array(path.name)}
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, lambda file: np.savez(file, allow_pickle=False, **named), lasting=False)
