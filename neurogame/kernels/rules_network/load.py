"""Loading a state, and the outputs of a state that differs from it in a few fluents."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s1, Int32s1, UInt64s2
from neurogame.kernels.rules_network.weights import Loaded, RulesNetworkWeights
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import callee, inner

_ONE = np.uint64(1)
_NONE = np.float32(0)


@inner
def load(loaded: Loaded, states: UInt64s2, row: int) -> None:
    """Take a packed state; what the network makes of it is computed when it is asked for."""
    for word in range(len(loaded.words)):
        loaded.words[word] = states[row, word]
    for mode in range(len(loaded.known)):
        loaded.known[mode] = 0


@inner
def mode_of(mode_fluent: Int32s1, states: UInt64s2, row: int) -> int:
    """Return the mode of a packed state; 0 where no fluent says so."""
    for mode in range(len(mode_fluent)):
        fluent = mode_fluent[mode]
        if (states[row, fluent >> 6] >> np.uint64(fluent & 63)) & _ONE != 0:
            return mode
    return 0


@inner
def see(network: RulesNetworkWeights, loaded: Loaded, mode: int) -> None:
    """Make sure that a state is loaded in a mode."""
    if loaded.known[mode] == 0:
        loaded.known[mode] = 1
        _see(network, loaded, mode)


@callee(sums=True)
def _see(network: RulesNetworkWeights, loaded: Loaded, mode: int) -> None:
    view, addends = network.seen_as, network.addends
    weights = network.weights[mode]
    row, hidden, first = loaded.row, loaded.hidden, network.first
    embedding, bias = network.embedding, network.bias
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
def change_rows(network: RulesNetworkWeights, rows: Int32s1, fluent: int, holds: bool) -> None:
    """Raise the rows that look-ups read where a fluent begins to hold; lower them where it ceases.

    Args:
        network: the weights.
        rows: changed; int32 ``[L]``.
        fluent: the fluent, in perspective.
        holds: whether it begins to hold.
    """
    addends = network.addends
    if holds:
        for place in range(len(rows)):
            rows[place] += addends[fluent, place]
    else:
        for place in range(len(rows)):
            rows[place] -= addends[fluent, place]


@callee(sums=True)
def compute_outputs(
    network: RulesNetworkWeights, loaded: Loaded, states: UInt64s2, row: int, out: Float32s1
) -> None:
    """Compute the outputs of a state much like the loaded one.

    Args:
        network: the weights.
        loaded: a state.
        states: packed states; uint64 ``[N, Fw]``.
        row: which of them is asked for.
        out: written; float32 ``[O]``.
    """
    mode = mode_of(network.mode_fluent, states, row)
    see(network, loaded, mode)
    view, units, rows = network.seen_as, loaded.units, loaded.rows
    weights, embedding = network.weights[mode], network.embedding
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
            change_rows(network, rows, fluent, holds)
            if holds:
                for unit in range(len(units)):
                    units[unit] += embedding[weights, fluent, unit]
            else:
                for unit in range(len(units)):
                    units[unit] -= embedding[weights, fluent, unit]
    for place in range(len(rows)):
        rows[place] = min(rows[place], network.last[place])
    add_up(network, loaded, mode)
    for output in range(len(out)):
        out[output] = network.sign[mode] * loaded.canonical[network.turn[mode, output]]


@callee(sums=True)
def add_up(network: RulesNetworkWeights, loaded: Loaded, mode: int) -> None:
    """Compute the outputs, in perspective, from the rows that are read and the units' inputs."""
    units, rows, canonical = loaded.units, loaded.rows, loaded.canonical
    weights, tables, readout = network.weights[mode], network.tables, network.readout
    for output in range(len(canonical)):
        total = _NONE
        for place in range(len(rows)):
            total += tables[weights, output, rows[place]]
        for unit in range(len(units)):
            total += readout[mode, output, unit] * max(units[unit], _NONE)
        canonical[output] = total
