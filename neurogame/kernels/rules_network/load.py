"""Loading a state, and the outputs of a state that differs from it in a few fluents.

What a state adds to the inputs of hidden units is summed four fluents at a time, so that inputs
are read and written once for the four.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s1, Int32s1, UInt64s1, UInt64s2
from neurogame.kernels.rules_network.weights import AT_ONCE, Loaded, RulesNetworkWeights
from neurogame.native.bits import lowest_bit, ones
from neurogame.native.compiled import callee, inner

_ONE = np.uint64(1)
_NONE = np.float32(0)
_NOTHING, _BASE, _FORMER = 0, 1, 2
"""What the sums of a mode are of: nothing yet, the loaded state, one that was loaded before."""


@inner
def load(loaded: Loaded, states: UInt64s2, row: int) -> None:
    """Take a packed state; what the network makes of it is computed when it is asked for."""
    for word in range(len(loaded.base)):
        loaded.base[word] = states[row, word]
    for mode in range(len(loaded.known)):
        loaded.known[mode] = _NOTHING


@inner
def move_near(loaded: Loaded, states: UInt64s2, row: int, count: int) -> None:
    """Take what a packed state and the two behind it mostly hold, if there are two.

    That is what children of a state have in common. Sums go on from those of the former one,
    which is right where they are exact; see :func:`.exact_sums`.

    Args:
        loaded: a state.
        states: packed states; uint64 ``[N, Fw]``.
        row: which of them is the first.
        count: of states.
    """
    for word in range(len(loaded.base)):
        common = states[row, word]
        if row + 2 < count:
            second, third = states[row + 1, word], states[row + 2, word]
            common = (common & (second | third)) | (second & third)
        loaded.base[word] = common
    for mode in range(len(loaded.known)):
        if loaded.known[mode] == _BASE:
            loaded.known[mode] = _FORMER


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
    """Make sure that the sums of a mode are those of the loaded state."""
    if loaded.known[mode] != _BASE:
        _move(network, loaded, mode)
        loaded.known[mode] = _BASE


@callee(sums=True)
def _move(network: RulesNetworkWeights, loaded: Loaded, mode: int) -> None:
    """Bring the sums of a mode to the loaded state, from the former one where that is nearer."""
    former, base = loaded.former[mode], loaded.base
    differ, held = differing(former, base)
    rows, units = loaded.row[mode], loaded.hidden[mode]
    if loaded.known[mode] == _NOTHING or differ > held:
        for word in range(len(base)):
            former[word] = np.uint64(0)
        for place in range(len(rows)):
            rows[place] = network.first[place]
        for unit in range(len(units)):
            units[unit] = network.bias[mode, unit]
    count = _note_changes(network, loaded, mode, former, base)
    for word in range(len(base)):
        former[word] = base[word]
    _change_noted(network, loaded, rows, count)
    for at in range(0, count, AT_ONCE):
        _add_fluents(network, loaded, mode, units, at)


@inner
def differing(before: UInt64s1, after: UInt64s1) -> tuple[int, int]:
    """Return how many fluents differ between two packed states, and how many the second holds."""
    differ, held = 0, 0
    for word in range(len(before)):
        differ += ones(before[word] ^ after[word])
        held += ones(after[word])
    return differ, held


@inner
def _note_changes(
    network: RulesNetworkWeights, loaded: Loaded, mode: int, before: UInt64s1, after: UInt64s1
) -> int:
    """Note the fluents that begin or cease to hold; return how many.

    Behind them come some that add nothing.
    """
    count = 0
    for word in range(len(before)):
        bits = before[word] ^ after[word]
        while bits:
            bit = lowest_bit(bits)
            bits &= bits - _ONE
            fluent = network.seen_as[mode, 64 * word + bit]
            if fluent >= 0:
                loaded.changed[count] = fluent
                holds = (after[word] >> np.uint64(bit)) & _ONE != 0
                loaded.sign[count] = np.float32(1) if holds else np.float32(-1)
                count += 1
    for at in range(count, count + AT_ONCE):
        loaded.changed[at] = loaded.changed[count - 1] if count > 0 else 0
        loaded.sign[at] = _NONE
    return count


@inner
def _change_noted(network: RulesNetworkWeights, loaded: Loaded, rows: Int32s1, count: int) -> None:
    """Change the rows that look-ups read by the fluents that are noted."""
    for at in range(count):
        change_rows(network, rows, loaded.changed[at], loaded.sign[at] > _NONE)


@callee(sums=True)
def _add_fluents(
    network: RulesNetworkWeights, loaded: Loaded, mode: int, units: Float32s1, at: int
) -> None:
    """Add what four noted fluents add to the inputs of hidden units, from one of them on."""
    embedding, weights = network.embedding, network.weights[mode]
    changed, sign = loaded.changed, loaded.sign
    one, two, three, four = changed[at], changed[at + 1], changed[at + 2], changed[at + 3]
    first, second, third, fourth = sign[at], sign[at + 1], sign[at + 2], sign[at + 3]
    for unit in range(len(units)):
        units[unit] += (
            first * embedding[weights, one, unit]
            + second * embedding[weights, two, unit]
            + third * embedding[weights, three, unit]
            + fourth * embedding[weights, four, unit]
        )


@callee(sums=True)
def _read_units(
    network: RulesNetworkWeights,
    loaded: Loaded,
    mode: int,
    output: int,
    units: Float32s1,
    at: int,
) -> np.float32:
    """Return what hidden units add to an output once four noted fluents are added, too."""
    embedding, weights, readout = network.embedding, network.weights[mode], network.readout
    changed, sign = loaded.changed, loaded.sign
    one, two, three, four = changed[at], changed[at + 1], changed[at + 2], changed[at + 3]
    first, second, third, fourth = sign[at], sign[at + 1], sign[at + 2], sign[at + 3]
    total = _NONE
    for unit in range(len(units)):
        change = (
            first * embedding[weights, one, unit]
            + second * embedding[weights, two, unit]
            + third * embedding[weights, three, unit]
            + fourth * embedding[weights, four, unit]
        )
        total += readout[mode, output, unit] * max(units[unit] + change, _NONE)
    return total


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
    rows, canonical = loaded.rows, loaded.canonical
    count = _note_changes(network, loaded, mode, loaded.base, states[row])
    for place in range(len(rows)):
        rows[place] = loaded.row[mode, place]
    _change_noted(network, loaded, rows, count)
    for place in range(len(rows)):
        rows[place] = min(rows[place], network.last[place])
    units, at = loaded.hidden[mode], 0
    if count > AT_ONCE:
        for unit in range(len(units)):
            loaded.units[unit] = units[unit]
        units = loaded.units
        while at + AT_ONCE < count:
            _add_fluents(network, loaded, mode, units, at)
            at += AT_ONCE
    for output in range(len(canonical)):
        canonical[output] = _look_up(network, rows, mode, output)
        if len(units) > 0:
            canonical[output] += _read_units(network, loaded, mode, output, units, at)
    for output in range(len(out)):
        out[output] = network.sign[mode] * canonical[network.turn[mode, output]]


@callee
def _look_up(network: RulesNetworkWeights, rows: Int32s1, mode: int, output: int) -> np.float32:
    """Return what the rows that are read add to an output.

    Four sums that do not wait for each other, one number at a time, are quicker than
    instructions that gather several numbers.
    """
    tables, weights = network.tables, network.weights[mode]
    one, two, three, four = _NONE, _NONE, _NONE, _NONE
    whole = len(rows) & ~3
    for at in range(0, whole, 4):
        # Without a sign, no place can be one that counts from the end.
        one += tables[weights, output, np.uint32(rows[at])]
        two += tables[weights, output, np.uint32(rows[at + 1])]
        three += tables[weights, output, np.uint32(rows[at + 2])]
        four += tables[weights, output, np.uint32(rows[at + 3])]
    for at in range(whole, len(rows)):
        one += tables[weights, output, np.uint32(rows[at])]
    return (one + two) + (three + four)


@callee(sums=True)
def add_up(network: RulesNetworkWeights, loaded: Loaded, mode: int) -> None:
    """Compute the outputs, in perspective, from the rows that are read and the units' inputs."""
    units, rows, canonical, readout = loaded.units, loaded.rows, loaded.canonical, network.readout
    for output in range(len(canonical)):
        total = _look_up(network, rows, mode, output)
        for unit in range(len(units)):
            total += readout[mode, output, unit] * max(units[unit], _NONE)
        canonical[output] = total
