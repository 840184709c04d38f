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
        encoded: values that may be in registers between two gates whose instructions
            :mod:`~neurogame.kernels.codegen.encode` writes; 0: it does not.
    """

    cpu: str
    features: str
    words: int
    ternary: bool
    registers: int
    encoded: int

    @property
    def name(self) -> str:
        """The vector unit, for reports."""
        return {8: "avx512", 4: "avx2", 2: "128-bit"}[self.words]


@lru_cache(maxsize=1)
def host() -> Processor:
    """Return the processor that this process runs on."""
    import llvmlite.binding as llvm

    flags = llvm.get_host_cpu_features()
    # Where functions of a pointer read it from RDI, and object files are ELF.
    known = sys.platform == "linux"
    if flags.get("avx512f", False) and flags.get("avx512vl", False):
        # Some processors are said to prefer narrower vectors for code of mixed kinds; a kernel
        # that does nothing but vector logic does not.
        flags["prefer-256-bit"] = False
        flags["prefer-128-bit"] = False
        return Processor(llvm.get_host_cpu_name(), flags.flatten(), 8, True, 32, 31 if known else 0)
    wide = flags.get("avx2", False)
    return Processor(
        llvm.get_host_cpu_name(),
        flags.flatten(),
        4 if wide else 2,
        False,
        32 if flags.get("neon", False) else 16,
        12 if wide and known else 0,
    )
