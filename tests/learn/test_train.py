"""Training runs: the same bits whether or not they are interrupted, and logs that fit."""

from __future__ import annotations

import csv
import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from neurogame.errors import CheckpointError, ConfigurationError
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.learn.checkpoint import Checkpoint, load_checkpoint
from neurogame.learn.config import TrainConfig
from neurogame.learn.content_hash import content_hash
from neurogame.learn.run_folder import LOGS, RunFolder
from neurogame.learn.train import Trainer
from neurogame.simulate.game import Game

SHORT: dict[str, Any] = {
    "evaluator": EvaluatorConfig(kind="cilp-paper", noise=0.01),
    "depth": 1,
    "matches": 50,
    "concurrent": 8,
    "buffer": 150,
    "batch": 32,
    "updates": 0.7,
    "evaluate_every": 20,
    "evaluate_matches": 6,
    "checkpoint_every": 20,
    "epsilon": 0.2,
    "learning_rate": 0.01,
    "seed": 3,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "td": {"target": "td"},
    "cilp": {"target": "td", "evaluator": EvaluatorConfig(kind="cilp"), "matches": 20},
    "outcome": {"target": "outcome", "optimiser": "sgd", "buffer": 0},
    "opponent": {"opponent": "untrained", "random_plies": 2, "winning_rate": 0.1},
    "mlp": {"target": "td", "evaluator": EvaluatorConfig(kind="mlp", hidden=(8,))},
    "two": {"depth": 2, "matches": 24},
    "deep": {"target": "outcome", "depth": 3, "opponent": "fuzzy", "matches": 12, "concurrent": 3},
}


@cache
def tictactoe() -> Game:
    return Game.load("tictactoe")


def config_of(variant: str) -> TrainConfig:
    return TrainConfig(**{**SHORT, **VARIANTS[variant]})


def start(path: Path, config: TrainConfig) -> Trainer:
    folder = RunFolder(path)
    folder.create(config.to_json())
    return Trainer(tictactoe(), config, folder)


def resume(path: Path) -> Trainer:
    folder = RunFolder(path)
    checkpoint = folder.resume()
    return Trainer(
        checkpoint.game(), TrainConfig.from_json(checkpoint.config), folder, resumed=checkpoint
    )


def outcome_of(path: Path) -> tuple[str, list[list[str]]]:
    """Return a hash of all that must not depend on interruptions, and the logs without times."""
    checkpoint = load_checkpoint(path / "latest.pt")
    counters = {k: v for k, v in checkpoint.counters.items() if k != "seconds"}
    parts = [
        checkpoint.weights,
        checkpoint.initial_weights,
        checkpoint.optimiser,
        checkpoint.buffer,
        checkpoint.results,
        checkpoint.random,
        counters,
    ]
    rows = list(csv.reader((path / "rounds.csv").open()))
    timed = [rows[0].index("seconds"), rows[0].index("matches_per_second")]
    plain = [[cell for i, cell in enumerate(row) if i not in timed] for row in rows]
    return content_hash(parts), plain


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_an_interrupted_run_ends_with_the_same_bits(variant: str, tmp_path: Path) -> None:
    config = config_of(variant)
    start(tmp_path / "whole", config).run()
    random = np.random.default_rng(5)
    trainer = start(tmp_path / "broken", config)
    while True:
        # Stop as Ctrl-C does, or die as kill -9 does: after the last save more rounds were
        # played and logged, and the last line of a log is half written.
        for _ in range(int(random.integers(1, 3))):
            if not trainer.finished():
                trainer.round()
        trainer.save()
        if trainer.finished():
            break
        if random.random() < 0.6:
            trainer.round()
            for name in LOGS:
                with (tmp_path / "broken" / name).open("a") as log:
                    log.write('{"torn')
        trainer = resume(tmp_path / "broken")
    assert outcome_of(tmp_path / "broken") == outcome_of(tmp_path / "whole")
    first = load_checkpoint(tmp_path / "whole" / "latest.pt")
    assert content_hash(first.weights) != content_hash(first.initial_weights)


