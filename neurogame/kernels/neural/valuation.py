"""Valuing the states of a request with a program, as a function that is called by its address."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba as _numba
import numpy as np
import numpy.typing as npt

from neurogame.kernels.lane_rows import transpose
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.compiled import compiled
from neurogame.kernels.neural.by_address import loader, memory_at
from neurogame.kernels.neural.layout import PLAIN
from neurogame.kernels.neural.lookup import FEW_LANES, LANES, index_lanes
from neurogame.kernels.neural.program import (
    Program,
    Space,
    index_state,
    make_space,
    value_indexed,
)

# It is not annotated.
numba: Any = _numba
carray = numba.carray

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float32]

REQUEST = np.dtype(
    [
        *(("kind", np.int64), ("function", np.int64), ("bundle", np.int64), ("failed", np.int64)),
        *(("count", np.int64), ("states", np.int64), ("state_stride", np.int64)),
        *(("lanes", np.int64), ("lane_stride", np.int64), ("lane_words", np.int64)),
        *(("out", np.int64), ("out_stride", np.int64)),
    ]
)
"""What is asked for; places in memory are addresses, strides are bytes from row to row.

``kind``: how states are valued; ``function``: what to call, with the request's address;
``bundle``: what that function works with; ``failed``: not 0 once a call has failed;
``count``: number of states; ``states``: packed rows; ``lanes``: the same states as words of
lanes, one row per fluent, ``lane_words`` long (0: there are none); ``out``: rows of values.
"""


class Bundle(NamedTuple):
    """What :func:`value_states` works with; one per thread.

    ``F`` fluents, ``X`` redirected leaves, ``Lw`` words of a block of lanes of the logic.

    Attributes:
        program: the evaluator.
        one: memory for one lane.
        few: memory for 16 lanes.
        block: memory for 64 lanes.
        fluents: ``F``.
        column: words of 64 states; int64 ``[F + X + 1]``.
        one_values: of one state; float32 ``[R, 1]``.
        few_values: of 16 states; float32 ``[R, 16]``.
        values: of 64 states; float32 ``[R, 64]``.
        square: uint64 ``[64]``.
        logic: address of the function that computes the redirected leaves, 0 where there are none.
        logic_arguments: its arguments.
        logic_fluents: fluent of the state that each fluent of the logic is; int64 ``[F]``.
        logic_source: what it reads; int64 ``[F, Lw]``.
        logic_target: what it writes; int64 ``[X, Lw]``.
    """

    program: Program
    one: Space
    few: Space
    block: Space
    fluents: int
    column: Integers
    one_values: Reals
    few_values: Reals
    values: Reals
    square: npt.NDArray[np.uint64]
    logic: int
    logic_arguments: Integers
    logic_fluents: Integers
    logic_source: Integers
    logic_target: Integers


def make_bundle(
    program: Program,
    logic: int,
    logic_arguments: Integers,
    logic_fluents: Integers,
    logic_source: Integers,
    logic_target: Integers,
) -> Bundle:
    """Return a program with memory to compute in; see :class:`Bundle`."""
    return Bundle(
        program=program,
        one=make_space(program, 1),
        few=make_space(program, FEW_LANES),
        block=make_space(program, LANES),
        fluents=program.columns - len(logic_target),
        column=np.zeros(program.columns + 1, np.int64),
        one_values=np.zeros((len(program.base), 1), np.float32),
        few_values=np.zeros((len(program.base), FEW_LANES), np.float32),
        values=np.zeros((len(program.base), LANES), np.float32),
        square=np.zeros(64, np.uint64),
        logic=logic,
        logic_arguments=logic_arguments,
        logic_fluents=logic_fluents,
        logic_source=logic_source,
        logic_target=logic_target,
    )


def value_states(address: int) -> None:
    """Value the states of the request at an address."""
    request = carray(memory_at(address), (1,), REQUEST)[0]
    bundle = _load_bundle(request.bundle)
    fluents, column, square = bundle.fluents, bundle.column, bundle.square
    for word in range((request.count + LANES - 1) // LANES):
        lanes = min(request.count - LANES * word, LANES)
        space, found = bundle.block, bundle.values
        if lanes == 1 and bundle.logic == 0:
            space, found = bundle.one, bundle.one_values
            place = memory_at(request.states + LANES * word * request.state_stride)
            state = carray(place, ((fluents + 63) // 64,), np.int64)
            index_state(bundle.program, space, state)
        else:
            if bundle.logic != 0:
                source, target = bundle.logic_source, bundle.logic_target
                ahead = word % target.shape[1]
                if ahead == 0:
                    _fill_source(request, column, square, word, bundle.logic_fluents, source)
                    call_address(bundle.logic, bundle.logic_arguments.ctypes.data)
                for leaf in range(len(target)):
                    column[fluents + leaf] = target[leaf, ahead]
            _fill_column(request, column[:fluents], square, word)
            if lanes <= FEW_LANES:
                space, found = bundle.few, bundle.few_values
            index_lanes(column, bundle.program.structure[0], space.entry)
        value_indexed(bundle.program, space, found)
        for lane in range(lanes):
            place = memory_at(request.out + (LANES * word + lane) * request.out_stride)
            values = carray(place, (len(found),), np.float32)
            for role in range(len(found)):
                values[role] = found[role, lane]


@compiled
def _fill_source(
    request: Any, column: Any, square: Any, word: int, place: Any, source: Any
) -> None:
    """Write as many states as the logic's block has lanes; the column is overwritten."""
    for ahead in range(source.shape[1]):
        if LANES * (word + ahead) < request.count:
            _fill_column(request, column[: len(place)], square, word + ahead)
            for fluent in range(len(place)):
                source[fluent, ahead] = column[place[fluent]]


@compiled
def _fill_column(request: Any, column: Any, square: Any, word: int) -> None:
    """Write the words of 64 states, of all fluents."""
    if word < request.lane_words:
        for fluent in range(len(column)):
            place = memory_at(request.lanes + fluent * request.lane_stride + 8 * word)
            column[fluent] = carray(place, (1,), np.int64)[0]
        return
    lanes = min(request.count - LANES * word, LANES)
    for part in range((len(column) + 63) // 64):
        for lane in range(lanes):
            row = request.states + (LANES * word + lane) * request.state_stride
            square[lane] = carray(memory_at(row + 8 * part), (1,), np.uint64)[0]
        square[lanes:] = np.uint64(0)
        transpose(square)
        for bit in range(min(len(column) - 64 * part, 64)):
            column[64 * part + bit] = np.int64(square[bit])


def _example() -> Bundle:
    """Return a bundle that shows numba the type of all bundles."""
    numbers = tuple(np.zeros(1, np.int32) for _ in range(5))
    flat, wide = np.zeros((1, 1), np.float32), np.zeros((1, 1), np.int64)
    program = Program(
        structure=(np.zeros((1, 5), np.int32), *numbers),
        tables=np.zeros((1, 1, 32), np.float32),
        edges=flat,
        nodes=flat,
        offsets=flat,
        steep=np.float32(0),
        kind=PLAIN,
        readout=flat,
        gains=flat,
        base=flat[0],
        columns=1,
    )
    return make_bundle(program, 0, wide[0], wide[0], wide, wide)


_load_bundle = loader(numba.typeof(_example()))
