"""Every weight of a goal network, by the rule and the atom it came from, and how it has drifted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.goal_networks import WeightedNetworks
from neurogame.evaluators.kinds import kind_of_evaluator
from neurogame.evaluators.rules_network.evaluator import FIRST, LAYOUT
from neurogame.graph.graph import AND

BIAS = "(bias)"


@dataclass(frozen=True, kw_only=True)
class WeightRow:
    """One weight.

    Attributes:
        network: the goal whose network it belongs to, or ``"(shared)"``.
        unit: what the neuron stands for: a ground atom, or ``rule <index>`` for a rule's body.
        kind: ``"and"`` or ``"or"``.
        rule: index of the rule that the neuron comes from, or None.
        child: what the edge reads: an atom or body, with ``not`` where negated, or ``(bias)``.
        redirected: whether that is an input whose truth logic computes from the state, because
            the goal was too large for a network.
        initial: signed weight before learning.
        current: signed weight now.
    """

    network: str
    unit: str
    kind: str
    rule: int | None
    child: str
    redirected: bool
    initial: float
    current: float

    @property
    def drift(self) -> float:
        """Change of the signed weight by learning."""
        return self.current - self.initial


@dataclass(frozen=True, kw_only=True)
class RuleSummary:
    """The weights of all neurons that come from one rule or one relation, without biases.

    Attributes:
        network: the goal whose network it is, or ``"(shared)"``.
        source: text of the rule, or name of the relation where no single rule is behind it.
        weights: number of weights.
        initial: mean absolute weight before learning.
        current: mean absolute weight now.
        drift: root of the mean squared change.
    """

    network: str
    source: str
    weights: int
    initial: float
    current: float
    drift: float


@dataclass(frozen=True, kw_only=True)
class TensorDrift:
    """How far one tensor of an evaluator is from where it began.

    Attributes:
        name: name in the state dict.
        numbers: how many numbers it holds.
        initial: Euclidean norm before learning.
        current: Euclidean norm now.
        drift: Euclidean norm of the change.
    """

    name: str
    numbers: int
    initial: float
    current: float
    drift: float


def weight_table(current: Evaluator, initial: Evaluator) -> list[WeightRow]:
    """Return every weight of the goal networks, neuron by neuron, the bias last.

    Args:
        current: the evaluator now.
        initial: the same evaluator before learning.

    Raises:
        GameError: the evaluator has no weights that come from rules.
    """
    networks, before = weighted(current), weighted(initial)
    wiring, labels = networks.wiring, unit_labels(networks)
    first_redirected = 1 + int(np.searchsorted(wiring.leaves, len(wiring.proof.fluents)))
    now, then = networks.signed_weights().tolist(), before.signed_weights().tolist()
    bias, bias_then = networks.bias.detach().tolist(), before.bias.detach().tolist()
    rows: list[WeightRow] = []
    for unit, label in enumerate(labels):
        network, rule = int(wiring.network[unit]), int(wiring.graph.rule[unit])
        shared: dict[str, Any] = {
            "network": "(shared)" if network < 0 else wiring.proof.goal_label(network),
            "unit": label,
            "kind": "and" if wiring.graph.kind[unit] == AND else "or",
            "rule": rule if rule >= 0 else None,
        }
        for edge in range(int(wiring.start[unit]), int(wiring.start[unit + 1])):
            row = int(wiring.row[edge])
            child = row_label(networks, row, labels)
            rows.append(
                WeightRow(
                    **shared,
                    child=f"(not {child})" if wiring.negated[edge] else child,
                    redirected=first_redirected <= row < wiring.first_unit_row,
                    initial=then[edge],
                    current=now[edge],
                )
            )
        ends = {"initial": bias_then[unit], "current": bias[unit]}
        rows.append(WeightRow(**shared, child=BIAS, redirected=False, **ends))
    return rows


def unit_labels(networks: WeightedNetworks) -> list[str]:
    """Return what each neuron stands for: its atom, else the rule it is the body of."""
    proof = networks.wiring.proof
    first = proof.graph.input_count
    return [proof.label(first + node) for node in networks.wiring.node.tolist()]


def row_label(networks: WeightedNetworks, row: int, labels: list[str]) -> str:
    """Return what a row of the wiring stands for: a fluent, a redirected atom or a neuron."""
    wiring = networks.wiring
    if row < wiring.first_unit_row:
        return wiring.proof.label(1 + int(wiring.leaves[row - 1]))
    return labels[row - wiring.first_unit_row]


def summaries(rows: Iterable[WeightRow], rules: Mapping[int, str]) -> list[RuleSummary]:
    """Return the weights summed up by network and rule, the largest drift first.

    Args:
        rows: of :func:`weight_table`.
        rules: text of each rule by its index; a rule without text is named by its index.
    """
    grouped: dict[tuple[str, str], list[WeightRow]] = {}
    for row in rows:
        if row.child == BIAS:
            continue
        if row.rule is not None:
            source = rules.get(row.rule, f"rule {row.rule}")
        else:
            source = _relation(row.unit)
        grouped.setdefault((row.network, source), []).append(row)
    totals = [
        RuleSummary(
            network=network,
            source=source,
            weights=len(group),
            initial=sum(abs(row.initial) for row in group) / len(group),
            current=sum(abs(row.current) for row in group) / len(group),
            drift=(sum(row.drift**2 for row in group) / len(group)) ** 0.5,
        )
        for (network, source), group in grouped.items()
    ]
    return sorted(totals, key=lambda summary: -summary.drift)


def _relation(unit: str) -> str:
    """Return the relation of an atom; a part that grounding split off is named by its rule."""
    name = unit.strip("()").split(" ")[0]
    return f"part of rule {name[1:].partition('.')[0]}" if name.startswith("*") else name


def tensor_drifts(
    current: Mapping[str, Tensor], initial: Mapping[str, Tensor]
) -> list[TensorDrift]:
    """Return the drift of every learned tensor in two state dicts of one evaluator.

    Args:
        current: state dict now.
        initial: state dict before learning.
    """
    return [
        TensorDrift(
            name=name,
            numbers=tensor.numel(),
            initial=float(torch.linalg.vector_norm(initial[name].double())),
            current=float(torch.linalg.vector_norm(tensor.double())),
            drift=float(torch.linalg.vector_norm(tensor.double() - initial[name].double())),
        )
        for name, tensor in current.items()
        if not name.startswith(LAYOUT) and name not in FIRST
    ]


def weighted_networks(evaluator: Evaluator) -> WeightedNetworks | None:
    """Return an evaluator as the networks with weights from rules that it is, or None."""
    return kind_of_evaluator(evaluator).networks(evaluator)


def weighted(evaluator: Evaluator) -> WeightedNetworks:
    """Return the evaluator as networks with weights from rules.

    Raises:
        GameError: it has no weights that come from rules.
    """
    networks = weighted_networks(evaluator)
    if networks is None:
        raise GameError(
            f"an evaluator of kind {evaluator.describe().get('kind')!r} has no weights that come "
            "from rules; kinds 'cilp', 'cilp-paper' and 'random' have"
        )
    return networks
