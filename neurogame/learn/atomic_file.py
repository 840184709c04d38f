"""Files that are either the old or the new version, never half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast


def write_atomically(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """Write a file beside ``path``, force it to the disk and rename it into place.

    A process killed at any moment leaves the old file or the new one. Leftover temporary files
    start with a dot and are ignored by everything else.

    Args:
        path: the final path; its folder must exist.
        write: writes the contents to an open binary file.
    """
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            write(cast(BinaryIO, stream))
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes files private; a checkpoint gets the rights of any other new file.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
