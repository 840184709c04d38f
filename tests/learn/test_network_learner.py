"""Goal networks learn by TD(lambda) in batches: targets, gradients, runs that go on, refusals."""

from __future__ import annotations

import argparse
import copy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from neurogame.cli import train as train_command
from neurogame.errors import ConfigurationError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.kernels.neural.backend import VARIABLE
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.learn.examples import Examples
from neurogame.learn.networks.learner import GoalNetworkLearner
from neurogame.learn.networks.positions import positions_of, td_targets
from neurogame.learn.recipe import fitted
from neurogame.learn.run_folder import RunFolder
from neurogame.learn.train_config import TrainConfig
from neurogame.learn.trainer import Release, Trainer, learner_of
from neurogame.players.players import make_player
from neurogame.search.lockstep.lockstep import LockstepMatch, play_lockstep
from neurogame.simulate.game import Game
from neurogame.workers.workplace import open_workplace

KINDS = ("cilp", "cilp-paper")
LINE = ["--quiet", "--no-strength", "--lanes", "16", "--release-matches", "20"]


@cache
def tictactoe() -> Game:
    return Game.load("tictactoe")


def learner(kind: str = "cilp", game: Game | None = None, **given: Any) -> GoalNetworkLearner:
    loaded = game or tictactoe()
    settings = {"lanes": 24, "step_every": 64, "evaluator": EvaluatorConfig(kind=kind), **given}
    made = learner_of(loaded, fitted(loaded, settings, seed=3))
    assert isinstance(made, GoalNetworkLearner)
    return made


def same(one: dict[str, Tensor], two: dict[str, Tensor]) -> bool:
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)


def command(*line: str) -> int:
    parser = argparse.ArgumentParser(prog="train")
    train_command.add_arguments(parser)
    return train_command.run(parser.parse_args(line))


@pytest.mark.parametrize("kind", KINDS)
def test_learning_moves_the_rules_weights_and_lowers_the_loss(kind: str) -> None:
    learning = learner(kind, lanes=64, step_size=0.02)
    before = copied_weights(learning.evaluator)
    learning.round()
    played = play_lockstep(tictactoe(), learning._plan())
    positions = positions_of(tictactoe(), played, learning.evaluator, 1.0, True)
    losses = []
    for _ in range(30):
        learning.learn(positions)
        losses.append(learning.take_loss())
    assert losses[-1] < 0.9 * losses[0]
    networks = learning.evaluator
    assert (
        networks.describe() == make_evaluator(tictactoe(), EvaluatorConfig(kind=kind), 3).describe()
    )
    for name, weight in networks.named_parameters():
        assert (weight.detach() != before[name]).float().mean() > 0.5, name
    assert learning.counters.updates > 30
    assert learning.counters.matches == 64


def test_equal_seeds_give_equal_weights_and_others_do_not() -> None:
    one, two, other = learner(), learner(), learner(seed=4)
    for learning in (one, two, other):
        for _ in range(2):
            learning.round()
    assert same(copied_weights(one.averaged), copied_weights(two.averaged))
    assert not same(copied_weights(one.averaged), copied_weights(other.averaged))


def test_whoever_plays_the_weights_are_the_same() -> None:
    alone = learner()
    with open_workplace() as workplace:
        helped = GoalNetworkLearner(
            tictactoe(), alone.config, copy.deepcopy(alone.evaluator), workplace
        )
        for learning in (alone, helped):
            learning.round()
    assert same(copied_weights(alone.evaluator), copied_weights(helped.evaluator))


