"""The choice of a backend that plays random games on this machine.

All backends play the same games; they differ in speed. ``torch`` is the definition and is always
there. ``llvm`` compiles the game for the CPU, as straight-line code (``llvm-straight``) or as a
table for one generic kernel (``llvm-table``), whichever suits its size. ``auto`` takes ``llvm`` on
the CPU and ``cuda``, which compiles the game for an NVIDIA GPU, on such a device; it takes
``torch`` on other devices, where the circuit is so large that compiling takes long, and on a GPU
where moves are to be counted.
:mod:`~neurogame.kernels.backend` has the list.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import cache
from pkgutil import resolve_name
from typing import TypeAlias

import torch

from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError, MissingExtraError, NeurogameWarning
from neurogame.kernels.backend import BACKENDS, backend_names, known_backends, named_backends
from neurogame.kernels.cuda.capability import find_absent
from neurogame.kernels.playout import PlayoutKernel
from neurogame.kernels.step import StepKernel
from neurogame.kernels.twin.torch_ply import TorchPly

VARIABLE = "NEUROGAME_BACKEND"
"""Environment variable that says what ``auto`` means."""

Device: TypeAlias = str | torch.device
MakePlayouts: TypeAlias = Callable[[Circuit, str | None, Device], PlayoutKernel]
MakeStep: TypeAlias = Callable[[Circuit, str | None], StepKernel]


def known_device(device: Device, *, held: bool = False) -> torch.device:
    """Return a device by its name.

    Args:
        device: its name.
        held: whether it must hold tensors: torch knows names of devices that it was not built for.

    Raises:
        ConfigurationError: there is no such device.
    """
    try:
        named = torch.device(device)
        if held and named.type not in ("cpu", "cuda"):
            torch.zeros(1, device=named).item()
    except (RuntimeError, AssertionError, ImportError):
        raise ConfigurationError(f"device {str(device)!r} is not there; take cpu or cuda") from None
    if held and named.type == "cuda" and (absent := find_absent(named)):
        raise ConfigurationError(f"device {device} is not there: {absent}")
    return named


def playout_kernel(
    circuit: Circuit, backend: str | None = None, device: Device = "cpu"
) -> PlayoutKernel:
    """Return the playouts of a game on a backend, compiled if need be.

    Args:
        circuit: the game.
        backend: one of :func:`backend_names`; None: ``auto``.
        device: where the words live.

    Raises:
        ConfigurationError: there is no such backend, or it does not run on this device.
        MissingExtraError: its modules are not installed.
    """
    entry, variant = named_backends()[resolve_backend(backend, device, circuit)]
    make: MakePlayouts = resolve_name(entry.playouts)
    return make(circuit, variant, device)


def step_kernel(circuit: Circuit, backend: str | None, device: Device = "cpu") -> StepKernel:
    """Return what evaluates given states of a game, compiled if need be.

    ``cuda`` plays random games only; it leaves given states to plain torch.

    Args:
        circuit: the game.
        backend: one of :func:`backend_names`; None: ``auto``.
        device: where the words live.

    Raises:
        ConfigurationError: there is no such backend, or it does not run on this device.
        MissingExtraError: its modules are not installed.
    """
    entry, variant = named_backends()[resolve_backend(backend, device, circuit)]
    if not entry.step:
        return TorchPly(circuit, device)
    make: MakeStep = resolve_name(entry.step)
    return make(circuit, variant)


def resolve_backend(
    backend: str | None,
    device: Device,
    circuit: Circuit | None = None,
    *,
    moves: bool = False,
) -> str:
    """Return the backend that will play: what was asked for, ``auto`` decided.

    Args:
        backend: one of :func:`backend_names`; None: ``auto``.
        device: where the words live.
        circuit: the game; ``auto`` is plain torch where optimising it would take minutes.
        moves: whether moves are to be counted, which ``cuda`` cannot do.

    Raises:
        ConfigurationError: there is no such backend, or it does not run on this device, or there
            is no such device.
        MissingExtraError: its modules are not installed.
    """
    kind = known_device(device).type
    name, source = "auto" if backend is None else backend, "backend"
    if name == "auto" and VARIABLE in os.environ:
        name, source = os.environ[VARIABLE], VARIABLE
    if name not in backend_names():
        raise ConfigurationError(
            f"{source} {name!r} does not exist; it must be one of {', '.join(backend_names())}"
        )
    if name == "auto":
        usual = [
            candidate
            for candidate in known_backends().values()
            if candidate.is_usual and candidate.runs_on(kind)
        ]
        entry = usual[0] if usual else BACKENDS["torch"]
        if not entry.suits(circuit, moves=moves):
            return "torch"
        if entry.missing:
            _warn(entry.name, entry.missing)
            return "torch"
        return "torch" if entry.lacking(device) else entry.name
    entry, _ = named_backends()[name]
    if not entry.runs_on(kind):
        raise ConfigurationError(
            f"{source} {name!r} does not run on {kind}, it is made for device "
            f"{entry.device!r}; on {kind}, 'auto' and 'torch' do"
        )
    if entry.missing:
        raise MissingExtraError(
            f"{source} {name!r} needs {entry.missing}: pip install {entry.missing}"
        )
    if entry.lacking(device):
        raise ConfigurationError(
            f"{source} {name!r} cannot play on {device}: {entry.lacking(device)}"
        )
    return name


def available_backends(device: Device = "cpu") -> tuple[str, ...]:
    """Return the backends that run on a device of this machine, ``auto`` left out."""
    kind = known_device(device).type
    return tuple(
        name
        for name, (backend, _) in named_backends().items()
        if backend.runs_on(kind) and not backend.missing and not backend.lacking(device)
    )


@cache
def _warn(family: str, missing: str) -> None:
    """Say once that the fast backend is not there."""
    warnings.warn(
        f"random games are played by plain torch: the faster backend {family!r} needs {missing} "
        f"(pip install {missing}); set {VARIABLE}=torch to say that this is wanted (said once)",
        NeurogameWarning,
        stacklevel=4,
    )


def gates_backend(circuit: Circuit, backend: str | None = None) -> tuple[str, str | None]:
    """Return what computes a circuit's gates on the processor: the backend, its variant if any."""
    entry, variant = named_backends()[resolve_backend(backend, "cpu", circuit)]
    return entry.name, variant
