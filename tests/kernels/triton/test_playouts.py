"""Playouts in Triton: the same games as in plain torch, in both variants."""

from __future__ import annotations

from functools import cache

import pytest
import torch

from neurogame.errors import ConfigurationError
from neurogame.gdl.check import valid_rules
from neurogame.kernels.playout import PlayoutRun
from neurogame.kernels.torch_playout import TorchPlayouts
from neurogame.kernels.triton.blocks import BLOCK
from neurogame.kernels.triton.playouts import VARIANTS, TritonPlayouts
from neurogame.simulate.game import Game
from tests.kernels.slow_playout import assert_equal
from tests.kernels.test_torch_playout import TEXTS


@cache
def game(name: str) -> Game:
    if name in TEXTS:
        return Game.from_rules(valid_rules(TEXTS[name], source=name), name, cache=False)
    return Game.load(name)


@cache
def plain(name: str) -> TorchPlayouts:
    return TorchPlayouts(game(name).circuit)


@cache
def kernel(name: str, variant: str) -> TritonPlayouts:
    return TritonPlayouts(game(name).circuit, "cpu", variant)


ODD_PLANS = {
    "fewer games than lanes": PlayoutRun(
        seed=1, lanes=70, games=66, max_plies=5, lengths=True, moves=True
    ),
    "a lane more": PlayoutRun(seed=2, lanes=64, games=129, max_plies=3, lengths=True),
    "steps": PlayoutRun(seed=-3, lanes=67, steps=9, max_plies=4, lengths=True, moves=True),
    "the least limit": PlayoutRun(seed=4, lanes=10, steps=5, max_plies=1),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("plan", ODD_PLANS)
@pytest.mark.parametrize("name", TEXTS)
def test_every_ending_is_counted(name: str, plan: str, variant: str) -> None:
    run = ODD_PLANS[plan]
    assert_equal(kernel(name, variant).run(run), plain(name).run(run))


@pytest.mark.parametrize(
    ("name", "variant", "lanes", "steps"),
    [
        ("tictactoe", "straight", 2100, 9),
        ("tictactoe", "table", 100, 4),
        ("bidding_tictactoe", "straight", 100, 4),
        ("connectfour", "straight", 2100, 10),
        ("connectfour", "table", 64, 2),
        ("eightpuzzle", "straight", 64, 3),
        ("tictactoe3p", "straight", 100, 5),
    ],
)
def test_games_are_those_of_plain_torch(name: str, variant: str, lanes: int, steps: int) -> None:
    run = PlayoutRun(seed=11, lanes=lanes, steps=steps, max_plies=7, moves=variant == "table")
    found = kernel(name, variant).run(run)
    assert_equal(found, plain(name).run(run))
    assert found.played > lanes


def test_a_program_plays_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurogame.kernels.triton.playouts.MOST_PROGRAMS", 2)
    run = PlayoutRun(seed=12, lanes=3 * 64 * BLOCK, games=3 * 64 * BLOCK - 70, max_plies=1)
    assert_equal(kernel("odd", "table").run(run), plain("odd").run(run))


@pytest.mark.parametrize(
    ("name", "variant"),
    [("odd", "straight"), ("odd", "table"), ("tictactoe", "straight"), ("connectfour", "straight")],
)
@pytest.mark.parametrize("steps", [0, 3, 9])
def test_states_are_played_on_as_in_plain_torch(name: str, variant: str, steps: int) -> None:
    words = plain(name).ply.initial.repeat(1, 3)
    numbers = torch.tensor([4, 0, 2**40])
    found = kernel(name, variant).finish(words, numbers, 5, step=17, steps=steps)
    expected = plain(name).finish(words, numbers, 5, step=17, steps=steps)
    assert torch.equal(found.playing, expected.playing)
    assert torch.equal(found.plies, expected.plies)
    assert found.plies.dtype == expected.plies.dtype
    assert torch.equal(found.words, expected.words)


def test_states_are_played_to_their_ends() -> None:
    words = plain("tictactoe").ply.initial.repeat(1, 2)
    numbers = torch.arange(2)
    found = kernel("tictactoe", "straight").finish(words, numbers, 6)
    expected = plain("tictactoe").finish(words, numbers, 6)
    assert not found.playing.any()
    assert torch.equal(found.words, expected.words)
    assert torch.equal(found.plies, expected.plies)


def test_lanes_are_played_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that would not fit into memory is cut into parts without changing the games."""
    run = PlayoutRun(seed=8, lanes=5000, games=5100, max_plies=2)
    monkeypatch.setattr("neurogame.kernels.triton.playouts._MOST_BYTES", 1)
    assert_equal(kernel("tictactoe", "straight").run(run), plain("tictactoe").run(run))


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="straight, table"):
        TritonPlayouts(game("solitary").circuit, "cpu", "crooked")
