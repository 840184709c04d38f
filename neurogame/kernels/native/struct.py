"""Structs: named fields in memory that Python and compiled code share.

A struct is declared like a dataclass::

    class Tree(Struct):
        visits: Int32s1        # [N]
        states: UInt64s2       # [N, Fw]
        used: int

Python makes it with all its fields, ``Tree(visits=..., states=..., used=0)``, and hands it to
compiled functions, which take it as a pointer: that is one register, however many arrays there
are, and quick to compile. On both sides a field is read and written by its name, and the type
checker knows it. An array stays the Python object's own; compiled code only sees where it lies.

A field may be a function of structs, which is called by its address: so a search is compiled once,
and without the code of the rules and evaluators that it calls.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar, dataclass_transform

import numpy as np
import numpy.typing as npt

from neurogame.kernels.native.layout import (
    ArrayField,
    EntryField,
    Field,
    NumberField,
    SequenceField,
    StructField,
    lay_out,
    words_of,
)

Built = TypeVar("Built", bound="Struct")


@dataclass_transform(kw_only_default=True, eq_default=False)
class Struct:
    """Base of all structs.

    Attributes:
        address: of its memory; compiled code is handed nothing else.
    """

    def __init__(self, **values: Any) -> None:
        fields = self.layout()
        if set(values) != set(fields):
            raise TypeError(
                f"{type(self).__qualname__}: missing {sorted(set(fields) - set(values))}, "
                f"unknown {sorted(set(values) - set(fields))}"
            )
        words = np.zeros(words_of(fields) + 1, np.int64)
        self.__dict__["_words"] = words
        self.__dict__["address"] = words.ctypes.data
        for name, value in values.items():
            setattr(self, name, value)

    @classmethod
    def layout(cls) -> dict[str, Field]:
        """Return the fields by their names."""
        return _layout(cls)

    @classmethod
    def compiler_type(cls) -> Any:
        """Return the type that compiled code has for it."""
        return _compiler_type(cls)

    @property
    def _numba_type_(self) -> Any:
        return _compiler_type(type(self))

    def __reduce__(self) -> Any:
        """Let copies have memory of their own."""
        return _made, (type(self), {name: getattr(self, name) for name in self.layout()})

    if not TYPE_CHECKING:
        # The type checker is to know the fields, and nothing else.
        def __getattr__(self, name: str) -> Any:
            """Return a number, as compiled code left it; all else is found before."""
            field = _layout(type(self)).get(name)
            if not isinstance(field, NumberField):
                raise AttributeError(f"{type(self).__qualname__} has no field {name!r}")
            words = self.__dict__["_words"]
            real = words.view(np.float64)
            return float(real[field.place]) if field.is_real else int(words[field.place])

    def __setattr__(self, name: str, value: Any) -> None:
        """Write a field."""
        field = _layout(type(self)).get(name)
        words: npt.NDArray[np.int64] = self.__dict__["_words"]
        match field:
            case None:
                raise AttributeError(f"{type(self).__qualname__} has no field {name!r}")
            case NumberField(is_real=True):
                words.view(np.float64)[field.place] = value
                return
            case NumberField():
                words[field.place] = value
                return
            case ArrayField():
                _check_array(f"{type(self).__qualname__}.{name}", field, value)
                kept = [
                    value.ctypes.data,
                    *value.shape,
                    *(value.strides if field.is_strided else ()),
                ]
                words[field.place : field.place + len(kept)] = kept
            case StructField() | EntryField():
                words[field.place] = 0 if value is None else value.address
            case SequenceField():
                addresses = np.array([one.address for one in value], np.int64)
                words[field.place] = addresses.ctypes.data
                value = _Kept(value, addresses)
        self.__dict__[name] = value


def array_of(struct: Struct, name: str) -> npt.NDArray[Any]:
    """Return the array in a field as compiled code left it, which may have put another one there.

    Args:
        struct: whose field it is.
        name: of the field; its rows follow each other.
    """
    field = struct.layout()[name]
    assert isinstance(field, ArrayField)
    assert not field.is_strided
    address, *shape = struct.__dict__["_words"][field.place : field.place + 1 + field.ndim].tolist()
    size = field.dtype.itemsize * math.prod(shape)
    memory = (ctypes.c_char * size).from_address(address) if size > 0 else b""
    return np.frombuffer(memory, field.dtype).reshape(shape)


def _made(struct: type[Built], fields: dict[str, Any]) -> Built:
    return struct(**fields)


def replaced(struct: Built, **changes: Any) -> Built:
    """Return a copy of a struct with other fields; all else is the same, arrays too."""
    return type(struct)(**{name: getattr(struct, name) for name in struct.layout()} | changes)


class _Kept(tuple[Struct, ...]):
    """Structs, with the array of their addresses, which must live as long."""

    def __new__(cls, structs: Sequence[Struct], addresses: npt.NDArray[np.int64]) -> Self:
        found = super().__new__(cls, structs)
        found.addresses = addresses
        return found

    addresses: npt.NDArray[np.int64]


_LAYOUTS: dict[type, dict[str, Field]] = {}
_TYPES: dict[type, Any] = {}


def _layout(struct: type[Struct]) -> dict[str, Field]:
    if struct not in _LAYOUTS:
        _LAYOUTS[struct] = lay_out(
            struct, lambda hint: isinstance(hint, type) and issubclass(hint, Struct)
        )
    return _LAYOUTS[struct]


def _compiler_type(struct: type[Struct]) -> Any:
    if struct not in _TYPES:
        from neurogame.kernels.native.struct_type import StructType

        _TYPES[struct] = StructType(struct)
    return _TYPES[struct]


def _check_array(name: str, field: ArrayField, array: npt.NDArray[Any]) -> None:
    """Refuse an array that compiled code would misread."""
    fits = array.dtype == field.dtype and array.ndim == field.ndim
    if not fits or not (field.is_strided or array.flags.c_contiguous):
        raise TypeError(
            f"{name}: an array of {field.dtype} with {field.ndim} dimensions, row by row, is "
            f"needed; this one is {array.dtype} {list(array.shape)} with strides {array.strides}"
        )
