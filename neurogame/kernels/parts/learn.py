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
from neurogame.kernels.parts.adam import step_adam
from neurogame.kernels.parts.learning import Learning
from neurogame.kernels.parts.limits import LEAST
from neurogame.kernels.parts.load import add_up, change_rows
from neurogame.kernels.parts.outputs import added, value_of
from neurogame.native.bits import lowest_bit
from neurogame.native.compiled import callee_sum, inner

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
    for mode in range(len(learning.parts.weights)):
        _learn_mode(learning, states, modes, targets, begin, count, mode, image)
    learning.positions += count
    learning.waiting += count
    if learning.waiting >= learning.every and learning.step_size > 0:
        step_adam(learning)


@inner
def _learn_mode(
    learning: Learning,
    states: UInt64s2,
    modes: Int32s1,
    targets: Float32s2,
    begin: int,
    count: int,
    mode: int,
    image: int,
) -> None:
    """Learn from the positions of one mode."""
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


@inner
def _begin(learning: Learning, mode: int) -> None:
    """Begin with a state in which no fluent holds."""
    parts, loaded = learning.parts, learning.loaded
    for word in range(len(loaded.words)):
        loaded.words[word] = np.uint64(0)
    for unit in range(len(loaded.units)):
        loaded.units[unit] = parts.bias[mode, unit]
        learning.flow[unit] = _NONE
    for output in range(len(learning.total)):
        learning.total[output] = _NONE
        for lookup in range(len(parts.first)):
            learning.noted[lookup, output] = _NONE
    for lookup in range(len(parts.first)):
        loaded.row[mode, lookup] = loaded.rows[lookup] = parts.first[lookup]


@callee_sum
def _move_on(learning: Learning, states: UInt64s2, place: int, mode: int, image: int) -> None:
    """Go on to a position: rows that change get their errors, fluents their gradients."""
    parts, loaded, images = learning.parts, learning.loaded, learning.images
    view, units, flow = parts.seen_as, loaded.units, learning.flow
    rows, row, last = loaded.rows, loaded.row, parts.last
    weights, embedding, gradient = parts.weights[mode], parts.embedding, learning.embedding_gradient
    for at in range(len(rows)):
        rows[at] = row[mode, at]
    for word in range(len(loaded.words)):
        now = states[place, word]
        bits = loaded.words[word] ^ now
        loaded.words[word] = now
        while bits:
            bit = lowest_bit(bits)
            bits &= bits - _ONE
            fluent = view[mode, 64 * word + bit]
            if fluent < 0:
                continue
            holds = (now >> np.uint64(bit)) & _ONE != 0
            change_rows(parts, rows, fluent, holds)
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
    weights, tables = learning.parts.weights[mode], learning.parts.tables
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


@callee_sum
def _predict(learning: Learning, mode: int) -> None:
    """Compute the outputs of the position."""
    parts, loaded = learning.parts, learning.loaded
    canonical, out = loaded.canonical, loaded.outputs
    add_up(parts, loaded, mode)
    for output in range(len(out)):
        out[output] = parts.sign[mode] * canonical[parts.turn[mode, output]]


@inner
def _note_error(learning: Learning, targets: Float32s2, place: int, mode: int) -> None:
    """Compute the errors of the outputs."""
    parts, error, turned = learning.parts, learning.error, learning.turned
    outputs, roles = learning.loaded.outputs, targets.shape[1]
    for output in range(len(error)):
        error[output] = turned[output] = _NONE
    for role in range(roles):
        forecast = value_of(added(parts, outputs, role))
        wanted = targets[place, role]
        missing = wanted - forecast
        sure = min(max(np.float64(forecast), LEAST), 1 - LEAST)
        learning.loss -= wanted * math.log(sure) + (1 - wanted) * math.log(1 - sure)
        if parts.opposed == 0:
            error[role] = missing
        elif role == 0:
            error[0] += np.float32(0.5) * missing
        else:
            error[0] -= np.float32(0.5) * missing
    for output in range(len(error)):
        turned[parts.turn[mode, output]] += parts.sign[mode] * error[output]
    for output in range(len(error)):
        learning.total[output] += turned[output]


@callee_sum
def _add_gradients(learning: Learning, mode: int) -> None:
    """Add the gradients of the hidden units and of what reads them."""
    parts, units, flow, turned = (
        learning.parts,
        learning.loaded.units,
        learning.flow,
        learning.turned,
    )
    readout, gradient = parts.readout, learning.readout_gradient
    for output in range(len(turned)):
        error = turned[output]
        for unit in range(len(units)):
            active = units[unit] > _NONE
            gradient[mode, output, unit] += error * units[unit] if active else _NONE
            flow[unit] += error * readout[mode, output, unit] if active else _NONE


@inner
def _end(learning: Learning, mode: int, image: int) -> None:
    """Give all rows and all fluents that hold what they have not had yet."""
    parts, loaded, flow = learning.parts, learning.loaded, learning.flow
    weights, gradient = parts.weights[mode], learning.embedding_gradient
    for lookup in range(len(parts.first)):
        row = min(loaded.row[mode, lookup], parts.last[lookup])
        _learn_row(learning, mode, lookup, row)
    for unit in range(len(flow)):
        learning.bias_gradient[mode, unit] += flow[unit]
    for word in range(len(loaded.words)):
        bits = loaded.words[word]
        while bits:
            fluent = learning.images[mode, image, 64 * word + lowest_bit(bits)]
            bits &= bits - _ONE
            if fluent >= 0:
                for unit in range(len(flow)):
                    gradient[weights, fluent, unit] += flow[unit]
