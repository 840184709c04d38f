"""A backend is registered in one place: it plays, and is named wherever backends are."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from neurogame.cli.main import main
from neurogame.errors import ConfigurationError, NeurogameWarning
from neurogame.kernels.backend import BACKENDS, backend_names, known_backends
from neurogame.kernels.backends import available_backends, resolve_backend
from neurogame.simulate.game import Game
from neurogame.simulate.playouts import playouts
from tests.kernels.toy_backend import TOY, ToyPlayouts

PAIR = ("toy", "torch")


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    """Forget which backends there are."""
    known_backends.cache_clear()
    yield
    known_backends.cache_clear()


def test_one_line_makes_it_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BACKENDS, "toy", TOY)
    game = Game.load("tictactoe")
    kernel = game.simulator().playout_kernel("toy")
    assert isinstance(kernel, ToyPlayouts)
    goals = {name: playouts(game.simulator(), 200, seed=3, backend=name).goals for name in PAIR}
    assert kernel.runs > 0
    assert goals["toy"] == goals["torch"]
    assert "toy" in available_backends("cpu")
    assert "toy" in available_backends("mps")
    # Nobody takes it who does not ask for it.
    assert resolve_backend("auto", "cpu") != "toy"
    with pytest.raises(ConfigurationError, match=r"must be one of auto, .*, toy"):
        resolve_backend("tea", "cpu")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a package that registers the toy, and a backend that is not there."""
    told = tmp_path / "toys-1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1\n")
    (told / "entry_points.txt").write_text(
        "[neurogame.backends]\ntoy = tests.kernels.toy_backend:TOY\ngone = tests.no_such:GONE\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.filterwarnings("ignore:.*'gone'")
def test_another_package_registers_one_by_an_entry_point(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("bench", "simulate", "replay"):
        with pytest.raises(SystemExit):
            main([name, "--help"])
        assert "toy" in " ".join(capsys.readouterr().out.split())
    goals = []
    for name in PAIR:
        line = ["simulate", "tictactoe", "--games", "64", "--json", "--backend", name]
        assert main(line) == 0
        goals.append(json.loads(capsys.readouterr().out)["goals"])
    assert goals[0] == goals[1]
    line = ["bench", "tictactoe", "--backend", "toy", "--runs", "1", "--seconds", "0.01"]
    assert main([*line, "--json", "--quiet"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["backend"] == "toy"
    assert row["plies_per_second"] > 0


@pytest.mark.usefixtures("elsewhere")
def test_one_that_cannot_be_had_is_left_out_and_named() -> None:
    with pytest.warns(NeurogameWarning, match=r"'gone' at tests\.no_such:GONE cannot be had"):
        assert "toy" in known_backends()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "gone" not in backend_names()
