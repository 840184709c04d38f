"""Compiled rules and playouts, put together with a block of leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.machine import Machine
from neurogame.kernels.leaves.uniform import Playouts
from neurogame.kernels.llvm.call import aligned
from neurogame.kernels.llvm.evaluate import Input
from neurogame.kernels.llvm.frame import ARGUMENTS, Argument, Counter
from neurogame.kernels.llvm.kernel import Kernel
from neurogame.kernels.llvm.step import CompiledStep
from neurogame.kernels.step import GOALS, STATUS

Integers = npt.NDArray[np.int64]


def make_machine(circuit: Circuit, kernel: CompiledStep, block: Block) -> Machine:
    """Return what makes moves and looks at states.

    Args:
        circuit: the game.
        kernel: its compiled rules.
        block: the leaves.
    """
    words, fluents = kernel.lane_words, len(circuit.fluents)
    cells = aligned(kernel.memory // 8).reshape(-1, words)
    arguments = kernel.arguments(cells)
    arguments[Input.BLOCK_END] = 1
    size = 8 * words
    status = kernel.outputs[STATUS] // size
    # The cells of the inputs follow each other, those of the moves those of the fluents.
    first = int(kernel.inputs[fluents]) // size
    roles, values = _goals(circuit)
    counted = values > 0
    return Machine(
        block=block,
        evaluate=kernel.code.address("evaluate"),
        arguments=arguments,
        cells=cells,
        fluents=np.arange(fluents),
        moves=cells[first : first + circuit.move_count],
        legal=np.ascontiguousarray(status[:-1]),
        terminal=int(status[-1]),
        goals=np.stack([kernel.outputs[GOALS] // size, roles], axis=1)[counted],
        goal_values=(values[counted] / 100).astype(np.float32),
        order=np.arange(len(block.states)),
    )


def make_playouts(
    circuit: Circuit, kernel: Kernel, block: Block, playouts: int
) -> tuple[Playouts, list[Any]]:
    """Return uniform playouts, and what they point to.

    Args:
        circuit: the game.
        kernel: its compiled playouts.
        block: the leaves.
        playouts: of each leaf.
    """
    unit = kernel.lane_words
    lanes = len(block.states) * playouts
    words = -(-lanes // (64 * unit)) * unit
    rows = len(circuit.fluents)
    begin = block.lanes if playouts == 1 else aligned(rows * words).reshape(rows, words)
    words = begin.shape[1]
    roles, values = _goals(circuit)
    counted = values > 0
    made = Playouts(
        block=block,
        play=kernel.code.address("play"),
        arguments=np.zeros(ARGUMENTS, np.int64),
        block_words=unit,
        leaves=np.arange(lanes) // playouts,
        playouts=playouts,
        lanes=begin,
        base=aligned(words),
        open=aligned(words),
        reached=aligned(kernel.goal_rows * words).reshape(-1, words),
        goals=np.stack([kernel.goal_index, roles], axis=1)[counted],
        goal_values=(values[counted] / (100 if playouts == 1 else 1)).astype(np.float32),
    )
    counts = aligned(kernel.vector_words * (Counter.GOALS + kernel.goal_rows))
    kept = counts, np.zeros((1, words), np.int64), np.zeros(rows, np.int64)
    cells = aligned(kernel.memory // 8)
    _fill_arguments(made, kernel, *kept, cells)
    return made, [*kept, cells, kernel]


def _fill_arguments(
    made: Playouts,
    kernel: Kernel,
    counts: Integers,
    left: Integers,
    initial: Integers,
    cells: Integers,
) -> None:
    table = made.arguments
    for argument, array in (
        (Argument.STATE, made.lanes),
        (Argument.BASE, made.base),
        (Argument.OPEN, made.open),
        (Argument.REACHED, made.reached),
        (Argument.LEFT, left),
        (Argument.COUNTS, counts),
        (Argument.CELLS, cells),
        (Argument.INITIAL, initial),
    ):
        table[argument] = array.ctypes.data
    table[Argument.STRIDE] = 8 * made.lanes.shape[1]
    table[Argument.LEFT_BITS] = 1
    table[Argument.ROUTINE] = kernel.routine
    for part, own in enumerate(kernel.tables):
        place = Argument.TABLES + 3 * part
        table[place : place + 3] = (own.runs.ctypes.data, len(own.runs), own.gates.ctypes.data)


def _goals(circuit: Circuit) -> tuple[Integers, Integers]:
    """Return the role and the value of each goal; int64 ``[V]``."""
    pairs = [(role, value) for role, own in enumerate(circuit.goals) for value, _ in own]
    found: Integers = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]
