"""How numba compiles the functions of this package: where the code is kept, and what is told.

Machine code lies where Python keeps its own compiled files, in ``__pycache__`` beside the source;
where that cannot be written to, in the folder of :func:`~neurogame.files.cache_folder`; and where
nothing can be written, it is compiled in every process. ``NUMBA_CACHE_DIR`` names another place.
Where nothing is kept, code that came with the package is taken if it is for such a processor.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib
import inspect
import pickle
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, cast, final, get_args, get_origin, get_type_hints

import numpy as np
from numba.core import caching, event
from numba.core import dispatcher as dispatcher_

from neurogame.array_types import array_hint
from neurogame.code_libraries import CalleeCompiler, Compiler
from neurogame.files import cache_folder, is_trusted, lock_file
from neurogame.first_use import compiling
from neurogame.shipped_code import FAMILIES, FOLDER, families
from neurogame.untyped import numba, types

Function = TypeVar("Function", bound=Callable[..., Any])

_FunctionCache: Any = caching.FunctionCache
_CacheFile: Any = caching.IndexDataCacheFile
_CacheImpl: Any = caching.CompileResultCacheImpl
_Locator: Any = caching.InTreeCacheLocator
_NamedLocator: Any = caching.UserProvidedCacheLocator
_Listener: Any = event.Listener
_events: Any = event
_Dispatcher: Any = dispatcher_.Dispatcher


def dispatcher(
    function: Function, folders: tuple[Path, ...], *, callee: bool = False, **options: Any
) -> Function:
    """Return a function compiled at its first call; it releases Python's lock.

    Args:
        function: what to compile.
        folders: of what it may call; see :func:`kept`.
        callee: whether only compiled functions call it; calls from Python raise ``TypeError``.
        options: of numba.
    """
    if callee:
        options |= {
            "pipeline_class": CalleeCompiler,
            "no_cpython_wrapper": True,
            "no_cfunc_wrapper": True,
        }
    else:
        options["pipeline_class"] = Compiler
    made: Any = numba.njit(nogil=True, **options)(function)
    if numba.config.DISABLE_JIT:
        return function
    if callee:
        _close_to_python(made)
    else:
        made._cache = kept(function, folders)
    template = made.get_call_template

    # numba would compile f(x, 0) once more for the constant 0, besides f(x, y).
    def without_constants(arguments: Any, named: Any) -> Any:
        plain = tuple(map(types.unliteral, arguments))
        return template(plain, {name: types.unliteral(kind) for name, kind in named.items()})

    made.get_call_template = without_constants
    return cast(Function, made)


def compile_declared(module: str) -> None:
    """Compile the functions of a module that Python calls, for the types that they declare.

    Args:
        module: its name, with that of the package.

    Raises:
        TypeError: an annotation of one of them means no type of compiled code.
    """
    for made in list(vars(importlib.import_module(module)).values()):
        if is_called_from_python(made, module):
            made.compile(declared_types(made.py_func))


def is_called_from_python(made: object, module: str) -> bool:
    """Return whether something is a compiled function of a module, and no callee."""
    is_own = isinstance(made, _Dispatcher) and made.__module__ == module
    # Nothing is kept of what Python does not call.
    return is_own and isinstance(made._cache, _FolderCache)  # type: ignore[attr-defined]


def declared_types(function: Callable[..., Any]) -> tuple[Any, ...]:
    """Return compiled code's types of a function's arguments, by its annotations.

    Raises:
        TypeError: an annotation means no type of compiled code.
    """
    hints = get_type_hints(function, include_extras=True)
    return tuple(_type(hint) for name, hint in hints.items() if name != "return")


def _type(hint: Any) -> Any:
    """Return compiled code's type for an annotation; of several, for the first."""
    if get_origin(hint) in (Union, UnionType):
        hint = get_args(hint)[0]
    array = array_hint(hint)
    if array is not None:
        return types.Array(numba.from_dtype(array.dtype), array.ndim, "C")
    if hasattr(hint, "compiler_type"):
        return hint.compiler_type()
    try:
        return numba.from_dtype(np.dtype(hint))
    except TypeError as error:
        raise TypeError(f"{hint} is no type of compiled code") from error


def _close_to_python(made: Any) -> None:
    """Let calls of a callee from Python fail: it has no machine code of its own."""

    def refuse(*_: Any, **__: Any) -> None:
        raise TypeError(f"only compiled functions can call {made.__qualname__}")

    def add_overload(code: Any) -> None:
        made.overloads[tuple(code.signature.args)] = code

    made._compile_for_args, made.add_overload = refuse, add_overload


def kept(function: Callable[..., Any], folders: tuple[Path, ...]) -> Any:
    """Return where the machine code of a function is kept.

    Args:
        function: what is compiled.
        folders: of the functions that it may call. Where one of their files has changed, it is
            compiled again; numba alone looks at the function's own file.
    """
    _watch()
    return _FolderCache(function, folders)


class _Trusted:
    """Keeps code in folders alone whose files cannot be others'."""

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> Any:
        """Return the place for a function, or None if there is none."""
        with contextlib.suppress(OSError):
            place: Any = super().from_function(function, file)  # type: ignore[misc]
            return place if place is not None and _is_ours(Path(place.get_cache_path())) else None
        return None


