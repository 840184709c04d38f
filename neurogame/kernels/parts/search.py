"""Values of the leaves of searches, each from the one before it, which is often its sibling."""

from __future__ import annotations

from neurogame.judges.states import CompiledValues, Values, evaluate, new_values
from neurogame.kernels.leaves.networks import compile_networks
from neurogame.kernels.parts.exported import ExportedParts
from neurogame.kernels.parts.load import add_parts, load, mode_of
from neurogame.kernels.parts.outputs import added, joined
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
        logic: the goal networks below; of the kind NONE where there are none.
        parts: the weights.
        loaded: memory for a state.
    """

    logic: Values
    parts: PartWeights
    loaded: Loaded


_valuation = cast(PartsValuation)


def value_parts(values: Values) -> None:
    """Value the given states with goal networks, if there are any, and parts."""
    valuation = _valuation(values.evaluator)
    parts, loaded, states, out = valuation.parts, valuation.loaded, values.states, values.out
    outputs = loaded.outputs
    evaluate(valuation.logic, states, values.lanes, values.count, out)
    values.failed = valuation.logic.failed
    for row in range(values.count):
        if row == 0 or is_far(values, loaded, row):
            load(loaded, states, row)
        add_parts(parts, loaded, states, row, mode_of(parts, states, row), outputs)
        for role in range(out.shape[1]):
            out[row, role] = joined(out[row, role], added(parts, outputs, out, row, role))


def compile_parts(exported: ExportedParts) -> CompiledValues | None:
    """Return parts for compiled code, None where the goal networks below have no such form."""
    logic = None if exported.networks is None else compile_networks(exported.networks)
    if logic is None and exported.networks is not None:
        return None
    return CompiledValues(
        value=entry(value_parts, counted=True),
        evaluator=PartsValuation(
            logic=new_values(logic),
            parts=exported.parts,
            loaded=make_loaded(exported.parts),
        ),
        kept=() if logic is None else logic.kept,
    )


@inner
def is_far(values: Values, loaded: Loaded, row: int) -> bool:
    """Return whether so many fluents differ from the loaded state that to load is quicker."""
    differ, held, states = 0, 0, values.states
    for word in range(states.shape[1]):
        differ += ones(loaded.words[word] ^ states[row, word])
        held += ones(states[row, word])
    return _SHARE * differ > held
