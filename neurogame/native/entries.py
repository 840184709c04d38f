"""Functions of structs that are called by their address, by compiled code and by Python.

Such a function is an *entry*. Who calls it is compiled without it, once for all games.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, Generic, ParamSpec, TypeVar, final

from neurogame.compiling import declared_types
from neurogame.native.compiled import compile_entry
from neurogame.native.struct import Struct

Given = ParamSpec("Given")
Taken = TypeVar("Taken", bound=Struct)


@final
class Entry(Generic[Given]):
    """A function in machine code; a field of a struct may hold it.

    Attributes:
        address: of the code.
    """

    def __init__(self, address: int, parameters: int, kept: object) -> None:
        """Make one.

        Args:
            address: of the code.
            parameters: number of structs that it takes.
            kept: what must live as long.
        """
        self.address, self._kept = address, kept
        self._call = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * parameters)(address)

    def __call__(self, *structs: Given.args, **_: Given.kwargs) -> None:
        """Call it without Python's lock."""
        self._call(*[struct.address for struct in structs])  # type: ignore[attr-defined]


@cache
def entry(function: Callable[Given, None], *, arrays: bool = False) -> Entry[Given]:
    """Return a function compiled for callers of any kind.

    It is compiled at the first call of this function, and stays in memory.

    Args:
        function: takes structs, as its annotations say, and returns nothing.
        arrays: whether it makes arrays, and not only views.
    """
    types = declared_types(function)
    cfunc = compile_entry(function, types, arrays=arrays)
    return Entry(int(cfunc.address), len(types), cfunc)


def callback(function: Callable[[], None]) -> Entry[[Any]]:
    """Return a function of Python for compiled code that will call it with a struct.

    Args:
        function: it raises nothing, as compiled code could not pass it on; it knows the struct.
    """
    called = ctypes.CFUNCTYPE(None, ctypes.c_int64)(lambda _: function())
    address = ctypes.cast(called, ctypes.c_void_p).value
    assert address is not None
    return Entry(address, 1, called)


NOTHING = callback(lambda: None)
"""What a struct holds in place of a function where there is none and nobody calls it."""
