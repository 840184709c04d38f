"""What rules do for a value: compared with networks whose weights were changed."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from neurogame.errors import GameError
from neurogame.evaluators.cilp_plain import PlainNetworks
from neurogame.evaluators.cilp_sound import SoundNetworks
from neurogame.evaluators.fresh import make_fresh
from neurogame.inspect.attribution.by_rules import rule_effects
from neurogame.inspect.named_state import named_state
from neurogame.inspect.weights import weighted_networks
from neurogame.simulate.game import Game


@pytest.mark.parametrize("kind", ["cilp", "cilp-paper"])
def test_effects_are_those_of_larger_weights(kind: str) -> None:
    game = Game.load("tictactoe")
    evaluator = make_fresh(kind, game).double()
    state = named_state(game, "random:5:3")
    effects = rule_effects(evaluator, state, 1)
    assert len(effects) > 3
    assert [abs(e.amount) for e in effects] == sorted(
        (abs(e.amount) for e in effects), reverse=True
    )
    by_rule = {effect.rule: effect.amount for effect in effects}
    for rule in range(len(game.rules)):
        slope = _slope(evaluator, state.fluents, rule)
        assert by_rule.get(rule, 0.0) == pytest.approx(slope, abs=2e-4)


def _slope(evaluator: torch.nn.Module, fluents: torch.Tensor, rule: int) -> float:
    """Return the change of the value by the logarithm of a rule's weights, by differences."""
    step, values = 1e-3, []
    for sign in (1, -1):
        own = copy.deepcopy(evaluator)
        assert isinstance(own, PlainNetworks | SoundNetworks)
        wiring = own.wiring
        edges = np.concatenate(
            [
                np.arange(wiring.start[unit], wiring.start[unit + 1])
                for unit in range(len(wiring.start) - 1)
                if wiring.graph.rule[unit] == rule
            ]
            or [np.zeros(0, int)]
        )
        with torch.no_grad():
            if isinstance(own, SoundNetworks):
                own.rho[edges] += sign * step
            else:
                own.weight[edges] *= np.exp(sign * step)
            values.append(float(own(fluents[None])[0, 1]))
    return (values[0] - values[1]) / (2 * step)


def test_evaluators_without_rules_are_refused() -> None:
    game = Game.load("tictactoe")
    evaluator = make_fresh("fuzzy", game)
    assert weighted_networks(evaluator) is None
    with pytest.raises(GameError, match="no weights that come from"):
        rule_effects(evaluator, game.initial_state(), 0)