def test_a_learner_goes_on_exactly_where_another_one_was() -> None:
    whole, begun = learner(), learner()
    for learning in (whole, begun):
        learning.round()
    kept = begun.state()
    averaged, counters = copied_weights(begun.averaged), replace(begun.counters)
    begun.round()  # What is kept must not change any more.
    resumed = learner()
    resumed.restore(kept, averaged, counters)
    for learning in (whole, resumed):
        learning.round()
    assert same(whole.state(), resumed.state())
    assert same(copied_weights(whole.averaged), copied_weights(resumed.averaged))


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_is_adams_by_the_gradient_of_plain_torch(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: the networks in plain torch, in double precision, one step of Adam by hand."""
    learning = learner(kind, step_size=0.01)
    twin = copy.deepcopy(learning.evaluator).double()
    states = torch.rand(48, len(tictactoe().fluents), generator=torch.Generator().manual_seed(1))
    fluents, targets = states < 0.4, torch.rand(48, 2, generator=torch.Generator().manual_seed(2))
    before = [weight.detach().double() for weight in learning.evaluator.parameters()]
    learning.learn(Examples(fluents, targets))
    monkeypatch.setenv(VARIABLE, "torch")
    raw = twin(fluents)
    values = (raw + 1 - raw.flip(1)) / 2
    values = values + (values.clamp(1e-6, 1 - 1e-6) - values).detach()
    wanted = targets.double()
    error = -(wanted * values.log() + (1 - wanted) * (1 - values).log()).sum(dim=1).mean()
    error.backward()
    assert learning.losses()[0] / 48 == pytest.approx(float(error.detach()), rel=1e-4)
    moved = 0
    for now, old, weight in zip(
        learning.evaluator.parameters(), before, twin.parameters(), strict=True
    ):
        if weight.grad is not None:
            # The first step of Adam is of the gradient's sign.
            clear = weight.grad.abs() > 1e-5
            step = 0.01 * weight.grad / (weight.grad.abs() + 1e-8)
            assert torch.allclose((old - now.detach())[clear], step[clear], atol=2e-4)
            moved += int(clear.sum())
    assert moved > 50


def test_targets_are_those_of_td_lambda() -> None:
    """By hand: two plies, then a draw; the second match is one ply long, and a drawn move."""
    values = np.array([[[0.2], [0.9]], [[0.4], [1.0]], [[0.5], [0.5]]])
    drawn = np.array([[False, True], [False, False]])
    targets = td_targets(values, drawn, np.array([2, 1]), 0.5)
    assert targets[1, 0, 0] == 0.5
    assert targets[0, 0, 0] == pytest.approx(0.4 + 0.5 * (0.5 - 0.4))
    assert targets[0, 1, 0] == 0.9
    # What follows a drawn move does not count: what is before it aims at that position's value.
    values = np.array([[[0.2]], [[0.4]], [[1.0]]])
    cut = td_targets(values, np.array([[False], [True]]), np.array([2]), 0.7)
    assert cut[0, 0, 0] == pytest.approx(0.4)


def test_positions_are_replayed_and_those_of_drawn_moves_left_out() -> None:
    game = tictactoe()
    random, fluents, moves = np.random.default_rng(5), [], []
    state = game.initial_state()
    while not state.is_terminal:
        fluents.append(state.fluents)
        moves.append([int(random.choice(options)) for options in state.legal_moves])
        state = state.next(moves[-1])
    goals = np.array([(goal or 0) / 100 for goal in state.goals])
    drawn = np.zeros(len(moves), bool)
    drawn[1] = True
    match = LockstepMatch(goals, np.array(moves), drawn)
    evaluator = make_evaluator(game).requires_grad_(False)
    found = positions_of(game, [match], evaluator, 1.0, False)
    assert torch.equal(found.fluents, torch.stack([fluents[0], *fluents[2:]]))
    assert np.allclose(found.targets[1:].numpy(), goals)
    assert torch.allclose(found.targets[0], evaluator(fluents[1][None])[0])


def test_a_run_goes_on_after_a_kill_and_its_checkpoint_plays(tmp_path: Path) -> None:
    game = tictactoe()
    chosen = fitted(game, {"lanes": 16, "evaluator": EvaluatorConfig()})
    config = TrainConfig(learner=chosen, games=10_000, release_matches=20)

    def begun(path: Path) -> Trainer:
        folder = RunFolder(path)
        folder.create({"rules": "tictactoe", "recipe": "fitted", **config.to_json()})
        return Trainer(game, config, folder)

    whole, killed = begun(tmp_path / "whole"), begun(tmp_path / "killed")
    for run in (whole, killed):
        run.round()
    killed.release = Release(evaluator=copy.deepcopy(killed.learner.averaged), seconds=1.0)
    killed.save()
    killed.round()
    again = Trainer(game, killed.config, killed.folder, RunFolder(tmp_path / "killed").resume())
    for run in (whole, again):
        run.round()
    averages = [copied_weights(run.learner.averaged) for run in (whole, again)]
    assert same(*averages)
    checkpoint = load_checkpoint(tmp_path / "killed" / "latest.pt")
    assert checkpoint.description["kind"] == "cilp"
    assert not same(checkpoint.weights, checkpoint.initial_weights)
    assert same(checkpoint.initial_weights, copied_weights(make_evaluator(game)))
    player = f"alphabeta:{tmp_path / 'killed' / 'latest.pt'},depth=2"
    make_player(player, game, 0)


def test_the_command_trains_networks_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    line = ["tictactoe", "--evaluator", "cilp-paper", "--out", str(out), *LINE]
    assert command(*line, "--games", "48") == 0
    assert "neurogame play tictactoe" in capsys.readouterr().out.splitlines()[-1]
    assert load_checkpoint(out / "latest.pt").description["kind"] == "cilp-paper"
    assert command("--resume", str(out), "--games", "96", "--quiet", "--no-strength") == 0
    assert load_checkpoint(out / "latest.pt").counters["matches"] == 96
    with pytest.raises(ConfigurationError, match="cannot be changed by --resume"):
        command("--resume", str(out), "--evaluator", "cilp")


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--network-hidden", "8"], "--network-hidden: not with --evaluator"),
        (["--cores", "2", "--table-rate", "1"], "--cores, --table-rate: not with --evaluator"),
        (["--paper-lambda", "0.5"], "only with --recipe paper"),
    ],
)
def test_options_of_what_does_not_learn_are_refused(
    extra: list[str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        command("tictactoe", "--evaluator", "cilp", "--out", str(tmp_path / "run"), *extra)


@pytest.mark.parametrize("kind", ["mlp", "fuzzy", "fluxplayer"])
def test_what_has_no_goal_networks_is_refused(kind: str) -> None:
    with pytest.raises(ConfigurationError, match="no goal networks that learn"):
        learner(kind)
