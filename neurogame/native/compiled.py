"""Compiling Python functions for the processor at hand, once, with a cache on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import ccallback
from numba.extending import intrinsic

from neurogame.code_libraries import Compiler
from neurogame.compiling import dispatcher, folder_of, kept

Function = TypeVar("Function", bound=Callable[..., Any])

_EXACT = {"contract", "nsz", "arcp"}
_CFunc: Any = ccallback.CFunc


def compiled(function: Function) -> Function:
    """Return a function compiled at its first call; it releases Python's lock.

    It makes no arrays, only views: so nothing counts references, which takes time where a function
    is handed many arrays and runs for a microsecond. Products and sums may be fused. Their order
    stays as written, and infinities are kept.
    """
    return _decorated(function, fastmath=_EXACT, _nrt=False)


def counted(function: Function) -> Function:
    """Return such a function that counts references, as it must if it makes arrays."""
    return _decorated(function, fastmath=_EXACT)


def callee(function: Function) -> Function:
    """Return a function that only compiled ones call, and that is compiled with them."""
    return _decorated(function, fastmath=_EXACT, _nrt=False, callee=True)


def callee_sum(function: Function) -> Function:
    """Return such a function whose sums may be taken in the order that suits vectors."""
    return _decorated(function, fastmath={*_EXACT, "reassoc"}, _nrt=False, callee=True)


def inlined(function: Function) -> Function:
    """Return such a function for use in loops, which it becomes a part of."""
    return _decorated(function, fastmath=_EXACT, forceinline=True, _nrt=False, callee=True)


def inner(function: Function) -> Function:
    """Return such a function whose arithmetic is that of the standard, operation by operation."""
    # Said, as it would otherwise be that of the first caller.
    return _decorated(function, fastmath=False, forceinline=True, _nrt=False, callee=True)


def merged(function: Function) -> Function:
    """Return a compiled function that becomes a part of its callers before they are compiled.

    It is for large ones with few callers: otherwise each caller would optimise it once more.
    """
    return _decorated(function, fastmath=_EXACT, inline="always", _nrt=False, callee=True)


def written(function: Callable[..., Any]) -> Any:
    """Return a function for compiled code whose instructions Python code writes."""
    return intrinsic(function)


def compile_entry(function: Callable[..., None], types: tuple[Any, ...], *, counted: bool) -> Any:
    """Return a function as C code calls it; see :func:`neurogame.native.entries.entry`.

    Args:
        function: what to compile.
        types: the compiler's types of its arguments.
        counted: whether it counts references; see :func:`counted`.
    """
    options = {"error_model": "numpy", "fastmath": _EXACT, "_nrt": counted}
    cfunc = _CFunc(function, (types, numba.types.void), {}, options, pipeline_class=Compiler)
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
