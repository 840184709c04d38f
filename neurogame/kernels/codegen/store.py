"""Arrays on disk: compiled kernels and what belongs to them, named by what they were made from."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from neurogame.files import Arrays, cache_folder, read_arrays, write_arrays

_SOURCES = ("kernels/codegen", "kernels/cuda", "kernels", "netlist")
"""Folders whose code decides what is saved."""


def load_arrays(key: str) -> Arrays | None:
    """Return what was saved under a key, or None if it is absent or damaged."""
    path = _path(key)
    return None if path is None else read_arrays(path)


def save_arrays(key: str, arrays: Arrays) -> None:
    """Save arrays under a key; a cache that cannot be written to is no error."""
    path = _path(key)
    if path is not None:
        write_arrays(path, arrays)


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
