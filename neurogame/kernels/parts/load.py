"""Loading a state, and what the parts add in a state that differs from it in a few fluents."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s1, Int32s1, UInt64s2
from neurogame.kernels.parts.parts import Loaded, PartWeights
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import callee_sum, inner

_ONE = np.uint64(1)
_NONE = np.float32(0)


@inner
def load(loaded: Loaded, states: UInt64s2, row: int) -> None:
    """Take a packed state; what the parts make of it is computed when it is asked for."""
    for word in range(len(loaded.words)):
        loaded.words[word] = states[row, word]
    for mode in range(len(loaded.known)):
        loaded.known[mode] = 0


@inner
def mode_of(parts: PartWeights, states: UInt64s2, row: int) -> int:
    """Return the mode of a packed state; 0 where no fluent says so."""
    for mode in range(len(parts.mode_fluent)):
        fluent = parts.mode_fluent[mode]
        if (states[row, fluent >> 6] >> np.uint64(fluent & 63)) & _ONE != 0:
            return mode
    return 0


@inner
def see(parts: PartWeights, loaded: Loaded, mode: int) -> None:
    """Make sure that a state is loaded in a mode."""
    if loaded.known[mode] == 0:
        loaded.known[mode] = 1
        _see(parts, loaded, mode)


@callee_sum
def _see(parts: PartWeights, loaded: Loaded, mode: int) -> None:
    view, addends = parts.seen_as, parts.addends
    weights = parts.weights[mode]
    row, hidden, first = loaded.row, loaded.hidden, parts.first
    embedding, bias = parts.embedding, parts.bias
    for place in range(row.shape[1]):
        row[mode, place] = first[place]
    for unit in range(hidden.shape[1]):
        hidden[mode, unit] = bias[mode, unit]
    for word in range(len(loaded.words)):
        bits = loaded.words[word]
        while bits:
            fluent = view[mode, 64 * word + lowest_bit(bits)]
            bits &= bits - _ONE
            if fluent < 0:
                continue
            for place in range(row.shape[1]):
                row[mode, place] += addends[fluent, place]
            for unit in range(hidden.shape[1]):
                hidden[mode, unit] += embedding[weights, fluent, unit]


@inner
def change_rows(parts: PartWeights, rows: Int32s1, fluent: int, holds: bool) -> None:
    """Raise the rows that look-ups read where a fluent begins to hold; lower them where it ceases.

    Args:
        parts: the weights.
        rows: changed; int32 ``[L]``.
        fluent: the fluent, in perspective.
        holds: whether it begins to hold.
    """
    addends = parts.addends
    if holds:
        for place in range(len(rows)):
            rows[place] += addends[fluent, place]
    else:
        for place in range(len(rows)):
            rows[place] -= addends[fluent, place]


@callee_sum
def add_parts(
    parts: PartWeights, loaded: Loaded, states: UInt64s2, row: int, mode: int, out: Float32s1
) -> None:
    """Compute what the parts add to the outputs in a state much like the loaded one.

    Args:
        parts: the weights.
        loaded: a state.
        states: packed states; uint64 ``[N, Fw]``.
        row: which of them is asked for.
        mode: its mode.
        out: written; float32 ``[O]``.
    """
    see(parts, loaded, mode)
    view, units, rows = parts.seen_as, loaded.units, loaded.rows
    weights, embedding = parts.weights[mode], parts.embedding
    for unit in range(len(units)):
        units[unit] = loaded.hidden[mode, unit]
    for place in range(len(rows)):
        rows[place] = loaded.row[mode, place]
    for word in range(len(loaded.words)):
        bits = loaded.words[word] ^ states[row, word]
        while bits:
            bit = lowest_bit(bits)
            bits &= bits - _ONE
            fluent = view[mode, 64 * word + bit]
            if fluent < 0:
                continue
            holds = (states[row, word] >> np.uint64(bit)) & _ONE != 0
            change_rows(parts, rows, fluent, holds)
            if holds:
                for unit in range(len(units)):
                    units[unit] += embedding[weights, fluent, unit]
            else:
                for unit in range(len(units)):
                    units[unit] -= embedding[weights, fluent, unit]
    for place in range(len(rows)):
        rows[place] = min(rows[place], parts.last[place])
    add_up(parts, loaded, mode)
    for output in range(len(out)):
        out[output] = parts.sign[mode] * loaded.canonical[parts.turn[mode, output]]


@callee_sum
def add_up(parts: PartWeights, loaded: Loaded, mode: int) -> None:
    """Compute the outputs, in perspective, from the rows that are read and the units' inputs."""
    units, rows, canonical = loaded.units, loaded.rows, loaded.canonical
    weights, tables, readout = parts.weights[mode], parts.tables, parts.readout
    for output in range(len(canonical)):
        total = _NONE
        for place in range(len(rows)):
            total += tables[weights, output, rows[place]]
        for unit in range(len(units)):
            total += readout[mode, output, unit] * max(units[unit], _NONE)
        canonical[output] = total
