"""Networks that grow as a run goes on: the same values and games, then more units and look-ups."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from neurogame.evaluators.rules_network.widen import widened
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.lanes import learner as learner_module
from neurogame.learn.lanes.config import LaneConfig
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.learning_state import learning_state
from neurogame.learn.recipe import fitted
from neurogame.learn.run_folder import RunFolder
from neurogame.learn.train_config import TrainConfig
from neurogame.learn.trainer import Trainer
from neurogame.simulate.game import Game
from tests.evaluators.rules_networks import SMALL, network_of, states_in_play

CONFIG = LaneConfig(network=SMALL, lanes=64, plies=50, step_every=256)


def same_weights(first: LaneLearner, second: LaneLearner) -> bool:
    """Return whether two learners have the same weights, and so have their averages."""
    pairs = [(first.evaluator, second.evaluator), (first.averaged, second.averaged)]
    return all(
        torch.equal(one, two)
        for a, b in pairs
        for one, two in zip(a.state_dict().values(), b.state_dict().values(), strict=True)
    )


@pytest.mark.parametrize("name", ["connectfour5", "breakthrough6", "reversi6", "checkers6", "hex5"])
def test_a_larger_network_has_the_same_values_and_no_unit_or_table_twice(name: str) -> None:
    game = Game.load(name)
    states = states_in_play(game, 40).to_bool().float()
    small = network_of(game)
    twice = network_of(game, replace(SMALL, hidden=16, lookups=48), random=False)
    grown = widened(small, twice)
    with torch.no_grad():
        torch.testing.assert_close(grown.added(states), small.added(states))
    layout = grown.layout
    layout.check()
    assert grown.bias.shape[1] == 16
    assert layout.sizes.lookups > small.layout.sizes.lookups
    addends = {column.tobytes() for column in layout.addends().T}
    assert len(addends) == layout.sizes.lookups
    begun = torch.cat([grown.first_embedding, grown.first_bias[None]]).t()
    assert len({one.numpy().tobytes() for one in begun.contiguous()}) == 16
    # Every row that can be read lies in a table of its own, and what is new says something
    # as soon as it has learned.
    assert grown.tables.shape[-1] == int(layout.last.max()) + 1
    with torch.no_grad():
        before = grown.added(states)
        grown.tables[..., small.tables.shape[-1] :] = 1.0
        assert not torch.equal(grown.added(states), before)
        before = grown.added(states)
        grown.readout[..., 8:] = 1.0
        assert not torch.equal(grown.added(states), before)


@pytest.mark.parametrize("cores", [1, 2])
def test_a_learner_that_grows_goes_on_with_its_games_and_the_sizes_of_its_steps(
    cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learner_module, "_DOUBLED_AT", (64 * 32, 64 * 64))
    game, config = Game.load("connectfour5"), replace(CONFIG, cores=cores)
    states = states_in_play(game, 40).to_bool().float()
    small = LaneLearner(game, config, network_of(game, random=False))
    for _ in range(4):
        assert small.is_outgrown() == (small.counters.plies >= 64 * 32)
        small.round()
    grown = small.doubled()
    assert grown.counters == small.counters
    assert grown.doublings == 1
    assert grown.is_outgrown()
    for one, other in (grown.evaluator, small.evaluator), (grown.averaged, small.averaged):
        torch.testing.assert_close(one(states), other(states))
    former, state = small.state(), grown.state()
    for name, tensor in former.items():
        larger = state[name]
        if ".games." in name:
            assert torch.equal(tensor, larger)
        elif name.endswith((".errors", ".sizes", "_gradient")):
            assert torch.equal(tensor, larger[..., : tensor.shape[-1]])
            assert not larger[..., tensor.shape[-1] :].any()
    again = grown.doubled()
    assert again.evaluator.bias.shape[1] == 4 * SMALL.hidden
    assert not again.is_outgrown()
    for learner in (grown, again):
        before, loss = learner.evaluator.readout.detach().clone(), learner.take_loss()
        learner.round()
        assert learner.counters.plies == 64 * 16 * 5
        assert learner.evaluator.readout[..., SMALL.hidden :].ne(0).any()
        assert not torch.equal(learner.evaluator.readout, before)
        assert loss != loss  # NaN: nothing has been learned since.
        assert 0 < learner.take_loss() < 1


def test_moments_lie_where_their_weights_do() -> None:
    game = Game.load("connectfour5")
    small = LaneLearner(game, CONFIG, network_of(game, random=False))
    for _ in range(6):
        small.round()
    grown = small.doubled()
    parts = [small.evaluator.embedding, small.evaluator.bias, small.evaluator.readout]
    larger = [grown.evaluator.embedding, grown.evaluator.bias, grown.evaluator.readout]
    for before, worker in zip(small._workers, grown._workers, strict=True):
        moments = learning_state(before.learning)["moments"]
        after = learning_state(worker.learning)["moments"]
        for squares, (one, other) in enumerate(zip(moments, after, strict=True)):
            split = one.split([part.numel() for part in parts])
            wide = other.split([part.numel() for part in larger])
            for old, new, part, more in zip(split, wide, parts, larger, strict=True):
                seen, units = new.view(more.shape), part.shape[-1]
                assert torch.equal(seen[..., :units], old.view(part.shape))
                mean = old.view(part.shape).mean(dim=-1, keepdim=True)
                assert torch.equal(seen[..., units:], (squares * mean).expand(part.shape))


def run_of(folder: Path, games: int) -> Trainer:
    """Return a run that doubles what it learns with early."""
    game = Game.load("connectfour5")
    given = {"lanes": 64, "doublings": 2, "network": {"hidden": 16, "lookups": 8}}
    config = TrainConfig(learner=fitted(game, given), games=games, release_matches=20)
    run = RunFolder(folder)
    run.create({"rules": game.name, "recipe": "fitted", **config.to_json()})
    return Trainer(game, config, run)


def test_a_run_that_has_grown_goes_on_where_it_was_and_its_releases_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learner_module, "_DOUBLED_AT", (4_000, 12_000))
    whole, cut = run_of(tmp_path / "whole", 3000), run_of(tmp_path / "cut", 3000)
    whole.run()
    assert whole.learner.doublings == 2
    for stop in (100, 6_000, 14_000):
        while cut.counters.plies < stop:
            cut.round()
        cut.save()
        saved = load_checkpoint(cut.folder.latest)
        cut.folder.close()
        cut = Trainer(cut.game, cut.config, RunFolder(tmp_path / "cut"), saved)
    cut.run()
    assert isinstance(whole.learner, LaneLearner)
    assert isinstance(cut.learner, LaneLearner)
    assert whole.learner.evaluator.bias.shape[1] == 64
    assert same_weights(whole.learner, cut.learner)
    best = load_checkpoint(tmp_path / "whole" / "best.pt")
    assert best.weights["bias"].shape == best.initial_weights["bias"].shape
    assert best.weights["bias"].shape[1] in (16, 32, 64)
    assert best.initial_weights["readout"].abs().sum() == 0
    assert torch.equal(best.initial_weights["bias"][0], best.weights["first_bias"])
    states = states_in_play(whole.game, 10).to_bool().float()
    assert torch.equal(best.evaluator()(states), whole.release.evaluator(states))


def test_who_names_a_size_keeps_it() -> None:
    game = Game.load("tictactoe")
    assert fitted(game).doublings == 2
    assert fitted(game, {"network": {"hidden": 16}}).doublings == 0
    assert fitted(game, {"network": {"lookups": 16}, "doublings": 1}).doublings == 1
    assert fitted(game, {"network": {"longest": 3}}).doublings == 2