@final
class _OwnFolder(_Trusted, _Locator):  # type: ignore[misc]
    """Keeps code in the package's cache folder: for installations that are read-only."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        folder = cache_folder()
        if folder is None:
            raise OSError
        self._cache_path = str(folder / "numba" / self.get_suitable_cache_subpath(file))


@final
class _BesideSource(_Trusted, _Locator):  # type: ignore[misc]
    """Keeps code where Python keeps its own."""


@final
class _NamedFolder(_Trusted, _NamedLocator):  # type: ignore[misc]
    """Keeps code in the folder that ``NUMBA_CACHE_DIR`` names."""


@final
class _Nowhere(_Locator):  # type: ignore[misc]
    """Keeps nothing: no folder can be written to."""

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> Any:
        """Return this place."""
        return cls(function, file)

    def get_source_stamp(self) -> None:
        """Return nothing: there may be no file."""


@cache
def _is_ours(folder: Path) -> bool:
    """Return whether nobody else can have written the code in a folder; warn if somebody can."""
    wrong = [path for path in (folder, *folder.glob("*.nb[ci]")) if not is_trusted(path)]
    if wrong:
        warnings.warn(
            f"{wrong[0]} is another user's, or others can write to it: machine code from "
            f"{folder} is not run, but compiled anew for another place; let it be yours alone "
            "(chmod go-w)",
            stacklevel=2,
        )
    return not wrong


@final
class _Places(_CacheImpl):  # type: ignore[misc]
    """The places in the order in which they are tried."""

    _locator_classes = (_NamedFolder, _BesideSource, _OwnFolder, _Nowhere)


_DAMAGED = (pickle.UnpicklingError, EOFError, ValueError, IndexError, KeyError, TypeError)
"""What reading a damaged file of compiled code raises."""


@final
class _FolderCache(_FunctionCache):  # type: ignore[misc]
    """numba's cache, which forgets a function when a file changes that it may be built upon."""

    _impl_class = _Places

    def __init__(self, function: Callable[..., Any], folders: tuple[Path, ...]) -> None:
        super().__init__(function)
        # In place of a stamp of the function's own file, which is of its time with older numba.
        self._stamp = self._cache_file._source_stamp = digest_of(folders)
        if isinstance(self._impl.locator, _Nowhere):
            self.disable()

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return compiled code, or None; of another version of this package nothing is read."""
        overload = None
        try:
            overload = super().load_overload(signature, context)
        except (AttributeError, ImportError, *_DAMAGED):
            # The index names types that are no more, or a file is damaged: it is made anew.
            self.flush()
        if overload is None:
            overload = self._load_shipped(signature, context)
        if overload is None and compiling(self._py_func.__module__ if self._enabled else None):
            overload = super().load_overload(signature, context)
        return overload

    def _load_shipped(self, signature: Any, context: Any) -> Any:
        """Return code that came with the package, for the best family of this processor, or None.

        It is trusted as the package's own source is, beside which it lies.
        """
        codegen = context.codegen()
        triple, _, features = codegen.magic_tuple()
        _, _, body = self._index_key(signature, codegen)
        package = self._py_func.__module__.rpartition(".")[0]
        for family in families(features):
            place, name = str(FOLDER / family / package), self._impl.filename_base
            with contextlib.suppress(OSError, AttributeError, ImportError, *_DAMAGED):
                key = (signature, (triple, family, FAMILIES[family]), body)
                code = _CacheFile(place, name, self._stamp).load(key)
                if code is not None:
                    return self._impl.rebuild(context, code)
        return None

    def save_overload(self, signature: Any, code: Any) -> None:
        """Keep compiled code; a folder that cannot be written to any more is no error."""
        if self._enabled:
            with contextlib.suppress(OSError), _locked(Path(self._cache_path)):
                super().save_overload(signature, code)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time write into a folder of compiled code.

    numba numbers the files of a function: two processes that compile it for different types of
    arguments at the same time would give both the same number, and one would run the other's code.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "numba.lock", "wb") as file:
        lock_file(file, wait=True)
        yield


@cache
def _watch() -> None:
    """Let Python's collector rest while numba compiles."""
    _events.register("numba:compile", _Rest())


@final
class _Rest(_Listener):  # type: ignore[misc]
    """Stops the search for circular garbage, which takes an eighth of the time to compile.

    Compilations are nested in one another and run in one thread at a time.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._was_enabled = False

    def on_start(self, _: Any) -> None:
        """Stop at the outermost compilation."""
        if self._depth == 0:
            self._was_enabled = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, _: Any) -> None:
        """Go on after the outermost."""
        self._depth -= 1
        if self._depth == 0 and self._was_enabled:
            gc.enable()


@cache
def digest_of(folders: tuple[Path, ...]) -> str:
    """Return the hash of the source files that lie in some folders, as hexadecimal digits."""
    files = sorted({file for folder in folders for file in folder.glob("*.py")})
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def folder_of(function: Callable[..., Any]) -> Path:
    """Return the folder of a function's file."""
    return Path(inspect.getfile(function)).parent
