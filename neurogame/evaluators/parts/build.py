"""Makes evaluators made of parts, and makes them again from their description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from neurogame.circuit.circuit import HasCircuit
from neurogame.evaluators.build import make_networks
from neurogame.evaluators.claims import check_claim
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.parts.config import PartsConfig
from neurogame.evaluators.parts.detectors import first_embedding
from neurogame.evaluators.parts.evaluator import PartsEvaluator
from neurogame.evaluators.parts.feature_units import feature_units
from neurogame.evaluators.parts.layout import (
    PartsLayout,
    PartsSizes,
    empty_layout,
    stored_sizes,
)
from neurogame.evaluators.parts.make_layout import make_layout
from neurogame.simulate.game import Game

KIND = "parts"


def make_parts(game: Game, config: PartsConfig, *, opposed: bool, seed: int = 0) -> PartsEvaluator:
    """Return a fresh evaluator made of parts.

    Args:
        game: the game.
        config: which parts there are.
        opposed: whether the game has two roles whose goals always add up to 100.
        seed: decides every random weight and pattern.
    """
    layout = make_layout(game.structure, config, opposed=opposed, seed=seed)
    evaluator = _made(game, layout, config, seed)
    fluents = layout.sizes.fluents
    first = first_embedding(game.structure, fluents, config.hidden, config.detectors, seed)
    for all_units, units in zip(first, feature_units(game, layout, config, seed), strict=True):
        all_units[..., all_units.shape[-1] - units.shape[-1] :] = units
    evaluator.begin(*map(torch.from_numpy, first))
    return evaluator


def rebuild_parts(
    game: HasCircuit,
    description: Mapping[str, Any],
    weights: Mapping[str, Tensor] | None = None,
) -> PartsEvaluator:
    """Return the evaluator of a description; load its state dict to get layout and weights.

    Args:
        game: the game, or its circuit.
        description: what :meth:`Evaluator.describe` returned.
        weights: the state dict that will be loaded; None: nobody knows yet.

    Raises:
        ConfigurationError: the description holds unknown or impossible settings, or sizes that
            are not those of the game or of the weights.
    """
    given = dict(description)
    config = PartsConfig.from_json(given["config"])
    seed = int(given["seed"])
    circuit = game.circuit
    what = "an evaluator made of parts"
    sizes = stored_sizes(what, given["sizes"], len(circuit.fluents), len(circuit.roles))
    check_claim(what, sizes.numbers(config.hidden), weights)
    return _made(game, empty_layout(sizes), config, seed)


def _made(game: HasCircuit, layout: PartsLayout, config: PartsConfig, seed: int) -> PartsEvaluator:
    """Return the evaluator with fresh goal networks, if any, and all other weights 0."""
    circuit = game.circuit
    networks = None
    if config.logic != "none":
        networks = make_networks(circuit, EvaluatorConfig(kind=config.logic), seed)
    description = describe_parts(layout.sizes, config, seed)
    return PartsEvaluator(len(circuit.roles), layout, networks, config.hidden, description)


def describe_parts(sizes: PartsSizes, config: PartsConfig, seed: int) -> dict[str, Any]:
    """Return what :func:`rebuild_parts` makes the same evaluator of."""
    return {"kind": KIND, "seed": seed, "config": config.to_json(), "sizes": asdict(sizes)}
