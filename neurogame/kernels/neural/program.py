"""Goal networks with their weights as flat arrays, for code compiled by numba.

A search that is compiled itself needs no Python to value a state::

    program = evaluator.program()              # once per change of weights
    space = make_space(program)                # one per thread

    @numba.njit
    def search(program, space, state, values):
        evaluate_one(program, space, state, values)   # values: [R], in 0..1
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.array_types import (
    Float32s1,
    Float32s2,
    Int64s1,
    Int64s2,
    UInt8s1,
    UInt8s2,
)
from neurogame.kernels.neural.lane_math import lane_exp, lane_log, lane_tanh
from neurogame.kernels.neural.layout import SOUND, THRESHOLD
from neurogame.kernels.neural.lookup import LANES, TILE, index_lanes, index_one
from neurogame.kernels.neural.network import LOG_2, OUTPUT, ROWS, Lanes, Network, propagate
from neurogame.native.compiled import callee, compiled, inner
from neurogame.native.struct import Struct

_ONE = np.uint64(1)


class Program(Struct):
    """One evaluator, weights included; compiled code takes it as an argument.

    ``V`` outputs, ``R`` roles.

    Attributes:
        network: with its weights.
        readout: per output its zero, slope, shift, room (kind SOUND) and sign, which is the
            output itself where the goal is constant; float32 ``[V, 5]``.
        gains: by how much an output of 1 raises each role's value; kind THRESHOLD: what each
            goal is worth; float32 ``[R, V]``.
        base: each role's value where all outputs are 0; kind THRESHOLD: its lowest value;
            float32 ``[R]``.
        columns: bits of a state: fluents, then what logic computes for redirected leaves.
    """

    network: Network
    readout: Float32s2
    gains: Float32s2
    base: Float32s1
    columns: int


class Space(Struct):
    """Memory to compute up to 64 lanes in; one per thread.

    Attributes:
        entry: index of each pattern's table entry; uint8 ``[64 P]``.
        state: what is kept of each upper neuron; float32 ``[64 N ROWS[kind]]``.
        output: of one network; float32 ``[64]``.
        flags: the bits of one state; uint8 ``[64 (columns // 64 + 1)]``.
    """

    entry: UInt8s1
    state: Float32s1
    output: Float32s1
    flags: UInt8s1


def make_space(program: Program) -> Space:
    """Return memory for :func:`evaluate_one` and :func:`evaluate_lanes`."""
    rows = program.network.nodes.shape[1] * ROWS[program.network.kind]
    return Space(
        entry=np.zeros(LANES * len(program.network.pattern), np.uint8),
        state=np.zeros(LANES * rows, np.float32),
        output=np.zeros(LANES, np.float32),
        flags=np.zeros(64 * (program.columns // 64 + 1), np.uint8),
    )


@callee
def evaluate_one(program: Program, space: Space, state: Lanes, values: Lanes) -> None:
    """Compute the values of one state.

    Args:
        program: the evaluator.
        space: memory to compute in.
        state: bit ``f % 64`` of word ``f // 64`` says whether fluent ``f`` holds, all others are
            0; int64 ``[columns // 64 + 1]``.
        values: written; in 0..1, in role order; float32 ``[R]``.
    """
    flags, pattern = space.flags, program.network.pattern
    for place in range(len(state)):
        word = np.uint64(state[place])
        for bit in range(64):
            flags[64 * place + bit] = (word >> np.uint64(bit)) & _ONE
    index = space.entry[: len(pattern)].reshape((len(pattern), 1))
    index_one(flags, pattern, index)
    _value_indexed(program, space, index, values.reshape((len(values), 1)))


@inner
def evaluate_lanes(program: Program, space: Space, column: Int64s1, values: Lanes) -> None:
    """Compute the values of 64 states, or of the first 16, 32 or 48.

    Args:
        program: the evaluator.
        space: memory to compute in.
        column: one word of 64 lanes per bit of the state, and a last one that is 0;
            int64 ``[columns + 1]``.
        values: written; in 0..1; float32 ``[R, L]``.
    """
    pattern, lanes = program.network.pattern, values.shape[1]
    index = space.entry[: len(pattern) * lanes].reshape((len(pattern), lanes))
    index_lanes(column, pattern, index)
    _value_indexed(program, space, index, values)


@compiled(arrays=True)
def evaluate_words(program: Program, space: Space, words: Int64s2, values: Float32s2) -> None:
    """Compute the values of a batch of packed states.

    Args:
        program: the evaluator.
        space: memory to compute in.
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


@inner
def _value_indexed(program: Program, space: Space, index: UInt8s2, values: Lanes) -> None:
    """Compute values, float32 ``[R, L]``, from the indices of the tables, uint8 ``[P, L]``."""
    network, lanes = program.network, values.shape[1]
    neurons, rows = network.nodes.shape[1], ROWS[network.kind]
    state = space.state[: neurons * rows * lanes].reshape((neurons, rows, lanes))
    propagate(network, index, state)
    if network.kind == THRESHOLD:
        _mix_goals(program, state, space.output[:lanes], values)
    else:
        _add_outputs(program, state, space.output[:lanes], values)


@callee
def _add_outputs(program: Program, state: Lanes, y: Lanes, values: Lanes) -> None:
    """Add up the outputs of networks; ``y`` is memory for one of them."""
    network, gains = program.network, program.gains
    output, kind = network.output, network.kind
    for role in range(len(values)):
        values[role] = program.base[role]
    for o in range(len(output)):
        zero, slope, shift, room, sign = program.readout[o]
        if output[o] < 0:
            y[:] = sign
        else:
            neuron = state[output[o]]
            if kind == SOUND:
                _read_sound(neuron, zero, slope, shift, room, sign, y)
            else:
                for lane in range(len(y)):
                    y[lane] = sign * neuron[0, lane]
        for role in range(len(values)):
            gain, target = gains[role, o], values[role]
            for lane in range(len(y)):
                target[lane] += gain * y[lane]


@callee
def _read_sound(
    neuron: Lanes,
    zero: np.float32,
    slope: np.float32,
    shift: np.float32,
    room: np.float32,
    sign: np.float32,
    y: Lanes,
) -> None:
    for lane in range(len(y)):
        ratio = lane_log(neuron[OUTPUT, lane] / neuron[OUTPUT + 1, lane])
        exponent = neuron[OUTPUT + 2, lane] - neuron[OUTPUT + 3, lane]
        odds = ratio + np.float32(LOG_2) * exponent + room * neuron[2, lane]
        y[lane] = sign * lane_tanh((odds - zero) * slope + shift)


@callee
def _mix_goals(program: Program, state: Lanes, end: Lanes, values: Lanes) -> None:
    """Mix the truth of goals and of the end of the game, which is the last output.

    ``end`` is memory for what the latter adds to sums.
    """
    output, readout = program.network.output, program.readout
    constants, gains = program.network.edges[0], program.gains
    one, last = np.float32(1.0), len(output) - 1
    _powers_of_end(state, output[last], readout[last, 4], constants, end)
    for role in range(len(values)):
        values[role] = one
    for o in range(last):
        neuron, sign = state[max(output[o], 0)], readout[o, 4]
        for lane in range(len(end)):
            degree = _degree(neuron, lane, output[o] < 0, sign > 0, end[lane], constants)
            for role in range(len(values)):
                values[role, lane] *= one - gains[role, o] * degree
    for role in range(len(values)):
        least, target = program.base[role], values[role]
        for lane in range(len(end)):
            target[lane] = least + (one - least - least) * (one - target[lane])


@callee
def _powers_of_end(state: Lanes, unit: int, sign: np.float32, constants: Lanes, end: Lanes) -> None:
    """Compute what the end of the game, as an operand that shall not hold, adds to a sum."""
    zero, one = np.float32(0.0), np.float32(1.0)
    scale, least = constants[3], constants[4]
    for lane in range(len(end)):
        power = one if sign > zero else -least
        if unit >= 0:
            power = state[unit, 3 if sign > zero else 2, lane]
        end[lane] = power if power > zero else -power * scale


@callee
def _degree(
    neuron: Lanes, lane: int, constant: bool, upright: bool, end: np.float32, constants: Lanes
) -> Any:
    """Return how nearly a goal is reached without the game being over, or holds as it is."""
    zero, one, t = np.float32(0.0), np.float32(1.0), constants[2]
    falsity, truth = neuron[2, lane], neuron[3, lane]
    holds = upright if constant else (truth > zero) == upright
    power = one if constant else (truth if truth > zero else falsity)
    joined = lane_exp(constants[1] * lane_log(power + end))
    joined = joined if joined > t else t
    joined = joined if joined < one else one
    return joined if holds else one - joined
