"""Goal networks in the form that compiled searches call: :func:`value_states`."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s1, Int64s1, Int64s2, UInt64s1
from neurogame.circuit.circuit import Circuit
from neurogame.judges.states import CompiledValues, Values
from neurogame.kernels.backends import gates_backend
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.frame import Part
from neurogame.kernels.codegen.step import load_step
from neurogame.kernels.lane_rows import transpose
from neurogame.kernels.neural.lookup import LANES, VECTOR
from neurogame.kernels.neural.program import (
    Program,
    Space,
    evaluate_lanes,
    evaluate_one,
    make_space,
)
from neurogame.kernels.step import GOALS
from neurogame.native.arrays import cast
from neurogame.native.call_address import call_address
from neurogame.native.compiled import inner
from neurogame.native.entries import entry
from neurogame.native.struct import Struct


def compile_networks(program: Program, gates: Circuit | None) -> CompiledValues | None:
    """Return goal networks for compiled code, None where their gates cannot be compiled.

    Args:
        program: the networks, for one thread; it takes states of ``F + X`` columns, fluents first.
        gates: whose goals are the ``X`` redirected leaves, in their order; None without leaves.
    """
    roles, logic, arguments = len(program.base), 0, np.zeros(1, np.int64)
    kept: tuple[object, ...] = ()
    source, target = np.zeros((0, 1), np.int64), np.zeros((0, 1), np.int64)
    if gates is not None:
        family, variant = gates_backend(gates)
        if family != "llvm":
            return None
        step = load_step(gates, variant)
        words, places = step.lane_words, np.ascontiguousarray(step.outputs[GOALS])
        inputs = len(gates.fluents) + gates.move_count
        source = aligned(inputs * words).reshape(inputs, words)
        target = aligned(len(places) * words).reshape(len(places), words)
        arguments, kept = step.between(source, target, places, 1 << Part.LOOK | 1 << Part.GOALS)
        logic = step.code.address("evaluate")
    return CompiledValues(
        value=entry(value_states, arrays=True),
        evaluator=Valuation(
            program=program,
            space=make_space(program),
            column=np.zeros(program.columns + 1, np.int64),
            values=np.zeros(LANES * roles, np.float32),
            square=np.zeros(64, np.uint64),
            logic=logic,
            logic_arguments=arguments,
            logic_source=source,
            logic_target=target,
        ),
        kept=kept,
    )


class Valuation(Struct):
    """What :func:`value_states` works with; one per thread.

    ``F`` fluents, ``X`` redirected leaves, ``Lw`` words of a block of lanes of the logic.

    Attributes:
        program: the evaluator.
        space: memory to compute in.
        column: words of 64 states; int64 ``[F + X + 1]``.
        values: of up to 64 states; float32 ``[64 R]``.
        square: 64 by 64 bits, to transpose in; uint64 ``[64]``.
        logic: address of the generated code that computes the redirected leaves, 0 where there
            are none; it takes the address of its arguments.
        logic_arguments: its arguments.
        logic_source: what it reads; int64 ``[F, Lw]``.
        logic_target: what it writes; int64 ``[X, Lw]``.
    """

    program: Program
    space: Space
    column: Int64s1
    values: Float32s1
    square: UInt64s1
    logic: int
    logic_arguments: Int64s1
    logic_source: Int64s2
    logic_target: Int64s2


_valuation = cast(Valuation)


def value_states(values: Values) -> None:
    """Value the given states with a goal network."""
    valuation, out, count = _valuation(values.evaluator), values.out, values.count
    column, target, logic = valuation.column, valuation.logic_target, valuation.logic
    fluents, roles = len(column) - 1 - len(target), len(valuation.program.base)
    for word in range((count + LANES - 1) // LANES):
        lanes = min(count - LANES * word, LANES)
        single = lanes == 1 and logic == 0
        width = 1 if single else (lanes + VECTOR - 1) // VECTOR * VECTOR
        outputs = valuation.values[: roles * width].reshape((roles, width))
        if single:
            state = values.states[LANES * word]
            evaluate_one(valuation.program, valuation.space, state, valuation.values[:roles])
        else:
            if logic != 0:
                ahead = word % target.shape[1]
                if ahead == 0:
                    _fill_source(values, valuation, fluents, word)
                    call_address(logic, valuation.logic_arguments.ctypes.data)
                for leaf in range(len(target)):
                    column[fluents + leaf] = target[leaf, ahead]
            _fill_column(values, column, fluents, valuation.square, word)
            evaluate_lanes(valuation.program, valuation.space, column, outputs)
        for lane in range(lanes):
            for role in range(len(outputs)):
                out[LANES * word + lane, role] = outputs[role, lane]


@inner
def _fill_source(values: Values, valuation: Valuation, fluents: int, word: int) -> None:
    """Write as many states as the logic's block has lanes; the column is overwritten."""
    source, column = valuation.logic_source, valuation.column
    for ahead in range(source.shape[1]):
        if LANES * (word + ahead) < values.count:
            _fill_column(values, column, fluents, valuation.square, word + ahead)
            for fluent in range(fluents):
                source[fluent, ahead] = column[fluent]


@inner
def _fill_column(
    values: Values, column: Int64s1, fluents: int, square: UInt64s1, word: int
) -> None:
    """Write the words of 64 states, of all fluents."""
    given, states = values.lanes, values.states
    if word < given.shape[1]:
        for fluent in range(fluents):
            column[fluent] = given[fluent, word]
        return
    lanes = min(values.count - LANES * word, LANES)
    for part in range((fluents + 63) // 64):
        for lane in range(lanes):
            square[lane] = states[LANES * word + lane, part]
        for lane in range(lanes, LANES):
            square[lane] = np.uint64(0)
        transpose(square)
        for bit in range(min(fluents - 64 * part, 64)):
            column[64 * part + bit] = np.int64(square[bit])
