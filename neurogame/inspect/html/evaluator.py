"""An evaluator as a view: its kind and sizes, its parts, and the rules behind its weights."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.goal_networks import WeightedNetworks
from neurogame.evaluators.parts.evaluator import parts_of
from neurogame.gdl.write import rule_text
from neurogame.inspect.html.elements import (
    Content,
    Html,
    bar,
    code,
    count,
    facts,
    more,
    panel,
    stack,
    table,
)
from neurogame.inspect.weights import (
    RuleSummary,
    TensorDrift,
    summaries,
    tensor_drifts,
    weight_table,
    weighted_networks,
)
from neurogame.simulate.game import Game

_LISTED = 12
"""Rules that are shown at once."""
_MOST_WEIGHTS = 200_000
"""Of goal networks whose weights are gathered by rule for a view."""
_INNER = "networks."
"""What the names of the tensors of goal networks begin with, in an evaluator made of parts."""


def evaluator_html(evaluator: Evaluator) -> str:
    """Return an evaluator as HTML.

    Args:
        evaluator: of any kind; one that knows its game and first weights
            (:attr:`~neurogame.evaluators.base.Evaluator.origin`) shows rules and drift.
    """
    kind = str(evaluator.describe().get("kind", type(evaluator).__name__))
    of = "" if evaluator.origin is None else f" of {evaluator.origin.game.name}"
    parts: list[Content] = [stack(_facts(evaluator), _settings(evaluator))]
    tensors = _tensors(evaluator)
    if tensors is not None:
        parts.append(tensors)
    rules = _rules(evaluator)
    if rules is not None:
        parts.append(rules)
    return panel(f"evaluator {kind}{of}", *parts)


def _facts(evaluator: Evaluator) -> Html:
    """Return what it reads and gives, and how large it is."""
    rows: list[tuple[Content, Content]] = []
    origin = evaluator.origin
    roles = f"{evaluator.role_count} roles" if origin is None else ", ".join(origin.game.roles)
    rows.append(("values for", roles))
    rows.append(("reads", f"{count(evaluator.fluent_count)} fluents"))
    numbers = sum(own.numel() for own in evaluator.parameters())
    rows.append(("weights", count(numbers) if numbers else "none: nothing is learned"))
    parts = parts_of(evaluator)
    if parts is not None:
        sizes, networks = parts.layout.sizes, parts.networks
        logic = "none" if networks is None else str(networks.describe().get("kind"))
        rows += [
            ("logic", logic),
            ("patterns", f"{count(sizes.lookups)}, with {count(sizes.rows)} rows of tables"),
            ("hidden units", count(parts.embedding.shape[-1])),
            (
                "modes",
                f"{sizes.modes}, which share weights: {sizes.sets} set{'s'[: sizes.sets > 1]}",
            ),
        ]
    networks = weighted_networks(evaluator)
    if networks is evaluator:
        rows.append(("goal networks", count(len(networks.network_keys))))
        rows.append(("neurons", count(networks.wiring.unit_count)))
    return facts(rows)


def _settings(evaluator: Evaluator) -> Content:
    """Return the configuration."""
    found = _flat({k: v for k, v in evaluator.describe().items() if k not in ("kind", "sizes")})
    return more("configuration", facts(found)) if found else ""


def _flat(values: Mapping[str, Any]) -> list[tuple[Content, Content]]:
    """Return settings, those within others among them, as names and texts."""
    found: list[tuple[Content, Content]] = []
    for name, value in values.items():
        found += _flat(value) if isinstance(value, Mapping) else [(name, str(value))]
    return found


def _tensors(inner: Evaluator) -> Content | None:
    """Return how large its tensors are, and how far they are from where they began."""
    state = {name: own for name, own in inner.state_dict().items() if own.is_floating_point()}
    if not state:
        return None
    initial = _initial(inner, state)
    drifts = tensor_drifts(state, initial or state)
    drifts = [own for own in drifts if own.numbers and (own.current or own.drift)]
    largest = max((own.drift for own in drifts), default=0.0) or 1.0
    names = _NETWORKS if parts_of(inner) is None else _PARTS
    rows = [_tensor(own, names, largest, known=initial is not None) for own in drifts]
    columns = ["part", "numbers", "norm"] + (["at first", "drift", ""] if initial else [])
    return table(columns, rows, right=(1, 2, 3, 4))


def _tensor(
    own: TensorDrift, names: Mapping[str, str], largest: float, *, known: bool
) -> list[Content]:
    name = own.name.removeprefix(_INNER)
    said = names.get(name, name) if name == own.name else f"logic: {_NETWORKS.get(name, name)}"
    row: list[Content] = [said, count(own.numbers), f"{own.current:.3f}"]
    if known:
        row += [f"{own.initial:.3f}", f"{own.drift:.3f}", bar(own.drift / largest)]
    return row


_PARTS = {
    "tables": "pattern tables",
    "embedding": "hidden units: what they read",
    "bias": "hidden units: bias",
    "readout": "hidden units: what they add",
    "gain": "gain of the goal networks",
}
_NETWORKS = {"bias": "bias of the neurons"}
"""Tensors by their names, in words for people."""


def _initial(inner: Evaluator, state: Mapping[str, Tensor]) -> dict[str, Tensor] | None:
    """Return the tensors before learning, where they are known."""
    if inner.origin is None or not set(state) <= set(inner.origin.initial):
        return None
    return {name: inner.origin.initial[name] for name in state}


def _rules(inner: Evaluator) -> Content | None:
    """Return the rules behind the weights of goal networks, the largest drift first."""
    networks = weighted_networks(inner)
    if networks is None:
        return None
    if networks.wiring.unit_count == 0 or len(networks.wiring.row) > _MOST_WEIGHTS:
        return None
    first = None if networks is not inner else _first(networks)
    game = None if inner.origin is None else inner.origin.game
    found = summaries(weight_table(networks, first or networks), _texts(game))
    if first is None:
        found = sorted(found, key=lambda own: -own.weights)
    listed = _rule_table(found[:_LISTED], known=first is not None)
    rest = found[_LISTED:]
    if not rest:
        return listed
    return stack(listed, more(f"{len(rest)} more", _rule_table(rest, known=first is not None)))


def _first(networks: WeightedNetworks) -> WeightedNetworks | None:
    """Return the networks before learning, where that is known."""
    initial = _initial(networks, networks.state_dict())
    if initial is None:
        return None
    first = copy.deepcopy(networks)
    first.load_state_dict(initial)
    return first


def _texts(game: Game | None) -> dict[int, str]:
    """Return the rules of a game by their numbers, each on one line."""
    if game is None:
        return {}
    rules = enumerate(game.rules)
    return {n: " ".join(rule_text(rule, game.rules.spelling).split()) for n, rule in rules}


def _rule_table(found: Sequence[RuleSummary], *, known: bool) -> Html:
    rows: list[list[Content]] = []
    for own in found:
        row: list[Content] = [
            own.network,
            code(own.source),
            count(own.weights),
            f"{own.current:.3f}",
        ]
        rows.append([*row, f"{own.initial:.3f}", f"{own.drift:.4f}"] if known else row)
    columns = ["network", "rule or relation", "weights", "mean |weight|"]
    return table(columns + (["at first", "drift"] if known else []), rows, right=(2, 3, 4, 5))
