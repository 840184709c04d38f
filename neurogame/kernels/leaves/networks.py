"""Goal networks in the form that compiled searches call."""

from __future__ import annotations

import numpy as np

from neurogame.kernels.backends import gates_backend
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.evaluate import Input
from neurogame.kernels.codegen.frame import Part
from neurogame.kernels.codegen.step import load_step
from neurogame.kernels.leaves.values import CompiledValues, make_valuation, value_states
from neurogame.kernels.native.entries import entry
from neurogame.kernels.neural.exported import Exported
from neurogame.kernels.step import GOALS


def compile_networks(exported: Exported) -> CompiledValues | None:
    """Return goal networks for compiled code, None where their gates cannot be compiled.

    Args:
        exported: the networks; their program is for one thread.
    """
    logic, arguments = 0, np.zeros(1, np.int64)
    kept: tuple[object, ...] = ()
    source, target = np.zeros((0, 1), np.int64), np.zeros((0, 1), np.int64)
    if exported.logic is not None:
        family, variant = gates_backend(exported.logic)
        if family != "llvm":
            return None
        step = load_step(exported.logic, variant)
        words, places = step.lane_words, np.ascontiguousarray(step.outputs[GOALS])
        inputs = len(exported.logic.fluents) + exported.logic.move_count
        source = aligned(inputs * words).reshape(inputs, words)
        target = aligned(len(places) * words).reshape(len(places), words)
        cells = aligned(step.memory // 8)
        arguments = step.arguments(cells)
        arguments[Input.BLOCK_END] = 1
        arguments[Input.PARTS] = 1 << Part.LOOK | 1 << Part.GOALS
        arguments[Input.STRIDE] = 8 * words
        arguments[Input.FROM], arguments[Input.FROM_COUNT] = source.ctypes.data, inputs
        arguments[Input.TO], arguments[Input.TO_COUNT] = target.ctypes.data, len(target)
        arguments[Input.TO_CELLS] = places.ctypes.data
        logic = step.code.address("evaluate")
        kept = (step, places, cells)
    return CompiledValues(
        value=entry(value_states, counted=True),
        evaluator=make_valuation(exported.program, logic, arguments, source, target),
        kept=kept,
    )
