"""Compiling inner loops with numba where it is there; plain Python where it is not."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Return a function compiled by numba, cached on disk, or the function itself.

    Use it only in modules that are imported when they are needed: it imports numba.
    """
    if find_spec("numba") is None:
        return function
    return cast(Function, import_module("numba").njit(cache=True, nogil=True)(function))
