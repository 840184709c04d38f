"""What all evaluators made of goal networks share: their outputs by role and goal value."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from neurogame.circuit.circuit import Circuit
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.kernel_networks import (
    KernelNetworks,
    kernel_fits,
    kernel_layout,
    packed,
    program_values,
)
from neurogame.evaluators.plan import Plan, Unit
from neurogame.evaluators.reasoner import Reasoner
from neurogame.evaluators.tables import KernelInputs, UnitTables
from neurogame.evaluators.value import BEST, WORST, StateValue
from neurogame.evaluators.wiring import Wiring
from neurogame.kernels.neural.layout import Layout
from neurogame.kernels.words.pack import unpack
from neurogame.simulate.states import StateBatch

if TYPE_CHECKING:
    from neurogame.judges.states import CompiledValues
    from neurogame.kernels.neural.program import Program

_FLAGS = (torch.bool, torch.uint8)
"""Types of states that the kernel takes."""


class GoalNetworks(Evaluator):
    """One network per role and goal value, mixed into state values.

    Args:
        circuit: the game.
        wiring: neurons and edges.
        config: of a kind that has them.
        seed: of random weights; without any, recorded only.

    Attributes:
        network_keys: ``(role index, goal value 0..100)`` of each network; ``[V]``. The condition
            that ends the game, where an evaluator needs it, comes last as ``(-1, 0)``.
        wiring: neurons and edges.
    """

    output_row: Tensor
    output_sign: Tensor
    _valued: Tensor
    _kind: int | None = None
    _steep = 0.0

    def __init__(
        self, circuit: Circuit, wiring: Wiring, config: EvaluatorConfig, seed: int
    ) -> None:
        proof = wiring.proof
        described = {**config.to_json(), "seed": seed}
        super().__init__(len(proof.fluents), len(proof.roles), described)
        self.wiring = wiring
        self.network_keys = tuple((goal.role, goal.value) for goal in proof.goals)
        self.plan = Plan(wiring)
        self.reasoner = Reasoner(circuit, proof.redirected.node)
        self.value = StateValue(self.network_keys, len(proof.roles), config.exponent)
        valued = [i for i, goal in enumerate(proof.goals) if goal.valued]
        self._kernels: dict[bool, KernelNetworks | None] = {}
        self._known: tuple[tuple[tuple[int, int], ...], Program | None] | None = None
        for name, column in (
            ("output_row", torch.from_numpy(wiring.output_row)),
            ("output_sign", torch.from_numpy(wiring.output_sign)),
            ("_valued", torch.tensor(valued, dtype=torch.int64)),
        ):
            self.register_buffer(name, column, persistent=False)

    def networks(self, fluents: Tensor) -> Tensor:
        """Return the output of every goal network.

        Args:
            fluents: which fluents hold; bool, or floats 0..1; ``[B, F]``.

        Returns:
            ``[B, V]`` in -1..1, in the order of :attr:`network_keys`. Above 0 means that the
            state earns this goal value, as far as the network is still what the rules say.
        """
        fluents = self._checked(fluents)
        if fluents.dtype in _FLAGS and self._kernel(valued=False) is not None:
            return self._by_kernel(self._words(packed(fluents)), len(fluents), valued=False)
        everything = torch.arange(len(self.network_keys), device=self.output_row.device)
        return self._in_pieces(fluents, everything, self.wiring.unit_count)

    def forward(self, fluents: Tensor) -> Tensor:
        """Return state values; see :meth:`Evaluator.forward`."""
        fluents = self._checked(fluents)
        if fluents.dtype in _FLAGS and self._kernel(valued=True) is not None:
            return self._values_of_words(packed(fluents), len(fluents))
        return self._mixed(self._in_pieces(fluents, self._valued, self.wiring.valued_units))

    def values(self, states: StateBatch) -> Tensor:
        """Return state values without unpacking the states; see :meth:`Evaluator.values`."""
        if len(states.words) == self.fluent_count and self._kernel(valued=True) is not None:
            return self._values_of_words(states.words, states.size)
        return super().values(states)

    def program(self) -> Program | None:
        """Return the present weights as flat arrays for compiled code, kept while none changes.

        None where the kernel does not compute it: it takes parameters in float32 on the CPU, a
        goal that is not constant, tables of moderate size and weights that float32 can hold.
        """
        kernel = self._kernel(valued=True)
        if kernel is None:
            return None
        state = tuple((p.data_ptr(), p._version) for p in self.parameters())
        if self._known is None or self._known[0] != state:
            with torch.no_grad():
                inputs = self._kernel_inputs(kernel)
                program = inputs and kernel.program(
                    inputs,
                    self._readout(kernel.which),
                    self.output_sign[kernel.which],
                    *self._mixing(kernel.which),
                )
            self._known = (state, program)
        return self._known[1]

    def compiled_values(self) -> CompiledValues | None:
        """Return the compiled form; see :meth:`.Evaluator.compiled_values`."""
        program = self.program()
        if program is None:
            return None
        from neurogame.kernels.leaves.networks import compile_networks

        return compile_networks(program, self.reasoner.logic)

    @abstractmethod
    def _channels(self, leaves: Tensor, which: Tensor, units: int) -> Tensor:
        """Return what some networks' own neurons put out.

        Args:
            leaves: states and the truth of redirected leaves; ``[B, F + X]``.
            which: indices of networks; int64 ``[O]``. Constant goals among them may get
                anything finite.
            units: how many neurons are enough for them.

        Returns:
            ``[O, C, B]``.
        """

    @abstractmethod
    def _read(self, channels: Tensor, which: Tensor) -> Tensor:
        """Return outputs in -1..1 before the sign of the goal, ``[B, O]``, from the channels."""

    def _kernel_tables(self, layout: Layout) -> tuple[UnitTables, ...]:
        """Return what makes the tables of a layout."""
        return ()

    def _kernel_inputs(self, kernel: KernelNetworks) -> KernelInputs | None:
        """Return the parameters as the kernel takes them, or None where it cannot."""
        return None

    def _readout(self, which: Tensor) -> Tensor:
        """Return zero, slope, shift and room of networks' readout; ``[O, 4]``."""
        return torch.zeros(len(which), 4)

    def _mixing(self, which: Tensor) -> tuple[Tensor, Tensor]:
        """Return what networks' outputs add to values, ``[R, O]``, and to what; ``[R]``."""
        gains = self.value.shares[:, which] * ((BEST - WORST) / 2.0)
        return gains, gains.sum(dim=1) + WORST

    def _mixed(self, some: Tensor) -> Tensor:
        """Return state values from the outputs of the networks that have a goal value."""
        outputs = some.new_zeros(len(some), len(self.network_keys))
        return self.value(outputs.index_copy(1, self._valued, some))  # type: ignore[no-any-return]

    def _in_pieces(self, fluents: Tensor, which: Tensor, units: int) -> Tensor:
        """Evaluate large batches piece by piece, so that memory stays bounded."""
        piece = self.plan.pieces(len(fluents))
        parts = [
            self._signed(self._channels(self.reasoner(part), which, units), which)
            for part in torch.split(fluents, piece)
        ]
        return torch.cat(parts) if len(parts) > 1 else parts[0]

    def _signed(self, channels: Tensor, which: Tensor) -> Tensor:
        outputs = self._read(channels, which)
        signs = self.output_sign[which].to(outputs.dtype)
        constant = self.output_row[which] == 0
        return torch.where(constant, signs, signs * outputs)

    def _words(self, words: Tensor) -> Tensor:
        """Return the words of states and of redirected leaves; int64 ``[F + X, W]``."""
        return torch.cat([words, self.reasoner.words(words)]) if self.reasoner.count else words

    def _values_of_words(self, words: Tensor, size: int) -> Tensor:
        """Return state values of words ``[F, W]``."""
        everything = self._words(words)
        if not (torch.is_grad_enabled() and any(p.requires_grad for p in self.parameters())):
            program = self.program()
            if program is not None:
                return program_values(program, everything, size)
        return self._mixed(self._by_kernel(everything, size, valued=True))

    def _by_kernel(self, words: Tensor, size: int, *, valued: bool) -> Tensor:
        """Return outputs ``[B, O]``, by torch where the weights are out of the kernel's range."""
        kernel = self._kernel(valued=valued)
        assert kernel is not None
        inputs = self._kernel_inputs(kernel)
        if inputs is not None:
            return self._signed(kernel.channels(inputs, words, size), kernel.which)
        units = self.wiring.valued_units if valued else self.wiring.unit_count
        return self._in_pieces(unpack(words[: self.fluent_count], size), kernel.which, units)

    def _kernel(self, *, valued: bool) -> KernelNetworks | None:
        """Return all networks, or those with a goal value, for the kernel, if it fits them."""
        if self._kind is None or not kernel_fits(self.value.shares):
            return None
        if valued not in self._kernels:
            everything = torch.arange(len(self.network_keys))
            which = self._valued if valued else everything
            layout, kernel = kernel_layout(self.wiring, which), None
            if layout is not None:
                tables = self._kernel_tables(layout)
                kernel = KernelNetworks(layout, which, tables, self._kind, self._steep)
            self._kernels[valued] = kernel
        return self._kernels[valued]


