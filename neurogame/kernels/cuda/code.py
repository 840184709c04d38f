"""What a thread of a GPU runs to play one game, and what must be known of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError
from neurogame.files import Arrays
from neurogame.kernels.codegen.engine import versions
from neurogame.kernels.codegen.ptx import compile_ptx
from neurogame.kernels.codegen.store import kept
from neurogame.kernels.codegen.straight import StraightCode, loop_rows
from neurogame.kernels.codegen.threads import ThreadText, gpu_module, write_threads
from neurogame.kernels.netlist.build import build_play
from neurogame.kernels.netlist.facts import facts_of

MOST_GATES = 100_000
"""Larger circuits are refused: there is no code that interprets tables on GPUs."""

_CELLS = 400
"""Cells up to which the optimiser may make registers of all of them: NVIDIA's assembler, which
then decides what goes to memory, takes fewer accesses than the schedule."""

_REGISTERS = 210
"""Otherwise, half words that the gates of a thread may have in registers: it has 255 of 32 bits,
and the loop and what is on its way take the others."""

_PIECE = 5000
"""Most gates of a piece of code: more than for a processor, since between pieces all values are in
memory."""


@final
@dataclass(frozen=True, eq=False)
class ThreadCode:
    """The playouts of a game as the code of one thread, which plays half a word of lanes.

    Attributes:
        text: the code.
        gates: gates per ply, those of the goals included.
        accesses: loads and stores of half words per ply, if nothing stayed in registers between
            parts.
        goal_index: which of the counted goal rows each goal is; int64 ``[V]``.
        goal_rows: number of counted goal rows.
    """

    text: ThreadText
    gates: int
    accesses: tuple[int, int]
    goal_index: Int64s
    goal_rows: int


def load_thread_code(circuit: Circuit, age_bits: int) -> ThreadCode:
    """Return the code of a game, from the cache if it has been made before.

    Args:
        circuit: the game.
        age_bits: see :func:`~neurogame.kernels.codegen.driver.write_module`.

    Raises:
        ConfigurationError: the game is too large.
    """
    key = f"threads {circuit.key} {age_bits}"
    return kept(key, lambda: _make(circuit, age_bits), lambda arrays, _: _unpack(arrays))


def _unpack(arrays: Arrays) -> ThreadCode:
    gates, loads, stores, cells, goal_rows, kept = map(int, arrays["numbers"])
    return ThreadCode(
        text=ThreadText(
            functions=arrays["functions"].tobytes().decode(),
            body=arrays["body"].tobytes().decode(),
            kept=kept,
            cells=cells,
        ),
        gates=gates,
        accesses=(loads, stores),
        goal_index=arrays["goal_index"].astype(np.int64),
        goal_rows=goal_rows,
    )


def load_ptx(text: ThreadText, target: str) -> str:
    """Return the code for a kind of GPU, from the cache if it has been compiled before.

    Args:
        text: the code.
        target: see :func:`~neurogame.kernels.codegen.ptx.compile_ptx`.
    """
    module = gpu_module(text)
    key = f"ptx {target} {hashlib.sha256(module.encode()).hexdigest()} {versions()}"
    return kept(
        key,
        lambda: {"ptx": np.frombuffer(compile_ptx(module, target).encode(), np.uint8)},
        lambda arrays, _: arrays["ptx"].tobytes().decode(),
    )


def _make(circuit: Circuit, age_bits: int) -> Arrays:
    """Write a game's code; everything that there is to know of it as arrays."""
    ply = build_play(circuit, facts_of(circuit), moves=False)
    if ply.netlist.gate_count > MOST_GATES:
        raise ConfigurationError(
            f"backend 'cuda' plays games of up to {MOST_GATES:,} gates, and this one has "
            f"{ply.netlist.gate_count:,}: take 'torch' on this device, or 'llvm' on cpu"
        )
    code = StraightCode(ply, _REGISTERS, loop_rows(ply), _PIECE)
    text = write_threads(code, age_bits, stored=code.cell_count > _CELLS)
    rows = sorted(set(ply.goals.tolist()))
    numbers = [ply.netlist.gate_count, *code.accesses(), text.cells, len(rows), text.kept]
    return {
        "functions": np.frombuffer(text.functions.encode(), np.uint8),
        "body": np.frombuffer(text.body.encode(), np.uint8),
        "numbers": np.array(numbers),
        "goal_index": np.searchsorted(np.array(rows, np.int64), ply.goals),
    }
