"""What the processor at hand can do."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import final


@final
@dataclass(frozen=True)
class Processor:
    """A processor as LLVM knows it.

    Attributes:
        cpu: LLVM's name of the processor.
        features: LLVM's feature flags, as one string.
        words: 64-bit words of a vector register: 8 with AVX-512, 4 with AVX2, 2 otherwise
            (SSE2, NEON).
        ternary: whether there is an instruction for any function of three inputs, for vectors of
            2, 4 and 8 words.
        registers: vector registers.
        encoded: whether :mod:`~neurogame.kernels.codegen.encode` writes its instructions.
    """

    cpu: str
    features: str
    words: int
    ternary: bool
    registers: int
    encoded: bool

    @property
    def name(self) -> str:
        """The vector unit, for reports."""
        return {8: "avx512", 4: "avx2", 2: "128-bit"}[self.words]


@lru_cache(maxsize=1)
def host() -> Processor:
    """Return the processor that this process runs on."""
    import llvmlite.binding as llvm

    flags = llvm.get_host_cpu_features()
    if flags.get("avx512f", False) and flags.get("avx512vl", False):
        # Some processors are said to prefer narrower vectors for code of mixed kinds; a kernel
        # that does nothing but vector logic does not.
        flags["prefer-256-bit"] = False
        flags["prefer-128-bit"] = False
        # Where functions of a pointer read it from RDI, and object files are ELF.
        encoded = sys.platform == "linux"
        return Processor(llvm.get_host_cpu_name(), flags.flatten(), 8, True, 32, encoded)
    wide = flags.get("avx2", False)
    arm = flags.get("neon", False)
    return Processor(
        llvm.get_host_cpu_name(), flags.flatten(), 4 if wide else 2, False, 32 if arm else 16, False
    )
