"""Machine code that comes with the package, for families of processors.

Who builds a wheel makes it (``neurogame precompile --cpu FAMILY``); nothing is written there later.
"""

from __future__ import annotations

import os
from pathlib import Path

_LEVEL_3 = (
    "+cx16,+sahf,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2,"
    "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+xsave"
)
FAMILIES = {
    "x86-64-v4": f"{_LEVEL_3},+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl,-prefer-256-bit",
    "x86-64-v3": _LEVEL_3,
}
"""Families, the best first, and what their processors have, in LLVM's names.

What is behind a minus is a preference: LLVM would use half of the registers of level 4.

*Reference:* H. J. Lu and others, System V ABI, AMD64 supplement, table 3.1.
"""

FOLDER = Path(__file__).parent / "machine_code"
"""Holds a folder for each family, and in it one for each package, such as ``neurogame.kernels``."""

VARIABLE = "NEUROGAME_SHIPPED_CODE"
"""Environment variable: 0 leaves all of it aside."""


def families(features: str) -> list[str]:
    """Return the families that a processor belongs to, the best first; none if the variable is 0.

    Args:
        features: what it has, in LLVM's names, each with a sign before it and commas between them.
    """
    if os.environ.get(VARIABLE) == "0":
        return []
    had = {*features.split(",")}
    return [name for name, needed in FAMILIES.items() if {*needed.split(",-")[0].split(",")} <= had]
