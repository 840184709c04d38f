"""Compiling a few instructions into a function on vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from neurogame.array_types import Int64s
from neurogame.kernels.codegen import engine, kernel, shape
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.host import Processor, host
from neurogame.kernels.codegen.text import Text, declarations


def run_vectors(
    words: int, rows: Int64s, results: int, write: Callable[[Text, list[str]], list[str]]
) -> Int64s:
    """Compile instructions for vectors of ``words`` words, and run them on rows.

    Args:
        words: words per vector; with as many as the processor's, its own instructions are used.
        rows: the inputs; int64 ``[N, words]``.
        results: number of vectors that are computed.
        write: is given the inputs' names, and returns those of the results.

    Returns:
        int64 ``[results, words]``.
    """
    ternary = host().ternary and words > 1
    text = Text(words, ternary=ternary)
    text.begin("entry")
    names = [text.load(text.at("%rows", n * text.bytes)) for n in range(len(rows))]
    for number, value in enumerate(write(text, names)):
        text.store(value, text.at("%rows", (len(rows) + number) * text.bytes))
    text.do("ret void")
    body = "\n".join(text.lines)
    module = f"{declarations(words, ternary=ternary)}\ndefine void @run(ptr %rows) {{\n{body}\n}}"
    memory = aligned((len(rows) + results) * words).reshape(-1, words)
    memory[: len(rows)] = rows
    code = engine.load_object(engine.compile_text(module))
    code.function("run")(memory.ctypes.data)
    return memory[len(rows) :].copy()


def pretend(monkeypatch: pytest.MonkeyPatch, words: int, encoded: int = 0) -> None:
    """Compile as if the processor had vectors of so many words, and no three-input gates.

    Args:
        monkeypatch: undoes it.
        words: of a vector.
        encoded: see :class:`Processor`.
    """
    import llvmlite.binding as llvm

    flags = llvm.get_host_cpu_features()
    wide = ("avx512", "avx10") if words == 4 else ("avx", "fma", "f16c", "xop", "vaes", "vpclmul")
    for name in flags:
        if name.startswith(wide):
            flags[name] = False
    other = Processor(host().cpu, flags.flatten(), words, False, 16, encoded)
    for module in (engine, kernel, shape):
        monkeypatch.setattr(module, "host", lambda: other)
    kernel.load_routine.cache_clear()


def random_rows(count: int, words: int, seed: int) -> Int64s:
    """Return random words; int64 ``[count, words]``."""
    drawn = np.random.default_rng(seed).integers(-(1 << 63), 1 << 63, (count, words), np.int64)
    return np.asarray(drawn, np.int64)
