"""The rules network: plain torch, which is its definition, and its compiled form."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, final

import numpy as np
import torch
from torch import Tensor, nn

from neurogame.array_types import Bools, Float32s
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.layout import RulesNetworkLayout
from neurogame.kernels.rules_network.limits import MOST

if TYPE_CHECKING:
    from neurogame.judges.states import CompiledValues
    from neurogame.kernels.rules_network.weights import RulesNetworkWeights

KIND = "rules-network"
"""The name of this kind of evaluator."""
LAYOUT = "layout_"
"""What the names of tensors begin with that are not learned."""
FIRST = ("first_embedding", "first_bias")
"""Names of tensors that are not learned, either: what others were before learning."""


@final
class RulesNetwork(Evaluator):
    """Values whose log-odds are the sum of what hidden units and pattern tables say.

    Hidden units begin as conditions of the rules, see
    :mod:`~neurogame.evaluators.rules_network.rule_units`; what they and the tables say is 0 at
    first, so that all values begin at 0.5. A state is seen in the perspective of its mode; see
    :class:`~neurogame.evaluators.rules_network.layout.RulesNetworkLayout`.

    Args:
        role_count: number of roles, ``R``.
        layout: which fluents make which rows, and the perspectives.
        config: the settings; it has as many hidden units as they say, ``H``.
        seed: what made its random weights.

    Attributes:
        tables: what rows add; ``[S, O, N]``.
        embedding: what fluents add to the hidden units' inputs; ``[S, F, H]``.
        bias: of the hidden units; ``[M, H]``, for each mode its own, as the readout.
        readout: what hidden units add; ``[M, O, H]``.
        first_embedding: what the embedding was before anything was learned, in every set;
            ``[F, H]``.
        first_bias: the same of the bias, in every mode; ``[H]``.
    """

    def __init__(
        self, role_count: int, layout: RulesNetworkLayout, config: RulesNetworkConfig, seed: int
    ) -> None:
        sizes, hidden = layout.sizes, config.hidden
        settings = {"config": config.to_json(), "sizes": asdict(sizes)}
        super().__init__(sizes.fluents, role_count, {"kind": KIND, "seed": seed, **settings})
        self.layout = layout
        sets, outputs = sizes.sets, sizes.outputs
        self.tables = nn.Parameter(torch.zeros(sets, outputs, sizes.rows))
        self.embedding = nn.Parameter(torch.zeros(sets, sizes.fluents, hidden))
        self.bias = nn.Parameter(torch.zeros(sizes.modes, hidden))
        self.readout = nn.Parameter(torch.zeros(sizes.modes, outputs, hidden))
        self.first_embedding: Tensor
        self.first_bias: Tensor
        self.register_buffer("first_embedding", torch.zeros(sizes.fluents, hidden))
        self.register_buffer("first_bias", torch.zeros(hidden))
        for name, column in layout.arrays().items():
            self.register_buffer(f"{LAYOUT}{name}", torch.from_numpy(column))
        untyped: Any = self
        untyped.register_load_state_dict_pre_hook(_brought_up_to_date)
        untyped.register_load_state_dict_post_hook(check_layout)

    def forward(self, fluents: Tensor) -> Tensor:
        """Return state values; see :meth:`Evaluator.forward`.

        Table rows are chosen by the fluents that hold by more than one half.
        """
        odds = self.log_odds(fluents).exp()
        return odds / (odds + 1.0)

    def log_odds(self, fluents: Tensor) -> Tensor:
        """Return logarithms of odds, which do not saturate as values do; ``[B, R]``.

        Args:
            fluents: as for :meth:`forward`.
        """
        return self.added(fluents).clamp(-MOST, MOST)

    def added(self, fluents: Tensor) -> Tensor:
        """Return what tables and hidden units add up to for each role; ``[B, R]``.

        It is the logarithm of the odds, but for where that is cut off.

        Args:
            fluents: as for :meth:`forward`.
        """
        layout, held = self.layout, self._checked(fluents).to(self.tables.dtype)
        logits = held.new_zeros(len(held), layout.sizes.outputs)
        mode = layout.mode_of(held)
        for number in range(layout.sizes.modes):
            rows = torch.nonzero(mode == number).view(-1)
            if len(rows):
                logits = logits.index_copy(0, rows, self._in_mode(held[rows], number))
        return torch.cat([logits, -logits], dim=1) if layout.sizes.opposed else logits

    def _in_mode(self, held: Tensor, mode: int) -> Tensor:
        """Return the outputs of states of one mode; ``[B, O]``."""
        layout = self.layout
        seen, weights = layout.seen(held, mode), int(layout.weights[mode])
        row = layout.rows(seen)
        total = self.tables[weights][:, row].sum(dim=2).t()
        units = torch.relu(self.bias[mode] + seen @ self.embedding[weights])
        total = total + units @ self.readout[mode].t()
        turn = torch.from_numpy(layout.turn[mode]).to(total.device).long()
        return float(layout.sign[mode]) * total[:, turn]

    def compiled_values(self) -> CompiledValues | None:
        """Return the compiled form; see :meth:`Evaluator.compiled_values`."""
        from neurogame.kernels.rules_network.search import compile_rules_network

        if self.tables.dtype != torch.float32 or self.tables.device.type != "cpu":
            return None
        return compile_rules_network(self.kernel_weights())

    def begin(self, embedding: Tensor, bias: Tensor) -> None:
        """Set the first weights below the hidden units, the same in every set, and keep them.

        Args:
            embedding: ``[F, H]``.
            bias: ``[H]``.
        """
        with torch.no_grad():
            self.embedding.copy_(embedding)
            self.bias.copy_(bias)
            self.first_embedding.copy_(embedding)
            self.first_bias.copy_(bias)

    def first_weights(self) -> dict[str, Tensor]:
        """Return the tensors of :meth:`state_dict` as they were before anything was learned."""
        begun = {name: tensor.detach().clone() for name, tensor in self.state_dict().items()}
        begun["embedding"][:], begun["bias"][:] = self.first_embedding, self.first_bias
        begun["tables"].zero_(), begun["readout"].zero_()
        return begun

    def outside_weights(self) -> Float32s:
        """Return 1 for weights of rule units that their conditions do not name; ``[F, H]``."""
        first: Float32s = self.first_embedding.numpy()
        outside: Bools = (first == 0) & (first != 0).any(axis=0)
        return outside.astype(np.float32)

    def learned_weights(self) -> tuple[Tensor, ...]:
        """Return the weights that learn: tables, embedding, bias and readout."""
        return self.tables, self.embedding, self.bias, self.readout

    def kernel_weights(self) -> RulesNetworkWeights:
        """Return the weights for compiled code, which shares memory with the parameters."""
        from neurogame.kernels.rules_network.weights import RulesNetworkWeights

        layout = self.layout
        shared = [weights.detach().numpy() for weights in self.learned_weights()]
        return RulesNetworkWeights(
            mode_fluent=layout.mode_fluent,
            seen_as=layout.seen_as,
            weights=layout.weights,
            turn=layout.turn,
            sign=layout.sign,
            addends=layout.addends(),
            first=layout.first,
            last=layout.last,
            tables=shared[0],
            embedding=shared[1],
            bias=shared[2],
            readout=shared[3],
            opposed=int(layout.sizes.opposed),
        )


def _brought_up_to_date(module: nn.Module, state: dict[str, Any], prefix: str, *_: object) -> None:
    """Leave out of older files what is no more; modes of a set shared bias and readout."""
    for name in (f"{LAYOUT}mode", "gain"):
        state.pop(f"{prefix}{name}", None)
    for name in FIRST:
        state.setdefault(f"{prefix}{name}", getattr(module, name))
    weights = state.get(f"{prefix}{LAYOUT}weights")
    for name in (f"{prefix}bias", f"{prefix}readout"):
        if weights is not None and name in state and len(state[name]) != len(weights):
            state[name] = state[name][weights.long()]


def check_layout(module: nn.Module, _: object) -> None:
    """Refuse the layout that a module with one has just loaded if it leads nowhere.

    Args:
        module: has an attribute ``layout``.

    Raises:
        ConfigurationError: see :meth:`.RulesNetworkLayout.check`.
    """
    layout = module.layout
    assert isinstance(layout, RulesNetworkLayout)
    layout.check()


def as_rules_network(evaluator: Evaluator) -> RulesNetwork | None:
    """Return an evaluator if it is a rules network, which is what learns in lanes; else None."""
    return evaluator if isinstance(evaluator, RulesNetwork) else None
