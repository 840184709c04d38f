"""One random game per state: its goals, length and end, from anywhere."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from neurogame.errors import GameError, NeurogameWarning
from neurogame.kernels.backends import available_backends
from neurogame.simulate import play_out as module
from neurogame.simulate.game import Game
from neurogame.simulate.play_out import Ending, GameResults, play_out
from neurogame.simulate.playouts import playouts
from neurogame.simulate.samples import sample_states
from tests.simulate.test_policies import STUCK


def equal(one: GameResults, other: GameResults) -> bool:
    return (
        torch.equal(one.goals, other.goals)
        and torch.equal(one.lengths, other.lengths)
        and torch.equal(one.endings, other.endings)
    )


@pytest.mark.parametrize("name", ["connectfour", "rockpaperscissors", "tictactoe3p"])
def test_games_from_the_initial_state_are_those_of_playouts(name: str) -> None:
    simulator = Game.load(name).simulator()
    results = play_out(simulator, 256, seed=3)
    statistics = playouts(simulator, 256, seed=3, lengths=True)
    assert torch.bincount(results.lengths).tolist() == list(statistics.lengths or ())
    torch.testing.assert_close(100 * results.goals.mean(dim=0), torch.tensor(statistics.mean_goals))
    assert results.endings.tolist() == [Ending.TERMINAL] * 256
    assert results.goals.dtype == torch.float32
    assert results.lengths.dtype == torch.int32
    again = play_out(simulator, simulator.initial(256), seed=3)
    assert equal(again, results)


@pytest.mark.parametrize("name", ["connectfour", "bidding_tictactoe"])
def test_neither_number_nor_blocks_nor_threads_nor_backend_change_a_game(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulator = Game.load(name).simulator()
    states = sample_states(simulator, 200, seed=1)
    whole = play_out(simulator, states, seed=2, backend="torch")
    few = play_out(simulator, states.select(torch.arange(70)), seed=2)
    assert equal(few, GameResults(whole.goals[:70], whole.lengths[:70], whole.endings[:70]))
    for backend in available_backends():
        assert equal(play_out(simulator, states, 2, backend=backend, threads=2), whole)
    monkeypatch.setattr(module, "BLOCK_WORDS", 2)
    assert equal(play_out(simulator, states, seed=2), whole)
    assert not equal(play_out(simulator, states, seed=3), whole)


def test_a_state_one_ply_from_its_end_is_decided() -> None:
    """The last cell of a board: the result is that of the only move."""
    tictactoe = Game.load("tictactoe")
    simulator = tictactoe.simulator()
    states = sample_states(simulator, 3000, seed=5)
    legal, _ = simulator.status(states)
    last = (legal.sum(dim=1) == 2).nonzero().view(-1)
    assert len(last) > 50
    chosen = states.select(last)
    found = simulator.expand(chosen)
    assert found.parent.tolist() == list(range(len(last)))
    results = play_out(simulator, chosen, seed=1)
    torch.testing.assert_close(results.goals, found.look.goals)
    assert results.lengths.tolist() == [1] * len(last)


def test_states_that_are_over_stay_so() -> None:
    simulator = Game.load("tictactoe").simulator()
    end = simulator.playout_kernel().finish(simulator.initial(64).words, torch.arange(1), 1)
    over = type(simulator.initial(64))(end.words, 64)
    results = play_out(simulator, over, seed=9, max_plies=1)
    torch.testing.assert_close(results.goals, simulator.look(over).goals)
    assert not bool(results.lengths.any())
    assert results.endings.tolist() == [Ending.TERMINAL] * 64


def test_the_limit_counts_from_the_state_given() -> None:
    simulator = Game.load("connectfour").simulator()
    states = sample_states(simulator, 100, seed=1, max_plies=10)
    results = play_out(simulator, states, seed=1, max_plies=2)
    cut = results.endings == int(Ending.CUT)
    assert results.lengths[cut].tolist() == [2] * int(cut.sum())
    assert 50 < int(cut.sum()) <= 100
    assert int(results.lengths.max()) == 2


def test_stuck_games_say_so() -> None:
    simulator = Game.from_text(STUCK, cache=False).simulator()
    with pytest.warns(NeurogameWarning, match="some role has no legal move"):
        results = play_out(simulator, 200, seed=1)
    stuck = results.endings == int(Ending.STUCK)
    assert 0 < int(stuck.sum()) < 200
    torch.testing.assert_close(results.goals[stuck], torch.full((int(stuck.sum()), 2), 0.3))
    assert bool((results.goals[~stuck] == 1).all())
    assert len(results) == 200


@pytest.mark.parametrize("wrong", [{"states": 0}, {"max_plies": 0}, {"threads": 0}])
def test_bad_arguments_are_refused(wrong: dict[str, Any]) -> None:
    simulator = Game.load("tictactoe").simulator()
    with pytest.raises(GameError, match=f"{next(iter(wrong))} of playouts must be at least 1"):
        play_out(simulator, **{"states": 5, "seed": 1, **wrong})
    with pytest.raises(GameError, match="states of another game"):
        play_out(simulator, Game.load("connectfour").simulator().initial(3), 1)
