"""Runs by the paper's rule: the same bits, interrupted or not, and logs that fit."""

from __future__ import annotations

import copy
import csv
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from neurogame.errors import CheckpointError, ConfigurationError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.learn.checkpoints.checkpoint import Checkpoint, load_checkpoint
from neurogame.learn.checkpoints.content_hash import content_hash
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.match import play_training_match
from neurogame.learn.paper.targets import outcome_examples
from neurogame.learn.paper.trainer import PaperTrainer
from neurogame.learn.run_folder import LOGS, RunFolder
from neurogame.search.lockstep.counter_random import derived_seed
from neurogame.simulate.game import Game, State
from tests.library import minimax

SHORT: dict[str, Any] = {
    "evaluator": EvaluatorConfig(kind="cilp-paper", noise=0.01),
    "games": 24,
    "learning_rate": 0.01,
    "seed": 3,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {},
    "untrained": {"opponent": "untrained", "opening_plies": 2, "proofs": False},
    "random": {"opponent": "random", "evaluator": EvaluatorConfig(kind="cilp")},
    "fuzzy": {"opponent": "fuzzy", "opening_plies": 1},
}


@cache
def tictactoe() -> Game:
    return Game.load("tictactoe")


def config_of(variant: str) -> PaperConfig:
    return PaperConfig(**{**SHORT, **VARIANTS[variant]})


def start(path: Path, config: PaperConfig) -> PaperTrainer:
    folder = RunFolder(path)
    folder.create(config.to_json())
    return PaperTrainer(tictactoe(), config, folder)


def resume(path: Path) -> PaperTrainer:
    folder = RunFolder(path)
    checkpoint = folder.resume()
    kept = {name: value for name, value in checkpoint.config.items() if name != "recipe"}
    config = PaperConfig.from_json(kept)
    return PaperTrainer(checkpoint.game(), config, folder, checkpoint)


def outcome_of(path: Path) -> tuple[str, list[list[str]]]:
    """Return a hash of all that must not depend on interruptions, and the logs without times."""
    checkpoint = load_checkpoint(path / "latest.pt")
    counters = {k: v for k, v in checkpoint.counters.items() if k != "seconds"}
    parts = [
        checkpoint.weights,
        checkpoint.initial_weights,
        checkpoint.results,
        checkpoint.random,
        counters,
    ]
    rows = list(csv.reader((path / "rounds.csv").open()))
    timed = [rows[0].index("seconds"), rows[0].index("games_per_second")]
    plain = [[cell for i, cell in enumerate(row) if i not in timed] for row in rows]
    return content_hash(parts), plain


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_an_interrupted_run_ends_with_the_same_bits(variant: str, tmp_path: Path) -> None:
    config = replace(config_of(variant), games=12)
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
    trainer = start(tmp_path / "run", config_of("untrained"))
    trainer.run(lambda row: trainer.request_stop())
    assert trainer.counters.rounds == 1
    assert resume(tmp_path / "run").counters.matches == 1


