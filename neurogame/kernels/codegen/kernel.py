"""A compiled game: machine code, its tables, and where it keeps what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.files import Arrays
from neurogame.kernels.codegen.driver import write_module
from neurogame.kernels.codegen.engine import Code, compile_text, load_object, versions
from neurogame.kernels.codegen.frame import Part
from neurogame.kernels.codegen.host import host
from neurogame.kernels.codegen.shape import Shape, widest
from neurogame.kernels.codegen.store import kept
from neurogame.kernels.codegen.straight import StraightCode, loop_rows
from neurogame.kernels.codegen.table import GateTable, TableCode, routine
from neurogame.kernels.netlist.build import build_play
from neurogame.kernels.netlist.facts import facts_of
from neurogame.kernels.netlist.ply import Ply

STRAIGHT_GATES, ENCODED_GATES = 32_000, 2_000_000
"""Larger circuits are interpreted: LLVM takes about a second per 5,000 gates, once; what is written
without it three seconds for 700,000."""

_SPARE_REGISTERS = 4


@final
@dataclass(frozen=True, eq=False)
class Kernel:
    """A game compiled for this processor.

    Attributes:
        variant: ``straight`` or ``table``.
        gates: gates per ply, those of the goals included.
        accesses: loads and stores of the gates' vectors per ply.
        seconds: what making it took: optimising, scheduling and compiling; 0 from the cache.
        lane_words: 64-bit words of a block of lanes.
        vector_words: 64-bit words of a vector register.
        memory: bytes that one thread needs.
        goal_index: which of the counted goal rows each goal is; int64 ``[V]``.
        goal_rows: number of counted goal rows.
        does: byte offset of each move's cell; int64 ``[M]``, empty unless made for it.
        tables: per part of a ply, the runs and gates of a table.
        code: the function ``play``.
        routine: address of the routine that runs tables, or 0.
    """

    variant: str
    gates: int
    accesses: tuple[int, int]
    seconds: float
    lane_words: int
    vector_words: int
    memory: int
    goal_index: Int64s
    goal_rows: int
    does: Int64s
    tables: tuple[GateTable, ...]
    code: Code
    routine: int


def load_kernel(
    circuit: Circuit,
    variant: str | None,
    age_bits: int,
    *,
    moves: bool,
    shape: Shape | None = None,
) -> Kernel:
    """Return the compiled playouts of a game, from the cache if it has been compiled before.

    Args:
        circuit: the game.
        variant: ``straight``, ``table``, or None to choose by the number of gates.
        age_bits: see :func:`~neurogame.kernels.codegen.driver.write_module`.
        moves: whether it can count moves.
        shape: of a block of lanes; None: for many lanes.
    """
    shape = shape or widest()
    key = f"{circuit.key} {variant} {age_bits} {moves} {shape} {versions()}"
    return kept(
        key,
        lambda: _make(_play_of(circuit, moves), variant, age_bits, shape),
        lambda arrays, seconds: _unpack(arrays, seconds, shape),
    )


@lru_cache(maxsize=1)
def _play_of(circuit: Circuit, moves: bool) -> Ply:
    """Return the gates of a ply; those of the last game are kept, for the next shape of it."""
    return build_play(circuit, facts_of(circuit), moves=moves)


def make_code(
    ply: Ply, variant: str | None, pinned: set[int], shape: Shape
) -> StraightCode | TableCode:
    """Return the gates of a ply, ready to be written.

    Args:
        ply: the netlist.
        variant: ``straight``, ``table``, or None to choose by the number of gates.
        pinned: rows that get a cell of their own.
        shape: of a block of lanes.
    """
    if variant is None:
        most = ENCODED_GATES if host().encoded else STRAIGHT_GATES
        variant = "straight" if ply.netlist.gate_count <= most else "table"
    if variant == "straight":
        return _straight(ply, host().registers - _SPARE_REGISTERS, frozenset(pinned))
    return TableCode(ply, shape, pinned)


@lru_cache(maxsize=2)
def _straight(ply: Ply, registers: int, pinned: frozenset[int]) -> StraightCode:
    """Return ordered gates; those of the last rules and playouts are kept, for all shapes."""
    return StraightCode(ply, registers, set(pinned), encoded=host().encoded)


def pack_tables(code: StraightCode | TableCode) -> Arrays:
    """Return the tables of a game's parts as arrays with names."""
    arrays: Arrays = {}
    if isinstance(code, TableCode):
        for part, table in code.tables.items():
            arrays[f"runs{part:d}"], arrays[f"gates{part:d}"] = table.runs, table.gates
    return arrays


def unpack_tables(arrays: Arrays) -> tuple[GateTable, ...]:
    """Return the tables that were packed; none of straight-line code."""
    if str(arrays["variant"]) != "table":
        return ()
    return tuple(
        GateTable(
            arrays[f"runs{part:d}"].astype(np.int32), arrays[f"gates{part:d}"].astype(np.int32)
        )
        for part in Part
    )


def _make(ply: Ply, variant: str | None, age_bits: int, shape: Shape) -> Arrays:
    """Compile a game; everything that a kernel needs as arrays."""
    code = make_code(ply, variant, loop_rows(ply), shape)
    text, frame = write_module(code, shape.words, age_bits, ternary=shape.ternary)
    rows = sorted(set(ply.goals.tolist()))
    return {
        "variant": np.array(code.variant),
        "numbers": np.array(
            [
                ply.netlist.gate_count,
                *code.accesses(),
                code.width,
                frame.cells * frame.size,
                len(rows),
            ]
        ),
        "goal_index": np.searchsorted(np.array(rows, np.int64), ply.goals),
        "does": np.array(frame.does_offsets(), np.int64),
        "object": np.frombuffer(compile_text(text), np.uint8),
        **pack_tables(code),
    }


def _unpack(arrays: Arrays, seconds: float, shape: Shape) -> Kernel:
    gates, loads, stores, width, memory, goal_rows = map(int, arrays["numbers"])
    tables = unpack_tables(arrays)
    return Kernel(
        variant=str(arrays["variant"]),
        gates=gates,
        accesses=(loads, stores),
        seconds=seconds,
        lane_words=width * shape.words,
        vector_words=shape.words,
        memory=memory,
        goal_index=arrays["goal_index"].astype(np.int64),
        goal_rows=goal_rows,
        does=arrays["does"].astype(np.int64),
        tables=tables,
        code=load_object(arrays["object"].tobytes()),
        routine=load_routine(shape).address("table") if tables else 0,
    )


@cache
def load_routine(shape: Shape) -> Code:
    """Return the routine that runs tables, the same for all games.

    Kernels know its address only, so it stays for good: there are few shapes.
    """
    key = f"routine {shape} {versions()}"
    return kept(
        key,
        lambda: {"object": np.frombuffer(compile_text(routine(shape)), np.uint8)},
        lambda arrays, _: load_object(arrays["object"].tobytes()),
    )
