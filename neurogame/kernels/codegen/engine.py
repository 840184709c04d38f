"""From LLVM's assembly language to functions that can be called."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from neurogame.kernels.codegen.host import host

_LOCK = threading.Lock()

_EFFORT = 1
"""Of LLVM's code generator, 0..3: the gates come in the order in which they should run."""


@final
@dataclass(frozen=True, eq=False)
class Code:
    """Machine code in memory.

    Attributes:
        engine: LLVM's execution engine, which keeps the code alive.
    """

    engine: Any

    def address(self, name: str) -> int:
        """Return the address of a function."""
        return int(self.engine.get_function_address(name))

    def function(self, name: str) -> Callable[[int], None]:
        """Return a function of one pointer without a result; it releases Python's lock."""
        call: Callable[[int], None] = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self.address(name))
        return call


def compile_text(text: str) -> bytes:
    """Compile a module for this processor.

    Args:
        text: LLVM's assembly language.

    Returns:
        An object file.
    """
    import llvmlite.binding as llvm

    with _LOCK:
        target = _target()
        module = llvm.parse_assembly(text)
        code: bytes = target.emit_object(module)
    return code


def load_object(code: bytes) -> Code:
    """Make the functions of an object file callable.

    Its sections reach each other by 32-bit distances, while LLVM's own memory manager maps each
    section wherever there is room: in a process with large mappings that can be more than 2 GiB
    away, and LLVM then ends the process. llvmlite's memory manager takes one region per object
    file. (numba's code reaches everything by 64-bit addresses on x86-64, and elsewhere numba
    takes that manager by itself.)
    """
    import llvmlite.binding as llvm

    with _LOCK:
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target(), use_lmm=True)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
    return Code(engine)


def versions() -> str:
    """Return what machine code depends on besides its source: processor and LLVM."""
    import llvmlite
    import llvmlite.binding as llvm

    return f"{host()} llvmlite-{llvmlite.__version__} llvm-{llvm.llvm_version_info}"


def _target() -> Any:
    """Return a new code generator; an execution engine becomes its owner."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=host().cpu,
        features=host().features,
        opt=_EFFORT,
        reloc="pic",
        codemodel="default",
        jit=True,
    )
