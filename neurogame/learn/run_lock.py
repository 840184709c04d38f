"""Only one process trains in a folder: a lock that ends with the process that has it."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import BinaryIO, cast, final

from neurogame.files import lock_file

LOCK = "lock"
"""Name of the file; it stays, and says nothing by being there."""

_HELD: weakref.WeakValueDictionary[Path, RunLock] = weakref.WeakValueDictionary()


@final
class RunLock:
    """Keeps other processes out of a folder for as long as this object lives.

    The system opens the lock when the process ends, however it ends.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """Keep a file that is locked.

        Args:
            stream: the file.
        """
        weakref.finalize(self, stream.close)


def take_lock(folder: Path) -> RunLock | None:
    """Return the lock of a folder, the same one within this process; None if another has it.

    Args:
        folder: an existing folder.

    Raises:
        OSError: the folder cannot be written.
    """
    key = folder.resolve()
    held = _HELD.get(key)
    if held is None:
        stream = cast(BinaryIO, (key / LOCK).open("ab"))
        if not lock_file(stream, wait=False):
            stream.close()
            return None
        held = _HELD[key] = RunLock(stream)
    return held
