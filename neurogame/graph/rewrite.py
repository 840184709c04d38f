"""Rewriting formulas with other inputs: substitution and partial evaluation in one pass."""

from __future__ import annotations

import numpy as np

from neurogame.circuit.circuit import AND, OR
from neurogame.graph.formulas import Formulas
from neurogame.graph.gates import GateStore
from neurogame.graph.groups import gather_groups, group_starts
from neurogame.ground.atoms import IntArray


def rewrite(
    formulas: Formulas, leaves: IntArray, store: GateStore, width: int | None = None
) -> IntArray:
    """Make the gates of formulas again in a store, with something else in place of each input.

    Constants among the new inputs are simplified away, and gates that become equal are shared.

    Args:
        formulas: what to rewrite; only the gates that they need are made.
        leaves: literal of the store for each input, the constant included; int64 ``[I]``.
        store: where the gates are made.
        width: split gates of more inputs than this into trees; at least 2.

    Returns:
        Literal of the store for each node, FALSE for gates that no formula needs;
        int64 ``[I + G]``.
    """
    first = formulas.input_count
    signal = np.zeros(first + formulas.gate_count, np.int64)
    signal[:first] = leaves
    for gates in formulas.levels():
        for kind in (AND, OR):
            own = gates[formulas.kind[gates] == kind]
            if len(own):
                inputs = gather_groups(formulas.start, formulas.inputs, own)
                start = group_starts(np.diff(formulas.start)[own])
                literals = signal[inputs >> 1] ^ (inputs & 1)
                signal[first + own] = _made(store, kind, literals, start, width)
    return signal


def _made(
    store: GateStore, kind: int, literals: IntArray, start: IntArray, width: int | None
) -> IntArray:
    """Make gates, those that are too wide from the gates of their parts."""
    while width is not None and (sizes := np.diff(start)).max() > width:
        parts = -(-sizes // width)
        within = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
        cuts = np.append(np.repeat(start[:-1], parts) + width * within, start[-1])
        literals = store.make(kind, literals, cuts)
        start = group_starts(parts)
    return store.make(kind, literals, start)
