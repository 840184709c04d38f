"""Recorded games follow the rules, and choose as they are told to."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

from neurogame.array_types import Bools, Float32s
from neurogame.judges.moves import LINEAR, CompiledScores
from neurogame.kernels.backends import VARIABLE
from neurogame.kernels.knowledge.recorded_games import GameRecorder, RecordedGames
from neurogame.kernels.words.rows import unpack_rows
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from tests.library import load

GAMES = ["tictactoe", "connectfour_simultaneous", "breakthrough6", "nim"]


@cache
def recorder(name: str, plies: int = 1000) -> GameRecorder:
    return GameRecorder(load(name).circuit, plies=plies)


@pytest.mark.parametrize("name", GAMES)
def test_every_state_follows_from_the_one_before(name: str) -> None:
    game, games = load(name), recorder(name).play(60, 3)
    simulator = game.simulator()
    states = unpack_rows(games.states, len(game.fluents))
    last = np.zeros(len(states), bool)
    last[games.begins[1:] - 1] = True
    local = torch.from_numpy(games.moves - np.array(game.move_offsets[:-1]))
    before = StateBatch.from_bool(states[torch.from_numpy(~last)])
    after = simulator.step(before, local[torch.from_numpy(~last)].long()).to_bool()
    assert torch.equal(after, states[1:][torch.from_numpy(~last[:-1])])
    assert torch.equal(states[games.begins[:-1]], game.initial_state().fluents.expand(60, -1))
    ends = simulator.look(StateBatch.from_bool(states[torch.from_numpy(last)]))
    assert bool(ends.terminal.all())
    np.testing.assert_allclose(games.results, ends.goals.numpy(), atol=1e-6)
    assert (games.moves[last] == -1).all()
    assert len(games) == 60
    assert games.lengths.sum() + 60 == len(states)


def test_a_game_depends_on_the_seed_and_its_number_alone() -> None:
    own = recorder("breakthrough6")
    whole, parts = own.play(9, 5), [own.play(4, 5), own.play(5, 5, first=4)]
    np.testing.assert_array_equal(whole.states, np.concatenate([part.states for part in parts]))
    assert not np.array_equal(own.play(9, 6).moves[:5], whole.moves[:5])


def test_rules_in_plain_torch_give_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = recorder("tictactoe").play(30, 5)
    monkeypatch.setenv(VARIABLE, "torch")
    plain = GameRecorder(load("tictactoe").circuit).play(30, 5)
    np.testing.assert_array_equal(plain.states, compiled.states)
    np.testing.assert_array_equal(plain.moves, compiled.moves)
    np.testing.assert_array_equal(plain.results, compiled.results)


def test_games_are_cut() -> None:
    games = recorder("breakthrough6", 7).play(20, 1)
    assert (games.lengths == 7).all()


class LikesHighNumbers:
    """Prefers the legal move with the highest number."""

    scale = LINEAR

    def compiled_scores(self) -> CompiledScores | None:
        return None

    def move_scores(self, fluents: Bools, legal: Bools, role: int) -> Float32s:
        return np.broadcast_to(np.arange(legal.shape[1], dtype=np.float32), legal.shape)


def best_share(games: RecordedGames, game: Game) -> tuple[float, float]:
    """Return how often the highest move is made, and how often it would be by chance, in ply 1."""
    legal = game.simulator().look(game.initial_state().batch).legal[0].numpy()
    own = np.flatnonzero(legal[: game.move_offsets[1]])
    made = games.moves[games.begins[:-1], 0]
    return float((made == own.max()).mean()), 1 / len(own)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.7])
def test_a_share_of_the_moves_is_random(epsilon: float) -> None:
    games = recorder("tictactoe").play(2000, 8, judge=LikesHighNumbers(), epsilon=epsilon)
    share, chance = best_share(games, load("tictactoe"))
    expected = 1 - epsilon + epsilon * chance
    assert abs(share - expected) <= 4 * (expected * (1 - expected) / 2000) ** 0.5


def test_random_moves_are_equally_likely() -> None:
    games = recorder("tictactoe").play(4000, 2)
    made = games.moves[games.begins[:-1], 0]
    counts = np.bincount(made, minlength=10)
    counts = counts[counts > 0]
    assert len(counts) == 9
    # 26.1 is exceeded once in a thousand.
    assert ((counts - 4000 / 9) ** 2 / (4000 / 9)).sum() < 26.1
