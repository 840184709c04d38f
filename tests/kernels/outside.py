"""Calling from Python what only compiled functions call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from neurogame.native.compiled import compiled

Function = TypeVar("Function", bound=Callable[..., Any])


def outside(callee: Function) -> Function:
    """Return the same function, compiled for calls from Python."""
    plain: Function = callee.py_func  # type: ignore[attr-defined]
    return compiled(plain)
