"""What a rules network adds up: patterns and hidden units, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import torch

from neurogame.array_types import Float64s1
from neurogame.evaluators.attribution import Attribution, Contribution
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.inspect.attribution.exact import adds, exact
from neurogame.inspect.attribution.unit_labels import UnitLabel, labels_in_mode
from neurogame.kernels.rules_network.limits import MOST
from neurogame.simulate.game import State


def attribute_rules_network(evaluator: RulesNetwork, state: State, role: int) -> Attribution:
    """Return the log-odds of a state's value as the sum that they are.

    The base is 0, a value of one half. Beyond
    :data:`~neurogame.kernels.rules_network.limits.MOST` what units and tables add is cut off, which
    is a contribution of its own (``limit``).

    Args:
        evaluator: of the state's game.
        state: any state.
        role: index of the role.
    """
    batch = state.fluents[None]
    with torch.no_grad():
        value = float(evaluator(batch)[0, role])
        total = float(evaluator.log_odds(batch)[0, role])
        more = float(evaluator.added(batch)[0, role])
    contributions, by_fluent = _added(evaluator, state, role)
    if abs(more) > MOST:
        contributions.append(
            adds("limit", f"cut off at {MOST:.0f}", math.copysign(MOST, more) - more)
        )
    return exact("log-odds", role, total, contributions, by_fluent.tolist(), value=value)


def _added(
    evaluator: RulesNetwork, state: State, role: int
) -> tuple[list[Contribution], Float64s1]:
    """Return what patterns and hidden units add for a role, and that by the fluents behind it.

    What the same label says is one contribution.
    """
    layout = evaluator.layout
    held = state.fluents[None].to(evaluator.tables.dtype)
    mode = int(layout.mode_of(held)[0])
    weights, seen = int(layout.weights[mode]), layout.seen(held, mode)
    opposed = layout.sizes.opposed
    output = int(layout.turn[mode][0 if opposed else role])
    sign = float(layout.sign[mode]) * (-1.0 if opposed and role == 1 else 1.0)
    with torch.no_grad():
        rows = layout.rows(seen)[0]
        amounts = (sign * evaluator.tables[weights, output, rows]).double().numpy()
        inputs = seen[0, :, None] * evaluator.embedding[weights]
        before = evaluator.bias[mode] + inputs.sum(dim=0)
        readout = sign * evaluator.readout[mode, output]
        units = (readout * torch.relu(before)).double().numpy()
        shares = (inputs * (readout * (before > 0))).sum(dim=1).double().numpy()
    unit_labels, table_labels = labels_in_mode(evaluator, state.game, mode)
    added: dict[UnitLabel, float] = {}
    hidden = (*zip(unit_labels, units.tolist(), strict=True),)
    tables = (*zip(table_labels, amounts.tolist(), strict=True),)
    for label, amount in (*hidden, *tables):
        added[label] = added.get(label, 0.0) + amount
    target = layout.seen_as[mode].astype(np.int64)
    by_fluent = np.where(target >= 0, shares[target], 0.0)
    for table, amount in tables:
        by_fluent[list(table.fluents)] += amount / max(len(table.fluents), 1)
    return [
        adds(label.kind, label.label, amount, label.fluents) for label, amount in added.items()
    ], by_fluent
