"""Values of the leaves of searches, each from what it has in common with those beside it.

That is their parent, mostly. Its sums go on from those of the parent before it.

*Reference:* Nasu, "Efficiently updatable neural-network-based evaluation functions for computer
shogi" (2018), for inputs of hidden units that go on from position to position in whole numbers.
"""

from __future__ import annotations

from neurogame.judges.states import CompiledValues, Values
from neurogame.kernels.rules_network.load import compute_outputs, differing, move_near
from neurogame.kernels.rules_network.outputs import added, value_of
from neurogame.kernels.rules_network.weights import (
    Loaded,
    RulesNetworkWeights,
    exact_sums,
    make_loaded,
)
from neurogame.native.arrays import cast
from neurogame.native.compiled import inner
from neurogame.native.entries import entry
from neurogame.native.struct import Struct

_SHARE, _FEW = 3, 2
"""What is loaded is given up where more than one fluent in so many differs, and for more states
than so few."""


class RulesNetworkValuation(Struct):
    """What :func:`value_rules_network` works with; one per thread.

    Attributes:
        network: the weights.
        loaded: memory for a state.
    """

    network: RulesNetworkWeights
    loaded: Loaded


_valuation = cast(RulesNetworkValuation)


def value_rules_network(values: Values) -> None:
    """Value the given states."""
    valuation = _valuation(values.evaluator)
    network, loaded, states, out = valuation.network, valuation.loaded, values.states, values.out
    outputs = loaded.outputs
    for row in range(values.count):
        approach(values, loaded, row)
        compute_outputs(network, loaded, states, row, outputs)
        for role in range(out.shape[1]):
            out[row, role] = value_of(added(network, outputs, role))


def compile_rules_network(network: RulesNetworkWeights) -> CompiledValues:
    """Return a rules network for compiled code."""
    valuation = RulesNetworkValuation(network=exact_sums(network), loaded=make_loaded(network))
    return CompiledValues(value=entry(value_rules_network, arrays=True), evaluator=valuation)


@inner
def approach(values: Values, loaded: Loaded, row: int) -> None:
    """Load what a state has in common with those behind it, where that makes it quicker to value.

    That is so for the first of several states, and where many fluents differ.
    """
    differ, held = differing(loaded.base, values.states[row])
    if _SHARE * differ > held or (row == 0 and values.count > _FEW):
        move_near(loaded, values.states, row, values.count)
