"""Compiling Python functions for the processor at hand, once, with a cache on disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
from numba.core import ccallback
from numba.extending import intrinsic

from neurogame.code_libraries import EntryCompiler
from neurogame.compiling import dispatcher, folder_of, kept

Function = TypeVar("Function", bound=Callable[..., Any])

_EXACT = {"contract", "nsz", "arcp"}
_CFunc: Any = ccallback.CFunc


@overload
def compiled(function: Function) -> Function: ...
@overload
def compiled(*, arrays: bool) -> Callable[[Function], Function]: ...
def compiled(function: Function | None = None, *, arrays: bool = False) -> Any:
    """Return a function compiled at its first call; it releases Python's lock.

    Products and sums may be fused. Their order stays as written, and infinities are kept.

    Args:
        function: what to compile.
        arrays: whether it makes arrays, and not only views. Nothing counts references otherwise,
            which takes time where a function is handed many arrays and runs for a microsecond.
    """
    if function is None:
        return partial(compiled, arrays=arrays)
    return _decorated(function, fastmath=_EXACT, _nrt=arrays)


@overload
def callee(function: Function) -> Function: ...
@overload
def callee(*, sums: bool) -> Callable[[Function], Function]: ...
def callee(function: Function | None = None, *, sums: bool = False) -> Any:
    """Return a function that only compiled ones call: a loop of arithmetic, optimised by itself.

    Args:
        function: what to compile.
        sums: whether sums may be taken in the order that suits vectors.
    """
    if function is None:
        return partial(callee, sums=sums)
    fast = {*_EXACT, "reassoc"} if sums else _EXACT
    return _decorated(function, fastmath=fast, _nrt=False, callee=True)


def inner(function: Function) -> Function:
    """Return a function that becomes a part of the compiled ones that call it.

    Its arithmetic is that of the standard, operation by operation.
    """
    # Said, as it would otherwise be that of the first caller.
    return _decorated(function, fastmath=False, forceinline=True, _nrt=False, callee=True)


def written(function: Callable[..., Any]) -> Any:
    """Return a function for compiled code whose instructions Python code writes."""
    return intrinsic(function)


def compile_entry(function: Callable[..., None], types: tuple[Any, ...], *, arrays: bool) -> Any:
    """Return a function as C code calls it; see :func:`neurogame.native.entries.entry`.

    Args:
        function: what to compile.
        types: the compiler's types of its arguments.
        arrays: whether it makes arrays; see :func:`compiled`.
    """
    options = {"error_model": "numpy", "fastmath": _EXACT, "_nrt": arrays}
    cfunc = _CFunc(function, (types, numba.types.void), {}, options, pipeline_class=EntryCompiler)
    cfunc._cache = kept(function, _foundations(function))
    cfunc.compile()
    return cfunc


def _decorated(function: Function, **options: Any) -> Function:
    return dispatcher(function, _foundations(function), error_model="numpy", **options)


_NATIVE = Path(__file__).parent
_PACKAGE = _NATIVE.parent
_KERNELS = _PACKAGE / "kernels"
_BASE = (_NATIVE, _KERNELS)
_SHARED = ("neural", "codegen", "leaves", "rules_network")
_ALL_FOUNDATIONS = (*_BASE, _PACKAGE / "judges", *(_KERNELS / name for name in _SHARED))
_FOUNDATIONS = dict.fromkeys(("neural", "codegen", "netlist"), _BASE)
"""Folders whose compiled functions those of another folder may call; all unless named here."""


def _foundations(function: Callable[..., Any]) -> tuple[Path, ...]:
    """Return the folders of what a function may call."""
    folder = folder_of(function)
    # The settings of a search, of which some are fields of structs, lie beside its compiled half.
    beside = (folder.parent,) if folder.name == "compiled" else ()
    return (*_FOUNDATIONS.get(folder.name, _ALL_FOUNDATIONS), folder, *beside)
