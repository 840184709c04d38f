"""Loading a state, and what the parts add in a state that differs from it in a few fluents."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s1, UInt64s2
from neurogame.kernels.native.bits import lowest_bit
from neurogame.kernels.native.compiled import callee_sum, inner
from neurogame.kernels.parts.parts import Loaded, PartWeights

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
    view, start, lookup, addend = parts.seen_as, parts.start, parts.lookup, parts.addend
    row, hidden, first, weights = loaded.row, loaded.hidden, parts.first, parts.weights[mode]
    embedding, bias = parts.embedding, parts.bias
    for place in range(row.shape[1]):
        row[mode, place] = first[place]
    for unit in range(hidden.shape[1]):
        hidden[mode, unit] = bias[weights, unit]
    for word in range(len(loaded.words)):
        bits = loaded.words[word]
        while bits:
            fluent = view[mode, 64 * word + lowest_bit(bits)]
            bits &= bits - _ONE
            if fluent < 0:
                continue
            for place in range(start[fluent], start[fluent + 1]):
                row[mode, lookup[place]] += addend[place]
            for unit in range(hidden.shape[1]):
                hidden[mode, unit] += embedding[weights, fluent, unit]
    tables, sums, last = parts.tables, loaded.sums, parts.last
    for output in range(sums.shape[1]):
        total = _NONE
        for place in range(row.shape[1]):
            total += tables[weights, output, min(row[mode, place], last[place])]
        sums[mode, output] = total


@inner
def note_rows(parts: PartWeights, loaded: Loaded, fluent: int, holds: bool, count: int) -> int:
    """Note which rows change where a fluent, in perspective, begins or ceases to hold.

    A row that changes and changes back stays on the list of those that change.

    Args:
        parts: the weights.
        loaded: whose ``changed`` and ``delta`` are written; ``delta`` is raised by 2^30.
        fluent: the fluent.
        holds: whether it begins to hold.
        count: look-ups on the list so far.

    Returns:
        How many there are now.
    """
    lookup, addend, changed, delta = parts.lookup, parts.addend, loaded.changed, loaded.delta
    for place in range(parts.start[fluent], parts.start[fluent + 1]):
        own = lookup[place]
        if delta[own] == 0:
            changed[count] = own
            count += 1
            delta[own] = 1 << 30
        delta[own] += addend[place] if holds else -addend[place]
    return count


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
    view, units, hidden = parts.seen_as, loaded.units, loaded.hidden
    weights, embedding = parts.weights[mode], parts.embedding
    for unit in range(len(units)):
        units[unit] = hidden[mode, unit]
    count = 0
    for word in range(len(loaded.words)):
        bits = loaded.words[word] ^ states[row, word]
        while bits:
            bit = lowest_bit(bits)
            bits &= bits - _ONE
            fluent = view[mode, 64 * word + bit]
            if fluent < 0:
                continue
            holds = (states[row, word] >> np.uint64(bit)) & _ONE != 0
            count = note_rows(parts, loaded, fluent, holds, count)
            if holds:
                for unit in range(len(units)):
                    units[unit] += embedding[weights, fluent, unit]
            else:
                for unit in range(len(units)):
                    units[unit] -= embedding[weights, fluent, unit]
    _add_up(parts, loaded, mode, count, out)


@callee_sum
def _add_up(parts: PartWeights, loaded: Loaded, mode: int, count: int, out: Float32s1) -> None:
    """Add up the outputs, and clear what has been noted of rows."""
    units, changed, delta, rows = loaded.units, loaded.changed, loaded.delta, loaded.row
    weights, tables, readout = parts.weights[mode], parts.tables, parts.readout
    canonical, last = loaded.canonical, parts.last
    for output in range(len(canonical)):
        total = loaded.sums[mode, output]
        for place in range(count):
            own = changed[place]
            before = min(rows[mode, own], last[own])
            after = min(rows[mode, own] + delta[own] - (1 << 30), last[own])
            total += tables[weights, output, after] - tables[weights, output, before]
        for unit in range(len(units)):
            total += readout[weights, output, unit] * max(units[unit], _NONE)
        canonical[output] = total
    for place in range(count):
        delta[changed[place]] = 0
    for output in range(len(out)):
        out[output] = parts.sign[mode] * canonical[parts.turn[mode, output]]
