"""Learning from one game: the positions of each mode one after the other, by their differences.

From one position of a mode to the next a few fluents change. So the rows of most look-ups stay,
and their errors are added up until they change; and a fluent's embedding gets the difference of
two running sums of gradients, taken where it began and where it ceased to hold. A game costs its
changes, not its positions times its fluents.
"""

from __future__ import annotations

import math

import numpy as np

from neurogame.array_types import Float32s2, Int32s1, UInt64s2
from neurogame.kernels.rules_network.adam import step_adam
from neurogame.kernels.rules_network.learning import Learning
from neurogame.kernels.rules_network.limits import LEAST
from neurogame.kernels.rules_network.load import add_up, change_rows
from neurogame.kernels.rules_network.outputs import added, value_of
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import callee, inner

_ONE = np.uint64(1)
_NONE = np.float32(0)


@inner
def learn_game(
    learning: Learning,
    states: UInt64s2,
    modes: Int32s1,
    targets: Float32s2,
    begin: int,
    count: int,
    image: int,
) -> None:
    """Move the values of a game's positions towards their targets.

    Args:
        learning: what learns.
        states: packed states; uint64 ``[N, Fw]``.
        modes: their modes; int32 ``[N]``.
        targets: of each role's value, 0..1; float32 ``[N, R]``.
        begin: first position.
        count: number of positions.
        image: symmetry under which embeddings see them.
    """
    for mode in range(len(learning.network.weights)):
        started = False
        for place in range(begin, begin + count):
            if modes[place] != mode:
                continue
            if not started:
                started = True
                _begin(learning, mode)
            _move_on(learning, states, place, mode, image)
            _predict(learning, mode)
            _note_error(learning, targets, place, mode)
            _add_gradients(learning, mode)
        if started:
            _end(learning, mode, image)
    learning.positions += count
    learning.waiting += count
    if learning.waiting >= learning.every and learning.step_size > 0:
        step_adam(learning)


@inner
def _begin(learning: Learning, mode: int) -> None:
    """Begin with a state in which no fluent holds."""
    network, loaded = learning.network, learning.loaded
    for word in range(len(loaded.base)):
        loaded.base[word] = np.uint64(0)
    for unit in range(len(loaded.units)):
        loaded.units[unit] = network.bias[mode, unit]
        learning.flow[unit] = _NONE
    for output in range(len(learning.total)):
        learning.total[output] = _NONE
        for lookup in range(len(network.first)):
            learning.noted[lookup, output] = _NONE
    for lookup in range(len(network.first)):
        loaded.row[mode, lookup] = loaded.rows[lookup] = network.first[lookup]


@callee(sums=True)
def _move_on(learning: Learning, states: UInt64s2, place: int, mode: int, image: int) -> None:
    """Go on to a position: rows that change get their errors, fluents their gradients."""
    network, loaded, images = learning.network, learning.loaded, learning.images
    view, units, flow = network.seen_as, loaded.units, learning.flow
    rows, row, last = loaded.rows, loaded.row, network.last
    weights, embedding = network.weights[mode], network.embedding
    gradient = learning.embedding_gradient
    for at in range(len(rows)):
        rows[at] = row[mode, at]
    for word in range(len(loaded.base)):
        now = states[place, word]
        bits = loaded.base[word] ^ now
        loaded.base[word] = now
        while bits:
            bit = lowest_bit(bits)
            bits &= bits - _ONE
            fluent = view[mode, 64 * word + bit]
            if fluent < 0:
                continue
            holds = (now >> np.uint64(bit)) & _ONE != 0
            change_rows(network, rows, fluent, holds)
            fluent = images[mode, image, 64 * word + bit]
            if holds:
                for unit in range(len(units)):
                    units[unit] += embedding[weights, fluent, unit]
                    gradient[weights, fluent, unit] -= flow[unit]
            else:
                for unit in range(len(units)):
                    units[unit] -= embedding[weights, fluent, unit]
                    gradient[weights, fluent, unit] += flow[unit]
    for lookup in range(len(rows)):
        after, before = rows[lookup], row[mode, lookup]
        row[mode, lookup] = after
        rows[lookup] = min(after, last[lookup])
        if rows[lookup] != min(before, last[lookup]):
            _learn_row(learning, mode, lookup, min(before, last[lookup]))


