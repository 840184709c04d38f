"""Arrays by their numbers and dimensions: annotations from which compiled code knows them."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt

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
Float64s3: TypeAlias = Annotated[npt.NDArray[np.float64], 3]
