"""Compiled code knows arrays by their annotations, whichever way numpy writes them."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import numpy as np
import numpy.typing as npt
import pytest
from typing_extensions import TypeAliasType

from neurogame.array_types import ArrayHint, Float32s2, array_hint

Number = TypeVar("Number", bound=np.generic)
EXPECTED = ArrayHint(np.dtype(np.float32), 2, ())


def test_an_annotation_gives_numbers_and_dimensions() -> None:
    """Whatever numpy is installed."""
    assert array_hint(Float32s2) == EXPECTED
    assert array_hint(int) is None
    assert array_hint(Annotated[int, np.int32]) is None


def test_arrays_may_be_an_alias_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """As from numpy 2.5 on: the origin of such an annotation is the alias, not the array."""
    numbers: Any = (Number,)
    alias: Any = TypeAliasType("NDArray", np.ndarray[Any, np.dtype[Number]], type_params=numbers)
    monkeypatch.setattr(npt, "NDArray", alias)
    assert array_hint(Annotated[alias[np.float32], 2]) == EXPECTED
