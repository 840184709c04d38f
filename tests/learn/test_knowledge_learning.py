"""Learning knowledge: the same every time, in parts as at once, and of use."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import torch

from neurogame.cli.main import main
from neurogame.errors import ConfigurationError, GameError
from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.actions.build import make_action_circuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.kernels.knowledge.recorded_games import GameRecorder, RecordedGames
from neurogame.learn.actions.config import ActionTrainingConfig
from neurogame.learn.actions.training import train_action_circuit
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.choices import ChoiceReport
from neurogame.learn.knowledge.learning import KnowledgeLearner, learn_knowledge
from neurogame.simulate.game import Game
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


def test_with_time_enough_it_is_what_all_games_teach() -> None:
    game, config = Game.load("breakthrough6"), KnowledgeConfig(games=300)
    whole = learn_knowledge(game, config, 5)
    found = learn_knowledge(game, config, 5, deadline=time.monotonic() + 1000)
    assert int(found.games) == 300
    for name, own in whole.state_dict().items():
        torch.testing.assert_close(found.state_dict()[name], own, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("seconds", "games"), [(-1, 64), (0.5, 64), (1.0, 64), (4.5, 1024)])
def test_no_chunk_is_begun_that_would_be_late(
    monkeypatch: pytest.MonkeyPatch, seconds: float, games: int
) -> None:
    # Every chunk, whatever its size, takes a second of this clock.
    ticks = itertools.count()
    monkeypatch.setattr(
        "neurogame.learn.knowledge.learning.time.monotonic", lambda: (next(ticks) + 1) // 2
    )
    config = KnowledgeConfig(games=5000)
    found = learn_knowledge(Game.load("tictactoe"), config, 5, deadline=seconds)
    assert int(found.games) == games


def test_a_few_games_fit_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    monkeypatch.setattr(
        "neurogame.learn.knowledge.learning.time.monotonic", lambda: (next(ticks) + 1) // 2
    )
    found = learn_knowledge(Game.load("tictactoe"), KnowledgeConfig(games=5000), 5, deadline=1.25)
    assert int(found.games) == 64 + 16
    assert found.returns.abs().sum() > 0


SHORT = ActionTrainingConfig(
    rounds=2, matches=6, simulations=100, epochs=2, teacher="plain", random_plies=9
)


@pytest.fixture(scope="module")
def game() -> Game:
    return Game.load("tictactoe")


def trained(game: Game, config: ActionTrainingConfig) -> tuple[ActionCircuit, list[ChoiceReport]]:
    circuit = make_action_circuit(game, ActionConfig(trainable=True))
    return circuit, train_action_circuit(game, circuit, config, seed=3)


def test_it_comes_closer_to_the_visits_of_the_search(game: Game) -> None:
    config = replace(SHORT, rounds=1, held_out=0.0)
    short, long = (trained(game, replace(config, epochs=n))[1][0] for n in (1, 40))
    assert (short.held_out, short.choices) == (0, long.choices)
    assert long.entropy == short.entropy <= long.loss < short.loss - 0.1


def test_held_out_matches_are_not_learned_from_and_seeds_decide(game: Game) -> None:
    (circuit, reports), (again, _) = trained(game, SHORT), trained(game, SHORT)
    assert len(reports) == SHORT.rounds
    assert 0 < reports[0].choices < reports[1].choices
    assert 0 < reports[0].held_out < reports[1].held_out < reports[1].choices
    for one, other in zip(circuit.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)


def test_what_cannot_be_trained_is_refused(game: Game) -> None:
    with pytest.raises(ConfigurationError, match="not trainable"):
        train_action_circuit(game, make_action_circuit(game), SHORT)
    forced = Game.from_text(
        "(role a) (init (step 1)) (<= (next (step 2)) (true (step 1))) (legal a noop)"
        "(<= terminal (true (step 2))) (goal a 50)",
        cache=False,
    )
    with pytest.raises(GameError, match="no role has had a choice"):
        trained(forced, SHORT)


def test_what_measured_it_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    line = ["learn", "nim", "--out", str(tmp_path / "own.pt"), "--quiet", "--action"]
    for settings, told in (("matches=1", "learned from"), ("matches=3,held_out=0.4", "held out")):
        assert main([*line, f"{settings},rounds=1,simulations=10,epochs=1"]) == 0
        found = capsys.readouterr().out
        assert told in found
        assert " 0 choices" not in found


@pytest.mark.parametrize(
    ("name", "value"),
    [("rounds", 0), ("simulations", 1), ("teacher", "none"), ("learning_rate", 0.0)],
)
def test_settings_out_of_range_are_refused(name: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=name):
        ActionTrainingConfig(**{name: value})  # type: ignore[arg-type]


def test_the_command_saves_a_judge_that_plays(
    game: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "own.pt")
    settings = "rounds=1,matches=4,simulations=30,epochs=2"
    line = ["learn", "tictactoe", "--action", settings, "--out", path, "--seed", "5", "--json"]
    assert main(line) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["judge"] == "action"
    assert report["matches"] == 4
    assert report["hash"] == load_checkpoint(path).hash
    judge = load_checkpoint(path).judge("action", game)
    config = ActionTrainingConfig(rounds=1, matches=4, simulations=30, epochs=2)
    expected = make_action_circuit(game, ActionConfig(trainable=True))
    train_action_circuit(game, expected, config, seed=5)
    states = torch.stack([game.initial_state().fluents])
    legal = torch.ones(1, len(game.moves[0]), dtype=torch.bool).numpy()
    found = judge.move_scores(states.numpy(), legal, 0)
    assert (found == expected.move_scores(states.numpy(), legal, 0)).all()
    players = [f"mcts:{path},tree=action,playout=action,sims=20", "random"]
    assert main(["match", "tictactoe", "--players", *players, "--matches", "2", "--quiet"]) == 0


def test_one_judge_is_learned_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "tictactoe", "--action", "--knowledge", "games=5"]) != 0
    assert "one at a time" in capsys.readouterr().err
