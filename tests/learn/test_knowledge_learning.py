"""Learning knowledge: the same every time, in parts as at once, and of use."""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
import pytest
import torch

from neurogame.errors import GameError
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.kernels.knowledge.recorded_games import GameRecorder, RecordedGames
from neurogame.learn.knowledge.learning import KnowledgeLearner, learn_knowledge
from tests.learn.knowledge_quality import state_quality
from tests.library import load


@cache
def held_out(name: str) -> RecordedGames:
    return GameRecorder(load(name).circuit).play(1000, 99)


def tensors(knowledge: Knowledge) -> list[torch.Tensor]:
    return list(knowledge.state_dict().values())


@pytest.mark.parametrize(
    "config",
    [
        KnowledgeConfig(games=300),
        KnowledgeConfig(games=300, hidden=4, epochs=2),
        KnowledgeConfig(games=200, policy="knowledge"),
    ],
)
def test_the_same_seed_gives_the_same_knowledge(config: KnowledgeConfig) -> None:
    game, counted = load("breakthrough6"), list[int]()
    one = learn_knowledge(game, config, 5, progress=counted.append)
    other, third = learn_knowledge(game, config, 5), learn_knowledge(game, config, 6)
    assert sum(counted) == config.games == int(one.games)
    assert all(torch.equal(*pair) for pair in zip(tensors(one), tensors(other), strict=True))
    assert not torch.equal(one.psi, third.psi)


def test_only_the_roles_asked_for_learn() -> None:
    game = load("breakthrough6")
    both = learn_knowledge(game, KnowledgeConfig(games=200), 1)
    one = learn_knowledge(game, KnowledgeConfig(games=200), 1, roles=[game.roles[1].upper()])
    first = game.move_offsets[1]
    assert not one.psi[0].any()
    assert not one.plays[:first].any()
    assert torch.equal(one.psi[1], both.psi[1])
    assert torch.equal(one.returns[first:], both.returns[first:])
    network = learn_knowledge(game, KnowledgeConfig(games=200, hidden=3), roles=[game.roles[1]])
    values = network.state_values(game.initial_state().fluents[None])[0].tolist()
    assert values[0] == 0.5
    assert values[1] != 0.5
    with pytest.raises(GameError, match="no role 'red'"):
        learn_knowledge(game, KnowledgeConfig(games=1), roles=["red"])


def test_learning_goes_on_as_if_it_had_not_stopped() -> None:
    game, config = load("tictactoe"), KnowledgeConfig(games=150)
    whole = learn_knowledge(game, config, 4)
    first = learn_knowledge(game, KnowledgeConfig(games=100), 4)
    rest = GameRecorder(game.circuit).play(50, 4, first=100)
    KnowledgeLearner(first).learn(rest)
    assert int(first.games) == 150
    for name, own in whole.state_dict().items():
        torch.testing.assert_close(first.state_dict()[name], own, rtol=1e-6, atol=1e-6)


class OneGame:
    """Returns the same game again and again."""

    def __init__(self) -> None:
        self.done = list[int]()

    def play(self, knowledge: Knowledge, done: int) -> RecordedGames:
        self.done.append(done)
        return GameRecorder(knowledge.circuit).play(1, 7)


def test_games_may_come_from_elsewhere() -> None:
    source = OneGame()
    game, config = load("tictactoe"), KnowledgeConfig(games=3)
    knowledge = learn_knowledge(game, config, source=source)
    assert source.done == [0, 1, 2]
    made = GameRecorder(game.circuit).play(1, 7).moves[:-1]
    assert torch.equal(knowledge.plays.nonzero()[:, 0], torch.from_numpy(np.unique(made)).long())
    assert float(knowledge.plays.sum()) == 3 * made.size


@pytest.mark.parametrize("name", ["checkers6", "breakthrough6"])
def test_knowledge_tells_good_states_from_bad_ones_of_other_games(name: str) -> None:
    game = load(name)
    none = state_quality(Knowledge(game), held_out(name))
    linear = state_quality(learn_knowledge(game, KnowledgeConfig(games=4000)), held_out(name))
    assert none.log_loss == pytest.approx(np.log(2), abs=1e-6)
    assert none.ranking == pytest.approx(0.5)
    assert linear.log_loss < 0.69
    assert linear.ranking > 0.55


def test_a_network_knows_more_than_a_sum() -> None:
    game = load("checkers6")
    config = KnowledgeConfig(games=8000, hidden=16)
    network = state_quality(learn_knowledge(game, config), held_out("checkers6"))
    linear = state_quality(
        learn_knowledge(game, KnowledgeConfig(games=8000)), held_out("checkers6")
    )
    assert network.log_loss < linear.log_loss
    assert network.ranking > linear.ranking


@pytest.mark.parametrize("policy", ["random", "knowledge"])
def test_knowledge_beats_chance(policy: Literal["random", "knowledge"]) -> None:
    game = load("breakthrough6")
    knowledge = learn_knowledge(game, KnowledgeConfig(games=4000, policy=policy))
    recorder = GameRecorder(game.circuit)
    plain = recorder.play(1000, 3).results[:, 0].mean()
    guided = recorder.play(1000, 3, judge=_OnlyFirst(knowledge), epsilon=0.0).results[:, 0].mean()
    assert guided > plain + 0.2


class _OnlyFirst:
    """Judges the moves of the first role only."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.scale, self._knowledge = knowledge.scale, knowledge

    def compiled_scores(self) -> None:
        return None

    def move_scores(self, fluents: np.ndarray, legal: np.ndarray, role: int) -> np.ndarray:
        if role == 0:
            return self._knowledge.move_scores(fluents, legal, role)
        return np.zeros(legal.shape, np.float32)
