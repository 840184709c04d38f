"""What a vector instruction costs on this processor, measured by small loops.

The clock is told by a chain of dependent additions, which take a cycle each; everything else is
counted in cycles of that clock. The other loops have independent instructions only, so they
measure how many are done side by side.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import final

from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.engine import compile_text, load_object
from neurogame.kernels.codegen.host import host
from neurogame.kernels.codegen.text import Text
from neurogame.kernels.netlist.netlist import SELECT

_CHAINS = 12
_UNROLLED = 8
_ITERATIONS = 20_000
_RUNS = 15


@final
@dataclass(frozen=True)
class UnitCosts:
    """Cycles per instruction, for values in the first-level cache.

    Attributes:
        clock: cycles per second.
        gate: cycles per gate of three inputs on a vector.
        load: cycles per load of a vector.
        store: cycles per store of a vector.
    """

    clock: float
    gate: float
    load: float
    store: float

    def bound(self, gates: int, loads: int, stores: int) -> float:
        """Return the cycles that instructions take at least: as many as on the busiest unit."""
        return max(gates * self.gate, loads * self.load, stores * self.store)


@lru_cache(maxsize=1)
def unit_costs() -> UnitCosts:
    """Measure this processor; takes a fraction of a second."""
    clock = 1 / _seconds(_additions)
    return UnitCosts(
        clock=clock,
        gate=clock * _seconds(_gates),
        load=clock * _seconds(_loads),
        store=clock * _seconds(_stores),
    )


def _seconds(write: Callable[[Text], int]) -> float:
    """Return the seconds of one instruction of a loop.

    Args:
        write: writes the loop's body on the memory ``%cells``; returns its instructions.
    """
    machine = host()
    text = Text(machine.words, ternary=machine.ternary)
    text.begin("entry")
    with text.count(0, _ITERATIONS):
        instructions = write(text)
    text.do("ret void")
    code = load_object(compile_text(text.module("void @run(ptr %cells)")))
    run = code.function("run")
    cells = aligned(machine.words * (_CHAINS + 2))
    times = []
    for _ in range(_RUNS):
        start = time.perf_counter()
        run(cells.ctypes.data)
        times.append(time.perf_counter() - start)
    # A run is far shorter than a slice of time: what was not disturbed is the fastest third.
    fastest = statistics.median(sorted(times)[: _RUNS // 3])
    return fastest / (_ITERATIONS * instructions)


def _additions(text: Text) -> int:
    """Write a chain in which every operation needs the one before."""
    first, other = (text.load_integer(text.at("%cells", place)) for place in (0, 8))
    length = 32 * _CHAINS
    value = first
    for _ in range(length // 2):
        value = text.integer("xor", text.integer("add", value, other), other)
    text.store_integer(value, "%cells")
    return length


def _gates(text: Text) -> int:
    """Write chains of gates side by side."""
    a, b = (text.load(text.at("%cells", (_CHAINS + n) * text.bytes)) for n in (0, 1))
    values = [text.load(text.at("%cells", n * text.bytes)) for n in range(_CHAINS)]
    for _ in range(4 * _UNROLLED):
        values = [text.gate(SELECT, a, value, b) for value in values]
        a, b = b, a
    for n, value in enumerate(values):
        text.store(value, text.at("%cells", n * text.bytes))
    return 4 * _UNROLLED * _CHAINS


def _loads(text: Text) -> int:
    """Write loads whose values nobody uses; *volatile* keeps the compiler from leaving them out."""
    for _ in range(_UNROLLED):
        for n in range(_CHAINS):
            at = text.at("%cells", n * text.bytes)
            text.let(f"load volatile {text.vector}, ptr {at}, align {text.bytes}")
    return _UNROLLED * _CHAINS


def _stores(text: Text) -> int:
    """Write stores of one value."""
    value = text.load("%cells")
    for _ in range(_UNROLLED):
        for n in range(_CHAINS):
            at = text.at("%cells", n * text.bytes)
            text.do(f"store volatile {text.vector} {value}, ptr {at}, align {text.bytes}")
    return _UNROLLED * _CHAINS
