"""Which backend plays: asked for, chosen, missing, impossible."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pytest

from neurogame.errors import ConfigurationError, MissingExtraError, NeurogameWarning
from neurogame.kernels import backend
from neurogame.kernels import backends as module
from neurogame.kernels.backends import available_backends, playout_kernel, resolve_backend
from neurogame.kernels.cuda import capability
from neurogame.kernels.playout import PlayoutRun
from neurogame.kernels.twin import torch_ply
from neurogame.simulate.game import Game
from neurogame.simulate.simulator import Simulator


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(module.VARIABLE, raising=False)
    module._warn.cache_clear()


def install(monkeypatch: pytest.MonkeyPatch, *present: str) -> None:
    """Let only some of the optional modules be there."""
    monkeypatch.setattr(backend, "find_spec", lambda name: name if name in present else None)


def test_the_compiled_backend_of_the_device_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "llvmlite", "numba")
    assert resolve_backend(None, "cpu") == resolve_backend("auto", "cpu") == "llvm"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert resolve_backend(None, "mps") == "torch"
    for name in ("llvm", "llvm-straight", "llvm-table", "torch"):
        assert resolve_backend(name, "cpu") == name


def test_torch_takes_the_place_of_what_is_missing_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(monkeypatch, "llvmlite")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert [resolve_backend("auto", "cpu") for _ in range(3)] == ["torch"] * 3
    assert [type(warning.message) for warning in said] == [NeurogameWarning]
    assert "'llvm' needs numba (pip install numba)" in str(said[0].message)


def test_the_variable_decides_what_auto_means_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(monkeypatch, "llvmlite", "numba")
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
    install(monkeypatch)
    with pytest.raises(MissingExtraError, match="pip install llvmlite numba"):
        resolve_backend("llvm-straight", "cpu")


def test_a_backend_must_be_made_for_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "llvmlite", "numba")
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
    install(monkeypatch)
    assert available_backends("cpu") == ("torch",)


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
