"""Structs: named fields in memory that Python and compiled code share.

A struct is declared like a dataclass::

    class Tree(Struct):
        visits: Int32s1        # [N]
        states: UInt64s2       # [N, Fw]
        used: int = 0

Python makes it, ``Tree(visits=..., states=...)``, with all fields but numbers whose class says 0,
and hands it to compiled functions, which take it as a pointer: that is one register, however many
arrays there are, and quick to compile. On both sides a field is read and written by its name, and
the type checker knows it. An array stays the Python object's own; compiled code only sees where it
lies.

A field may be a function of structs, which is called by its address: so a search is compiled once,
and without the code of the rules and evaluators that it calls.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar, dataclass_transform

import numpy as np
import numpy.typing as npt

from neurogame.array_types import Int32s, Int64s
from neurogame.native.layout import (
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
        values = {**_DEFAULTS[type(self)], **values}
        missing, unknown = set(fields) - set(values), set(values) - set(fields)
        if missing or unknown:
            raise TypeError(
                f"{type(self).__qualname__}: missing {sorted(missing)}, unknown {sorted(unknown)}"
            )
        words = np.zeros(words_of(fields) + 1, np.int64)
        attributes = self.__dict__
        attributes["address"] = words.ctypes.data
        # One at a time, they are read and written in a third of an array's time.
        attributes["_words"], attributes["_reals"] = words.data, words.view(np.float64).data
        for name, value in values.items():
            setattr(self, name, value)

    @classmethod
    def over(cls, words: Int32s, place: int) -> Self:
        """Return, for Python, the struct that begins at a place of an array.

        Args:
            words: where it is.
            place: of the first of its fields, which have 32 bits.
        """
        cls.layout()
        struct, numbers = cls.__new__(cls), words[place:]
        struct.__dict__["_words"] = numbers.data
        struct.__dict__["_reals"] = numbers.view(np.float32).data
        return struct

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

    def __setattr__(self, name: str, value: Any) -> None:
        """Write a field."""
        attributes = self.__dict__
        words, field = attributes["_words"], _layout(type(self)).get(name)
        # The searches of a match write some dozens of numbers for each move.
        if isinstance(field, NumberField):
            (attributes["_reals"] if field.is_real else words)[field.place] = value
            return
        match field:
            case ArrayField():
                if not field.takes(value):
                    raise TypeError(f"{type(self).__qualname__}.{name}: {field.refusal(value)}")
                place = field.place
                words[place] = value.ctypes.data
                for length in value.shape:
                    place += 1
                    words[place] = length
                for stride in value.strides if field.is_strided else ():
                    place += 1
                    words[place] = stride
            case StructField() | EntryField():
                words[field.place] = 0 if value is None else value.address
            case SequenceField():
                addresses = np.array([one.address for one in value], np.int64)
                words[field.place] = addresses.ctypes.data
                value = _Kept(value, addresses)
            case None:
                raise AttributeError(f"{type(self).__qualname__} has no field {name!r}")
        attributes[name] = value


def whole_numbers(struct: Struct) -> dict[str, int]:
    """Return all fields of a struct that has nothing but whole numbers, by their names."""
    words = struct.__dict__["_words"]
    return {name: words[field.place] for name, field in struct.layout().items()}


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


class _Kept(tuple[Struct, ...]):
    """Structs, with the array of their addresses, which must live as long."""

    def __new__(cls, structs: Sequence[Struct], addresses: Int64s) -> Self:
        sequence = super().__new__(cls, structs)
        sequence.addresses = addresses
        return sequence

    addresses: Int64s


_LAYOUTS: dict[type, dict[str, Field]] = {}
_DEFAULTS: dict[type, dict[str, float]] = {}
"""The numbers of each class that need not be given."""
_TYPES: dict[type, Any] = {}


def _layout(struct: type[Struct]) -> dict[str, Field]:
    if struct not in _LAYOUTS:
        fields = lay_out(struct, lambda hint: isinstance(hint, type) and issubclass(hint, Struct))
        _DEFAULTS[struct] = {name: vars(struct)[name] for name in fields if name in vars(struct)}
        for name, field in fields.items():
            if isinstance(field, NumberField):
                # Compiled code may have written it. All else Python finds where it has put it.
                setattr(struct, name, property(_reader(field)))
        _LAYOUTS[struct] = fields
    return _LAYOUTS[struct]


def _reader(field: NumberField) -> Callable[[Struct], int | float]:
    """Return what reads a number."""
    view, place = "_reals" if field.is_real else "_words", field.place

    def read(struct: Struct) -> int | float:
        number: int | float = struct.__dict__[view][place]
        return number

    return read


def _compiler_type(struct: type[Struct]) -> Any:
    if struct not in _TYPES:
        from neurogame.native.struct_type import StructType

        _TYPES[struct] = StructType(struct)
    return _TYPES[struct]
