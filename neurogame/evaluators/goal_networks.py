"""What all evaluators made of goal networks share: their outputs by role and goal value."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import torch
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.plan import Plan
from neurogame.evaluators.reasoner import Reasoner
from neurogame.evaluators.value import StateValue
from neurogame.evaluators.wiring import Wiring


class GoalNetworks(Evaluator):
    """One network per role and goal value, mixed into state values.

    Args:
        circuit: the game.
        wiring: neurons and edges.
        exponent: the p of equation (7), at least 1.
        description: JSON-able kind and configuration.

    Attributes:
        network_keys: ``(role index, goal value 0..100)`` of each network; ``[V]``.
        wiring: neurons and edges.
    """

    output_row: Tensor
    output_sign: Tensor

    def __init__(
        self, circuit: Circuit, wiring: Wiring, exponent: float, description: dict[str, Any]
    ) -> None:
        proof = wiring.proof
        super().__init__(len(proof.fluents), len(proof.roles), description)
        self.wiring = wiring
        self.network_keys = tuple((goal.role, goal.value) for goal in proof.goals)
        self.plan = Plan(wiring)
        self.reasoner = Reasoner(circuit, proof.redirected.node)
        self.value = StateValue(self.network_keys, len(proof.roles), exponent)
        self._valued = [i for i, (_, value) in enumerate(self.network_keys) if value > 0]
        for name, column in (
            ("output_row", torch.from_numpy(wiring.output_row)),
            ("output_sign", torch.from_numpy(wiring.output_sign)),
            ("valued_index", torch.tensor(self._valued, dtype=torch.int64)),
        ):
            self.register_buffer(name, column, persistent=False)

    @abstractmethod
    def _outputs(self, leaves: Tensor, which: Tensor, units: int) -> Tensor:
        """Return the outputs of some networks' own neurons, before the sign of the goal.

        Args:
            leaves: states and the truth of redirected leaves; ``[B, F + X]``.
            which: indices of networks; int64 ``[O]``. Constant goals among them may get
                anything finite.
            units: how many neurons are enough for them.

        Returns:
            ``[B, O]`` in -1..1.
        """

    def networks(self, fluents: Tensor) -> Tensor:
        """Return the output of every goal network.

        Args:
            fluents: which fluents hold; bool, or floats 0..1; ``[B, F]``.

        Returns:
            ``[B, V]`` in -1..1, in the order of :attr:`network_keys`. Above 0 means that the
            state earns this goal value, as far as the network is still what the rules say.
        """
        everything = torch.arange(len(self.network_keys), device=self.output_row.device)
        return self._in_pieces(self._checked(fluents), everything, self.wiring.unit_count)

    def forward(self, fluents: Tensor) -> Tensor:
        """Return state values; see :meth:`Evaluator.forward`."""
        fluents = self._checked(fluents)
        which = self.valued_index
        assert isinstance(which, Tensor)
        some = self._in_pieces(fluents, which, self.wiring.valued_units)
        outputs = some.new_zeros(len(fluents), len(self.network_keys))
        return self.value(outputs.index_copy(1, which, some))  # type: ignore[no-any-return]

    def _in_pieces(self, fluents: Tensor, which: Tensor, units: int) -> Tensor:
        """Evaluate large batches piece by piece, so that memory stays bounded."""
        piece = self.plan.pieces(len(fluents))
        parts = [self._signed(part, which, units) for part in torch.split(fluents, piece)]
        return torch.cat(parts) if len(parts) > 1 else parts[0]

    def _signed(self, fluents: Tensor, which: Tensor, units: int) -> Tensor:
        outputs = self._outputs(self.reasoner(fluents), which, units)
        signs = self.output_sign[which].to(outputs.dtype)
        constant = self.output_row[which] == 0
        return torch.where(constant, signs, signs * outputs)
