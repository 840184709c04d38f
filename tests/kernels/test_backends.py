"""Which backend plays: asked for, chosen, missing, impossible."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from neurogame.cli.main import main
from neurogame.errors import ConfigurationError, MissingExtraError, NeurogameWarning
from neurogame.kernels import backend
from neurogame.kernels import backends as module
from neurogame.kernels.backend import BACKENDS, backend_names, known_backends
from neurogame.kernels.backends import available_backends, playout_kernel, resolve_backend
from neurogame.kernels.cuda import capability
from neurogame.kernels.playout import PlayoutRun
from neurogame.kernels.twin import gates, torch_ply
from neurogame.kernels.words.pack import unpack
from neurogame.simulate.game import Game
from neurogame.simulate.playouts import playouts
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch
from tests.circuit.evaluate import evaluate_circuit
from tests.kernels.toy_backend import TOY, ToyPlayouts
from tests.kernels.twin.random_circuits import one_hot, random_moves


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(module.VARIABLE, raising=False)
    module._warn.cache_clear()


def need(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """Have the compiled backend need modules."""
    monkeypatch.setitem(BACKENDS, "llvm", replace(BACKENDS["llvm"], modules=modules))


def test_the_compiled_backend_of_the_device_is_chosen() -> None:
    assert resolve_backend(None, "cpu") == resolve_backend("auto", "cpu") == "llvm"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert resolve_backend(None, "mps") == "torch"
    for name in ("llvm", "llvm-straight", "llvm-table", "torch"):
        assert resolve_backend(name, "cpu") == name


def test_torch_takes_the_place_of_what_is_missing_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    need(monkeypatch, "torch", "no_such_compiler")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert [resolve_backend("auto", "cpu") for _ in range(3)] == ["torch"] * 3
    assert [type(warning.message) for warning in said] == [NeurogameWarning]
    assert "'llvm' needs no_such_compiler (pip install no_such_compiler)" in str(said[0].message)


def test_the_variable_decides_what_auto_means_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(module.VARIABLE, "torch")
    assert resolve_backend(None, "cpu") == resolve_backend("auto", "cpu") == "torch"
    assert resolve_backend("llvm-table", "cpu") == "llvm-table"
    monkeypatch.setenv(module.VARIABLE, "auto")
    assert resolve_backend(None, "cpu") == "llvm"
    monkeypatch.setenv(module.VARIABLE, "fast")
    with pytest.raises(ConfigurationError, match="NEUROGAME_BACKEND 'fast' does not exist"):
        resolve_backend(None, "cpu")


@pytest.mark.parametrize("name", ["gcc", "", "llvm-quick", "LLVM", "torch-cpu"])
def test_unknown_names_are_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="must be one of auto, torch, llvm"):
        resolve_backend(name, "cpu")


def test_a_backend_asked_for_must_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    need(monkeypatch, "no_such_compiler", "torch", "another")
    with pytest.raises(MissingExtraError, match="pip install no_such_compiler another"):
        resolve_backend("llvm-straight", "cpu")
    assert available_backends("cpu") == ("torch",)


def test_a_backend_must_be_made_for_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, device in (("llvm", "cuda"), ("llvm-table", "mps"), ("cuda", "cpu")):
        with pytest.raises(ConfigurationError, match=f"does not run on {device}"):
            resolve_backend(name, device)
    assert available_backends("cpu") == ("torch", "llvm", "llvm-straight", "llvm-table")
    for missing, there in (("all of it", ("torch",)), ("", ("torch", "cuda"))):
        monkeypatch.setattr(capability, "find_missing", lambda device, said=missing: said)
        assert available_backends("cuda") == there
        assert resolve_backend(None, "cuda") == there[-1]
        assert resolve_backend(None, "cuda", moves=True) == "torch", "cuda does not count moves"
    circuit = Game.load("tictactoe").circuit
    assert resolve_backend(None, "cuda", circuit) == "cuda"
    small = replace(backend.BACKENDS["cuda"], most_inputs=circuit.graph.edge_count - 1)
    monkeypatch.setattr(module, "known_backends", lambda: {**backend.BACKENDS, "cuda": small})
    assert resolve_backend(None, "cuda", circuit) == "torch", "the driver would take too long"
    assert resolve_backend("cuda", "cuda", circuit) == "cuda", "but it is asked for"
    assert resolve_backend("cuda", "cuda:1") == "cuda"


def test_every_backend_that_is_there_can_be_made() -> None:
    game = Game.load("rockpaperscissors")
    for name in available_backends():
        kernel = playout_kernel(game.circuit, name)
        assert kernel.name.startswith(name), "the name in reports is what can be asked for"
        held = game.simulator().playout_kernel(name)
        assert held is game.simulator().playout_kernel(name)
        assert type(held) is type(kernel)


def test_plain_torch_is_not_planned_where_compiled_code_does_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("planned")

    monkeypatch.setattr(torch_ply, "TorchGates", refused)
    circuit = Game.load("tictactoe").circuit
    simulator = Simulator(circuit, backend="llvm")
    assert simulator.playout_kernel("llvm").run(PlayoutRun(seed=1, lanes=64, games=64)).played > 300
    assert len(simulator.children(simulator.initial(1)).states) == 9
    with pytest.raises(AssertionError, match="planned"):
        Simulator(circuit).look(simulator.initial(1))


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


GAMES = ["bidding_tictactoe", "connectfour_simultaneous", "hex5", "reversi6", "rockpaperscissors"]
SIZES = [1, 63, 64, 65, 200]


def compare(simulator: Simulator, size: int, rng: np.random.Generator) -> None:
    """Compare all outputs on sets of fluents of all densities, reachable or not."""
    circuit = simulator.circuit
    flags = rng.random((size, len(circuit.fluents))) < rng.random((size, 1))
    moves = random_moves(circuit, size, rng)
    expected = evaluate_circuit(circuit, flags, one_hot(circuit, moves))
    states = StateBatch.from_bool(torch.from_numpy(flags))
    derived = simulator.derive(states)
    np.testing.assert_array_equal(derived.legal.numpy(), expected.legal)
    np.testing.assert_array_equal(derived.terminal.numpy(), expected.terminal)
    names = [(r, v) for r, own in zip(circuit.roles, circuit.goals, strict=True) for v, _ in own]
    for row, held in zip(derived.goal_flags.tolist(), expected.goals, strict=True):
        assert {name for name, flag in zip(names, row, strict=True) if flag} == held
    following = simulator.step(states, torch.from_numpy(moves), check=False)
    kept = np.where(expected.terminal[:, None], flags, expected.next)
    np.testing.assert_array_equal(following.to_bool().numpy(), kept)
    unused = unpack(following.words, 64 * following.words.shape[1])[size:]
    assert not bool(unused.any()), "lanes beyond the batch are not zero"


@pytest.mark.parametrize("name", GAMES)
def test_library_games(name: str) -> None:
    simulator = Game.load(name).simulator()
    rng = np.random.default_rng(3)
    for size in SIZES:
        compare(simulator, size, rng)


def test_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    simulator = Simulator(Game.load("bidding_tictactoe").circuit)
    monkeypatch.setattr(gates, "_BLOCK_BYTES", 0)
    monkeypatch.setattr(gates, "_LEAST_WORDS", 2)
    rng = np.random.default_rng(4)
    for size in (128, 129, 300):
        compare(simulator, size, rng)
