"""A policy learns to foresee what an evaluator chooses, and plays in a tree search."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from neurogame.cli.main import main
from neurogame.errors import ConfigurationError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.next_values import NextValues
from neurogame.evaluators.policy.policy import LearnedPolicy
from neurogame.learn.checkpoints.checkpoint import (
    load_checkpoint,
    save_checkpoint,
)
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.learn.choices import MoveChoices
from neurogame.learn.policy.choices import ChoiceSource
from neurogame.learn.policy.config import PolicyConfig
from neurogame.learn.policy.learning import learn_policy
from neurogame.simulate.game import Game
from tests.evaluators.rules_networks import SMALL, network_of
from tests.library import checkpoint_of

FEW = PolicyConfig(choices=6000, rate=0.01)
WIDE = replace(SMALL, hidden=32)


@pytest.fixture(scope="module")
def game() -> Game:
    return Game.load("connectfour5")


def some(game: Game, config: PolicyConfig) -> tuple[int, MoveChoices]:
    return next(ChoiceSource(game, network_of(game), config, 3).choices())


def test_weights_follow_from_the_values_of_what_moves_lead_to(game: Game) -> None:
    role, choices = some(game, FEW)
    first, last = game.move_offsets[role : role + 2]
    assert torch.equal(choices.all_legal[:, first:last], choices.legal)
    assert (choices.legal.sum(dim=1) > 1).all()
    values = NextValues(game, network_of(game)).move_scores(
        choices.fluents.numpy(), choices.legal.numpy(), role
    )
    weights = np.where(choices.legal.numpy(), np.exp(values.astype(float) / FEW.temper), 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(choices.shares.numpy(), weights, rtol=1e-3, atol=1e-6)


def test_it_foresees_more_the_more_it_learns_and_seeds_decide(game: Game) -> None:
    evaluator = network_of(game, WIDE)
    before = copied_weights(evaluator)
    policy, report = learn_policy(game, evaluator, FEW, seed=4)
    again, same = learn_policy(game, evaluator, FEW, seed=4)
    assert report == same
    for one, other in zip(policy.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)
    for name, tensor in evaluator.state_dict().items():
        assert torch.equal(tensor, before[name])
    assert report.choices == FEW.choices
    assert report.held_out >= 0.05 * FEW.choices
    more = learn_policy(game, evaluator, replace(FEW, passes=6), seed=4)[1]
    assert more.held_out == report.held_out
    assert report.entropy <= more.loss < report.loss - 0.05 < report.uniform - 0.1
    assert more.agreement > report.agreement


def test_other_evaluators_cannot_teach(game: Game) -> None:
    with pytest.raises(ConfigurationError, match="rules network"):
        learn_policy(game, make_evaluator(game), FEW)


def test_the_command_adds_a_policy_that_plays(
    game: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluator = network_of(game)
    old, new = str(tmp_path / "old.pt"), str(tmp_path / "new.pt")
    save_checkpoint(old, checkpoint_of(game, evaluator))
    line = ["learn", "connectfour5", "--policy", "choices=300", "--into", old, "--out", new]
    assert main(line) == 0
    shown = capsys.readouterr()
    assert "300 choices in" in shown.out
    assert "best move agrees in" in shown.out
    assert "learn connectfour5: 100%" in shown.err
    found = load_checkpoint(new)
    assert isinstance(found.judge("policy"), LearnedPolicy)
    assert found.evaluator().describe() == evaluator.describe()
    players = [f"mcts:{new},tree=policy,cutoff=0,sims=5", f"mcts:{new},sims=5"]
    match = ["match", "connectfour5", "--players", *players, "--matches", "2", "--json"]
    assert main(match) == 0
    assert json.loads(capsys.readouterr().out)["illegal_moves"] == [0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--policy"], "name its checkpoint with --into"),
        (["--policy", "--action"], "one at a time"),
        (["--policy", "temper=0"], "--into"),
    ],
)
def test_what_does_not_go_together_is_refused(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", "connectfour5", *options]) != 0
    assert message in capsys.readouterr().err


def test_no_policy_no_player(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "connectfour5", "--players", "mcts:tree=policy", "random"]) != 0
    assert "neurogame learn RULES --policy --into CHECKPOINT" in capsys.readouterr().err