def test_a_stop_finishes_the_round_and_saves(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", config_of("td"))
    trainer.run(lambda row: trainer.request_stop())
    assert trainer.counters.rounds == 1
    assert resume(tmp_path / "run").counters.matches == 8


def test_logs_evaluations_and_checkpoints_are_written(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", config_of("td"))
    trainer.run()
    path = tmp_path / "run"
    rounds = [json.loads(line) for line in (path / "rounds.jsonl").read_text().splitlines()]
    table = list(csv.DictReader((path / "rounds.csv").open()))
    assert [row["matches"] for row in rounds] == [8, 16, 24, 32, 40, 48, 50]
    assert [int(row["matches"]) for row in table] == [8, 16, 24, 32, 40, 48, 50]
    assert sum(row["updates"] for row in rounds) == trainer.counters.updates == 35
    evaluations = (path / "evaluations.jsonl").read_text().splitlines()
    assert [json.loads(line)["matches_trained"] for line in evaluations] == [24, 40]
    assert json.loads((path / "config.json").read_text()) == config_of("td").to_json()
    kept = {p.name for p in path.glob("*.pt")}
    assert kept == {"latest.pt", "best.pt", "checkpoint-24.pt", "checkpoint-40.pt"}
    assert not [p for p in path.iterdir() if p.name.startswith(".")]


def test_learning_moves_values_towards_what_happened(tmp_path: Path) -> None:
    config = TrainConfig(
        evaluator=EvaluatorConfig(kind="cilp-paper"),
        matches=300,
        evaluate_every=0,
        learning_rate=0.01,
        concurrent=30,
        random_plies=0,
        depth=1,
    )
    trainer = start(tmp_path / "run", config)
    rows: list[dict[str, Any]] = []
    trainer.run(rows.append)
    assert rows[-1]["loss"] < 0.85 * rows[0]["loss"]


def test_a_winner_learns_slowly(tmp_path: Path) -> None:
    config = TrainConfig(
        evaluator=EvaluatorConfig(kind="mlp", hidden=(4,)),
        opponent="random",
        winning_rate=0.0,
        matches=40,
        concurrent=1,
        evaluate_every=0,
    )
    trainer = start(tmp_path / "run", config)
    moved: dict[float, set[bool]] = {0.0: set(), 0.5: set(), 1.0: set()}
    while not trainer.finished():
        before = content_hash(dict(trainer.evaluator.state_dict()))
        number = trainer.counters.matches
        row = trainer.round()
        goal = row["mean_goals"][number % 2]
        moved[goal].add(before != content_hash(dict(trainer.evaluator.state_dict())))
    assert moved[0.0] == {True}
    assert moved[1.0] == {False}


def test_a_resumed_run_remembers_where_it_came_from(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", config_of("td"))
    trainer.round()
    digest = trainer.save()
    resumed = resume(tmp_path / "run")
    resumed.round()
    resumed.save()
    child = load_checkpoint(tmp_path / "run" / "latest.pt")
    assert child.parent == digest
    assert child.hash != digest


def test_folders_are_not_overwritten_and_foreign_ones_not_resumed(tmp_path: Path) -> None:
    start(tmp_path / "run", config_of("td")).save()
    with pytest.raises(ConfigurationError, match=r"already holds a run; .*--resume"):
        RunFolder(tmp_path / "run").create({})
    with pytest.raises(CheckpointError, match="no run to resume"):
        RunFolder(tmp_path / "empty").resume()
    kept = start(tmp_path / "kept", config_of("td"))
    kept.folder.save_numbered(kept.checkpoint(resumable=False), 0)
    shutil.copy(tmp_path / "kept" / "checkpoint-0.pt", tmp_path / "kept" / "latest.pt")
    with pytest.raises(CheckpointError, match="without the state needed to resume"):
        RunFolder(tmp_path / "kept").resume()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"evaluator": EvaluatorConfig(kind="fuzzy")}, "no weights to learn"),
        ({"evaluator": EvaluatorConfig(kind="mlp"), "target": "outcome"}, "goal networks"),
        ({"opponent": "nobody"}, "opponent 'nobody'"),
    ],
)
def test_what_cannot_be_trained_is_refused(
    keywords: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        start(tmp_path / "run", TrainConfig(matches=1, **keywords))


def test_a_checkpoint_describes_itself(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", config_of("td"))
    trainer.run()
    checkpoint: Checkpoint = load_checkpoint(tmp_path / "run" / "latest.pt")
    game = checkpoint.game()
    assert checkpoint.fluents == list(game.fluents)
    states = torch.rand((20, len(game.fluents))) < 0.5
    with torch.no_grad():
        for made, kept in (
            (checkpoint.evaluator(), trainer.evaluator),
            (checkpoint.initial_evaluator(game), trainer.initial),
        ):
            assert torch.equal(made(states), kept(states))
