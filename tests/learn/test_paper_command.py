"""``neurogame train --recipe paper``: it trains, goes on, refuses, says how to play the result."""

from __future__ import annotations

import argparse
import json
import signal
from pathlib import Path

import pytest

from neurogame.cli import train
from neurogame.errors import ConfigurationError
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.players.players import make_player
from neurogame.simulate.game import Game
from tests.processes import PATIENCE, PROGRAM, environment, started, wait_until

RECIPE = ["--quiet", "--recipe", "paper"]
FAST = [*RECIPE, "--no-strength"]


@pytest.fixture(autouse=True)
def _few_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurogame.arena.release_strength._COUNTED_MATCHES", 4)
    monkeypatch.setattr("neurogame.arena.release_strength._EXACT", 20)


def command(*line: str) -> int:
    parser = argparse.ArgumentParser(prog="train")
    train.add_arguments(parser)
    return train.run(parser.parse_args(line))


def test_it_trains_and_prints_the_command_that_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert command("tictactoe", "--out", str(out), "--games", "40", *RECIPE) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("40 games, ")
    assert lines[1].startswith("strength of the releases")
    player = lines[-1].split()[-1]
    assert lines[-1] == f"  neurogame play tictactoe --opponent alphabeta:{out / 'latest.pt'}"
    make_player(player, Game.load("tictactoe"), 0)


def test_json_is_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["--out", str(tmp_path / "run"), "--games", "10", "--json", *RECIPE]
    assert command("tictactoe", *line) == 0
    captured = capsys.readouterr()
    summary = json.loads(captured.out)
    assert captured.err == ""
    assert summary["matches"] == 10
    assert summary["hash"] == load_checkpoint(summary["checkpoint"]).hash
    untrained, learned = summary["strength"]
    assert untrained["seconds"] == 0
    assert untrained["untrained"] is None
    assert learned["seconds"] == summary["released_at"] == summary["seconds"]
    assert learned["untrained"]["matches"] > 0


def test_resuming_goes_on_to_a_new_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run")
    command("tictactoe", "--out", out, "--games", "10", "--paper-lambda", "0.5", *FAST)
    assert command("--resume", out, "--games", "30", "--quiet", "--no-strength") == 0
    checkpoint = load_checkpoint(tmp_path / "run" / "latest.pt")
    assert checkpoint.counters["matches"] == 30
    assert checkpoint.config["lambda"] == 0.5
    assert "play tictactoe" in capsys.readouterr().out
    for extra in (
        ["--paper-lambda", "0.9"],
        ["--evaluator", "cilp"],
        ["--seed", "1"],
        ["tictactoe"],
        ["--out", "x"],
    ):
        with pytest.raises(ConfigurationError, match=r"cannot be changed by --resume"):
            command("--resume", out, *extra)


def test_seconds_end_a_run(tmp_path: Path) -> None:
    command("tictactoe", "--out", str(tmp_path / "run"), "--seconds", "0.01", *FAST)
    assert load_checkpoint(tmp_path / "run" / "latest.pt").counters["rounds"] == 1


def test_a_command_without_a_game_or_into_a_used_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="name a game"):
        command("--games", "3")
    out = str(tmp_path / "run")
    command("tictactoe", "--out", out, "--games", "3", *FAST)
    with pytest.raises(ConfigurationError, match="already holds a run"):
        command("tictactoe", "--out", out, "--games", "3", *FAST)


def test_help_names_every_evaluator_setting() -> None:
    parser = argparse.ArgumentParser()
    train.add_arguments(parser)
    text = " ".join(parser.format_help().split())
    assert "--evaluator-temperature" in text
    assert "steepness of the activation" in text
    assert "discount of a signal" in text


def test_a_real_interruption_can_be_resumed(tmp_path: Path) -> None:
    out = tmp_path / "run"
    line = ["tictactoe", "--out", str(out), "--seconds", "600", *FAST]
    log = out / "rounds.jsonl"
    with started([*PROGRAM, "train", *line], env=environment(OMP_NUM_THREADS="1")) as process:
        wait_until(lambda: log.exists() and log.read_text().count("\n") >= 3, process)
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert f"--resume {out}" in printed
    before = load_checkpoint(out / "latest.pt").counters["matches"]
    assert (
        command("--resume", str(out), "--games", str(before + 4), "--quiet", "--no-strength") == 0
    )
    rows = [json.loads(row) for row in log.read_text().splitlines()]
    assert [row["games"] for row in rows] == list(range(1, before + 5))
