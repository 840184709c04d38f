"""Sampled states: each one is that ply of that game, all are equally likely, outcomes agree."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from neurogame.errors import GameError
from neurogame.kernels.backends import available_backends
from neurogame.simulate import play_out as play_out_module
from neurogame.simulate import samples as module
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import play_out
from neurogame.simulate.samples import sample_games, sample_states


@pytest.mark.parametrize("name", ["connectfour", "rockpaperscissors", "tictactoe3p"])
def test_a_sample_is_that_ply_of_that_game(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replay every game alone from the start, and compare state, outcome and length."""
    simulator = Game.load(name).simulator()
    for owner in (module, play_out_module):
        monkeypatch.setattr(owner, "BLOCK_WORDS", 2)
    found = sample_games(simulator, 400, seed=6, games=300)
    results = play_out(simulator, 300, seed=6)
    assert torch.equal(found.results.lengths, results.lengths)
    assert torch.equal(found.outcomes, results.goals[found.games])
    assert torch.equal(found.lengths, results.lengths[found.games])
    assert bool((found.plies < found.lengths).all())
    assert len(found.states) == 400
    flags = found.states.to_bool()
    kernel = simulator.playout_kernel("torch")
    initial = simulator.initial(64 * 5).words
    for ply in sorted(set(found.plies.tolist())):
        words = kernel.finish(initial, torch.arange(5), 6, steps=ply).words
        then = type(found.states)(words, 320).to_bool()
        own = (found.plies == ply).nonzero().view(-1)
        assert torch.equal(flags[own], then[found.games[own]])


def test_backends_and_threads_draw_the_same_states() -> None:
    simulator = Game.load("connectfour").simulator()
    expected = sample_games(simulator, 300, seed=2, backend="torch")
    for backend in available_backends():
        found = sample_games(simulator, 300, seed=2, backend=backend, threads=2)
        assert torch.equal(found.states.words, expected.states.words)
        assert torch.equal(found.outcomes, expected.outcomes)
        assert torch.equal(found.plies, expected.plies)
    assert not torch.equal(sample_games(simulator, 300, seed=3).plies, expected.plies)


def test_all_states_of_all_games_are_equally_likely() -> None:
    """The share of each ply is the share of games that are longer."""
    simulator = Game.load("tictactoe").simulator()
    count = 40_000
    found = sample_games(simulator, count, seed=1, games=4096)
    lengths = found.results.lengths
    seen = torch.bincount(found.plies, minlength=9)
    for ply in range(9):
        share = float((lengths > ply).sum()) / float(lengths.sum())
        assert abs(int(seen[ply]) - count * share) < 5.5 * math.sqrt(count * share)
    assert int((found.plies.diff() >= 0).sum()) < 0.7 * count, "in random order"


def test_sampled_states_are_reachable_and_not_over() -> None:
    connect = Game.load("connectfour")
    simulator = connect.simulator()
    states = sample_states(simulator, 500, seed=1)
    assert len(states) == 500
    assert not bool(simulator.look(states).terminal.any())
    assert torch.equal(states.words, sample_states(simulator, 500, seed=1).words)
    discs = [i for i, f in enumerate(connect.fluents) if f.startswith("(cell") and " b)" not in f]
    stones = states.to_bool()[:, discs].sum(dim=1)
    assert int(stones.min()) == 0
    assert int(stones.max()) > 15


def test_no_state_lies_beyond_the_limit() -> None:
    simulator = Game.load("connectfour").simulator()
    found = sample_games(simulator, 300, seed=1, max_plies=4)
    assert set(found.plies.tolist()) == {0, 1, 2, 3}
    assert set(found.lengths.tolist()) == {4}


def test_a_negative_seed_and_one_state_of_one_game() -> None:
    simulator = Game.load("tictactoe").simulator()
    found = sample_games(simulator, 1, seed=-5, games=1)
    assert len(found.states) == len(found.games) == len(found.results) == 1
    assert found.outcomes.shape == (1, 2)


@pytest.mark.parametrize("wrong", [{"count": 0}, {"games": 0}, {"max_plies": 0}])
def test_bad_arguments_are_refused(wrong: dict[str, Any]) -> None:
    simulator = Game.load("tictactoe").simulator()
    with pytest.raises(GameError, match="at least 1"):
        sample_games(simulator, **{"count": 5, "seed": 0, **wrong})
