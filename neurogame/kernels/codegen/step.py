"""Evaluation of given states, compiled: legal moves, ends, goals and next states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.files import Arrays
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.engine import Code, compile_text, load_object, versions
from neurogame.kernels.codegen.evaluate import Input, write_evaluation
from neurogame.kernels.codegen.frame import ARGUMENTS, Part
from neurogame.kernels.codegen.kernel import load_routine, make_code, pack_tables, unpack_tables
from neurogame.kernels.codegen.shape import Shape, widest
from neurogame.kernels.codegen.store import kept
from neurogame.kernels.codegen.table import GateTable, point_to
from neurogame.kernels.netlist.build import build_step
from neurogame.kernels.netlist.ply import Ply
from neurogame.kernels.step import GOALS, NEXT, STATUS

_PARTS = {
    STATUS: 1 << Part.LOOK,
    GOALS: 1 << Part.LOOK | 1 << Part.GOALS,
    NEXT: 1 << Part.MOVE,
}


@final
@dataclass(frozen=True, eq=False)
class CompiledStep:
    """The rules of a game compiled for this processor, with moves given.

    Attributes:
        variant: ``straight`` or ``table``.
        gates: number of gates.
        seconds: what making it took; 0 from the cache.
        lane_words: 64-bit words of a block of lanes.
        memory: bytes of the cells.
        inputs: byte offsets of the cells of the fluents and of the moves; int64 ``[F + M]``.
        outputs: per group of outputs the byte offsets of their cells.
        tables: per part of a ply the runs and gates of a table.
        code: the function ``evaluate``.
        routine: address of the routine that runs tables, or 0.
    """

    variant: str
    gates: int
    seconds: float
    lane_words: int
    memory: int
    inputs: Int64s
    outputs: tuple[Int64s, Int64s, Int64s]
    tables: tuple[GateTable, ...]
    code: Code
    routine: int

    def arguments(self, cells: Int64s) -> Int64s:
        """Return a table of arguments with what does not change between calls.

        Args:
            cells: memory of its own, :attr:`memory` bytes, aligned and zeroed; it must live as
                long as the arguments.
        """
        table = np.zeros(ARGUMENTS, np.int64)
        table[Input.CELLS] = cells.ctypes.data
        table[Input.FROM_CELLS] = self.inputs.ctypes.data
        point_to(self.tables, self.routine, table)
        return table

    def between(
        self, source: Int64s, target: Int64s, places: Int64s, parts: int
    ) -> tuple[Int64s, tuple[object, ...]]:
        """Return the arguments of one block of lanes, and what must live as long as these.

        Args:
            source: states, and moves, that are read; int64 ``[F + M, lane_words]``.
            target: what is written; int64 ``[X, lane_words]``.
            places: byte offsets of the cells that are written; int64 ``[X]``.
            parts: bits of the parts of a ply that are run.
        """
        cells = aligned(self.memory // 8)
        table = self.arguments(cells)
        table[Input.BLOCK_END], table[Input.PARTS] = 1, parts
        table[Input.STRIDE] = 8 * self.lane_words
        table[Input.FROM], table[Input.FROM_COUNT] = source.ctypes.data, len(source)
        table[Input.TO], table[Input.TO_COUNT] = target.ctypes.data, len(target)
        table[Input.TO_CELLS] = places.ctypes.data
        return table, (self, source, target, places, cells)


@final
class LlvmStep:
    """Evaluates states of one game on the processor's vector units."""

    def __init__(self, circuit: Circuit, variant: str | None = None) -> None:
        """Compile the rules, or load them from the cache.

        Args:
            circuit: the game.
            variant: ``straight``, ``table``, or None to choose by the number of gates.
        """
        self.kernel = load_step(circuit, variant)
        self._evaluate = self.kernel.code.function("evaluate")

    def run(self, words: Tensor, groups: Sequence[int], does: Tensor | None = None) -> list[Tensor]:
        """Compute groups of outputs; see :class:`~neurogame.kernels.step.StepKernel`."""
        kernel = self.kernel
        width = words.shape[1]
        padded = -(-max(width, 1) // kernel.lane_words) * kernel.lane_words
        given = [words] if does is None else [words, does]
        rows = sum(len(part) for part in given)
        source = torch.zeros((rows, padded), dtype=torch.int64)
        torch.cat(given, out=source[:, :width]) if width == padded else source[:, :width].copy_(
            torch.cat(given)
        )
        cells = aligned(kernel.memory // 8)
        arguments = kernel.arguments(cells)
        arguments[Input.BLOCK_END] = padded // kernel.lane_words
        arguments[Input.STRIDE] = 8 * padded
        arguments[Input.FROM] = source.data_ptr()
        arguments[Input.FROM_COUNT] = rows
        # Moves are written over the state, so what is seen of it must be fetched before.
        outputs: dict[int, Tensor] = {}
        for together in ([g for g in groups if g != NEXT], [g for g in groups if g == NEXT]):
            if together:
                outputs.update(zip(together, self._compute(arguments, together), strict=True))
        return [outputs[group][:, :width] for group in groups]

    def _compute(self, arguments: Int64s, groups: Sequence[int]) -> Sequence[Tensor]:
        outputs = [self.kernel.outputs[group] for group in groups]
        places = np.concatenate(outputs)
        target = torch.empty((len(places), int(arguments[Input.STRIDE]) // 8), dtype=torch.int64)
        arguments[Input.PARTS] = int(np.bitwise_or.reduce([_PARTS[group] for group in groups]))
        arguments[Input.TO] = target.data_ptr()
        arguments[Input.TO_CELLS] = places.ctypes.data
        arguments[Input.TO_COUNT] = len(places)
        self._evaluate(arguments.ctypes.data)
        return torch.split(target, [len(rows) for rows in outputs])


def load_step(circuit: Circuit, variant: str | None, shape: Shape | None = None) -> CompiledStep:
    """Return the compiled rules of a game, from the cache if they have been compiled before.

    Args:
        circuit: the game.
        variant: ``straight``, ``table``, or None to choose by the number of gates.
        shape: of a block of lanes; None: for many lanes.
    """
    shape = shape or widest()
    key = f"step {circuit.key} {variant} {shape} {versions()}"
    return kept(
        key,
        lambda: _make(_step_of(circuit), variant, shape),
        lambda arrays, seconds: _unpack(arrays, seconds, shape),
    )


def _unpack(arrays: Arrays, seconds: float, shape: Shape) -> CompiledStep:
    gates, width, memory = (int(number) for number in arrays["numbers"])
    tables = unpack_tables(arrays)
    return CompiledStep(
        variant=str(arrays["variant"]),
        gates=gates,
        seconds=seconds,
        lane_words=width * shape.words,
        memory=memory,
        inputs=arrays["inputs"].astype(np.int64),
        outputs=(
            arrays["status"].astype(np.int64),
            arrays["goals"].astype(np.int64),
            arrays["next"].astype(np.int64),
        ),
        tables=tables,
        code=load_object(arrays["object"].tobytes()),
        routine=load_routine(shape).address("table") if tables else 0,
    )


@lru_cache(maxsize=1)
def _step_of(circuit: Circuit) -> Ply:
    """Return the gates of the rules; those of the last game are kept, for the next shape of it."""
    return build_step(circuit)


def _make(ply: Ply, variant: str | None, shape: Shape) -> Arrays:
    """Compile the rules; everything that a kernel needs as arrays."""
    groups = {
        "inputs": np.arange(1, ply.netlist.input_count),
        "status": np.append(ply.legal, ply.terminal),
        "goals": ply.goals,
    }
    pinned = {row for rows in groups.values() for row in rows.tolist()}
    code = make_code(ply, variant, pinned, shape)
    size = code.width * 8 * shape.words
    arrays: Arrays = {
        "variant": np.array(code.variant),
        "numbers": np.array([ply.netlist.gate_count, code.width, code.cell_count * size]),
        "object": np.frombuffer(
            compile_text(write_evaluation(code, shape.words, ternary=shape.ternary)), np.uint8
        ),
        **pack_tables(code),
    }
    for name, rows in groups.items():
        arrays[name] = np.array([code.cell[row] for row in rows.tolist()], np.int64) * size
    arrays["next"] = np.arange(len(ply.next)) * size
    return arrays
