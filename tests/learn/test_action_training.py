"""An action circuit learns to foresee a tree search, and is kept in a checkpoint."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

pytest.importorskip("numba")

from neurogame.cli.main import main
from neurogame.errors import ConfigurationError
from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.actions.build import make_action_circuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.learn.actions.config import ActionTrainingConfig
from neurogame.learn.actions.training import train_action_circuit
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.choices import ChoiceReport
from neurogame.simulate.game import Game

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
