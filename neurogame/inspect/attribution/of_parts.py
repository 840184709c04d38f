"""What an evaluator made of parts adds up: logic, patterns and hidden units, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import torch

from neurogame.evaluators.attribution import (
    Attribution,
    Contribution,
    sorted_by_size,
)
from neurogame.evaluators.parts.evaluator import PartsEvaluator
from neurogame.kernels.parts.limits import LEAST, MOST
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
        logic, added = (float(own[0, role]) for own in evaluator.summands(batch))
        gain = float(evaluator.gain[role])
    sure = min(max(logic, LEAST), 1 - LEAST)
    logit = math.log(sure / (1 - sure))
    more = added + gain * logit
    found, by_fluent = _added(evaluator, state, role)
    if evaluator.networks is not None:
        amount = (1 + gain) * logit
        found.append(Contribution(kind="logic", label="goal networks", fluents=(), amount=amount))
    if abs(more) > MOST:
        cut = math.copysign(MOST, more) - more
        label = f"cut off at {MOST:.0f}"
        found.append(Contribution(kind="limit", label=label, fluents=(), amount=cut))
    return Attribution(
        method="exact",
        unit="log-odds",
        role=role,
        value=value,
        total=total,
        base=0.0,
        contributions=sorted_by_size(found),
        by_fluent=tuple(by_fluent.tolist()),
        gap=total - sum(own.amount for own in found),
    )


def _added(
    evaluator: PartsEvaluator, state: State, role: int
) -> tuple[list[Contribution], np.ndarray[tuple[int], np.dtype[np.float64]]]:
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
    found = []
    with torch.no_grad():
        rows = layout.rows(seen)[0]
        amounts = (sign * evaluator.tables[weights, output, rows]).double().numpy()
        inputs = seen[0, :, None] * evaluator.embedding[weights]
        before = evaluator.bias[mode] + inputs.sum(dim=0)
        readout = sign * evaluator.readout[mode, output]
        units = (readout * torch.relu(before)).double().numpy()
        shares = (inputs * (readout * (before > 0))).sum(dim=1).double().numpy()
    for lookup, (readers, amount) in enumerate(
        zip(_readers(evaluator), amounts.tolist(), strict=True)
    ):
        read = source[readers]
        read = np.sort(read[read >= 0])
        by_fluent[read] += amount / max(len(read), 1)
        found.append(
            Contribution(
                kind="pattern",
                label=_pattern(lookup, [state.game.fluents[fluent] for fluent in read.tolist()]),
                fluents=tuple(read.tolist()),
                amount=amount,
            )
        )
    for unit, amount in enumerate(units.tolist()):
        found.append(
            Contribution(kind="unit", label=f"hidden unit {unit}", fluents=(), amount=amount)
        )
    there = source >= 0
    by_fluent[source[there]] += shares[there]
    return found, by_fluent


def _readers(evaluator: PartsEvaluator) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Return the fluents of the perspective that each look-up reads."""
    layout = evaluator.layout
    fluent = np.repeat(np.arange(layout.sizes.fluents), np.diff(layout.start))
    order = np.argsort(layout.lookup, kind="stable")
    counts = np.bincount(layout.lookup, minlength=layout.sizes.lookups)
    return np.split(fluent[order], np.cumsum(counts)[:-1]) if layout.sizes.lookups else []


def _pattern(lookup: int, names: list[str]) -> str:
    """Return a name of a look-up: its number, and what it reads."""
    return f"pattern {lookup}: {' '.join(names)}"
