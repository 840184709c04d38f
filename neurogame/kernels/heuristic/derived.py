"""Sums over legal moves and goals, for compiled code: what the rules derive, 64 states at a word.

The code that a simulator generates for the game computes them for blocks of lanes.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s2, Int32s1, Int64s1, Int64s2, UInt64s1
from neurogame.judges.states import Values
from neurogame.kernels.codegen.call import aligned
from neurogame.kernels.codegen.frame import Part
from neurogame.kernels.codegen.step import load_step
from neurogame.kernels.heuristic.exported import ExportedHeuristic
from neurogame.kernels.lane_rows import SPACE, to_lanes
from neurogame.kernels.step import GOALS, STATUS
from neurogame.native.arrays import rows
from neurogame.native.bits import first_ones, lowest_bit
from neurogame.native.call_address import call_address
from neurogame.native.compiled import inner
from neurogame.native.struct import Struct

_WORD = 64
_ONE, _NONE = np.uint64(1), np.uint64(0)


class DerivedSums(Struct):
    """What derived features are summed with; one per thread.

    ``U`` features, ``X`` signals that count, ``F`` fluents, ``Lw`` words of a block of lanes.

    Attributes:
        code: address of the generated code; 0 where no feature reads legal moves or goals.
        arguments: of that code.
        source: the states that it reads; int64 ``[F, Lw]``.
        target: the signals that it writes; int64 ``[X, Lw]``.
        begins: 1 for signals that count whatever others hold; 0 for those that count only where
            none of the signals just before does, back to one with a 1: of several goals of a role
            the highest counts; int32 ``[X]``.
        weights: of the signals; float32 ``[U, X]``.
        sums: of a block of states; float32 ``[U, 64 Lw]``.
        order: 0, 1, 2, ...; int64 ``[64 Lw]``.
        space: to work in; uint64 ``[SPACE]``.
    """

    code: int = 0
    arguments: Int64s1
    source: Int64s2
    target: Int64s2
    begins: Int32s1
    weights: Float32s2
    sums: Float32s2
    order: Int64s1
    space: UInt64s1


def make_derived(exported: ExportedHeuristic, variant: str | None) -> tuple[DerivedSums, object]:
    """Reserve memory, and load the code that derives.

    Args:
        exported: the heuristic.
        variant: of the generated code, or None.

    Returns:
        What the sums are made with, and what has to live as long.
    """
    circuit, features = exported.circuit, len(exported.moves)
    if not exported.is_derived:
        return _derived(features, 1, 1), None
    step = load_step(circuit, variant)
    moves = np.flatnonzero(exported.moves.any(axis=0))
    places, weights = [step.outputs[STATUS][moves]], [exported.moves[:, moves]]
    begins, first = [np.ones(len(moves), np.int32)], 0
    for role, goals in enumerate(circuit.goals):
        if exported.goals[:, role].any():
            places.append(step.outputs[GOALS][first : first + len(goals)])
            values = np.array([value / 100 for value, _ in goals], np.float32)
            weights.append(exported.goals[:, role, None] * values)
            begins.append((np.arange(len(goals)) == 0).astype(np.int32))
        first += len(goals)
    cells = np.ascontiguousarray(np.concatenate(places))
    sums = _derived(features, len(cells), step.lane_words, len(circuit.fluents))
    sums.weights = np.ascontiguousarray(np.concatenate(weights, axis=1))
    sums.begins = np.concatenate(begins)
    parts = 1 << Part.LOOK | bool(exported.goals.any()) << Part.GOALS
    sums.arguments, kept = step.between(sums.source, sums.target, cells, parts)
    sums.code = step.code.address("evaluate")
    return sums, kept


def _derived(features: int, signals: int, words: int, fluents: int = 1) -> DerivedSums:
    source = aligned(fluents * words).reshape(fluents, words)
    target = aligned(signals * words).reshape(signals, words)
    return DerivedSums(
        arguments=np.zeros(1, np.int64),
        source=source,
        target=target,
        begins=np.ones(signals, np.int32),
        weights=np.zeros((features, signals), np.float32),
        sums=np.zeros((features, _WORD * words), np.float32),
        order=np.arange(_WORD * words),
        space=np.zeros(SPACE, np.uint64),
    )


@inner
def derive(derived: DerivedSums, values: Values, first: int, count: int) -> None:
    """Compute the sums of as many states as there are lanes.

    Args:
        derived: where they go.
        values: with the states.
        first: of the states.
        count: how many, at most the lanes of a block.
    """
    states, order = rows(values.states, first, count), rows(derived.order, 0, count)
    to_lanes(states, order, derived.source, derived.space)
    call_address(derived.code, derived.arguments.ctypes.data)
    _add_up(derived, count)


@inner
def _add_up(derived: DerivedSums, count: int) -> None:
    """Add up the weights of the signals that hold."""
    target, sums, weights, begins = derived.target, derived.sums, derived.weights, derived.begins
    for feature in range(len(sums)):
        for lane in range(count):
            sums[feature, lane] = np.float32(0)
    for word in range((count + _WORD - 1) // _WORD):
        open_lanes = first_ones(count - _WORD * word)
        taken = _NONE
        for signal in range(len(target)):
            if begins[signal] != 0:
                taken = _NONE
            bits = np.uint64(target[signal, word]) & open_lanes & ~taken
            taken |= bits
            while bits:
                lane = _WORD * word + lowest_bit(bits)
                bits &= bits - _ONE
                for feature in range(len(sums)):
                    sums[feature, lane] += weights[feature, signal]
