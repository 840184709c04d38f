"""Makes rules networks, and makes them again from their description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from neurogame.circuit.circuit import HasCircuit
from neurogame.evaluators.claims import check_claim
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.feature_units import feature_units
from neurogame.evaluators.rules_network.layout import empty_layout, stored_sizes
from neurogame.evaluators.rules_network.make_layout import make_layout
from neurogame.evaluators.rules_network.rule_units import find_rule_units, rule_weights
from neurogame.evaluators.rules_network.unit_images import symmetric, unit_symmetries, with_images
from neurogame.simulate.game import Game


def make_rules_network(
    game: Game, config: RulesNetworkConfig, *, opposed: bool, seed: int = 0
) -> RulesNetwork:
    """Return a fresh rules network.

    Args:
        game: the game.
        config: which hidden units and look-ups there are.
        opposed: whether the game has two roles whose goals always add up to 100.
        seed: decides every random weight and pattern.
    """
    layout = make_layout(game.structure, config, opposed=opposed, seed=seed)
    evaluator = RulesNetwork(len(game.circuit.roles), layout, config, seed)
    random, symmetries = np.random.default_rng(seed), unit_symmetries(layout)
    features = feature_units(game, layout, config, seed)
    room = config.hidden - len(features[1])
    found = find_rule_units(game, min(int(config.rules * config.hidden), room), seed)
    rules = with_images(*rule_weights(game, found), symmetries, len(found))
    left = room - len(rules[1])
    # A state holds a few dozen fluents: so the inputs of hidden units are about 1 in size.
    free = (0.3 * random.standard_normal((layout.sizes.fluents, left))).astype(np.float32)
    units = rules[0], free, symmetric(features[0], symmetries)
    embedding = np.concatenate(units, axis=1)
    bias = np.concatenate([rules[1], np.full(left, 0.1, np.float32), features[1]])
    evaluator.begin(torch.from_numpy(embedding), torch.from_numpy(bias))
    return evaluator


def rebuild_rules_network(
    game: HasCircuit,
    description: Mapping[str, Any],
    weights: Mapping[str, Tensor] | None = None,
) -> RulesNetwork:
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
    config = RulesNetworkConfig.from_json(given["config"])
    seed = int(given["seed"])
    circuit = game.circuit
    what = "a rules network"
    sizes = stored_sizes(what, given["sizes"], len(circuit.fluents), len(circuit.roles))
    check_claim(what, sizes.numbers(config.hidden), weights)
    return RulesNetwork(len(circuit.roles), empty_layout(sizes), config, seed)
