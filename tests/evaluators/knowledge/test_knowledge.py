"""Knowledge: what values and scores are, on states small enough to check by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from neurogame.errors import ConfigurationError
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.evaluators.replies import drawn_replies
from neurogame.simulate.game import State
from neurogame.simulate.samples import sample_states
from neurogame.simulate.states import StateBatch
from tests.library import load


def scores_in(knowledge: Knowledge, state: State, role: int) -> dict[int, float]:
    """Return the score of each legal move of a role."""
    legal = np.zeros((1, len(state.game.moves[role])), bool)
    legal[0, list(state.legal_moves[role])] = True
    found = knowledge.move_scores(state.fluents[None].numpy(), legal, role)
    return {move: float(found[0, move]) for move in state.legal_moves[role]}


def taught(**settings: Any) -> Knowledge:
    """Return knowledge of tic-tac-toe with values of its own everywhere."""
    knowledge = Knowledge(load("tictactoe"), KnowledgeConfig(**settings))
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        knowledge.psi.copy_(torch.randn(knowledge.psi.shape, generator=generator))
    knowledge.plays += torch.randint(0, 3, knowledge.plays.shape, generator=generator)
    knowledge.returns += 2 * knowledge.plays * torch.rand(len(knowledge.plays), generator=generator)
    return knowledge


@pytest.mark.parametrize("hidden", [0, 3])
def test_before_learning_every_value_is_a_half(hidden: int) -> None:
    game = load("tictactoe")
    knowledge = Knowledge(game, KnowledgeConfig(hidden=hidden))
    states = sample_states(game.simulator(), 20, seed=1).to_bool()
    assert (knowledge.state_values(states) == 0.5).all()
    assert (knowledge.move_values() == 1.0).all()
    assert set(scores_in(knowledge, game.initial_state(), 0).values()) == {0.5}


def test_a_state_is_worth_the_squashed_sum_of_its_tuples() -> None:
    knowledge, state = taught(), load("tictactoe").initial_state()
    held = [index for index, holds in enumerate(state.fluents.tolist()) if holds]
    for role in range(2):
        total = sum(knowledge.psi[role, fluent].item() for fluent in held)
        value = knowledge.state_values(state.fluents[None])[0, role].item()
        assert value == pytest.approx(1 / (1 + math.exp(-total)), abs=1e-6)


def test_hidden_units_are_added_to_the_sum() -> None:
    knowledge = taught(hidden=2)
    assert knowledge.inner is not None
    assert knowledge.outer is not None
    with torch.no_grad():
        knowledge.outer.weight.copy_(torch.tensor([[1.0, -2.0], [0.5, 3.0]]))
        knowledge.outer.bias.copy_(torch.tensor([0.1, 0.2]))
    held = load("tictactoe").initial_state().fluents[None].float()
    units = [
        max(0.0, (held[0] @ knowledge.inner.weight[unit] + knowledge.inner.bias[unit]).item())
        for unit in range(2)
    ]
    total = (held[0] @ knowledge.psi[1]).item() + 0.2 + 0.5 * units[0] + 3.0 * units[1]
    assert knowledge.logits(held)[0, 1].item() == pytest.approx(total, abs=1e-5)


@pytest.mark.parametrize("history", ["early", "late", "flat"])
@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.5, 2.0), (0.0, 1.0), (1.0, 0.0)])
def test_a_score_is_the_value_of_the_move_and_of_what_follows(
    history: str, weights: tuple[float, float]
) -> None:
    knowledge = taught(history=history, move_weight=weights[0], state_weight=weights[1])
    game = load("tictactoe")
    state = game.initial_state()
    top = 1 if history == "flat" else 2
    for move, score in scores_in(knowledge, state, 0).items():
        reply = state.legal_moves[1][0]
        following = state.next((move, reply)).fluents[None]
        value = knowledge.state_values(following)[0, 0].item()
        own = float(knowledge.move_values()[move])
        whole = weights[0] * own + weights[1] * value
        assert score == pytest.approx(whole / (weights[0] * top + weights[1]), abs=1e-6)


def test_a_move_never_made_has_the_mean_of_its_role() -> None:
    knowledge = taught()
    values = knowledge.move_values()
    for begin, end in zip(knowledge.offsets, knowledge.offsets[1:], strict=False):
        never = knowledge.plays[begin:end] == 0
        mean = knowledge.returns[begin:end].sum() / knowledge.plays[begin:end].sum()
        assert never.any()
        assert (values[begin:end][never] == mean).all()


@pytest.mark.parametrize("true_goals", [True, False])
def test_a_move_that_ends_the_game_may_count_by_its_goal(true_goals: bool) -> None:
    game = load("tictactoe")
    state = game.initial_state()
    for cell in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)"):
        role = next(own for own in range(2) if len(state.legal_moves[own]) > 1)
        joint: list[int | str] = [moves[0] for moves in state.legal_moves]
        joint[role] = cell
        state = state.next(joint)
    knowledge = Knowledge(game, KnowledgeConfig(true_goals=true_goals, move_weight=0.0))
    scores = scores_in(knowledge, state, 0)
    winning = game.move_index(game.roles[0], "(mark 1 3)")
    assert scores.pop(winning) == (1.0 if true_goals else 0.5)
    assert set(scores.values()) == {0.5}


def test_replies_are_legal_and_depend_on_the_state_alone() -> None:
    game = load("connectfour_simultaneous")
    simulator = game.simulator()
    states = sample_states(simulator, 300, seed=3)
    legal = simulator.look(states).legal
    first = drawn_replies(simulator, states.to_bool(), 0, 3)
    again = drawn_replies(simulator, states.to_bool().flip(0), 0, 3)
    assert len(first) == 3
    for one, other in zip(first, again, strict=True):
        assert torch.equal(one, other.flip(0))
        assert bool(legal.gather(1, one[:, 1:] + game.move_offsets[1]).all())
    assert not torch.equal(first[0], first[1])


def test_replies_are_drawn_alike() -> None:
    game = load("connectfour_simultaneous")
    different = sample_states(game.simulator(), 4000, seed=3).to_bool()
    different = torch.unique(different, dim=0)
    legal = game.simulator().look(StateBatch.from_bool(different)).legal[:, game.move_offsets[1] :]
    chosen = drawn_replies(game.simulator(), different, 0, 1)[0][:, 1]
    rank = legal.cumsum(dim=1).gather(1, chosen[:, None])[:, 0]
    full = legal.sum(dim=1) == legal.sum(dim=1).max()
    counts = torch.bincount(rank[full])[1:].double()
    expected = counts.sum() / len(counts)
    # Eight columns: 24.3 is exceeded once in a thousand.
    assert float(((counts - expected) ** 2 / expected).sum()) < 24.3


def test_a_description_and_tensors_are_all_there_is() -> None:
    knowledge = taught(hidden=4, history="late", replies=2)
    other = Knowledge.rebuild(load("tictactoe"), knowledge.describe())
    other.load_state_dict(knowledge.state_dict())
    state = load("tictactoe").initial_state()
    assert other.config == knowledge.config
    assert scores_in(other, state, 0) == scores_in(knowledge, state, 0)


@pytest.mark.parametrize(
    "settings",
    [
        {"games": 0}, {"plies": 0}, {"policy": "magic"}, {"epsilon": 1.5}, {"history": "middle"},
        {"first": 2}, {"alpha": -1.0}, {"alpha": math.inf}, {"settle": 0.0}, {"hidden": -1},
        {"rate": 0.0}, {"batch": 0}, {"epochs": 0}, {"move_weight": -1.0}, {"replies": 0},
        {"move_weight": 0.0, "state_weight": 0.0}, {"trace": 1.5}, {"trace": 0.5, "hidden": 3},
    ],
)  # fmt: skip
def test_impossible_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=f"knowledge: .*{next(iter(settings))}"):
        KnowledgeConfig(**settings)


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="knowledge: unknown option magic"):
        KnowledgeConfig.from_json({"magic": 1})
    config = KnowledgeConfig(games=7, hidden=3)
    assert KnowledgeConfig.from_json(config.to_json()) == config