class WeightedNetworks(GoalNetworks):
    """Goal networks whose edges have weights that learn, each from a rule.

    Attributes:
        bias: bias weight of each neuron; ``[U]``.
        edges_are_logarithms: whether :attr:`edges` are logarithms of weights, without their signs.
    """

    bias: nn.Parameter
    edges_are_logarithms: bool

    @property
    @abstractmethod
    def edges(self) -> nn.Parameter:
        """What is learned of each edge; ``[E]``."""

    @abstractmethod
    def signed_weights(self) -> Tensor:
        """Return the signed weight of each edge, detached; float64 ``[E]``."""


class LogicalNetworks(GoalNetworks):
    """Goal formulas in a logic of degrees: what neurons compute depends on their kind alone.

    Attributes:
        kinds: ``AND`` (0) or ``OR`` (1) of each neuron; float32 ``[U]``.
    """

    kinds: Tensor

    def __init__(
        self, circuit: Circuit, wiring: Wiring, config: EvaluatorConfig, seed: int
    ) -> None:
        super().__init__(circuit, wiring, config, seed)
        kinds = torch.from_numpy(wiring.graph.kind).float()
        self.register_buffer("kinds", kinds, persistent=False)

    @abstractmethod
    def _unit(self) -> Unit:
        """Return what a neuron computes."""

    @abstractmethod
    def _leaves(self, truth: Tensor) -> Tensor:
        """Return the filler and the leaves, ``[1 + K, 2, B]``, of leaves ``[K, B]`` in 0..1."""

    def _channels(self, leaves: Tensor, which: Tensor, units: int) -> Tensor:
        truth = self.plan.leaf_truth(leaves, self.kinds.dtype)
        edges = truth.new_zeros(self.wiring.edge_count)
        rows, nodes = self.output_row[which], self.kinds.unsqueeze(0)
        return self.plan.run(self._unit(), self._leaves(truth), edges, nodes, rows, units)
