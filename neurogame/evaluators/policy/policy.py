"""A learned policy as a torch module, and as a judge of moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, final

import numpy as np
import torch
from torch import Tensor, nn

from neurogame.array_types import Bools, Float32s
from neurogame.circuit.circuit import Circuit, HasCircuit
from neurogame.errors import ConfigurationError, GameError
from neurogame.evaluators.claims import check_claim
from neurogame.evaluators.rules_network.evaluator import LAYOUT, RulesNetwork, check_layout
from neurogame.evaluators.rules_network.layout import RulesNetworkLayout, empty_layout, stored_sizes
from neurogame.judges.moves import LOGITS, CompiledScores
from neurogame.kernels.policy.scores import PolicyWeights, compile_policy


@final
class LearnedPolicy(nn.Module):
    """Scores every move of a role by hidden units above embeddings of the fluents that hold.

    The score of a move is a logarithm of its weight: ``softmax`` over the legal moves gives the
    probability ``P(move)``. It is ``b_m + w_m . relu(c + sum of e_f)`` over the fluents ``f`` that
    hold, in the perspective of the state's mode. Embeddings and biases of the units begin as those
    of an evaluator that has learned the game, conditions of the rules among them;
    what moves read begins at 0, where all legal moves are alike.

    Args:
        circuit: the game.
        layout: modes and perspectives; its look-ups are not read.
        hidden: number of hidden units, ``H``.

    Attributes:
        embedding: what fluents add to the units' inputs; ``[S, F, H]``.
        bias: of the units; ``[Q, H]``, for each mode its own.
        readout: what units add to the scores of moves; ``[M, H]``, moves of all roles.
        moves: what is added to each score; ``[M]``.

    *Reference:* Silver et al., "Mastering the game of Go without human knowledge" (2017), the
    policy head; the units are those of :class:`~neurogame.evaluators.rules_network.evaluator`.
    """

    kind = "policy"

    def __init__(self, circuit: Circuit, layout: RulesNetworkLayout, hidden: int) -> None:
        super().__init__()
        self.layout, self.offsets = layout, circuit.move_offsets
        sizes = layout.sizes
        self.embedding = nn.Parameter(torch.zeros(sizes.sets, sizes.fluents, hidden))
        self.bias = nn.Parameter(torch.zeros(sizes.modes, hidden))
        self.readout = nn.Parameter(torch.zeros(circuit.move_count, hidden))
        self.moves = nn.Parameter(torch.zeros(circuit.move_count))
        for name, column in layout.arrays().items():
            self.register_buffer(f"{LAYOUT}{name}", torch.from_numpy(column))
        untyped: Any = self
        untyped.register_load_state_dict_post_hook(check_layout)

    @classmethod
    def above(cls, circuit: Circuit, evaluator: RulesNetwork) -> LearnedPolicy:
        """Return a policy that has learned nothing, above the hidden units of an evaluator.

        Args:
            circuit: the game.
            evaluator: of the game; its weights are copied.
        """
        policy = cls(circuit, evaluator.layout.without_tables(), evaluator.bias.shape[1])
        with torch.no_grad():
            policy.embedding.copy_(evaluator.embedding)
            policy.bias.copy_(evaluator.bias)
        return policy

    @property
    def scale(self) -> int:
        """``LOGITS``: scores are logarithms of weights."""
        return LOGITS

    def describe(self) -> dict[str, Any]:
        """Return the JSON-able sizes; with the state dict they are all there is."""
        return {"hidden": self.bias.shape[1], "sizes": asdict(self.layout.sizes)}

    @classmethod
    def rebuild(
        cls,
        game: HasCircuit,
        description: dict[str, Any],
        weights: Mapping[str, Tensor] | None = None,
    ) -> LearnedPolicy:
        """Return the policy of a description; load its state dict to get what it knows.

        Args:
            game: the game, or its circuit.
            description: what :meth:`describe` returned.
            weights: the state dict that will be loaded; None: nobody knows yet.

        Raises:
            ConfigurationError: the description holds no sizes of a policy, or others than those
                of the game or of the weights.
        """
        circuit = game.circuit
        what = "a learned policy"
        try:
            given, hidden = description["sizes"], int(description["hidden"])
        except (TypeError, KeyError, ValueError) as error:
            raise ConfigurationError(f"{what}: its sizes: {error}") from None
        sizes = stored_sizes(what, given, len(circuit.fluents), len(circuit.roles))
        units = (hidden + 1) * circuit.move_count
        check_claim(what, sizes.numbers(hidden) + units, weights)
        return cls(circuit, empty_layout(sizes), hidden)

    def forward(self, fluents: Tensor, role: int) -> Tensor:
        """Return the scores of all moves of a role, whether or not they are legal.

        Args:
            fluents: which fluents hold; bool or floats, ``[B, F]``.
            role: its index.

        Returns:
            Logarithms of weights; ``[B, M_r]``.

        Raises:
            GameError: the fluents do not fit.
        """
        if fluents.dim() != 2 or fluents.shape[1] != self.layout.sizes.fluents:
            raise GameError(
                f"fluents of shape {list(fluents.shape)} do not fit this policy, which takes "
                f"[B, {self.layout.sizes.fluents}]: is it another game's?"
            )
        held = fluents.to(self.bias.dtype)
        begin, end = self.offsets[role], self.offsets[role + 1]
        return self._units(held) @ self.readout[begin:end].t() + self.moves[begin:end]

    def _units(self, held: Tensor) -> Tensor:
        """Return the hidden units; ``[B, H]``."""
        layout, units = self.layout, held.new_zeros(len(held), self.bias.shape[1])
        mode = layout.mode_of(held)
        for number in range(layout.sizes.modes):
            rows = torch.nonzero(mode == number).view(-1)
            if len(rows):
                seen = layout.seen(held[rows], number)
                sums = self.bias[number] + seen @ self.embedding[int(layout.weights[number])]
                units = units.index_copy(0, rows, torch.relu(sums))
        return units

    def move_scores(self, fluents: Bools, legal: Bools, role: int) -> Float32s:
        """Return the scores of a role's moves, as torch computes them; the definition.

        Args:
            fluents: which fluents hold in each state; bool ``[B, F]``.
            legal: which moves of the role are legal, which changes nothing; bool ``[B, M_r]``.
            role: its index.

        Returns:
            Float32 ``[B, M_r]``.
        """
        with torch.no_grad():
            logits = self(torch.from_numpy(np.ascontiguousarray(fluents)), role)
        scores: Float32s = logits.cpu().numpy().astype(np.float32)
        return scores

    def compiled_scores(self) -> CompiledScores:
        """Return the policy with its present weights for compiled code, for one thread."""
        layout = self.layout
        embedding, bias, readout, moves = (
            np.array(part.detach().cpu().numpy(), np.float32, order="C")
            for part in (self.embedding, self.bias, self.readout, self.moves)
        )
        weights = PolicyWeights(
            offsets=np.array(self.offsets, np.int64),
            mode_fluent=layout.mode_fluent,
            seen_as=layout.seen_as,
            sets=layout.weights,
            embedding=embedding,
            bias=bias,
            readout=readout,
            moves=moves,
            units=np.zeros(bias.shape[1], np.float32),
        )
        return compile_policy(weights)
