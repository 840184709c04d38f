"""Compiled scores by formulas that moves share, against torch and formulas of each move."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from neurogame.evaluators.actions.action_circuit import ActionCircuit, enlarged
from neurogame.evaluators.actions.build import action_circuit_of
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.judges.moves import LINEAR, score_moves
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.regress.action_formulas import action_formulas
from tests.kernels.actions.test_scores import CHANCES, TRAINED, compare, game_of, packed

CAREFUL = ActionConfig(p=1 - 1e-7, persistence=False)


def made(name: str, config: ActionConfig, budgets: tuple[int, ...] = (0, 0)) -> ActionCircuit:
    """Return a heuristic, with random weights if it has any; shared formulas without a budget."""
    game, analysis, _ = game_of(name)
    found = [
        action_formulas(
            game.circuit, analysis, goals=config.goals, unknown=config.unknown, budget=budget
        )[role]
        for role, budget in zip(range(len(game.roles)), budgets, strict=False)
    ]
    judge = action_circuit_of(game.circuit, tuple(found), analysis, config)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in judge.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator))
    return judge


@pytest.mark.parametrize(
    ("name", "config", "budgets"),
    [
        ("tictactoe", ActionConfig(), (0, 0)),
        ("tictactoe", ActionConfig(), (10**6, 0)),
        ("bidding_tictactoe", TRAINED, (0, 10**6)),
        ("bidding_tictactoe", CHANCES, (0, 0)),
        ("rockpaperscissors", CHANCES, (0, 0)),
        ("breakthrough6", ActionConfig(goals="all"), (0, 0)),
        ("breakthrough6", TRAINED, (0, 0)),
        ("lightsout", ActionConfig(), (0,)),
        ("lightsout", CAREFUL, (0,)),
        ("battle", ActionConfig(), (0, 0)),
        ("battle", CHANCES, (0, 0)),
    ],
)
def test_compiled_scores_are_those_of_torch(
    name: str, config: ActionConfig, budgets: tuple[int, ...]
) -> None:
    game, _, steps = game_of(name)
    judge = made(name, config, budgets)
    for graph, budget in zip(judge.graphs, budgets, strict=True):
        assert graph.is_shared == (budget == 0)
    port = SearchJudge(judge, game.circuit)
    assert port.is_compiled
    random = np.random.default_rng(4)
    for role in range(len(game.roles)):
        for count in (1, 3):
            compare(name, judge, port, role, random.integers(0, len(steps.states), count))


@pytest.mark.parametrize("config", [ActionConfig(), CHANCES, TRAINED, CAREFUL])
def test_all_counts_of_legal_moves(config: ActionConfig) -> None:
    game, _, steps = game_of("battle")
    judge = made("battle", config)
    port = SearchJudge(judge, game.circuit)
    first, last = game.move_offsets[1], game.move_offsets[2]
    random = np.random.default_rng(6)
    for count in (1, 7, 8, 9, 15, 16, 17, 32, 33, 65, 130):
        legal = steps.legal[:2].copy()
        legal[:, first:last] = False
        own = np.sort(random.choice(last - first, count, replace=False))
        legal[:, first + own] = True
        states = np.ascontiguousarray(packed(steps.states[-2:])[:, : -(-len(game.fluents) // 64)])
        out = np.full((2, count + 1), -7, np.float32)
        score_moves(port.scores, states, packed(legal), np.arange(2), 2, 1, 0, out)
        port.check()
        with torch.no_grad():
            told = torch.from_numpy(steps.states[-2:]), 1, torch.from_numpy(legal)
            expected = judge(*told).numpy()[:, own]
        if judge.scale == LINEAR:
            expected = enlarged(expected, np.ones_like(expected, np.bool_))
        np.testing.assert_allclose(out[:, :count], expected, rtol=1e-4, atol=2e-5 * judge.scale)
        assert (out[:, count] == -7).all()


def test_they_are_the_scores_of_each_moves_own_formula() -> None:
    game, _, steps = game_of("breakthrough6")
    outs = []
    for budget in (0, 10**7):
        port = SearchJudge(made("breakthrough6", ActionConfig(), (budget, budget)), game.circuit)
        out = np.zeros((20, 64), np.float32)
        states = np.ascontiguousarray(packed(steps.states)[:, : -(-len(game.fluents) // 64)])
        score_moves(port.scores, states, packed(steps.legal), np.arange(20), 20, 0, 0, out)
        outs.append(out)
    assert (outs[0] > 0).any()
    np.testing.assert_allclose(outs[0], outs[1], rtol=1e-5)
