"""Values of the leaves of searches by a heuristic, each from what it shares with others."""

from __future__ import annotations

import numpy as np

from neurogame.judges.states import CompiledValues, Values
from neurogame.kernels.backends import gates_backend
from neurogame.kernels.heuristic.derived import DerivedSums, derive, make_derived
from neurogame.kernels.heuristic.exported import ExportedHeuristic, ValueLines
from neurogame.kernels.rules_network.load import compute_outputs
from neurogame.kernels.rules_network.search import approach
from neurogame.kernels.rules_network.weights import (
    Loaded,
    RulesNetworkWeights,
    exact_sums,
    make_loaded,
)
from neurogame.native.arrays import cast
from neurogame.native.entries import entry
from neurogame.native.struct import Struct


class HeuristicValuation(Struct):
    """What :func:`value_heuristic` works with; one per thread.

    Attributes:
        network: the sums over fluents and look-ups.
        loaded: memory for a state.
        derived: the sums over legal moves and goals.
        lines: the values.
    """

    network: RulesNetworkWeights
    loaded: Loaded
    derived: DerivedSums
    lines: ValueLines


_valuation = cast(HeuristicValuation)


def value_heuristic(values: Values) -> None:
    """Value the given states."""
    valuation = _valuation(values.evaluator)
    network, loaded, states, out = valuation.network, valuation.loaded, values.states, values.out
    outputs, derived, lines = loaded.outputs, valuation.derived, valuation.lines
    lanes = derived.sums.shape[1]
    for first in range(0, values.count, lanes):
        count = min(values.count - first, lanes)
        if derived.code != 0:
            derive(derived, values, first, count)
        for lane in range(count):
            row = first + lane
            approach(values, loaded, row)
            compute_outputs(network, loaded, states, row, outputs)
            for role in range(out.shape[1]):
                number = lines.feature[role]
                held = np.float64(outputs[number]) + np.float64(derived.sums[number, lane])
                value = np.float32(lines.base[role] + lines.slope[role] * held)
                out[row, role] = min(max(value, lines.least[role]), lines.most[role])


def compile_heuristic(exported: ExportedHeuristic) -> CompiledValues | None:
    """Return a heuristic for compiled code, None where it derives what cannot be compiled."""
    variant = None
    if exported.is_derived:
        family, variant = gates_backend(exported.circuit)
        if family != "llvm":
            return None
    derived, kept = make_derived(exported, variant)
    return CompiledValues(
        value=entry(value_heuristic, arrays=True),
        evaluator=HeuristicValuation(
            network=exact_sums(exported.network),
            loaded=make_loaded(exported.network),
            derived=derived,
            lines=exported.lines,
        ),
        kept=(kept,),
    )
