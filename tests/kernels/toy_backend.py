"""A backend in one file, registered by one line: plain torch that counts how often it is asked."""

from __future__ import annotations

from typing import final

import torch

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.backend import BackendEntry
from neurogame.kernels.playout import GivenLanes, PlayedLanes, PlayoutRun, Tally
from neurogame.kernels.twin.torch_playout import TorchPlayouts

TOY = BackendEntry(name="toy", playouts="tests.kernels.toy_backend:ToyPlayouts")


@final
class ToyPlayouts:
    """Lets plain torch play, and counts the runs."""

    name = "toy"

    def __init__(self, circuit: Circuit, variant: str | None, device: str | torch.device) -> None:
        self.runs, self._torch = 0, TorchPlayouts(circuit, device)

    def run(self, plan: PlayoutRun) -> Tally:
        """Play games from the initial state."""
        self.runs += 1
        return self._torch.run(plan)

    def finish(self, given: GivenLanes) -> PlayedLanes:
        """Play given states on."""
        return self._torch.finish(given)
