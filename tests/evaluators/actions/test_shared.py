"""Formulas that all moves of a role share: the values of formulas of each move's own."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from neurogame.errors import LimitError
from neurogame.evaluators.actions import build, role_circuit
from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.actions.build import action_circuit_of
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.regress.action_formulas import action_formulas
from tests.evaluators.actions.slow_twin import slow_scores
from tests.evaluators.actions.test_action_circuit import analysis_of, steps_of

EVERYTHING = ActionConfig(unknown="legal", goals="all", persistence=False)


def judge_of(name: str, config: ActionConfig, budget: int = 0) -> ActionCircuit:
    """Return a heuristic whose formulas are shared unless there is a budget."""
    game, analysis = analysis_of(name)
    formulas = action_formulas(
        game.circuit, analysis, goals=config.goals, unknown=config.unknown, budget=budget
    )
    judge = action_circuit_of(game.circuit, formulas, analysis, config)
    assert all(graph.is_shared for graph in judge.graphs) == (budget == 0)
    return judge


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("tictactoe", ActionConfig()),
        ("connectfour", ActionConfig(goals="all")),
        ("breakthrough6", EVERYTHING),
        ("lightsout", ActionConfig()),
        ("pentago", ActionConfig()),
        ("bidding_tictactoe", EVERYTHING),
        ("rockpaperscissors", ActionConfig()),
        ("rockpaperscissors", ActionConfig(goals="all")),
        ("battle", ActionConfig()),
    ],
)
def test_their_values_are_those_of_each_moves_own(name: str, config: ActionConfig) -> None:
    shared, single = judge_of(name, config), judge_of(name, config, 10**7)
    steps = steps_of(name)
    states = torch.from_numpy(steps.states[-3:])
    for role in range(shared.role_count):
        expected = single(states, role).to(shared.of_role(role).dtype)
        torch.testing.assert_close(shared(states, role), expected, rtol=1e-5, atol=1e-12)
        legal = torch.from_numpy(steps.legal[-3:])
        own = torch.split(legal, list(shared.move_counts), dim=1)[role]
        expected = torch.where(own, expected, 0.0)
        torch.testing.assert_close(shared(states, role, legal), expected, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe"])
def test_they_are_the_definition(name: str) -> None:
    # Of all goal values, in which specialisation finds equal parts that count once.
    game, analysis = analysis_of(name)
    config = ActionConfig(goals="all", unknown="legal")
    judge, steps = judge_of(name, config), steps_of(name)
    formulas = action_formulas(game.circuit, analysis, goals="all", unknown="legal", budget=0)
    for role, own in enumerate(formulas):
        found = judge(torch.from_numpy(steps.states[-2:]), role)
        for row in range(2):
            state, legal = steps.states[row - 2], steps.legal[row - 2]
            slow = slow_scores(game.circuit, analysis, config, state, legal, own)
            np.testing.assert_allclose(found[row], slow, rtol=1e-5, atol=2e-16)


def test_gradients_and_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    game, _ = analysis_of("tictactoe")
    judge = judge_of("tictactoe", ActionConfig(trainable=True, floor=1e-6)).double()
    generator = torch.Generator().manual_seed(1)
    own = judge.of_role(0)
    with torch.no_grad():
        own.weight.uniform_(0.2, 0.9, generator=generator)
        own.truth.normal_(generator=generator)
    fluents = torch.rand(2, len(game.fluents), dtype=torch.float64, generator=generator)
    fluents.requires_grad_()

    def gradients() -> list[torch.Tensor]:
        score = judge(fluents, 0).square().sum()
        return [score.detach(), *torch.autograd.grad(score, (fluents, *own.parameters()))]

    whole = gradients()
    monkeypatch.setattr(role_circuit, "_MOST_VALUES", 500)
    torch.testing.assert_close(gradients(), whole)
    inputs = (fluents, *own.parameters())
    assert torch.autograd.gradcheck(
        lambda states, *_: judge(states, 0), inputs, fast_mode=True, atol=1e-4
    )


def test_no_legal_move_is_no_score() -> None:
    judge = judge_of("tictactoe", ActionConfig())
    game, _ = analysis_of("tictactoe")
    states = game.initial_state().fluents[None]
    legal = torch.zeros(1, game.move_offsets[-1], dtype=torch.bool)
    assert judge(states, 0, legal).tolist() == [[0.0] * len(game.moves[0])]


def test_games_that_are_far_too_large_are_refused_before_they_are_analysed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game, _ = analysis_of("tictactoe")
    monkeypatch.setattr(build, "_MANY_GATES", 10)
    monkeypatch.setattr(build, "analyse", None)
    with pytest.raises(LimitError, match="more than the 20 of the setting 'gates'"):
        build.make_action_circuit(game, ActionConfig(gates=20))
