"""numba as code that is checked may use it: it says that it is typed, and much of it is not."""

from __future__ import annotations

from typing import Any

import numba as _numba
import numba.extending as _extending
from numba import types as _types
from numba.core import cgutils as _cgutils
from numba.core.typing.templates import AttributeTemplate as _AttributeTemplate

numba: Any = _numba
extending: Any = _extending
types: Any = _types
cgutils: Any = _cgutils
AttributeTemplate: Any = _AttributeTemplate
