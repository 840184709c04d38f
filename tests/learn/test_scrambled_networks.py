"""A checkpoint of a rules network values the scrambled copy of its game alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.gdl.scramble import scramble
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.learn.recipe import fitted
from neurogame.learn.run_folder import RunFolder
from neurogame.learn.train_config import TrainConfig
from neurogame.learn.trainer import Trainer
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.home_search import HomeSearch
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game, State
from neurogame.simulate.samples import sample_states
from tests.gdl.slow_renaming import shuffled


@pytest.mark.parametrize("name", ["tictactoe", "tictactoe3p", "bidding_tictactoe"])
def test_the_scrambled_copy_is_valued_and_played_alike(name: str, tmp_path: Path) -> None:
    own = Game.load(name)
    renamed = scramble(own.rules, 7, numbers=True)
    other = Game.from_rules(shuffled(renamed.rules, 8), "other", cache=False)
    learner = fitted(own, {"lanes": 64, "network": {"hidden": 16, "lookups": 8}}, seed=1)
    folder = RunFolder(tmp_path / "run")
    folder.create({})
    trainer = Trainer(own, TrainConfig(learner=learner, games=400), folder)
    trainer.run()
    # What has been learned, whether or not it has beaten the untrained networks.
    trainer.release = type(trainer.release)(evaluator=trainer.learner.averaged, seconds=1.0)
    trainer.save()
    checkpoint = load_checkpoint(folder.latest)
    there = checkpoint.mapping(other)
    evaluator, its_twin = checkpoint.evaluator(own), checkpoint.evaluator(there.home)
    assert isinstance(evaluator, RulesNetwork)
    fluents, roles = list(there.fluents), list(there.roles)
    states = sample_states(own.simulator(), 60, seed=5).to_bool()
    twins = torch.zeros_like(states)
    twins[:, fluents] = states
    with torch.no_grad():
        values = evaluator(states).numpy()
    assert len(np.unique(values)) > 20
    searches = (
        AlphaBeta(own, evaluator, seed=1),
        HomeSearch(AlphaBeta(there.home, its_twin, seed=1), there),
    )
    for state, twin in zip(states, twins, strict=True):
        here, copy = State(own, state), State(other, twin)
        if here.is_terminal:
            continue
        for role, its_role in enumerate(roles):
            found = searches[0].search(here, role, Limit(depth=1))
            its = searches[1].search(copy, its_role, Limit(depth=1))
            scores = {there.moves[role][move]: value for move, value in found.scores.items()}
            assert its.scores == scores
            assert its.move == there.moves[role][found.move]
