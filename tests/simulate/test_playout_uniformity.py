"""Every legal move is equally likely, by chi-square, and the test would notice if it were not."""

from __future__ import annotations

import os
from types import ModuleType

import pytest
import torch
from torch import Tensor

from neurogame.kernels.twin import choose
from neurogame.kernels.words.pack import unpack
from neurogame.kernels.words.random_words import RandomWords
from neurogame.simulate.game import Game
from tests.conftest import SHARED, shared
from tests.library import experiment

# Public games of all kinds: many roles, simultaneous moves, one player, hundreds of moves.
QUICK = [
    *("4pttc", "asteroids", "battle", "biddingTicTacToe", "breakthroughSmall", "coins"),
    *("gt_two_thirds_2p", "nim3", "pacman3p", "sheepAndWolf"),
]
ALL = os.environ.get("NEUROGAME_ALL_UNIFORM")
NAMES = sorted(p.stem for p in (SHARED / "games").glob("*.kif")) if ALL else QUICK


@pytest.fixture
def examination() -> ModuleType:
    """The script that examines any games on any backend."""
    return experiment("uniformity")


def normal(examination: ModuleType, game: Game, **how: int) -> float:
    total = sum(examination.examine(game.simulator(), "torch", **how), examination.Fit())
    return float(total.normal)


@pytest.mark.parametrize("name", NAMES)
def test_moves_are_uniform(name: str, examination: ModuleType) -> None:
    game = Game.load(shared("games", f"{name}.kif"))
    assert normal(examination, game, states=4, lanes=8192) < examination.ALARM


def test_a_biased_choice_is_noticed(
    examination: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine moves by six bits: the first is made 8 times in 64, the others 7 times."""

    def biased(total: Tensor, random: RandomWords, step: int, role: int) -> Tensor:
        planes = unpack(random.draw(step, role, range(1), 6)[0], len(total))
        drawn: Tensor = (planes * (1 << torch.arange(6))).sum(dim=1)
        return drawn % total.clamp(min=1)

    game = Game.load("tictactoe")
    assert normal(examination, game) < 5
    monkeypatch.setattr(choose, "uniform_below", biased)
    assert normal(examination, game) > examination.ALARM


def test_moves_that_depend_on_one_another_are_noticed(
    examination: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two roles that draw from the same random words always make the same move."""
    game = Game.load("rockpaperscissors")
    simulator = game.simulator()
    assert normal(examination, game) < 5
    monkeypatch.setattr(simulator.playout_kernel("torch"), "streams", (0, 0))
    assert normal(examination, game) > examination.ALARM
