"""Requests of compiled rules: the addresses of everything that they work with."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.evaluate import Input
from neurogame.kernels.codegen.frame import ARGUMENTS, Argument, Counter
from neurogame.kernels.codegen.kernel import Kernel
from neurogame.kernels.codegen.step import CompiledStep
from neurogame.kernels.lane_rows import SPACE
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.leaves.machine import look_at, make_moves
from neurogame.kernels.leaves.request import COMPILED, REQUEST, new_request
from neurogame.kernels.leaves.uniform import play_on
from neurogame.kernels.native.compiled import entry
from neurogame.kernels.step import GOALS, STATUS

Integers = npt.NDArray[np.int64]


def assemble(
    circuit: Circuit, rules: CompiledStep, play: Kernel, block: Block, playouts: int
) -> npt.NDArray[np.void]:
    """Return a request that compiled code answers, see :data:`.request.REQUEST`; ``[1]``.

    Args:
        circuit: the game.
        rules: its compiled rules.
        play: its compiled playouts.
        block: the leaves.
        playouts: of each leaf.
    """
    arrays: dict[str, Any] = {}
    numbers = _add_rules(arrays, circuit, rules, len(block.states))
    numbers.update(_add_playouts(arrays, circuit, play, block, playouts))
    request = new_request(COMPILED, block, rules, play, list(arrays.values()))
    numbers.update({name: array.ctypes.data for name, array in arrays.items()})
    fields = REQUEST.names or ()
    for name, number in numbers.items():
        if name in fields:
            request[name] = number
    for name, function in (("step", make_moves), ("look", look_at), ("uniform", play_on)):
        request[name] = entry(function, counted=False)
    return request


def _add_rules(
    arrays: dict[str, Any], circuit: Circuit, rules: CompiledStep, leaves: int
) -> dict[str, int]:
    """Add what makes moves and looks at states; return its sizes."""
    words, fluents = rules.lane_words, len(circuit.fluents)
    size = 8 * words
    cells = aligned(rules.memory // 8)
    arguments = rules.arguments(cells)
    arguments[Input.BLOCK_END] = 1
    status, goals = rules.outputs[STATUS] // size, rules.outputs[GOALS] // size
    roles, values = _goals(circuit)
    counted = values > 0
    arrays.update(
        arguments=arguments,
        cells=cells,
        fluent_cells=np.arange(fluents),
        legal_cells=np.ascontiguousarray(status[:-1]),
        goal_cells=np.stack([goals, roles], axis=1)[counted],
        goal_values=(values[counted] / 100).astype(np.float32),
        order=np.arange(leaves),
        space=np.zeros(SPACE, np.uint64),
    )
    return {
        "evaluate": rules.code.address("evaluate"),
        "moves": circuit.move_count,
        "cell_count": len(cells) // words,
        "cell_words": words,
        # The cells of the inputs follow each other: those of the fluents, then of the moves.
        "first_move": int(rules.inputs[fluents]) // size,
        "terminal_cell": int(status[-1]),
        "goal_count": int(counted.sum()),
    }


def _add_playouts(
    arrays: dict[str, Any], circuit: Circuit, play: Kernel, block: Block, playouts: int
) -> dict[str, int]:
    """Add what plays at random; return its sizes."""
    unit, fluents = play.lane_words, len(circuit.fluents)
    lanes = len(block.states) * playouts
    words = -(-lanes // (64 * unit)) * unit
    begin = block.lanes if playouts == 1 else aligned(fluents * words).reshape(fluents, words)
    words = begin.shape[1]
    roles, values = _goals(circuit)
    counted = values > 0
    arrays.update(
        play_arguments=np.zeros(ARGUMENTS, np.int64),
        leaf_of=np.arange(lanes) // playouts,
        begin=begin,
        base=aligned(words),
        open=aligned(words),
        reached=aligned(play.goal_rows * words),
        reached_goals=np.stack([play.goal_index, roles], axis=1)[counted],
        reached_values=(values[counted] / (100 if playouts == 1 else 1)).astype(np.float32),
        counts=aligned(play.vector_words * (Counter.GOALS + play.goal_rows)),
        left=np.zeros((1, words), np.int64),
        initial=np.zeros(fluents, np.int64),
        play_cells=aligned(play.memory // 8),
    )
    _fill_arguments(arrays, play)
    return {
        "play": play.code.address("play"),
        "block_words": unit,
        "playouts": playouts,
        "begin_words": words,
        "reached_rows": play.goal_rows,
    }


def _fill_arguments(arrays: dict[str, Any], play: Kernel) -> None:
    """Write what does not change between playouts into their arguments."""
    table = arrays["play_arguments"]
    for argument, name in (
        (Argument.STATE, "begin"),
        (Argument.BASE, "base"),
        (Argument.OPEN, "open"),
        (Argument.REACHED, "reached"),
        (Argument.LEFT, "left"),
        (Argument.COUNTS, "counts"),
        (Argument.CELLS, "play_cells"),
        (Argument.INITIAL, "initial"),
    ):
        table[argument] = arrays[name].ctypes.data
    table[Argument.STRIDE] = 8 * arrays["begin"].shape[1]
    table[Argument.LEFT_BITS] = 1
    table[Argument.ROUTINE] = play.routine
    for part, own in enumerate(play.tables):
        place = Argument.TABLES + 3 * part
        table[place : place + 3] = (own.runs.ctypes.data, len(own.runs), own.gates.ctypes.data)


def _goals(circuit: Circuit) -> tuple[Integers, Integers]:
    """Return the role and the value of each goal; int64 ``[V]``."""
    pairs = [(role, value) for role, own in enumerate(circuit.goals) for value, _ in own]
    found: Integers = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]
