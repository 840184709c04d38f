"""Which functions numba turns into machine code: those that are called from outside compiled code.

numba optimises every function for itself, makes machine code of it, and optimises it again as a
part of each caller. Here a *callee*, which only compiled functions call, becomes machine code in
those of its callers that are no callees; and all but loops of arithmetic are optimised
there alone.
"""

from __future__ import annotations

from typing import Any, final

from llvmlite import binding
from numba.core import codegen, compiler

# They are not annotated.
_JITCodeLibrary: Any = codegen.JITCodeLibrary
_CompilerBase: Any = compiler.CompilerBase
_Steps: Any = compiler.DefaultPassBuilder
_Flags: Any = compiler.Flags
_equal: Any = _Flags.__eq__


def _is_equal(one: Any, other: Any) -> Any:
    """Return whether two sets of options are equal, at once where the same ones are set."""
    if one is other or (isinstance(other, _Flags) and one._values == other._values):
        return True
    return _equal(one, other)


def _hash(flags: Any) -> int:
    """Return a hash of the options in which the functions of this package differ."""
    return hash((flags.forceinline, flags.nrt, flags.error_model, frozenset(flags.fastmath.flags)))


# numba looks up each operator of a function by the function's options, too, and its hash of them
# is that of their names alone: all are compared, value by value. That took a seventh of the time.
_Flags.__eq__, _Flags.__hash__ = _is_equal, _hash


class _Library(_JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that is called from outside."""

    def add_linking_library(self, library: Any) -> None:
        """Take in what is called, and what that calls."""
        for called in (*getattr(library, "called", ()), library):
            super().add_linking_library(called)

    def finalize(self) -> None:
        """Make machine code.

        Callers are linked before what they call: LLVM leaves out what nothing calls so far.
        """
        libraries: list[Any] = list(getattr(self, "_linking_libraries", ()))
        self._linking_libraries = list(dict.fromkeys(libraries))[::-1]
        super().finalize()

    def _optimize_final_module(self) -> None:
        # Once, where numba does so twice for the sake of counted references.
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)


@final
class _EntryLibrary(_Library):
    """The code of a function that is called by its address alone: no other takes it in."""

    def serialize_using_object_code(self) -> Any:
        """Return the machine code and its functions' names, without LLVM's text of them.

        That is three times as large, and there for functions that would take these in.
        """
        name, kind, (code, text) = super().serialize_using_object_code()
        functions = binding.parse_bitcode(text).functions
        named = [function.name for function in functions if not function.is_declaration]
        empty = "\n".join(f'define void @"{function}"() {{ ret void }}' for function in named)
        return name, kind, (code, binding.parse_assembly(empty).as_bitcode())


class _CalleeLibrary(_Library):
    """The code of a function that only compiled functions call, optimised by itself."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return that there is no machine code."""
        return 0

    @property
    def codegen(self) -> Any:
        """What would put Python objects into the machine code."""
        return _NoEnvironments()


@final
class _WithinLibrary(_CalleeLibrary):
    """The code of such a function that is optimised within its callers alone.

    Attributes:
        called: what it calls, each before its callers.
    """

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.called: dict[Any, None] = {}

    def add_linking_library(self, library: Any) -> None:
        """Note what is called."""
        library._ensure_finalized()
        self.called |= dict.fromkeys((*getattr(library, "called", ()), library))

    def finalize(self) -> None:
        """Leave the code as it is."""
        self._raise_if_finalized()
        self._finalized = True


@final
class _NoEnvironments:
    """Puts no Python objects into code that is not there."""

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing."""


class Compiler(_CompilerBase):  # type: ignore[misc]
    """numba's compiler for functions that are called from outside."""

    def define_pipelines(self) -> list[Any]:
        """Return numba's own steps; the last one puts the code into the library made here."""
        state = self.state
        if state.library is None:
            state.library = self._library()(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return [_Steps.define_nopython_pipeline(state)]

    def _library(self) -> Any:
        return _Library


@final
class EntryCompiler(Compiler):
    """numba's compiler for functions that are called by their address alone."""

    def _library(self) -> Any:
        return _EntryLibrary


@final
class CalleeCompiler(Compiler):
    """numba's compiler for functions that only compiled functions call."""

    def _library(self) -> Any:
        # Loops over numbers become vectors only where arguments are known not to overlap: before
        # they are a part of something else.
        return _CalleeLibrary if self.state.flags.fastmath else _WithinLibrary
