"""The benchmark of GPUs: code as text where there is none, and what it does with one."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest
import torch

from neurogame.kernels.cuda.playouts import CudaPlayouts
from neurogame.kernels.playout import PlayoutRun, Tally
from tests.conftest import REPOSITORY
from tests.kernels.cuda.fake_gpu import fake_driver

benchmark: Any = importlib.import_module("benchmarks.cuda_playouts")


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    line = ["cuda_playouts", str(REPOSITORY / "games"), "--games", "tictactoe", *arguments]
    monkeypatch.setattr(sys, "argv", line)
    return int(benchmark.main())


def pretend_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "find_missing", lambda device: "")
    monkeypatch.setattr(benchmark, "open_driver", lambda device: fake_driver()[0])
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "A GPU")
    monkeypatch.setattr(benchmark, "EQUAL_LANES", 100)
    monkeypatch.setattr(benchmark, "CORE_LANES", 512)


def test_without_a_gpu_it_says_so_and_shows_the_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(benchmark, "find_missing", lambda device: "there is none")
    monkeypatch.setattr(benchmark.shutil, "which", lambda name: None)
    assert call(monkeypatch) == 0
    said = capsys.readouterr()
    assert said.err == "No speed is measured on cuda: there is none.\n"
    head, columns, row = said.out.splitlines()
    assert "PTX for sm_90" in head
    assert "plies" not in columns
    cells = row.replace(",", "").split()
    gates, logic = map(int, cells[1:3])
    assert cells[0] == "tictactoe"
    assert gates < logic < 5 * gates
    assert cells[3:5] == ["0", "0"], "all cells are registers"
    assert cells[7:9] == ["unknown", "unknown"]


def test_with_a_gpu_it_plays_the_same_games_and_measures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_gpu(monkeypatch)
    arguments = ("--lanes", "64", "640", "--seconds", "0.001", "--runs", "1", "--torch")
    assert call(monkeypatch, *arguments) == 0
    head, _, *lines = capsys.readouterr().out.splitlines()
    assert head == "A GPU, beside one core"
    rows, torchs = lines[::2], lines[1::2]
    assert [line.split()[1] for line in torchs if line.endswith("by plain torch")] == ["64", "640"]
    assert [row.split()[1] for row in rows] == ["64", "640"]
    for row in rows:
        cells = row.replace(",", "").split()
        assert float(cells[2]) > 0
        assert cells[5:7] == ["96", "16"], "registers and bytes, as the driver says"
        assert cells[-1] == "same"


def test_other_games_are_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_gpu(monkeypatch)
    run = CudaPlayouts.run

    def wrong(self: CudaPlayouts, plan: PlayoutRun) -> Tally:
        tally = run(self, plan)
        tally.goals[0] += 1
        return tally

    monkeypatch.setattr(CudaPlayouts, "run", wrong)
    assert call(monkeypatch, "--lanes", "64", "--seconds", "0.001", "--runs", "1") == 1
    assert "OTHER GAMES" in capsys.readouterr().out
