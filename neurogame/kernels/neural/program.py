"""Goal networks with their weights as flat arrays, for code compiled by numba.

A search that is compiled itself needs no Python to value a state::

    program = evaluator.program()              # once per change of weights
    space = make_space(program, lanes=1)       # one per thread

    @numba.njit
    def search(program, space, state, values):
        evaluate_one(program, space, state, values)   # values: [R], in 0..1
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from neurogame.kernels.neural.compiled import compiled, merged
from neurogame.kernels.neural.lane_math import lane_constant, lane_exp, lane_tanh
from neurogame.kernels.neural.layout import FUZZY, SOUND
from neurogame.kernels.neural.lookup import LANES, TILE, index_lanes, index_one
from neurogame.kernels.neural.network import ROWS, propagate

Reals = npt.NDArray[np.float32]


class Program(NamedTuple):
    """One evaluator, weights included; compiled code takes it as an argument.

    ``P`` patterns, ``T`` tables, ``N`` upper neurons, ``D`` edges between them, ``V`` outputs,
    ``R`` roles; structure as in :class:`~neurogame.kernels.neural.layout.Layout`.

    Attributes:
        structure: the arrays of :attr:`~neurogame.kernels.neural.layout.Layout.structure`.
        tables: float32 ``[T, C, 32]``.
        edges: float32 ``[*, D]``.
        nodes: float32 ``[*, N]``.
        offsets: float32 ``[2, N]``.
        steep: half the steepness of the activation; float32.
        kind: of network; see :mod:`~neurogame.kernels.neural.network`.
        readout: per output its zero, slope, shift, room (kind SOUND) and sign, which is the
            output itself where the goal is constant; float32 ``[V, 5]``.
        gains: by how much an output of 1 raises each role's value; float32 ``[R, V]``.
        base: each role's value where all outputs are 0; float32 ``[R]``.
        columns: bits of a state: fluents, then what logic computes for redirected leaves.
    """

    structure: tuple[npt.NDArray[np.int32], ...]
    tables: Reals
    edges: Reals
    nodes: Reals
    offsets: Reals
    steep: np.float32
    kind: int
    readout: Reals
    gains: Reals
    base: Reals
    columns: int


class Space(NamedTuple):
    """Memory to compute in; one per thread.

    Attributes:
        entry: uint8 ``[P, L]``.
        state: float32 ``[N, ROWS[kind], L]``.
        output: float32 ``[L]``.
        flags: uint8 ``[64 (columns // 64 + 1)]``.
    """

    entry: npt.NDArray[np.uint8]
    state: Reals
    output: Reals
    flags: npt.NDArray[np.uint8]


def make_space(program: Program, lanes: int) -> Space:
    """Return memory for :func:`evaluate_one` (1 lane) or :func:`evaluate_lanes` (64 lanes)."""
    return Space(
        entry=np.zeros((len(program.structure[0]), lanes), np.uint8),
        state=np.zeros((program.nodes.shape[1], ROWS[program.kind], lanes), np.float32),
        output=np.zeros(lanes, np.float32),
        flags=np.zeros(64 * (program.columns // 64 + 1), np.uint8),
    )


@compiled
def evaluate_one(program: Any, space: Any, state: Any, values: Any) -> None:
    """Compute the values of one state.

    Args:
        program: the evaluator.
        space: memory for one lane.
        state: bit ``f % 64`` of word ``f // 64`` says whether fluent ``f`` holds, all others are
            0; int64 ``[columns // 64 + 1]``.
        values: written; in 0..1, in role order; float32 ``[R]``.
    """
    flags = space.flags
    for place in range(len(state)):
        for bit in range(64):
            flags[64 * place + bit] = (state[place] >> bit) & 1
    index_one(flags, program.structure[0], space.entry)
    _value(program, space, values.reshape((len(values), 1)))


@merged
def evaluate_lanes(program: Any, space: Any, column: Any, values: Any) -> None:
    """Compute the values of 64 states.

    Args:
        program: the evaluator.
        space: memory for 64 lanes.
        column: one word of 64 lanes per bit of the state, and a last one that is 0;
            int64 ``[columns + 1]``.
        values: written; in 0..1; float32 ``[R, 64]``.
    """
    index_lanes(column, program.structure[0], space.entry)
    _value(program, space, values)


@compiled
def evaluate_words(program: Any, space: Any, words: Any, values: Any) -> None:
    """Compute the values of a batch of packed states.

    Args:
        program: the evaluator.
        space: memory for 64 lanes.
        words: int64 ``[columns, W]``.
        values: written; in 0..1; float32 ``[B, R]``, ``B <= 64 W``.
    """
    signals, size = len(words), len(values)
    columns = np.zeros((TILE, signals + 1), np.int64)
    block = np.empty((values.shape[1], LANES), np.float32)
    for start in range(0, words.shape[1], TILE):
        stop = min(start + TILE, words.shape[1])
        for signal in range(signals):
            for word in range(start, stop):
                columns[word - start, signal] = words[signal, word]
        for word in range(start, stop):
            evaluate_lanes(program, space, columns[word - start], block)
            first = word * LANES
            for lane in range(min(LANES, size - first)):
                for role in range(values.shape[1]):
                    values[first + lane, role] = block[role, lane]


@merged
def _value(program: Any, space: Any, values: Any) -> None:
    """Compute values ``[R, L]`` from the indices of the tables."""
    propagate(
        program.structure,
        program.tables,
        program.edges,
        program.nodes,
        program.offsets,
        program.steep,
        program.kind,
        space.entry,
        space.state,
    )
    output, y = program.structure[5], space.output
    for role in range(len(values)):
        values[role] = program.base[role]
    for o in range(len(output)):
        zero, slope, shift, room, sign = program.readout[o]
        if output[o] < 0:
            y[:] = sign
        else:
            own = space.state[output[o]]
            if program.kind == SOUND:
                _read_sound(own, zero, slope, shift, room, sign, y)
            elif program.kind == FUZZY:
                _read_fuzzy(own, sign, y)
            else:
                for lane in range(len(y)):
                    y[lane] = sign * own[0, lane]
        for role in range(len(values)):
            gain, target = program.gains[role, o], values[role]
            for lane in range(len(y)):
                target[lane] += gain * y[lane]


@compiled
def _read_sound(own: Any, zero: Any, slope: Any, shift: Any, room: Any, sign: Any, y: Any) -> None:
    for lane in range(len(y)):
        odds = own[0, lane] - own[1, lane] + room * own[2, lane]
        y[lane] = sign * lane_tanh((odds - zero) * slope + shift)


@compiled
def _read_fuzzy(own: Any, sign: Any, y: Any) -> None:
    one, two = lane_constant(1.0, sign), lane_constant(2.0, sign)
    for lane in range(len(y)):
        true, false = own[0, lane], own[1, lane]
        degree = two * lane_exp(true) - one if true < false else one - two * lane_exp(false)
        y[lane] = sign * degree
