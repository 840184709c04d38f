"""Compiling inner loops with numba where it is there; plain Python where it is not."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_BARE = {"error_model": "numpy", "_nrt": False}


def compiled(function: Function) -> Function:
    """Return a function compiled by numba, kept on disk, or the function itself.

    It makes no arrays: whoever calls it hands over those that it works in. So nothing has to count
    references, and what numba would compile besides is not needed. Use it only in modules that
    are imported when they are needed: it imports numba.
    """
    return _decorated(function, _BARE)


def callee(function: Function) -> Function:
    """Return such a function that only compiled ones call."""
    return _decorated(function, {**_BARE, "callee": True})


def _decorated(function: Function, options: dict[str, Any]) -> Function:
    if find_spec("numba") is None:
        return function
    from neurogame.compiling import dispatcher

    return dispatcher(function, (Path(__file__).parent,), **options)
