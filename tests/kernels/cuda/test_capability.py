"""Which GPUs can play; where there is none, the message says what was found and what to do."""

from __future__ import annotations

import pytest
import torch

from neurogame.cli.main import main
from neurogame.errors import ConfigurationError
from neurogame.kernels.backends import resolve_backend
from neurogame.kernels.cuda.capability import find_absent, find_missing, target_for

DEVICE = torch.device("cuda")


def pretend(
    monkeypatch: pytest.MonkeyPatch, version: str | None, count: int, capability: tuple[int, int]
) -> None:
    """Let torch find so many GPUs."""
    monkeypatch.setattr(torch.version, "cuda", version)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)


@pytest.mark.parametrize(
    ("version", "count", "capability", "device", "said"),
    [
        (
            None,
            0,
            (9, 0),
            "cuda",
            r"is a build without CUDA; install one .* or take backend 'llvm'",
        ),
        ("12.4", 0, (9, 0), "cuda", r"no GPU with a driver for CUDA 12\.4"),
        ("12.4", 2, (9, 0), "cuda:2", r"there are 2 GPUs, cuda:0 to cuda:1"),
        ("12.4", 1, (3, 7), "cuda", r"capability is 3\.7, and 5\.0 is the least; take .*'torch'"),
    ],
)
def test_what_is_missing(
    version: str | None,
    count: int,
    capability: tuple[int, int],
    device: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pretend(monkeypatch, version, count, capability)
    with pytest.raises(ConfigurationError, match=f"'cuda' cannot play on {device}: .*{said}"):
        resolve_backend("cuda", device)


def test_gpus_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch calls them cuda too, and plays on them."""
    pretend(monkeypatch, None, 1, (9, 0))
    monkeypatch.setattr(torch.version, "hip", "6.2")
    assert find_absent(DEVICE) == ""
    assert "for other GPUs than NVIDIA's; take backend 'torch'" in find_missing(DEVICE)


def test_a_gpu_that_can_play(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "12.4", 2, (12, 0))
    assert find_missing(DEVICE) == find_missing(torch.device("cuda:1")) == ""
    assert resolve_backend("cuda", DEVICE) == "cuda"


def test_the_device_is_looked_for_before_anything_is_put_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend(monkeypatch, None, 0, (9, 0))
    for backend in ("torch", "cuda", "auto"):
        assert main(["simulate", "tictactoe", "--device", "cuda", "--backend", backend]) != 0
        said = capsys.readouterr().err
        assert "device cuda is not there: torch" in said
        assert "or take backend 'llvm' on cpu" in said
        assert len(said.splitlines()) == 1
    assert main(["simulate", "tictactoe", "--backend", "cuda"]) != 0
    assert "'cuda' does not run on cpu, it is made for device 'cuda'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("capability", "target"),
    [
        ((5, 0), "sm_50"),
        ((7, 2), "sm_70"),
        ((8, 9), "sm_89"),
        ((9, 0), "sm_90"),
        ((12, 1), "sm_90"),
    ],
)
def test_code_is_made_for_the_gpu_or_an_older_one(capability: tuple[int, int], target: str) -> None:
    assert target_for(*capability) == target
