"""An evaluator as a view: its kind and sizes, its tensors, and the rules behind its weights."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.rules_network.evaluator import as_rules_network
from neurogame.inspect.html.elements import Content, more, panel, stack
from neurogame.inspect.table import Table, facts, shown
from neurogame.inspect.unit_rules import unit_rules, unit_tables
from neurogame.inspect.weights import summaries, tensor_drifts, weight_table, weighted_networks
from neurogame.inspect.weights_report import rule_table, rule_texts, tensor_table

_MOST_WEIGHTS = 200_000
"""Of goal networks whose weights are gathered by rule for a view."""


def evaluator_html(evaluator: Evaluator) -> str:
    """Return an evaluator as HTML.

    Args:
        evaluator: of any kind; one that knows its game and first weights
            (:attr:`~neurogame.evaluators.base.Evaluator.origin`) shows rules and drift.
    """
    kind = str(evaluator.describe().get("kind", type(evaluator).__name__))
    of = "" if evaluator.origin is None else f" of {evaluator.origin.game.name}"
    first = _before_learning(evaluator)
    tables = shown(
        [*_unit_tables(evaluator, first), _tensors(evaluator, first), _rules(evaluator, first)]
    )
    return panel(
        f"evaluator {kind}{of}",
        stack(facts(_facts(evaluator)).element(), _settings(evaluator)),
        *tables,
    )


def _facts(evaluator: Evaluator) -> dict[str, object]:
    """Return what it reads and gives, and how large it is."""
    origin, network = evaluator.origin, as_rules_network(evaluator)
    roles = f"{evaluator.role_count} roles" if origin is None else ", ".join(origin.game.roles)
    numbers = sum(parameter.numel() for parameter in evaluator.parameters())
    pairs: dict[str, object] = {
        "values for": roles,
        "reads": f"{evaluator.fluent_count:,} fluents",
        "weights": f"{numbers:,}" if numbers else "none: nothing is learned",
    }
    if network is not None:
        sizes = network.layout.sizes
        sets = f"{sizes.sets} set{'s'[: sizes.sets > 1]}"
        pairs["patterns"] = f"{sizes.lookups:,}, with {sizes.rows:,} rows of tables"
        pairs["hidden units"] = f"{network.embedding.shape[-1]:,}"
        pairs["modes"] = f"{sizes.modes}, which share weights: {sets}"
    networks = weighted_networks(evaluator)
    if networks is not None:
        pairs["goal networks"] = f"{len(networks.network_keys):,}"
        pairs["neurons"] = f"{networks.wiring.unit_count:,}"
    return pairs


def _settings(evaluator: Evaluator) -> Content:
    """Return the configuration."""
    settings = _flat({k: v for k, v in evaluator.describe().items() if k not in ("kind", "sizes")})
    return more("configuration", facts(settings).element()) if settings else ""


def _flat(values: Mapping[str, Any]) -> dict[str, object]:
    """Return settings, those within others among them, by their names."""
    settings: dict[str, object] = {}
    for name, value in values.items():
        settings |= _flat(value) if isinstance(value, Mapping) else {name: value}
    return settings


def _tensors(evaluator: Evaluator, first: Evaluator | None) -> Table:
    """Return how large its tensors are, and how far they are from where they began."""
    state = {
        name: tensor
        for name, tensor in evaluator.state_dict().items()
        if tensor.is_floating_point()
    }
    drifts = tensor_drifts(state, state if first is None else first.state_dict())
    moved = [asdict(drift) for drift in drifts if drift.current or drift.drift]
    return tensor_table(moved, with_drift=first is not None)


def _before_learning(evaluator: Evaluator) -> Evaluator | None:
    """Return an evaluator as it was before learning, where that is known."""
    known = {} if evaluator.origin is None else evaluator.origin.initial
    names = evaluator.state_dict().keys()
    if not names <= known.keys():
        return None
    first = copy.deepcopy(evaluator)
    first.load_state_dict({name: known[name] for name in names})
    return first


def _unit_tables(evaluator: Evaluator, first: Evaluator | None) -> list[Table]:
    """Return the rules in a rules network, by weight, where its start is known."""
    origin = evaluator.origin
    if origin is None or first is None:
        return []
    role = origin.game.roles[origin.game.players[0]]
    return unit_tables(unit_rules(evaluator, first, origin.game), role)


def _rules(evaluator: Evaluator, first: Evaluator | None) -> Table:
    """Return the rules behind the weights of goal networks, the largest drift first."""
    networks, origin = weighted_networks(evaluator), evaluator.origin
    if networks is None or not 0 < len(networks.wiring.row) <= _MOST_WEIGHTS:
        return Table([], "")
    then = None if first is None else weighted_networks(first)
    rules = summaries(
        weight_table(networks, networks if then is None else then),
        {} if origin is None else rule_texts(origin.game),
    )
    if then is None:
        rules.sort(key=lambda rule: -rule.weights)
    return rule_table([asdict(rule) for rule in rules], with_drift=then is not None)
