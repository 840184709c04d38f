"""The list of backends that play random games: what is asked for by which name, and where it is.

Each is one entry of :data:`BACKENDS`; another package registers one in the entry point group
``neurogame.backends``, under its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import TYPE_CHECKING, final

from neurogame.registered import with_registered

if TYPE_CHECKING:
    import torch

    from neurogame.circuit.circuit import Circuit

GROUP = "neurogame.backends"
"""Entry points of other packages: each a :class:`BackendEntry`."""


@final
@dataclass(frozen=True, kw_only=True)
class BackendEntry:
    """A backend, with all that its use and its choice need to know.

    Places are given as ``module:name`` and imported when they are asked for.

    Attributes:
        name: what it is asked for by.
        playouts: where the function is that makes playouts of a game: it takes the circuit, the
            variant, None for any, and the device.
        step: where that is that makes what evaluates given states, which takes the first two;
            empty: plain torch evaluates them.
        variants: it is asked for as ``name-variant`` too.
        device: the kind of device that it is made for; empty: any.
        modules: that it needs and that may be missing.
        is_usual: whether ``auto`` takes it on that device.
        most_inputs: input literals of gates up to which ``auto`` takes it, for a larger circuit
            takes too long to compile; None: any.
        counts_moves: whether it can count moves.
        lacks: where the function is that returns what a device lacks for it, and what to do, or
            an empty text; empty: a device of that kind lacks nothing.
    """

    name: str
    playouts: str
    step: str = ""
    variants: tuple[str, ...] = ()
    device: str = ""
    modules: tuple[str, ...] = ()
    is_usual: bool = False
    most_inputs: int | None = None
    counts_moves: bool = True
    lacks: str = ""

    def runs_on(self, kind: str) -> bool:
        """Say whether it is made for a kind of device."""
        return self.device in ("", kind)

    @property
    def missing(self) -> str:
        """The modules that it needs and that are not installed, by spaces."""
        return " ".join(module for module in self.modules if find_spec(module) is None)

    def lacking(self, device: str | torch.device) -> str:
        """Return what a device of its kind lacks for it, and what to do; or nothing."""
        if not self.lacks:
            return ""
        # Imported here: names of backends are wanted before anything is computed.
        import torch

        find: Callable[[torch.device], str] = resolve_name(self.lacks)
        return find(torch.device(device))

    def suits(self, circuit: Circuit | None, *, moves: bool) -> bool:
        """Say whether ``auto`` may take it for a game, and for counting moves."""
        inputs = circuit.graph.edge_count if circuit is not None else 0
        is_small = self.most_inputs is None or inputs <= self.most_inputs
        return is_small and (self.counts_moves or not moves)


BACKENDS: dict[str, BackendEntry] = {
    "torch": BackendEntry(
        name="torch", playouts="neurogame.kernels.twin.torch_playout:torch_playouts"
    ),
    "llvm": BackendEntry(
        name="llvm",
        playouts="neurogame.kernels.codegen.playouts:llvm_playouts",
        step="neurogame.kernels.codegen.step:LlvmStep",
        variants=("straight", "table"),
        device="cpu",
        is_usual=True,
        most_inputs=6_000_000,
    ),
    "cuda": BackendEntry(
        name="cuda",
        playouts="neurogame.kernels.cuda.playouts:cuda_playouts",
        device="cuda",
        is_usual=True,
        # A GPU's driver may take minutes for more, during which nothing can interrupt it.
        most_inputs=100_000,
        counts_moves=False,
        lacks="neurogame.kernels.cuda.capability:find_missing",
    ),
}
"""All backends of this package."""


@cache
def known_backends() -> dict[str, BackendEntry]:
    """Return all backends by name, those of other packages behind those of this one."""
    return with_registered(BACKENDS, GROUP, BackendEntry)


def backend_names() -> tuple[str, ...]:
    """Return what may be asked for: ``auto``, each backend, and its variants."""
    return ("auto", *named_backends())


def named_backends() -> dict[str, tuple[BackendEntry, str | None]]:
    """Return what may be asked for but ``auto``: the backend and the variant, None for any."""
    entries: dict[str, tuple[BackendEntry, str | None]] = {}
    for backend in known_backends().values():
        entries[backend.name] = backend, None
        entries |= {f"{backend.name}-{variant}": (backend, variant) for variant in backend.variants}
    return entries
