"""What an evaluator made of parts adds up: patterns and hidden units, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import torch

from neurogame.array_types import Float64s1, Int64s1
from neurogame.evaluators.attribution import Attribution, Contribution
from neurogame.evaluators.parts.evaluator import PartsEvaluator
from neurogame.inspect.attribution.exact import adds, exact
from neurogame.kernels.parts.limits import MOST
from neurogame.simulate.game import State


def attribute_parts(evaluator: PartsEvaluator, state: State, role: int) -> Attribution:
    """Return the log-odds of a state's value as the sum that they are.

    The base is 0, a value of one half. Beyond
    :data:`~neurogame.kernels.parts.limits.MOST` what parts add is cut off, which is a contribution
    of its own (``limit``).

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
    evaluator: PartsEvaluator, state: State, role: int
) -> tuple[list[Contribution], Float64s1]:
    """Return what patterns and hidden units add for a role, and that by the fluents behind it."""
    layout = evaluator.layout
    held = state.fluents[None].to(evaluator.tables.dtype)
    mode = int(layout.mode_of(held)[0])
    weights, seen = int(layout.weights[mode]), layout.seen(held, mode)
    opposed = layout.sizes.opposed
    output = int(layout.turn[mode][0 if opposed else role])
    sign = float(layout.sign[mode]) * (-1.0 if opposed and role == 1 else 1.0)
    # Which fluent of the state each fluent of the perspective is.
    source = np.full(layout.sizes.fluents, -1, np.int64)
    target = layout.seen_as[mode].astype(np.int64)
    source[target[target >= 0]] = np.flatnonzero(target >= 0)
    by_fluent = np.zeros(layout.sizes.fluents)
    with torch.no_grad():
        rows = layout.rows(seen)[0]
        amounts = (sign * evaluator.tables[weights, output, rows]).double().numpy()
        inputs = seen[0, :, None] * evaluator.embedding[weights]
        before = evaluator.bias[mode] + inputs.sum(dim=0)
        readout = sign * evaluator.readout[mode, output]
        units = (readout * torch.relu(before)).double().numpy()
        shares = (inputs * (readout * (before > 0))).sum(dim=1).double().numpy()
    names, contributions = state.game.fluents, []
    pairs = zip(_readers(evaluator), amounts.tolist(), strict=True)
    for lookup, (readers, amount) in enumerate(pairs):
        read = source[readers]
        read = np.sort(read[read >= 0])
        by_fluent[read] += amount / max(len(read), 1)
        label = f"pattern {lookup}: {' '.join(names[fluent] for fluent in read)}"
        contributions.append(adds("pattern", label, amount, read.tolist()))
    contributions += [
        adds("unit", f"hidden unit {n}", addend) for n, addend in enumerate(units.tolist())
    ]
    there = source >= 0
    by_fluent[source[there]] += shares[there]
    return contributions, by_fluent


def _readers(evaluator: PartsEvaluator) -> list[Int64s1]:
    """Return the fluents of the perspective that each look-up reads."""
    layout = evaluator.layout
    fluent = np.repeat(np.arange(layout.sizes.fluents), np.diff(layout.start))
    order = np.argsort(layout.lookup, kind="stable")
    counts = np.bincount(layout.lookup, minlength=layout.sizes.lookups)
    return np.split(fluent[order], np.cumsum(counts)[:-1]) if layout.sizes.lookups else []
