"""Evaluators for compiled searches: many states in, values out, whatever the evaluator is.

Searches and playouts call :func:`evaluate` with what :mod:`~neurogame.kernels.leaves.evaluator`
makes of an evaluator. :func:`value_states` is what that calls where the evaluator is a goal
network; otherwise it is a function of Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Float32s2, Int64s1, Int64s2, UInt64s1, UInt64s2
from neurogame.kernels.lane_rows import transpose
from neurogame.kernels.native.arrays import cast
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.compiled import callee, compiled, inner
from neurogame.kernels.native.entries import Entry, callback
from neurogame.kernels.native.struct import Struct
from neurogame.kernels.neural.lookup import FEW_LANES, LANES, index_lanes
from neurogame.kernels.neural.program import (
    Program,
    Space,
    index_state,
    make_space,
    value_indexed,
)

NONE, PROGRAM, CALLBACK = 0, 1, 2
"""How states are valued: not at all, by compiled code alone, or by a torch module."""

UNKNOWN = 0.5
"""The value of every state where there is no evaluator, or where it has failed."""


class Values(Struct):
    """An evaluator as compiled code takes it: one type for all; one per thread.

    ``F`` fluents in ``Fw`` words, ``R`` roles.

    Attributes:
        value: the evaluator: writes the values of what is given.
        evaluator: what that function works with.
        kind: :data:`NONE`, :data:`PROGRAM` or :data:`CALLBACK`.
        failed: not 0 once the evaluator has raised an error.
        count: given: number of states.
        states: given: packed states; uint64 ``[N, Fw]``.
        lanes: given: the same as lane words; int64 ``[F, W]``; with ``W = 0`` there are none.
        out: where the values go; float32 ``[N, R]``.
    """

    value: Callable[[Values], None]
    evaluator: Struct
    kind: int
    failed: int
    count: int
    states: UInt64s2
    lanes: Int64s2
    out: Float32s2


@compiled
def evaluate(values: Values, states: UInt64s2, lanes: Int64s2, count: int, out: Float32s2) -> None:
    """Value the first states.

    Args:
        values: the evaluator.
        states: packed states, in which bits beyond the fluents are 0; uint64 ``[N, Fw]``.
        lanes: the same as lane words, lane ``l`` being bit ``l % 64`` of word ``l // 64``, whose
            lanes beyond ``count`` may hold anything; int64 ``[F, W]``. With ``W = 0`` they are
            made from the rows.
        count: number of states, 0 to ``N``.
        out: written, rows ``0..count - 1``: values in role order, 0..1, all 0.5 without an
            evaluator and once it has failed (see :func:`has_failed`); float32 ``[N, R]``.
    """
    if values.kind == NONE or values.failed != 0:
        for row in range(count):
            for role in range(out.shape[1]):
                out[row, role] = np.float32(UNKNOWN)
    elif count > 0:
        values.count, values.states, values.lanes, values.out = count, states, lanes, out
        values.value(values)


@callee
def has_failed(values: Values) -> bool:
    """Return whether the evaluator has raised an error; see :meth:`.SearchEvaluator.check`."""
    return values.failed != 0


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class CompiledValues:
    """An evaluator in compiled code, with memory for one thread.

    Attributes:
        value: see :class:`Values`.
        evaluator: what that function works with.
        kept: what else must live as long.
    """

    value: Entry[[Values]]
    evaluator: Struct
    kept: tuple[object, ...] = ()


def new_values(compiled: CompiledValues | None) -> Values:
    """Return an evaluator for :func:`evaluate`; of the kind :data:`NONE` if there is none."""
    return Values(
        value=_NOTHING if compiled is None else compiled.value,
        evaluator=Struct() if compiled is None else compiled.evaluator,
        kind=NONE if compiled is None else PROGRAM,
        failed=0,
        count=0,
        states=np.zeros((0, 0), np.uint64),
        lanes=np.zeros((0, 0), np.int64),
        out=np.zeros((0, 0), np.float32),
    )


_NOTHING = callback(lambda: None)


class Valuation(Struct):
    """What :func:`value_states` works with; one per thread.

    ``F`` fluents, ``X`` redirected leaves, ``Lw`` words of a block of lanes of the logic.

    Attributes:
        program: the evaluator.
        one: memory for one lane.
        few: memory for 16 lanes.
        block: memory for 64 lanes.
        column: words of 64 states; int64 ``[F + X + 1]``.
        one_values: of one state; float32 ``[R, 1]``.
        few_values: of 16 states; float32 ``[R, 16]``.
        values: of 64 states; float32 ``[R, 64]``.
        square: 64 by 64 bits, to transpose in; uint64 ``[64]``.
        logic: address of the generated code that computes the redirected leaves, 0 where there
            are none; it takes the address of its arguments.
        logic_arguments: its arguments.
        logic_source: what it reads; int64 ``[F, Lw]``.
        logic_target: what it writes; int64 ``[X, Lw]``.
    """

    program: Program
    one: Space
    few: Space
    block: Space
    column: Int64s1
    one_values: Float32s2
    few_values: Float32s2
    values: Float32s2
    square: UInt64s1
    logic: int
    logic_arguments: Int64s1
    logic_source: Int64s2
    logic_target: Int64s2


_valuation = cast(Valuation)


def make_valuation(
    program: Program,
    logic: int,
    logic_arguments: Int64s1,
    logic_source: Int64s2,
    logic_target: Int64s2,
) -> Valuation:
    """Return a program with memory to compute in; see :class:`Valuation`."""
    roles = len(program.base)
    return Valuation(
        program=program,
        one=make_space(program, 1),
        few=make_space(program, FEW_LANES),
        block=make_space(program, LANES),
        column=np.zeros(program.columns + 1, np.int64),
        one_values=np.zeros((roles, 1), np.float32),
        few_values=np.zeros((roles, FEW_LANES), np.float32),
        values=np.zeros((roles, LANES), np.float32),
        square=np.zeros(64, np.uint64),
        logic=logic,
        logic_arguments=logic_arguments,
        logic_source=logic_source,
        logic_target=logic_target,
    )


def value_states(values: Values) -> None:
    """Value the given states with a goal network."""
    own, out, count, logic = _valuation(values.evaluator), values.out, values.count, 0
    column, target = own.column, own.logic_target
    logic = own.logic
    fluents = len(column) - 1 - len(target)
    for word in range((count + LANES - 1) // LANES):
        lanes = min(count - LANES * word, LANES)
        space, found = own.block, own.values
        if lanes == 1 and logic == 0:
            space, found = own.one, own.one_values
            index_state(own.program, space, values.states[LANES * word])
        else:
            if logic != 0:
                ahead = word % target.shape[1]
                if ahead == 0:
                    _fill_source(values, own, fluents, word)
                    call_address(logic, own.logic_arguments.ctypes.data)
                for leaf in range(len(target)):
                    column[fluents + leaf] = target[leaf, ahead]
            _fill_column(values, column, fluents, own.square, word)
            if lanes <= FEW_LANES:
                space, found = own.few, own.few_values
            index_lanes(column, own.program.network.pattern, space.entry)
        value_indexed(own.program, space, found)
        for lane in range(lanes):
            for role in range(len(found)):
                out[LANES * word + lane, role] = found[role, lane]


@inner
def _fill_source(values: Values, own: Valuation, fluents: int, word: int) -> None:
    """Write as many states as the logic's block has lanes; the column is overwritten."""
    source, column = own.logic_source, own.column
    for ahead in range(source.shape[1]):
        if LANES * (word + ahead) < values.count:
            _fill_column(values, column, fluents, own.square, word + ahead)
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
