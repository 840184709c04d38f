"""Trimmed heuristics: smaller, alike in their rankings, and the same when they are made again."""

from __future__ import annotations

import json

import numpy as np
import torch

from neurogame.evaluators.actions.build import make_action_circuit, rebuild_action_circuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.actions.trimmed import described, trimmed_formulas
from neurogame.regress.action_formulas import action_formulas
from neurogame.regress.ranking import ranking_change
from neurogame.regress.trim import TrimConfig
from tests.evaluators.actions.test_action_circuit import analysis_of, steps_of

TRIMMED = ActionConfig(trim=True)


def test_a_trimmed_heuristic_is_smaller_and_made_again_from_its_description() -> None:
    game, analysis = analysis_of("crisscross")
    whole = make_action_circuit(game, analysis=analysis)
    small = make_action_circuit(game, TRIMMED, analysis=analysis)
    assert all(
        2 * trimmed.edge_count < graph.edge_count
        for trimmed, graph in zip(small.graphs, whole.graphs, strict=True)
    )
    description = json.loads(json.dumps(small.describe()))
    again = rebuild_action_circuit(game, description, analysis=analysis)
    assert again.describe() == small.describe()
    steps = steps_of("crisscross")
    states = torch.from_numpy(steps.states)
    for role in range(len(game.roles)):
        found = small(states, role)
        assert torch.equal(again(states, role), found)
        legal = steps.legal[:, game.move_offsets[role] : game.move_offsets[role + 1]]
        before = whole(states, role).double().numpy()
        change = ranking_change(before, found.double().numpy(), legal)
        assert change.states > 5
        # Other states than those of the bound: somewhat more is allowed.
        assert change.shift <= 3 * TrimConfig.shift


def test_roles_whose_formulas_stayed_are_made_from_the_rules_again() -> None:
    game, analysis = analysis_of("crisscross")
    whole = make_action_circuit(game, analysis=analysis)
    small = make_action_circuit(game, TRIMMED, analysis=analysis)
    description = small.describe()
    description["trimmed"][1] = None
    mixed = rebuild_action_circuit(game, description, analysis=analysis)
    sizes = [graph.edge_count for graph in mixed.graphs]
    assert sizes == [small.graphs[0].edge_count, whole.graphs[1].edge_count]


def test_formulas_that_moves_share_stay() -> None:
    game, analysis = analysis_of("crisscross")
    shared = action_formulas(game.circuit, analysis, budget=0)
    trimmed = trimmed_formulas(game.circuit, shared, analysis, TRIMMED)
    assert described(shared, trimmed) == [None] * len(game.roles)


def test_trained_weights_of_a_trimmed_heuristic_are_loaded_again() -> None:
    game, analysis = analysis_of("crisscross")
    config = ActionConfig(trim=True, trainable=True)
    judge = make_action_circuit(game, config, analysis=analysis)
    with torch.no_grad():
        for parameter in judge.parameters():
            parameter.mul_(0.9)
    again = rebuild_action_circuit(game, judge.describe(), analysis=analysis)
    again.load_state_dict(judge.state_dict())
    states = torch.from_numpy(steps_of("crisscross").states[-4:])
    np.testing.assert_array_equal(again(states, 0).detach(), judge(states, 0).detach())
