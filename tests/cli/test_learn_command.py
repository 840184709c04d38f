"""``neurogame learn`` and ``train --workers``: what is learned, the same results, refusals."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
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
from neurogame.workers.settings import WorkerSettings
from neurogame.workers.workplace import Workplace
from tests.processes import PATIENCE, PROGRAM, started, wait_until


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


def test_another_games_checkpoint_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "one.pt")
    assert main(["learn", "tictactoe", "--knowledge", "games=1", "--json", "--out", out]) == 0
    assert main(["learn", "nim", "--knowledge", "games=1", "--json", "--into", out]) == 1
    assert "other rules" in capsys.readouterr().err
    assert main(["inspect", out]) == 0
    assert "no evaluator of states" in capsys.readouterr().out


def _trained(folder: Path, *options: str) -> dict[str, torch.Tensor]:
    arguments = ["train", "tictactoe", "--out", str(folder), "--quiet", "--no-strength", "--json"]
    assert main([*arguments, "--games", "12000", "--release-matches", "2", *options]) == 0
    kept = load_checkpoint(folder / "latest.pt").optimiser
    assert kept is not None
    state: dict[str, torch.Tensor] = kept["averaged"] | kept["state"]
    return state


def test_training_is_the_same_with_one_worker_and_with_two(tmp_path: Path) -> None:
    one = _trained(tmp_path / "one", "--workers", "1")
    two = _trained(tmp_path / "two", "--workers", "2")
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert load_checkpoint(tmp_path / "two" / "latest.pt").config["learner"]["cores"] == 4


def test_a_run_that_is_killed_goes_on_with_other_workers(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    options = ["--games", "400000", "--release-matches", "2", "--quiet", "--no-strength"]
    command = [*PROGRAM, "train", "tictactoe", "--out", str(folder), "--workers", "2", *options]
    with started(command) as program:
        wait_until((folder / "latest.pt").exists, program)
        os.kill(program.pid, signal.SIGKILL)
        # The workers have the same output: it ends when all have gone.
        program.communicate(timeout=PATIENCE)
    resumed = ["train", "--resume", str(folder), "--games", "12000", "--quiet", "--no-strength"]
    assert main([*resumed, "--workers", "1"]) == 0
    assert load_checkpoint(folder / "latest.pt").counters["matches"] >= 12000


def test_the_bar_of_training_shows_workers_and_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def threads(settings: WorkerSettings) -> Iterator[Workplace]:
        with ThreadPoolExecutor(settings.workers) as executor:
            yield Workplace(executor, workers=settings.workers)

    line = ["train", "tictactoe", "--games", "3000", "--no-strength", "--release-matches", "2"]
    line += ["--lanes", "64", "--round-plies", "64"]
    assert main([*line, "--out", str(tmp_path / "alone"), "--workers", "1"]) == 0
    told = capsys.readouterr().err
    assert "games=" in told
    assert "workers" not in told
    monkeypatch.setattr("neurogame.workers.workplace.open_workplace", threads)
    # Elsewhere bars are lines now and then.
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main([*line, "--out", str(tmp_path / "run"), "--workers", "2", "--cores", "3"]) == 0
    shown = re.findall(r"workers=(\d+), pieces=(\d+)", capsys.readouterr().err)
    assert {workers for workers, _ in shown} == {"2"}
    # Before the first round is over it is known who works.
    assert shown[0][1] == "0"
    rounds = load_checkpoint(tmp_path / "run" / "latest.pt").counters["rounds"]
    assert int(shown[-1][1]) == 3 * rounds > 3
