"""Compiling Python functions for the processor at hand, once, with a cache on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast, final

import numba
from numba.core import caching
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

_EXACT = {"contract", "nsz", "arcp"}
_FunctionCache: Any = caching.FunctionCache


def compiled(function: Function) -> Function:
    """Return a function compiled at its first call; it releases Python's lock.

    Products and sums may be fused. Their order stays as written, and infinities are kept.
    """
    return _decorated(function, fastmath=_EXACT)


def compiled_sum(function: Function) -> Function:
    """Return a compiled function whose sums may be taken in the order that suits vectors."""
    return _decorated(function, fastmath={*_EXACT, "reassoc"})


def inlined(function: Function) -> Function:
    """Return a compiled function for use in loops, which it becomes a part of."""
    return _decorated(function, fastmath=_EXACT, forceinline=True)


def merged(function: Function) -> Function:
    """Return a compiled function that becomes a part of its callers before they are compiled.

    It is for large ones with few callers: otherwise each caller would optimise it once more.
    """
    return _decorated(function, fastmath=_EXACT, inline="always")


def written(function: Callable[..., Any]) -> Any:
    """Return a function for compiled code whose instructions Python code writes."""
    return intrinsic(function)


@written
def borrowed(typing: Any, array: Any) -> Any:
    """Return an array without its count of references, which parts of it would all change.

    The caller's array must outlive it.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        copy = context.make_array(array)(context, builder, arguments[0])
        copy.meminfo = copy.meminfo.type(None)
        copy.parent = copy.parent.type(None)
        return copy._getvalue()

    return array(array), generate


def _decorated(function: Function, **options: Any) -> Function:
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    dispatcher._cache = _FolderCache(function)
    return cast(Function, dispatcher)


@final
class _FolderCache(_FunctionCache):  # type: ignore[misc]
    """numba's cache, which forgets a function when any file of this folder changes.

    numba alone looks at the function's own file, and not at those of what it calls.
    """

    def _index_key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(signature, codegen), _digest())


@cache
def _digest() -> str:
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
