"""The driver of an NVIDIA GPU: loading code and launching threads.

Plain calls of the library that torch has loaded, in torch's context and on its stream, so that
tensors are what threads read and write, and operations of torch wait for them.

*Reference:* NVIDIA, "CUDA Driver API", modules and execution control.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, final

import numpy as np
import torch

from neurogame.array_types import Int64s
from neurogame.errors import LimitError
from neurogame.kernels.codegen.threads import ThreadText
from neurogame.kernels.cuda.capability import target_for
from neurogame.kernels.cuda.code import load_ptx

BLOCK_THREADS = 64
"""Threads per block: few, so that few lanes already occupy many of the GPU's processors."""

Assembler: TypeAlias = Callable[[ThreadText], bytes]
"""What makes of a thread's code the image that the driver loads."""

_ERROR_LOG, _ERROR_LOG_BYTES = 5, 6
_REGISTERS, _LOCAL_BYTES = 4, 3
_LOG_BYTES = 8192


@final
class CudaDriver:
    """One GPU.

    Attributes:
        device: where the tensors live that threads read and write.
    """

    def __init__(self, device: torch.device, library: Any, assemble: Assembler) -> None:
        """Take a GPU.

        Args:
            device: the GPU, as torch names it.
            library: the driver's functions.
            assemble: makes the GPU's code.
        """
        self.device = device
        self._library = library
        self._assemble = assemble
        self._call("cuInit", ctypes.c_uint(0))
        number, self._context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuDeviceGet", ctypes.byref(number), ctypes.c_int(device.index or 0))
        # The context that torch works in.
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), number)

    def load(self, text: ThreadText) -> ctypes.c_void_p:
        """Return the function ``play`` of a thread's code, loaded until the process ends.

        Raises:
            LimitError: the driver refuses the code, or something else went wrong in it.
        """
        image = self._assemble(text)
        log = ctypes.create_string_buffer(_LOG_BYTES)
        names = (ctypes.c_int * 2)(_ERROR_LOG, _ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), _LOG_BYTES)
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        with self._current():
            self._call(
                "cuModuleLoadDataEx",
                ctypes.byref(module),
                ctypes.c_char_p(image),
                ctypes.c_uint(len(names)),
                names,
                values,
                log=log,
            )
            self._call("cuModuleGetFunction", ctypes.byref(function), module, b"play")
        return function

    def usage(self, function: ctypes.c_void_p) -> tuple[int, int]:
        """Return the 32-bit registers of a thread, and the bytes of memory that it has besides."""
        counts = []
        for attribute in (_REGISTERS, _LOCAL_BYTES):
            value = ctypes.c_int()
            with self._current():
                self._call("cuFuncGetAttribute", ctypes.byref(value), attribute, function)
            counts.append(value.value)
        return counts[0], counts[1]

    def launch(self, function: ctypes.c_void_p, threads: int, arguments: Int64s) -> None:
        """Let threads run a function; it returns before they have finished.

        Args:
            function: loaded.
            threads: at least so many, in whole blocks of :data:`BLOCK_THREADS`.
            arguments: the table of arguments, which each thread gets by value; int64.

        Raises:
            LimitError: the driver does not do it.
        """
        table = np.ascontiguousarray(arguments, np.int64)
        parameters = (ctypes.c_void_p * 1)(table.ctypes.data)
        blocks = -(-threads // BLOCK_THREADS)
        with self._current():
            self._call(
                "cuLaunchKernel",
                function,
                *map(ctypes.c_uint, (blocks, 1, 1, BLOCK_THREADS, 1, 1, 0)),
                ctypes.c_void_p(self._stream()),
                parameters,
                None,
            )

    def _stream(self) -> int:
        """Return the stream on which torch's operations run now."""
        if self.device.type != "cuda":
            return 0
        return int(torch.cuda.current_stream(self.device).cuda_stream)

    @contextmanager
    def _current(self) -> Iterator[None]:
        """Make the GPU's context that of this thread of the process."""
        self._call("cuCtxPushCurrent_v2", self._context)
        try:
            yield
        finally:
            self._call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def _call(self, name: str, *arguments: Any, log: Any = None) -> None:
        """Call a function of the driver.

        Raises:
            LimitError: it fails.
        """
        status = getattr(self._library, name)(*arguments)
        if status == 0:
            return
        said = ctypes.c_char_p()
        self._library.cuGetErrorString(status, ctypes.byref(said))
        more = log.value.decode(errors="replace").strip() if log is not None else ""
        what = (said.value or b"unknown").decode() + (f": {more}" if more else "")
        raise LimitError(
            f"{name} of the GPU's driver failed on {self.device} with error {status} "
            f"({what}); backend 'torch' plays on this device too, 'llvm' on cpu"
        )


def open_driver(device: str | torch.device) -> CudaDriver:
    """Return the driver of a GPU that can play, with code for its compute capability.

    Args:
        device: the GPU; it can play, see :mod:`~neurogame.kernels.cuda.capability`.
    """
    # With its number, as tensors name it.
    device = torch.empty(0, device=device).device
    target = target_for(*torch.cuda.get_device_capability(device))
    library = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    return CudaDriver(device, library, lambda text: load_ptx(text, target).encode() + b"\0")
