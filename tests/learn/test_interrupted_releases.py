"""What decides on a release is whole: matches that a stop has cut are played by who goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.comparison import Comparison
from neurogame.learn.paper.config import PaperConfig
from neurogame.learn.paper.trainer import PaperTrainer
from neurogame.learn.recipe import fitted
from neurogame.learn.run_folder import RunFolder
from neurogame.learn.train_config import TrainConfig
from neurogame.learn.trainer import Trainer, learner_of
from neurogame.native.struct import array_of
from neurogame.simulate.game import Game


def run_of(folder: Path) -> Trainer:
    """Return a run of a few marks."""
    game = Game.load("connectfour5")
    given = {"lanes": 64, "network": {"hidden": 16, "lookups": 8}}
    config = TrainConfig(learner=fitted(game, given), games=1500, release_matches=20)
    run = RunFolder(folder)
    run.create({"rules": game.name, "recipe": "fitted", **config.to_json()})
    return Trainer(game, config, run)


DECISIONS = ("round", "plies", "games", "matches", "released", "score")
"""What a row says that depends on no clock."""


def told(run: Trainer) -> list[dict[str, Any]]:
    """Return what was decided of each candidate."""
    return [{name: row.get(name) for name in DECISIONS} for row in run.results]


def test_a_run_that_is_stopped_in_its_matches_decides_as_if_it_had_not_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, cut = run_of(tmp_path / "whole"), run_of(tmp_path / "cut")
    whole.run()
    match = Trainer._match

    def stopping(run: Trainer, candidate: Evaluator, rival: Evaluator) -> Comparison:
        if len(run.results) == 1:
            run.request_stop()
        return match(run, candidate, rival)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_match", stopping)
        cut.run()
    assert len(cut.results) == 1
    cut.folder.close()
    saved = load_checkpoint(cut.folder.latest)
    again = Trainer(cut.game, cut.config, RunFolder(tmp_path / "cut"), saved)
    again.run()
    assert told(again) == told(whole)
    assert len(told(whole)) == 5
    losses = [row["loss"] for row in whole.results]
    assert [row["loss"] for row in again.results] == pytest.approx(losses, rel=1e-6)
    weights, others = again.release.evaluator.state_dict(), whole.release.evaluator.state_dict()
    assert weights.keys() == others.keys()
    assert all(torch.equal(part, others[name]) for name, part in weights.items())


def test_a_game_that_is_over_before_it_begins_is_refused(tmp_path: Path) -> None:
    game = Game.from_text(
        "(role a) (role b) (init over) (legal a x) (legal b x) (goal a 100)"
        "(goal b 0) (next over) (<= terminal (true over))"
    )
    with pytest.raises(GameError, match="initial state is terminal, so there is nothing to learn"):
        Trainer(game, TrainConfig(games=10), RunFolder(tmp_path))
    with pytest.raises(GameError, match="initial state is terminal, so there is nothing to learn"):
        PaperTrainer(game, PaperConfig(games=10), RunFolder(tmp_path))


def test_every_move_of_many_is_looked_at() -> None:
    """Of 3,000 joint moves 1,500 are looked at; one of the first role's 1,500 wins."""
    numbers = " ".join(f"(number {number})" for number in range(1500))
    game = Game.from_text(
        f"(role a) (role b) (init begun) {numbers} (<= (legal a (go ?x)) (number ?x)) (legal b l)"
        "(legal b r) (<= (next over) (true begun)) (<= (next won) (does a (go 15)))"
        "(<= terminal (true over)) (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won)))"
        "(<= (goal b 0) (true won)) (<= (goal b 100) (not (true won)))"
    )
    learner = learner_of(game, fitted(game, {"lanes": 128, "openings": 0, "epsilon": 0.0}))
    learner.round()
    own = learner._workers[0].games.own  # type: ignore[attr-defined]
    plies = len(array_of(own, "modes")) // len(array_of(own, "ply"))
    won = array_of(own, "targets")[::plies, 0]
    assert won.tolist() == [1.0] * 128
