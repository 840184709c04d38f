"""Measuring playouts: which runs are made, and what is made of them."""

from __future__ import annotations

import pytest

from neurogame.kernels.playout import PlayoutRun, Tally
from neurogame.kernels.twin.torch_playout import TorchPlayouts
from neurogame.simulate.game import Game
from neurogame.simulate.speed import measure_speed, measure_start


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
