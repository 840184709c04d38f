"""Arrays by their numbers and dimensions: annotations from which compiled code knows them."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeAlias, get_args, get_origin

import numpy as np
import numpy.typing as npt

# Of any number of dimensions, for checkers of types alone. One name for each kind of number.
Bools: TypeAlias = npt.NDArray[np.bool_]
UInt8s: TypeAlias = npt.NDArray[np.uint8]
UInt64s: TypeAlias = npt.NDArray[np.uint64]
Int32s: TypeAlias = npt.NDArray[np.int32]
Int64s: TypeAlias = npt.NDArray[np.int64]
AnyInts: TypeAlias = npt.NDArray[np.int32 | np.int64]
Float32s: TypeAlias = npt.NDArray[np.float32]
Float64s: TypeAlias = npt.NDArray[np.float64]

# With their number of dimensions, which compiled code reads.
Bools1: TypeAlias = Annotated[npt.NDArray[np.bool_], 1]
UInt8s1: TypeAlias = Annotated[npt.NDArray[np.uint8], 1]
UInt8s2: TypeAlias = Annotated[npt.NDArray[np.uint8], 2]
UInt64s1: TypeAlias = Annotated[npt.NDArray[np.uint64], 1]
UInt64s2: TypeAlias = Annotated[npt.NDArray[np.uint64], 2]
UInt32s1: TypeAlias = Annotated[npt.NDArray[np.uint32], 1]
Int64s1: TypeAlias = Annotated[npt.NDArray[np.int64], 1]
Int64s2: TypeAlias = Annotated[npt.NDArray[np.int64], 2]
Int32s1: TypeAlias = Annotated[npt.NDArray[np.int32], 1]
Int32s2: TypeAlias = Annotated[npt.NDArray[np.int32], 2]
Int32s3: TypeAlias = Annotated[npt.NDArray[np.int32], 3]
Float32s1: TypeAlias = Annotated[npt.NDArray[np.float32], 1]
Float32s2: TypeAlias = Annotated[npt.NDArray[np.float32], 2]
Float32s3: TypeAlias = Annotated[npt.NDArray[np.float32], 3]
Float64s1: TypeAlias = Annotated[npt.NDArray[np.float64], 1]
Float64s2: TypeAlias = Annotated[npt.NDArray[np.float64], 2]


class ArrayHint(NamedTuple):
    """What an annotation says of an array.

    Attributes:
        dtype: of its numbers.
        ndim: number of dimensions.
        marks: what else it says.
    """

    dtype: np.dtype[Any]
    ndim: int
    marks: tuple[Any, ...]


def array_hint(hint: Any) -> ArrayHint | None:
    """Return what an annotation like those above says, or None if it is that of no array.

    >>> array_hint(Float32s2)
    ArrayHint(dtype=dtype('float32'), ndim=2, marks=())
    """
    if get_origin(hint) is not Annotated:
        return None
    array, ndim, *marks = get_args(hint)
    if get_origin(array) is np.ndarray:
        (number,) = get_args(get_args(array)[1])
    elif get_origin(array) is npt.NDArray:  # from numpy 2.5 on, a name of its own
        (number,) = get_args(array)
    else:
        return None
    # Of records the type of the array does not say which; a mark does.
    dtype = next((mark for mark in marks if isinstance(mark, np.dtype)), None)
    return ArrayHint(np.dtype(number) if dtype is None else dtype, ndim, tuple(marks))
