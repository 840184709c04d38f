"""Values of the leaves of searches, each from the one before it, which is often its sibling."""

from __future__ import annotations

from neurogame.judges.states import CompiledValues, Values
from neurogame.kernels.parts.load import add_parts, load, mode_of
from neurogame.kernels.parts.outputs import added, value_of
from neurogame.kernels.parts.parts import Loaded, PartWeights, make_loaded
from neurogame.native.arrays import cast
from neurogame.native.bits import ones
from neurogame.native.compiled import inner
from neurogame.native.entries import entry
from neurogame.native.struct import Struct

_SHARE = 3
"""A state is loaded anew where more than one fluent in this many differs from the loaded one."""


class PartsValuation(Struct):
    """What :func:`value_parts` works with; one per thread.

    Attributes:
        parts: the weights.
        loaded: memory for a state.
    """

    parts: PartWeights
    loaded: Loaded


_valuation = cast(PartsValuation)


def value_parts(values: Values) -> None:
    """Value the given states."""
    valuation = _valuation(values.evaluator)
    parts, loaded, states, out = valuation.parts, valuation.loaded, values.states, values.out
    outputs = loaded.outputs
    for row in range(values.count):
        if row == 0 or is_far(values, loaded, row):
            load(loaded, states, row)
        add_parts(parts, loaded, states, row, mode_of(parts, states, row), outputs)
        for role in range(out.shape[1]):
            out[row, role] = value_of(added(parts, outputs, role))


def compile_parts(parts: PartWeights) -> CompiledValues:
    """Return parts for compiled code."""
    return CompiledValues(
        value=entry(value_parts, counted=True),
        evaluator=PartsValuation(parts=parts, loaded=make_loaded(parts)),
    )


@inner
def is_far(values: Values, loaded: Loaded, row: int) -> bool:
    """Return whether so many fluents differ from the loaded state that to load is quicker."""
    differ, held, states = 0, 0, values.states
    for word in range(states.shape[1]):
        differ += ones(loaded.words[word] ^ states[row, word])
        held += ones(states[row, word])
    return _SHARE * differ > held
