"""Where the fields of a struct stand in its memory, read off the annotations of its class."""

from __future__ import annotations

import collections.abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, final, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from neurogame.array_types import array_hint

STRIDED = "strided"
"""Mark of arrays whose rows need not follow each other."""
NARROW = "32 bits"
"""Mark of numbers of 32 bits."""

Int32: TypeAlias = Annotated[int, NARROW]
"""A whole number of 32 bits in memory; compiled code computes with 64."""
Float32: TypeAlias = Annotated[float, NARROW]
"""A single-precision number."""


@final
@dataclass(frozen=True, kw_only=True)
class NumberField:
    """A number.

    Attributes:
        place: in words of its size from the begin of the struct.
        is_real: whether it is a floating-point number.
        is_narrow: whether it has 32 bits, not 64.
    """

    place: int
    is_real: bool
    is_narrow: bool


@final
@dataclass(frozen=True, kw_only=True)
class ArrayField:
    """An array: its address, its shape and, if it is strided, its strides in bytes.

    Attributes:
        place: of the first of these words.
        dtype: of its numbers.
        ndim: number of dimensions.
        is_strided: whether rows may lie apart; otherwise they follow each other.
    """

    place: int
    dtype: np.dtype[Any]
    ndim: int
    is_strided: bool

    def takes(self, array: npt.NDArray[Any]) -> bool:
        """Return whether compiled code reads an array as it is meant."""
        fits = array.dtype == self.dtype and array.ndim == self.ndim
        return fits and (self.is_strided or array.flags.c_contiguous)

    def refusal(self, array: npt.NDArray[Any]) -> str:
        """Say why an array is not taken."""
        return (
            f"an array of {self.dtype} with {self.ndim} dimensions, row by row, is needed; this "
            f"one is {array.dtype} {list(array.shape)} with strides {array.strides}"
        )


@final
@dataclass(frozen=True, kw_only=True)
class StructField:
    """Another struct: its address.

    Attributes:
        place: of the word.
        struct: its class.
    """

    place: int
    struct: Any


@final
@dataclass(frozen=True, kw_only=True)
class EntryField:
    """A function that takes structs and returns nothing: its address.

    Attributes:
        place: of the word.
        parameters: classes of the structs.
    """

    place: int
    parameters: tuple[Any, ...]


@final
@dataclass(frozen=True, kw_only=True)
class SequenceField:
    """Several structs of one class: the address of their addresses.

    Attributes:
        place: of the word.
        struct: their class.
    """

    place: int
    struct: Any


Field: TypeAlias = NumberField | ArrayField | StructField | SequenceField | EntryField


def lay_out(struct: type, is_struct: Callable[[object], bool]) -> dict[str, Field]:
    """Return the fields of a class in the order of their annotations.

    Numbers of 32 bits are allowed where all fields are such: then the struct lies in other memory.

    Args:
        struct: the class.
        is_struct: says of an annotation whether it is a class of structs.

    Raises:
        TypeError: an annotation means none of the fields above.
    """
    fields: dict[str, Field] = {}
    place = 0
    for name, hint in get_type_hints(struct, include_extras=True).items():
        if name.startswith("_"):
            continue
        fields[name], size = _field(f"{struct.__qualname__}.{name}", hint, place, is_struct)
        place += size
    narrow = [isinstance(one, NumberField) and one.is_narrow for one in fields.values()]
    if any(narrow) and not all(narrow):
        raise TypeError(f"{struct.__qualname__}: all fields have 32 bits, or none has")
    return fields


def words_of(fields: dict[str, Field]) -> int:
    """Return the number of words that fields take."""
    return sum(_size(field) for field in fields.values())


def _size(field: Field) -> int:
    if isinstance(field, ArrayField):
        return 1 + field.ndim * (2 if field.is_strided else 1)
    return 1


def _field(
    name: str, hint: Any, place: int, is_struct: Callable[[object], bool]
) -> tuple[Field, int]:
    """Return a field and the number of its words."""
    array = array_hint(hint)
    marks: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        marks = tuple(rest)
    field: Field
    if hint in (int, float):
        field = NumberField(place=place, is_real=hint is float, is_narrow=NARROW in marks)
    elif array is not None:
        strided = any(mark is STRIDED for mark in array.marks)
        field = ArrayField(place=place, dtype=array.dtype, ndim=array.ndim, is_strided=strided)
    elif is_struct(hint):
        field = StructField(place=place, struct=hint)
    elif get_origin(hint) is collections.abc.Sequence and is_struct(get_args(hint)[0]):
        field = SequenceField(place=place, struct=get_args(hint)[0])
    elif get_origin(hint) is collections.abc.Callable:
        parameters, _ = get_args(hint)
        field = EntryField(place=place, parameters=tuple(parameters))
    else:
        raise TypeError(
            f"{name}: {hint} is no field of a struct; fields are int, float, arrays with their "
            "dimensions as in native/layout.py, structs, sequences of structs, and functions of "
            "structs"
        )
    return field, _size(field)
