"""Arrays on disk: compiled kernels and what belongs to them, named by what they were made from."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import zipfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

import neurogame
from neurogame.circuit.cache import cache_folder

Arrays: TypeAlias = dict[str, npt.NDArray[np.generic]]

_SOURCES = ("kernels/llvm", "kernels", "circuit/netlist")
"""Folders whose code decides what is saved."""


def load_arrays(key: str) -> Arrays | None:
    """Return what was saved under a key, or None if it is absent or damaged."""
    path = _path(key)
    if path is None:
        return None
    try:
        with np.load(path, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def save_arrays(key: str, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
    """Save arrays to a temporary file, which is then renamed.

    A cache that cannot be written is no error.
    """
    path = _path(key)
    if path is None:
        return
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, allow_pickle=False, **arrays)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise


def _path(key: str) -> Path | None:
    folder = cache_folder()
    name = hashlib.sha256(f"{_program()} {key}".encode()).hexdigest()[:40]
    return None if folder is None else folder / f"kernel-{name}.npz"


@lru_cache(maxsize=1)
def _program() -> str:
    """Return a hash of the code that makes kernels, so that no kernel outlives its maker."""
    package = Path(neurogame.__file__).parent
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for file in sorted((package / folder).glob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()
