"""The backends that can play random games on this machine, and the choice of one.

All backends play the same games; they differ in speed. ``torch`` is the definition and is always
there. ``llvm`` compiles the game for the CPU, as straight-line code (``llvm-straight``) or as a
table for one generic kernel (``llvm-table``), whichever suits its size. ``auto`` takes ``llvm`` on
the CPU and ``cuda``, which compiles the game for an NVIDIA GPU, on such a device; it takes
``torch`` on other devices, where llvmlite or numba are missing, where the circuit is so large that
compiling takes long, and on a GPU where moves are to be counted.
"""

from __future__ import annotations

import os
import warnings
from functools import cache
from importlib.util import find_spec

import torch

from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError, MissingExtraError, NeurogameWarning
from neurogame.kernels.playout import PlayoutKernel
from neurogame.kernels.step import StepKernel

BACKENDS = ("auto", "torch", "llvm", "llvm-straight", "llvm-table", "cuda")
"""What may be asked for."""

VARIABLE = "NEUROGAME_BACKEND"
"""Environment variable that says what ``auto`` means."""

MOST_INPUTS = {"llvm": 6_000_000, "cuda": 100_000}
"""Input literals of gates up to which ``auto`` compiles a circuit; a GPU's driver may take minutes
for a larger one, during which nothing can interrupt it."""

_MODULES = {"torch": (), "llvm": ("llvmlite", "numba"), "cuda": ("llvmlite", "numba")}
_HOME = {"cpu": "llvm", "cuda": "cuda"}
_DEVICES = {"llvm": "cpu", "cuda": "cuda"}
"""What each compiled backend is made for."""


def playout_kernel(
    circuit: Circuit, backend: str | None = None, device: str | torch.device = "cpu"
) -> PlayoutKernel:
    """Return the playouts of a game on a backend, compiled if need be.

    Args:
        circuit: the game.
        backend: one of :data:`BACKENDS`; None: ``auto``.
        device: where the words live.

    Raises:
        ConfigurationError: there is no such backend, or it does not run on this device.
        MissingExtraError: its modules are not installed.
    """
    family, _, variant = resolve_backend(backend, device, circuit).partition("-")
    if family == "llvm":
        from neurogame.kernels.codegen.playouts import LlvmPlayouts

        return LlvmPlayouts(circuit, variant or None)
    if family == "cuda":
        from neurogame.kernels.cuda.driver import open_driver
        from neurogame.kernels.cuda.playouts import CudaPlayouts

        return CudaPlayouts(circuit, open_driver(device))
    from neurogame.kernels.twin.torch_playout import TorchPlayouts

    return TorchPlayouts(circuit, device)


def step_kernel(
    circuit: Circuit, backend: str | None, device: str | torch.device = "cpu"
) -> StepKernel | None:
    """Return what evaluates given states of a game, compiled if need be; None for plain torch.

    ``cuda`` plays random games only; it leaves given states to plain torch.

    Args:
        circuit: the game.
        backend: one of :data:`BACKENDS`; None: ``auto``.
        device: where the words live.

    Raises:
        ConfigurationError: there is no such backend, or it does not run on this device.
        MissingExtraError: its modules are not installed.
    """
    family, _, variant = resolve_backend(backend, device, circuit).partition("-")
    if family == "llvm":
        from neurogame.kernels.codegen.step import LlvmStep

        return LlvmStep(circuit, variant or None)
    return None


def resolve_backend(
    backend: str | None,
    device: str | torch.device,
    circuit: Circuit | None = None,
    *,
    moves: bool = False,
) -> str:
    """Return the backend that will play: what was asked for, ``auto`` decided.

    Args:
        backend: one of :data:`BACKENDS`; None: ``auto``.
        device: where the words live.
        circuit: the game; ``auto`` is plain torch where optimising it would take minutes.
        moves: whether moves are to be counted, which ``cuda`` cannot do.

    Raises:
        ConfigurationError: there is no such backend, or it does not run on this device, or there
            is no such device.
        MissingExtraError: its modules are not installed.
    """
    kind = torch.device(device).type
    name, source = "auto" if backend is None else backend, "backend"
    if name == "auto" and VARIABLE in os.environ:
        name, source = os.environ[VARIABLE], VARIABLE
    if name not in BACKENDS:
        raise ConfigurationError(
            f"{source} {name!r} does not exist; it must be one of {', '.join(BACKENDS)}"
        )
    if name == "auto":
        family = _HOME.get(kind, "torch")
        inputs = circuit.graph.edge_count if circuit is not None else 0
        if inputs > MOST_INPUTS.get(family, inputs) or (moves and family == "cuda"):
            return "torch"
        if not _missing(family):
            return "torch" if _lacks(family, device) else family
        _warn(family, _missing(family))
        return "torch"
    family = name.partition("-")[0]
    if not _runs_on(family, kind):
        raise ConfigurationError(
            f"{source} {name!r} does not run on {kind}, it is made for device "
            f"{_DEVICES[family]!r}; on {kind}, 'auto' and 'torch' do"
        )
    if _missing(family):
        raise MissingExtraError(
            f"{source} {name!r} needs {_missing(family)}: pip install {_missing(family)}"
        )
    if _lacks(family, device):
        raise ConfigurationError(
            f"{source} {name!r} cannot play on {device}: {_lacks(family, device)}"
        )
    return name


def available_backends(device: str | torch.device = "cpu") -> tuple[str, ...]:
    """Return the backends that run on a device of this machine, ``auto`` left out."""
    kind = torch.device(device).type
    return tuple(
        name
        for name in BACKENDS[1:]
        if _runs_on(family := name.partition("-")[0], kind)
        and not _missing(family)
        and not _lacks(family, device)
    )


def _runs_on(family: str, kind: str) -> bool:
    """Say whether a backend is made for a kind of device."""
    return family == "torch" or _DEVICES[family] == kind


def _lacks(family: str, device: str | torch.device) -> str:
    """Return what a device lacks for a backend made for its kind, and what to do; or nothing."""
    if family != "cuda":
        return ""
    from neurogame.kernels.cuda.capability import find_missing

    return find_missing(torch.device(device))


def _missing(family: str) -> str:
    """Return the modules that a backend needs and that are not installed, by spaces."""
    return " ".join(module for module in _MODULES[family] if find_spec(module) is None)


@cache
def _warn(family: str, missing: str) -> None:
    """Say once that the fast backend is not there."""
    warnings.warn(
        f"random games are played by plain torch: the faster backend {family!r} needs {missing} "
        f"(pip install {missing}); set {VARIABLE}=torch to say that this is wanted (said once)",
        NeurogameWarning,
        stacklevel=4,
    )
