"""Every legal move is equally likely, by chi-square, and the test would notice if it were not."""

from __future__ import annotations

import os
from types import ModuleType

import pytest
import torch
from torch import Tensor

from neurogame.kernels.playout import PlayoutRun, Tally
from neurogame.kernels.twin import choose
from neurogame.kernels.twin.torch_playout import TorchPlayouts
from neurogame.kernels.words.pack import unpack
from neurogame.kernels.words.random_words import RandomWords
from neurogame.simulate.game import Game
from neurogame.simulate.speed import measure_speed, measure_start
from tests.conftest import SHARED, shared
from tests.library import experiment

# Public games of all kinds: many roles, simultaneous moves, one player, hundreds of moves.
QUICK = [
    *("2pttc", "asteroids", "battle", "biddingTicTacToe", "breakthroughSmall", "coins"),
    *("gt_two_thirds_2p", "nim3", "pacman3p", "sheepAndWolf", "tictactoe_3player"),
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
    assert normal(examination, game, states=3, lanes=4096) < examination.ALARM


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


def test_runs_differ_by_their_seeds_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    player = TorchPlayouts(Game.load("nim").circuit)
    plans: list[PlayoutRun] = []
    run = player.run

    def watch(plan: PlayoutRun) -> Tally:
        plans.append(plan)
        return run(plan)

    monkeypatch.setattr(player, "run", watch)
    found = measure_speed(player, seconds=0.01, runs=3)
    first, second, *measured, whole = plans
    assert first == second
    assert [plan.seed for plan in measured] == [0, 1, 2]
    assert len({(plan.lanes, plan.steps, plan.threads) for plan in measured}) == 1
    assert measured[0].lanes == first.lanes
    assert len(found.plies_per_second_runs) == 3
    assert found.plies_per_second == sorted(found.plies_per_second_runs)[1] > 0
    # A run of whole games, so that the mean does not favour short ones.
    assert whole.games == whole.lanes
    tally = run(whole)
    assert found.mean_length == tally.played / tally.games
    assert (found.backend, found.gates, found.accesses) == ("torch", None, None)


def test_a_start_tells_what_the_kernel_took(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEUROGAME_CACHE", "")
    start, kernel = measure_start("nim", "llvm-table")
    assert kernel.name == "llvm-table"
    assert start.kernel_seconds is not None
    assert start.seconds > start.kernel_seconds > 0
    assert start.cpu_seconds > 0
    assert start.peak_mb > 10
    plain, kernel = measure_start("nim", "torch")
    assert (kernel.name, plain.kernel_seconds) == ("torch", None)