def test_every_match_is_logged(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", config_of("untrained"))
    trainer.run()
    path = tmp_path / "run"
    rounds = [json.loads(line) for line in (path / "rounds.jsonl").read_text().splitlines()]
    table = list(csv.DictReader((path / "rounds.csv").open()))
    assert [row["games"] for row in rounds] == list(range(1, 25))
    assert [int(row["games"]) for row in table] == list(range(1, 25))
    assert [row["role"] for row in rounds] == [0, 1] * 12
    assert all(sum(row["goals"]) == 1 for row in rounds)
    assert len({row["moves_digest"] for row in rounds}) > 15
    assert json.loads((path / "config.json").read_text()) == config_of("untrained").to_json()
    assert {p.name for p in path.glob("*.pt")} == {"latest.pt"}
    assert not [p for p in path.iterdir() if p.name.startswith(".")]


def test_a_step_is_the_plain_gradient_of_the_squared_error(tmp_path: Path) -> None:
    """Equations (9) and (10): the weights move by minus the rate times the gradient."""
    config = PaperConfig(games=1, learning_rate=0.05, opponent="untrained")
    trainer = start(tmp_path / "run", config)
    seed = derived_seed(config.seed, 100, 0)
    match = play_training_match(trainer.game, config, trainer.untrained, trainer.untrained, 0, seed)
    keys = trainer.evaluator.network_keys
    examples = outcome_examples(
        match,
        torch.tensor([role for role, _ in keys]),
        torch.tensor([goal / 100 for _, goal in keys], dtype=torch.float64),
        config,
    )
    twin = copy.deepcopy(trainer.untrained).requires_grad_()
    error = (twin.networks(examples.fluents) - examples.targets).square().sum() / 2 / len(examples)
    error.backward()  # type: ignore[no-untyped-call]
    assert trainer.round()["loss"] == pytest.approx(float(error.detach()), rel=1e-5)
    moved = 0
    for own, before in zip(trainer.evaluator.parameters(), twin.parameters(), strict=True):
        if before.grad is not None:
            wanted = before.detach() - 0.05 * before.grad
            torch.testing.assert_close(own.detach(), wanted)
            moved += int((before.grad != 0).sum())
    assert moved > 10


def test_learning_moves_values_towards_what_happened(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", PaperConfig(games=150, learning_rate=0.02))
    losses: list[float] = []
    trainer.run(lambda row: losses.append(row["loss"]))
    assert sum(losses[-30:]) < 0.85 * sum(losses[:30])


def test_the_searches_proofs_are_minimax_values() -> None:
    game = tictactoe()
    evaluator = make_evaluator(game).eval()
    config = PaperConfig(games=1, opening_plies=4)
    found = 0
    for number in range(30):
        match = play_training_match(game, config, evaluator, None, number, number)
        for row, proof in zip(match.fluents, match.proved, strict=True):
            if not bool(torch.isnan(proof).any()):
                state = State(game, row)
                assert proof.tolist() == list(minimax(state))
                found += not state.is_terminal
    assert found > 20


def test_the_ply_limit_leaves_a_match_unfinished() -> None:
    config = PaperConfig(games=1, max_plies=3)
    match = play_training_match(tictactoe(), config, make_evaluator(tictactoe()), None, 0, 1)
    assert match.plies == 3
    assert not match.finished


def test_a_resumed_run_remembers_where_it_came_from(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", config_of("untrained"))
    trainer.round()
    digest = trainer.save()
    resumed = resume(tmp_path / "run")
    resumed.round()
    resumed.save()
    child = load_checkpoint(tmp_path / "run" / "latest.pt")
    assert child.parent == digest
    assert child.hash != digest


def test_folders_are_not_overwritten_and_foreign_ones_not_resumed(tmp_path: Path) -> None:
    start(tmp_path / "run", config_of("untrained")).save()
    with pytest.raises(ConfigurationError, match=r"already holds a run; .*--resume"):
        RunFolder(tmp_path / "run").create({})
    with pytest.raises(CheckpointError, match="no run to resume"):
        RunFolder(tmp_path / "empty").resume()
    kept = start(tmp_path / "kept", config_of("untrained"))
    kept.folder.save_latest(kept.checkpoint(resumable=False))
    with pytest.raises(CheckpointError, match="without the state needed to resume"):
        RunFolder(tmp_path / "kept").resume()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"evaluator": EvaluatorConfig(kind="fuzzy")}, "no goal networks that learn"),
        ({"evaluator": EvaluatorConfig(kind="mlp")}, "no goal networks that learn"),
        ({"opponent": "nobody"}, "opponent 'nobody'"),
    ],
)
def test_what_cannot_be_trained_is_refused(
    keywords: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        start(tmp_path / "run", PaperConfig(games=1, **keywords))


def test_a_checkpoint_describes_itself(tmp_path: Path) -> None:
    trainer = start(tmp_path / "run", config_of("untrained"))
    trainer.run()
    checkpoint: Checkpoint = load_checkpoint(tmp_path / "run" / "latest.pt")
    game = checkpoint.game()
    assert checkpoint.fluents == list(game.fluents)
    states = torch.rand((20, len(game.fluents))) < 0.5
    with torch.no_grad():
        for made, kept in (
            (checkpoint.evaluator(), trainer.evaluator),
            (checkpoint.initial_evaluator(game), trainer.untrained),
        ):
            assert torch.equal(made(states), kept(states))
