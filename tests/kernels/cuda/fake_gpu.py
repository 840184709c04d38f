"""A GPU without one: the driver's functions, whose threads run on this processor."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import llvmlite.binding as llvm
import numpy as np
import torch

from neurogame.array_types import Int64s
from neurogame.kernels.codegen import engine
from neurogame.kernels.codegen.frame import ARGUMENTS, Argument
from neurogame.kernels.codegen.ptx import optimise
from neurogame.kernels.codegen.threads import ThreadText, _module
from neurogame.kernels.cuda.code import load_ptx
from neurogame.kernels.cuda.driver import CudaDriver
from tests.kernels.cuda.ptx_machine import PtxMachine

Runner: TypeAlias = Callable[[bytes, int, int, int], None]
"""Runs one thread, given the bytes of its arguments, its number in its block, the threads of a
block, and the block."""

CONTEXT = 4096


def cpu_module(text: ThreadText) -> str:
    """Return the module for a processor: the thread's number is the argument ``BLOCK``."""
    thread = f"""
  %at = getelementptr i8, ptr %arguments, i64 {8 * Argument.BLOCK}
  %number = load i64, ptr %at, align 8"""
    head = "void @play(ptr noalias %arguments)"
    near = "%near = addrspacecast ptr %memory to ptr addrspace(5)"
    return _module(text, head, thread, near)


def compiled(text: ThreadText) -> Runner:
    """Compile a thread's code for this processor, after the optimiser that a GPU's goes to."""
    code = engine.load_object(_machine_code(cpu_module(text)))

    def run(arguments: bytes, thread: int, threads: int, block: int) -> None:
        own = np.frombuffer(arguments, np.int64).copy()
        own[Argument.BLOCK] = block * threads + thread
        # Machine code lives as long as its engine.
        code.function("play")(own.ctypes.data)

    return run


@lru_cache(maxsize=16)
def _machine_code(module: str) -> bytes:
    with engine._LOCK:
        machine = engine._target()
        parsed = llvm.parse_assembly(module)
        optimise(parsed, machine)
        return bytes(machine.emit_object(parsed))


def interpreted(ptx: str) -> Runner:
    """Read the code that a GPU gets, and run it word by word."""
    machine = PtxMachine(ptx)

    def run(arguments: bytes, thread: int, threads: int, block: int) -> None:
        machine.run("play", arguments, (thread, threads, block))

    return run


class FakeCuda:
    """The functions of ``libcuda`` that are called, for a GPU whose memory is the process's.

    Attributes:
        launches: blocks, threads per block and arguments of every launch.
        depth: contexts that are current.
        fail: function -> error that it returns from now on.
    """

    def __init__(self) -> None:
        """Begin without code."""
        self.launches: list[tuple[int, int, Int64s]] = []
        self.depth = 0
        self.fail: dict[str, int] = {}
        self.images: list[Runner] = []

    def __getattr__(self, name: str) -> Callable[..., int]:
        """Return a function of the library: one that fails, or that of the method."""
        method: Callable[..., int] = getattr(type(self), f"_{name}")
        return lambda *given: self.fail.get(name) or method(self, *given)

    def _cuInit(self, flags: Any) -> int:  # noqa: N802
        assert flags.value == 0
        return 0

    def _cuDeviceGet(self, device: Any, ordinal: Any) -> int:  # noqa: N802
        device._obj.value = 7 + ordinal.value
        return 0

    def _cuDevicePrimaryCtxRetain(self, context: Any, device: Any) -> int:  # noqa: N802
        assert device.value == 7
        context._obj.value = CONTEXT
        return 0

    def _cuCtxPushCurrent_v2(self, context: Any) -> int:  # noqa: N802
        assert context.value == CONTEXT
        self.depth += 1
        return 0

    def _cuCtxPopCurrent_v2(self, context: Any) -> int:  # noqa: N802
        context._obj.value = CONTEXT
        self.depth -= 1
        return 0

    def _cuModuleLoadDataEx(  # noqa: N802
        self, module: Any, image: Any, count: Any, names: Any, values: Any
    ) -> int:
        assert self.depth == 1
        assert (count.value, list(names)) == (2, [5, 6])
        if image.value == b"nonsense":
            message = b"ptxas fatal: what is this?"
            assert len(message) < values[1]
            ctypes.memmove(values[0], message, len(message))
            return 218
        if image.value.startswith(b"//"):
            self.images.append(interpreted(image.value.decode()))
        module._obj.value = len(self.images)
        return 0

    def _cuModuleGetFunction(self, function: Any, module: Any, name: bytes) -> int:  # noqa: N802
        assert name == b"play"
        assert self.depth == 1
        function._obj.value = module.value
        return 0

    def _cuFuncGetAttribute(self, value: Any, attribute: int, function: Any) -> int:  # noqa: N802
        value._obj.value = {4: 96, 3: 16}[attribute]
        return 0

    def _cuLaunchKernel(self, function: Any, *rest: Any) -> int:  # noqa: N802
        """Run every thread of every block, in no particular order."""
        blocks, y, z, threads, *others = (value.value for value in rest[:7])
        stream, parameters, extra = rest[7:]
        assert (y, z, *others, stream.value, extra) == (1, 1, 1, 1, 0, None, None)
        assert self.depth == 1
        arguments = ctypes.string_at(parameters[0], 8 * ARGUMENTS)
        self.launches.append((blocks, threads, np.frombuffer(arguments, np.int64)))
        run = self.images[function.value - 1]
        for number in np.random.default_rng(0).permutation(blocks * threads).tolist():
            run(arguments, number % threads, threads, number // threads)
        return 0

    def _cuGetErrorString(self, status: int, text: Any) -> int:  # noqa: N802
        text._obj.value = {2: b"out of memory", 218: b"PTX JIT compilation failed"}[status]
        return 0


def fake_driver(*, ptx: bool = False) -> tuple[CudaDriver, FakeCuda]:
    """Return the driver of a GPU that is this processor, and what its library has been asked.

    Args:
        ptx: whether it is given what a GPU of compute capability 9.0 gets; else the same compiled
            for this processor, which is faster.
    """
    library = FakeCuda()

    def assemble(text: ThreadText) -> bytes:
        if ptx:
            return load_ptx(text, "sm_90").encode() + b"\0"
        library.images.append(compiled(text))
        return b"compiled"

    return CudaDriver(torch.device("cpu"), library, assemble), library
