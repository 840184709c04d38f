"""``neurogame learn``: knowledge from the command line into a checkpoint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from neurogame.cli.main import main
from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.learn.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.simulate.game import Game


def test_it_learns_saves_and_says_how_to_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["learn", "tictactoe", "--knowledge", "games=70,history=late", "--seed", "4"]) == 0
    shown = capsys.readouterr()
    assert "70 games in" in shown.out
    player = "mcts:tictactoe-knowledge.pt,tree=knowledge,sims=1000"
    assert f"neurogame play tictactoe --opponent {player}" in shown.out
    assert "learn tictactoe: 100%" in shown.err
    found = load_checkpoint(tmp_path / "tictactoe-knowledge.pt").judge("knowledge")
    expected = learn_knowledge(Game.load("tictactoe"), KnowledgeConfig(games=70, history="late"), 4)
    assert isinstance(found, Knowledge)
    for name, tensor in expected.state_dict().items():
        assert torch.equal(found.state_dict()[name], tensor)


def test_an_action_heuristic_is_trained_on_chosen_formulas(tmp_path: Path) -> None:
    path = tmp_path / "action.pt"
    few = "rounds=1,matches=2,simulations=4,epochs=1"
    line = ["learn", "tictactoe", "--quiet", "--action", few, "--formulas", "steps=2,goals=all"]
    assert main([*line, "--out", str(path)]) == 0
    found = load_checkpoint(path).judge("action")
    assert isinstance(found, ActionCircuit)
    assert (found.config.steps, found.config.goals, found.config.trainable) == (2, "all", True)


def test_it_adds_to_a_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = str(tmp_path / "one.pt"), str(tmp_path / "two.pt")
    line = ["learn", "tictactoe", "--knowledge", "games=70", "--json", "--out"]
    assert main([*line, first]) == 0
    base = load_checkpoint(first)
    evaluator = make_evaluator(base.game(), EvaluatorConfig(kind="mlp", hidden=(2,)), 1)
    weights = dict(evaluator.state_dict())
    parts = {"weights": weights, "initial_weights": weights, "judges": {}}
    whole = type(base)(**{**vars(base), "description": evaluator.describe(), **parts})
    save_checkpoint(first, whole)
    capsys.readouterr()
    role = base.roles[0]
    assert main([*line, second, "--into", first, "--role", role]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    report = json.loads(shown.out)
    found = load_checkpoint(second)
    assert report["hash"] == found.hash
    assert report["games"] == 70
    assert found.parent == whole.hash
    assert found.evaluator().describe() == evaluator.describe()
    knowledge = found.judge("knowledge")
    assert isinstance(knowledge, Knowledge)
    assert knowledge.psi[0].any()
    assert not knowledge.psi[1].any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--knowledge", "games=0"], "knowledge: games=0; allowed: a whole number (at least 1)"),
        (["--knowledge", "games"], "write name=value"),
        (["--knowledge", "games=2,games=3"], "each name once"),
        (["--knowledge", "magic=1"], "knowledge: unknown option 'magic'; allowed are games, plies"),
        (["--knowledge", "true_goals=maybe"], "allowed: on or off"),
        (["--formulas", "steps=2"], "--formulas is for --action"),
        (["--action", "--formulas", "step=2"], "action heuristic: unknown option 'step'"),
        (["--action", "--formulas", "steps=0"], "action heuristic: steps=0"),
        (["--role", "red"], "no role 'red'; roles are xplayer, oplayer"),
        (["--out", "nowhere/my.pt"], "there is no folder nowhere"),
        (["--into", "missing.pt"], "missing.pt: no such file"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    options: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["learn", "tictactoe", "--quiet", *options]) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith("error: ")
    assert shown.err.count("\n") == 1
    assert message in shown.err
    assert list(tmp_path.iterdir()) == []


def test_another_games_checkpoint_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "one.pt")
    assert main(["learn", "tictactoe", "--knowledge", "games=1", "--json", "--out", out]) == 0
    assert main(["learn", "nim", "--knowledge", "games=1", "--json", "--into", out]) == 1
    assert "other rules" in capsys.readouterr().err
    assert main(["inspect", out]) == 0
    assert "no evaluator of states" in capsys.readouterr().out
