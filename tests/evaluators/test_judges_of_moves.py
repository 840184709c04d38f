"""Judges of moves: evaluators, knowledge; compiled code and definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from neurogame.errors import ConfigurationError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.evaluators.next_values import NextValues
from neurogame.evaluators.replies import drawn_replies
from neurogame.graph.lanes import pack_lanes
from neurogame.judges.moves import score_moves
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.kinds.knowledge import KIND
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.simulate.game import Game, State
from neurogame.simulate.samples import sample_states
from neurogame.simulate.states import StateBatch
from tests.library import load
from tests.library import load as game


class Sums(Evaluator):
    """A value by the numbers of the fluents that hold, in Python alone."""

    def __init__(self, game: Game) -> None:
        super().__init__(len(game.fluents), len(game.roles), {})
        numbers = torch.arange(len(game.fluents) * len(game.roles)).view(-1, len(game.roles))
        self.register_buffer("part", ((numbers * 37) % 101).double())

    def forward(self, fluents: Tensor) -> Tensor:
        total = self._checked(fluents).double() @ self.get_buffer("part")
        return (total % 64 / 64).float()


class Broken(Sums):
    """It raises an error."""

    def forward(self, fluents: Tensor) -> Tensor:
        raise ArithmeticError("no idea")


def evaluator(name: str, kind: str) -> Evaluator:
    own = game(name)
    return Sums(own) if kind == "python" else make_evaluator(own, kind)


@pytest.mark.parametrize("kind", ["cilp", "python"])
@pytest.mark.parametrize(
    "name", ["tictactoe", "connectfour5", "tictactoe3p", "bidding_tictactoe", "eightpuzzle"]
)
def test_compiled_scores_are_those_of_the_definition(name: str, kind: str) -> None:
    own, simulator = game(name), game(name).simulator()
    judge = NextValues(own, evaluator(name, kind))
    compiled = SearchJudge(judge, own.circuit)
    assert compiled.is_compiled
    states = sample_states(simulator, 60, 5)
    legal, fluents = simulator.status(states)[0].numpy(), states.to_bool().numpy()
    packed, packed_legal = np.array(pack_lanes(fluents)), np.array(pack_lanes(legal))
    seen = set()
    for role, (begin, end) in enumerate(zip(own.move_offsets, own.move_offsets[1:], strict=False)):
        rows = np.flatnonzero(legal[:, begin:end].any(axis=1))[::-1].copy()
        wanted = judge.move_scores(fluents[rows], legal[rows, begin:end], role)
        found = np.full((len(rows), end - begin), np.nan, np.float32)
        score_moves(compiled.scores, packed, packed_legal, rows, len(rows), role, 0, found)
        compiled.check()
        for number, row in enumerate(rows):
            mine = wanted[number, legal[row, begin:end]]
            np.testing.assert_allclose(found[number, : len(mine)], mine, atol=1e-5)
            assert ((mine >= 0) & (mine <= 1)).all()
            seen |= set(np.round(mine, 5).tolist())
    assert len(seen) > 3


def test_a_won_state_is_worth_its_goal() -> None:
    own = game("tictactoe")
    state = own.initial_state()
    for joint in (("(mark 1 1)", "noop"), ("noop", "(mark 2 2)"), ("(mark 1 2)", "noop")):
        state = state.next(joint)
    state = state.next(("noop", "(mark 3 3)"))
    scores = scores_of(NextValues(own, evaluator("tictactoe", "cilp")), state, 0)
    assert scores.pop(own.moves[0].index("(mark 1 3)")) == 1
    assert max(scores.values()) < 1


def test_a_search_tries_the_best_looking_move_first() -> None:
    own = game("connectfour5")
    judged = evaluator("connectfour5", "python")
    state = own.initial_state()
    scores = scores_of(NextValues(own, judged), state, 0)
    settings = MctsSettings(tree="values", cutoff=0, ripe=1)
    search = Mcts(own, settings=settings, evaluator=judged)
    found = search.search(state, 0, Limit(simulations=1))
    assert found.tries[max(scores, key=scores.__getitem__)] == 1
    assert sum(found.tries.values()) == 1


def test_what_the_evaluator_raises_is_raised_by_the_search() -> None:
    own = game("tictactoe")
    search = Mcts(own, settings=MctsSettings(tree="values"), evaluator=Broken(own))
    with pytest.raises(ArithmeticError, match="no idea"):
        search.search(own.initial_state(), 0, Limit(simulations=50))


def test_without_an_evaluator_it_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="tree=values need an evaluator"):
        Mcts(game("tictactoe"), settings=MctsSettings(tree="values"))


def scores_of(judge: Knowledge | NextValues, state: State, role: int) -> dict[int, float]:
    """Return the score of each legal move of a role."""
    legal = np.zeros((1, len(state.game.moves[role])), bool)
    legal[0, list(state.legal_moves[role])] = True
    found = judge.move_scores(state.fluents[None].numpy(), legal, role)
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
    assert set(scores_of(knowledge, game.initial_state(), 0).values()) == {0.5}


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
    for move, score in scores_of(knowledge, state, 0).items():
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
    scores = scores_of(knowledge, state, 0)
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
    weights = knowledge.state_dict()
    other = KIND.rebuild(load("tictactoe"), knowledge.describe(), weights)
    other.load_state_dict(weights)
    state = load("tictactoe").initial_state()
    assert other.config == knowledge.config
    assert scores_of(other, state, 0) == scores_of(knowledge, state, 0)


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
