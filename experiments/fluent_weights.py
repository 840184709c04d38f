"""The weights of a rules network, summed by the fluent that they read."""

from __future__ import annotations

import numpy as np
import torch

from neurogame.array_types import Float64s1
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.simulate.states import StateBatch


def fluent_weights(evaluator: RulesNetwork, states: StateBatch) -> Float64s1:
    """Return what the weights that read each fluent add while it holds.

    The row of a look-up is shared evenly among the fluents that chose it; a hidden unit that is
    active passes on each fluent's embedding times its readout. A fluent counts as what it is seen
    as in the perspective of its state. With the biases and the rows that no fluent chose, these
    shares add up to the whole of what the network adds.

    Args:
        evaluator: whose tables, embeddings and readouts are summed up.
        states: states of play.

    Returns:
        Mean over the states in which the fluent holds, in log-odds of the first output (the first
        role); float64 ``[F]``, 0 for a fluent that never holds.
    """
    layout = evaluator.layout
    held = states.to_bool()
    total = np.zeros(layout.sizes.fluents)
    addends = torch.from_numpy(layout.addends() > 0)
    with torch.no_grad():
        mode = layout.mode_of(held.float())
        for number in range(layout.sizes.modes):
            fluents = held[mode == number].float()
            if not len(fluents):
                continue
            seen = layout.seen(fluents, number)
            output = int(np.flatnonzero(layout.turn[number] == layout.turn[0, 0])[0])
            share = _shares(evaluator, seen, number, output, addends) * seen.double()
            target = layout.seen_as[number].astype(np.int64)
            source = np.flatnonzero(target >= 0)
            summed = share.sum(dim=0).numpy()
            total[source] += float(layout.sign[number]) * summed[target[source]]
    counts = held.sum(dim=0).numpy()
    weights: Float64s1 = total / np.maximum(counts, 1)
    return weights


def _shares(
    evaluator: RulesNetwork,
    seen: torch.Tensor,
    mode: int,
    output: int,
    reads: torch.Tensor,
) -> torch.Tensor:
    """Return what each fluent would be given in each state if it holds; float64 ``[B, F]``."""
    layout = evaluator.layout
    weights = int(layout.weights[mode])
    rows = evaluator.tables[weights][output][layout.rows(seen)].double()
    choosers = seen.double() @ reads.double()
    tables = (rows / choosers.clamp(min=1)) @ reads.double().t()
    embedding = evaluator.embedding[weights]
    active = (evaluator.bias[mode] + seen @ embedding > 0).double()
    return tables + (active * evaluator.readout[mode][output].double()) @ embedding.double().t()
