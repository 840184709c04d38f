"""Goal networks in the form that the compiled kernel computes, beside their definition in torch.

The kernel computes on the CPU in float32, for states given as bits. Otherwise, or where the
environment variable of :mod:`neurogame.kernels.neural.backend` says so, torch does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import torch
from torch import Tensor

from neurogame.evaluators.tables import KernelInputs, UnitTables
from neurogame.evaluators.wiring import Wiring
from neurogame.kernels.neural.backend import kernel_wanted
from neurogame.kernels.neural.layout import THRESHOLD, Layout, make_layout
from neurogame.kernels.neural.merge import merge_neurons

if TYPE_CHECKING:
    from neurogame.kernels.neural.program import Program

CONTRIBUTION_LIMIT = 100_000
"""Summands of tables up to which the kernel is used: making the tables takes 2 KB for each."""


@final
@dataclass(frozen=True, eq=False)
class KernelNetworks:
    """Some networks of an evaluator; without their weights.

    Attributes:
        layout: tables and upper neurons.
        which: indices of the networks; int64 ``[O]``.
        tables: what makes the layout's tables from weights.
        kind: see :mod:`neurogame.kernels.neural.network`.
        steep: half the steepness of the activation.
    """

    layout: Layout
    which: Tensor
    tables: tuple[UnitTables, ...]
    kind: int
    steep: float

    def channels(self, inputs: KernelInputs, words: Tensor, size: int) -> Tensor:
        """Return what the networks' own neurons put out.

        Args:
            inputs: the parameters.
            words: states; int64 ``[columns, W]``.
            size: number of states, ``B``.

        Returns:
            ``[O, C, B]``; gradients flow to the parameters.
        """
        from neurogame.kernels.neural.operators import goal_networks

        tables, edges, nodes, offsets = inputs
        structure = list(self.layout.structure)
        outputs: Tensor = goal_networks(
            words, size, tables, edges, nodes, offsets, structure, self.kind, self.steep
        )
        return outputs

    def program(
        self, inputs: KernelInputs, readout: Tensor, signs: Tensor, gains: Tensor, base: Tensor
    ) -> Program:
        """Return the networks with their weights, as far as a state's value.

        Args:
            inputs: the parameters.
            readout: zero, slope, shift and room of each network's readout; ``[O, 4]``.
            signs: 1 or -1 for each network; int64 ``[O]``.
            gains: what outputs add to values; ``[R, O]``.
            base: to what they add it; ``[R]``.
        """
        from neurogame.kernels.neural.network import make_network
        from neurogame.kernels.neural.program import Program

        tensors = (*inputs, torch.cat([readout, signs[:, None]], dim=1), gains, base)
        arrays = [tensor.detach().float().contiguous().numpy() for tensor in tensors]
        structure, numbers = [part.numpy() for part in self.layout.structure], arrays[:4]
        if self.kind != THRESHOLD:
            structure, numbers = merge_neurons(structure, numbers)
        network = make_network(structure, numbers, self.kind, self.steep)
        return Program(
            network=network,
            readout=arrays[4],
            gains=arrays[5],
            base=arrays[6],
            columns=self.layout.columns,
        )


def kernel_layout(wiring: Wiring, which: Tensor) -> Layout | None:
    """Return how the kernel computes some networks, or None where it cannot.

    It cannot where all goals are constant, and is not to where tables take much memory.

    Args:
        wiring: neurons and edges.
        which: indices of the networks; int64 ``[O]``.
    """
    rows = wiring.output_row[which.numpy()]
    if wiring.unit_count == 0 or wiring.edge_count > 5 * CONTRIBUTION_LIMIT:
        return None
    proof = wiring.proof
    layout = make_layout(
        wiring.graph, wiring.leaves, rows, len(proof.fluents) + len(proof.redirected)
    )
    parts = len(layout.small_edge) + len(layout.leaf_edge)
    return layout if parts <= CONTRIBUTION_LIMIT else None


def kernel_fits(parameters: Tensor) -> bool:
    """Return whether the kernel computes with such parameters, and may.

    Args:
        parameters: any of the evaluator's.

    Raises:
        ConfigurationError: the environment variable has an unknown value.
    """
    fits = parameters.dtype == torch.float32 and parameters.device.type == "cpu"
    return kernel_wanted() and fits


def packed(flags: Tensor) -> Tensor:
    """Return states as words; int64 ``[F, W]`` from bool or uint8 ``[B, F]``."""
    from neurogame.kernels.neural.pack_flags import pack_flags

    return pack_flags(flags)


def program_values(program: Program, words: Tensor, size: int) -> Tensor:
    """Return the values of packed states; float32 ``[B, R]``.

    Args:
        program: the evaluator.
        words: int64 ``[columns, W]``.
        size: number of states, ``B``.
    """
    from neurogame.kernels.neural.program import evaluate_words, make_space

    values = torch.empty(size, len(program.base))
    evaluate_words(program, make_space(program), words.numpy(), values.numpy())
    return values