@inner
def _learn_row(learning: Learning, mode: int, lookup: int, row: int) -> None:
    """Give a row the errors since its look-up came to it.

    *Reference:* temporal coherence, Beal and Smith (1999): a weight's step is the larger, the
    more its errors agree.
    """
    weights, tables = learning.network.weights[mode], learning.network.tables
    errors, sizes, noted = learning.errors, learning.sizes, learning.noted
    for output in range(len(learning.total)):
        error = learning.total[output] - noted[lookup, output]
        noted[lookup, output] = learning.total[output]
        if error == _NONE:
            continue
        size = sizes[weights, output, row]
        step = np.float32(learning.rate) * error
        if size > _NONE:
            step *= abs(errors[weights, output, row]) / size
        tables[weights, output, row] += step
        errors[weights, output, row] += error
        sizes[weights, output, row] = size + abs(error)


@callee(sums=True)
def _predict(learning: Learning, mode: int) -> None:
    """Compute the outputs of the position."""
    network, loaded = learning.network, learning.loaded
    canonical, out = loaded.canonical, loaded.outputs
    add_up(network, loaded, mode)
    for output in range(len(out)):
        out[output] = network.sign[mode] * canonical[network.turn[mode, output]]


@inner
def _note_error(learning: Learning, targets: Float32s2, place: int, mode: int) -> None:
    """Compute the errors of the outputs."""
    network, error, turned = learning.network, learning.error, learning.turned
    outputs, roles = learning.loaded.outputs, targets.shape[1]
    for output in range(len(error)):
        error[output] = turned[output] = _NONE
    for role in range(roles):
        forecast = value_of(added(network, outputs, role))
        wanted = targets[place, role]
        missing = wanted - forecast
        sure = min(max(np.float64(forecast), LEAST), 1 - LEAST)
        learning.loss -= wanted * math.log(sure) + (1 - wanted) * math.log(1 - sure)
        if network.opposed == 0:
            error[role] = missing
        elif role == 0:
            error[0] += np.float32(0.5) * missing
        else:
            error[0] -= np.float32(0.5) * missing
    for output in range(len(error)):
        turned[network.turn[mode, output]] += network.sign[mode] * error[output]
    for output in range(len(error)):
        learning.total[output] += turned[output]


@callee(sums=True)
def _add_gradients(learning: Learning, mode: int) -> None:
    """Add the gradients of the hidden units and of what reads them."""
    network, units, flow, turned = (
        learning.network,
        learning.loaded.units,
        learning.flow,
        learning.turned,
    )
    readout, gradient = network.readout, learning.readout_gradient
    for output in range(len(turned)):
        error = turned[output]
        for unit in range(len(units)):
            active = units[unit] > _NONE
            gradient[mode, output, unit] += error * units[unit] if active else _NONE
            flow[unit] += error * readout[mode, output, unit] if active else _NONE


@inner
def _end(learning: Learning, mode: int, image: int) -> None:
    """Give all rows and all fluents that hold what they have not had yet."""
    network, loaded, flow = learning.network, learning.loaded, learning.flow
    weights, gradient = network.weights[mode], learning.embedding_gradient
    for lookup in range(len(network.first)):
        row = min(loaded.row[mode, lookup], network.last[lookup])
        _learn_row(learning, mode, lookup, row)
    for unit in range(len(flow)):
        learning.bias_gradient[mode, unit] += flow[unit]
    for word in range(len(loaded.base)):
        bits = loaded.base[word]
        while bits:
            fluent = learning.images[mode, image, 64 * word + lowest_bit(bits)]
            bits &= bits - _ONE
            if fluent >= 0:
                for unit in range(len(flow)):
                    gradient[weights, fluent, unit] += flow[unit]
