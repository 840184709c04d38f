"""C-IL2P networks that are logically sound and still tell states apart."""

from __future__ import annotations

import math
from typing import final

import torch
from torch import Tensor, nn

from neurogame.circuit.circuit import Circuit
from neurogame.evaluators.activation import PlainUnit, signed_leaves
from neurogame.evaluators.cilp_plain import logical_biases, sound_weights, truth_thresholds
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.goal_networks import WeightedNetworks
from neurogame.evaluators.kernel_networks import KernelNetworks
from neurogame.evaluators.logspace import (
    LogSpaceUnit,
    leaf_deviations,
    log_odds_range,
)
from neurogame.evaluators.net_ends import net_input_ends
from neurogame.evaluators.tables import KernelInputs, UnitTables, log_inputs, plain_inputs
from neurogame.evaluators.wiring import Wiring
from neurogame.kernels.neural.layout import SOUND, Layout
from neurogame.splitmix import seed_word

REACH = 8.0
"""Temperatures are at least such that no state is further than this many below the goal: a
conjunction of a hundred literals must not be rounded to -1 until half of them hold."""


@final
class SoundNetworks(WeightedNetworks):
    """Goal networks with the sound weight of equation (4), evaluated in log space.

    The paper must choose between sound logic (the weight of equation 4) and outputs that tell
    states apart (W = 1). Here each network keeps the sound weights, and its output neuron ``o``
    is read as log-odds between the ends it can reach::

        z = log((o - floor) / (ceiling - o))
        y = tanh((z - z0 + room * soft) / (2 tau) + shift)

    where ``z0`` is the z of ``o = 0``. One more satisfied literal changes ``z`` by about
    ``2 W beta``, which ``tau`` is at first (or more, see :data:`REACH`); literals that matter
    less change it by ever smaller fractions, soon below what float32 resolves. So ``soft``, the
    output of the same network with its weights divided by W (the published setting), is added
    with a ``room`` smaller than the gap in ``z`` between falsity and truth: it orders states
    that the sound network finds alike and never changes what is true. Before training ``y > 0``
    exactly where the goal holds. Weights are ``W exp(rho)`` with a sign fixed by the rules,
    hence every network stays monotone in each of its literals while it is trained.

    Args:
        circuit: the game.
        wiring: neurons and edges.
        config: kind ``"cilp"``.
        seed: of the weight noise.

    Attributes:
        rho: logarithm of each edge's weight relative to W; ``[E]``.
        bias: bias weight of each neuron; ``[U]``.
        log_tau: logarithm of each network's temperature; ``[V]``.
        shift: of each network's squashing, initially 0; ``[V]``.
        log_scale: ``log W`` of each edge; float64 ``[E]``.
        unit_scale: W of each neuron; float64 ``[U]``.
        sign: 1, or -1 for a negated edge; ``[E]``.
        landmarks: z of ``o = 0``, ``o = A_min`` and ``o = -A_min`` as compiled, for each
            network's own neuron; float64 ``[3, V]``.
        room: how far the soft reading may move z; float64 ``[V]``.

    *Reference:* Michulke & Thielscher, section 3.2, equations (1)-(6); the log-space form and
    the readout are this package's.
    """

    log_scale: Tensor
    landmarks: Tensor
    unit_scale: Tensor
    sign: Tensor
    room: Tensor
    edges_are_logarithms = True
    _kind = SOUND

    def __init__(
        self, circuit: Circuit, wiring: Wiring, config: EvaluatorConfig, seed: int
    ) -> None:
        super().__init__(circuit, wiring, config, seed)
        self.beta = config.beta
        self._steep = config.beta / 2.0
        self.detail = config.detail
        scale = sound_weights(wiring, config.alpha, config.beta)
        self.reserve = _reserve(wiring, scale, config.beta)
        generator = torch.Generator().manual_seed(seed_word(seed))
        noise = torch.rand(wiring.edge_count, generator=generator, dtype=torch.float64)
        edge_scale = scale.repeat_interleave(torch.from_numpy(wiring.fan_in))
        sign = torch.from_numpy(1.0 - 2.0 * wiring.negated).float()
        self.register_buffer("log_scale", edge_scale.log(), persistent=False)
        self.register_buffer("unit_scale", scale, persistent=False)
        self.register_buffer("sign", sign, persistent=False)
        self.rho = nn.Parameter(torch.log1p(config.noise * noise / edge_scale).float())
        bias = logical_biases(wiring, config.alpha, scale)
        self.bias = nn.Parameter(bias.float())
        self._ends: tuple[tuple[object, ...], Tensor] | None = None
        self._set_readout(config, scale, edge_scale, bias)

    def _set_readout(
        self, config: EvaluatorConfig, scale: Tensor, edge_scale: Tensor, bias: Tensor
    ) -> None:
        """Set temperatures, shifts and landmarks from the compiled weights."""
        wiring = self.wiring
        unit = torch.from_numpy(wiring.output_row) - wiring.first_unit_row
        constant = unit < 0
        unit = unit.clamp_min(0)
        ends = net_input_ends(self.plan, edge_scale, bias, self.beta, self.reserve)
        reach = log_odds_range(
            self.plan, edge_scale.log() + math.log(self.beta), ends, self.reserve
        )
        thresholds = truth_thresholds(wiring, config.alpha)
        if wiring.unit_count == 0:
            ends, thresholds, scale = torch.ones(2, 1).double(), torch.ones(1), torch.ones(1)
            ends[0] = -1.0
            thresholds, reach = 0.1 * thresholds, ends
        floor, ceiling = torch.tanh(ends[:, unit] / 2.0)
        truth = thresholds[unit].double()
        places = torch.stack([torch.zeros_like(truth), truth, -truth])
        landmarks = torch.log(places - floor) - torch.log(ceiling - places)
        self.register_buffer("landmarks", landmarks, persistent=False)
        gap = torch.minimum(landmarks[1] - landmarks[0], landmarks[0] - landmarks[2])
        self.register_buffer("room", config.detail * gap, persistent=False)
        # The end where the goal is furthest from being reached; a negated goal's is the true end.
        negated = torch.from_numpy(wiring.output_sign) < 0
        furthest = torch.where(negated, reach[1, unit], reach[0, unit])
        tau = torch.maximum(2.0 * self.beta * scale[unit], (furthest - landmarks[0]).abs() / REACH)
        tau = config.temperature * tau
        tau = torch.where(constant, torch.ones_like(tau), tau)
        trained = config.train_readout
        self.log_tau = nn.Parameter(tau.log().float(), requires_grad=trained)
        self.shift = nn.Parameter(torch.zeros(len(tau)), requires_grad=trained)

    @property
    def edges(self) -> nn.Parameter:
        """The logarithm of each edge's weight relative to W; ``[E]``."""
        return self.rho

    def weight(self) -> Tensor:
        """Return the positive weight of each edge; float64 ``[E]``."""
        return torch.exp(self.log_scale.double() + self.rho.double())

    def signed_weights(self) -> Tensor:
        """Return the signed weight of each edge, detached; float64 ``[E]``."""
        return self.sign.double() * self.weight().detach()

    def _channels(self, leaves: Tensor, which: Tensor, units: int) -> Tensor:
        channels = self._deviations(leaves, which, units)
        if self.detail > 0.0:
            channels = torch.cat([channels, self._soft(leaves, which, units)], dim=1)
        return channels

    def _read(self, channels: Tensor, which: Tensor) -> Tensor:
        z = (channels[:, 0] - channels[:, 1]).t()
        if self.detail > 0.0:
            z = z + self.room.to(z.dtype)[which] * channels[:, 2].t()
        return self._squashed(z, which)

    def _readout(self, which: Tensor) -> Tensor:
        room = self.room if self.detail > 0.0 else torch.zeros_like(self.room)
        slope = 0.5 * (-self.log_tau).exp()
        return torch.stack([self.landmarks[0], slope, self.shift, room], dim=1)[which]

    def _kernel_tables(self, layout: Layout) -> tuple[UnitTables, ...]:
        ends = torch.tensor([[0.0, 1.0]])
        log_space = UnitTables(layout, LogSpaceUnit(), leaf_deviations(ends, self.reserve))
        return log_space, UnitTables(layout, PlainUnit(self.beta), signed_leaves(ends))

    def _kernel_inputs(self, kernel: KernelNetworks) -> KernelInputs | None:
        layout, (log_space, soft) = kernel.layout, kernel.tables
        ends = self._net_ends().to(self.rho.dtype)
        deviations = log_inputs(layout, log_space, self._log_weights(), ends)
        if deviations is None:
            return None
        plain = plain_inputs(layout, soft, self._soft_weights(), self._soft_bias())
        return KernelInputs(
            torch.cat([deviations.tables, plain.tables], dim=1),
            torch.cat([deviations.edges, plain.edges]),
            torch.cat([deviations.nodes, plain.nodes]),
            deviations.offsets,
        )

    def _squashed(self, z: Tensor, which: Tensor) -> Tensor:
        zero = self.landmarks[0].to(z.dtype)[which]
        tau = self.log_tau[which].exp()
        return torch.tanh((z - zero) / (2.0 * tau) + self.shift[which])

    def _deviations(self, leaves: Tensor, which: Tensor, units: int) -> Tensor:
        """Return the networks' own neurons in log space; ``[O, 2, B]``."""
        dtype = self.rho.dtype
        inputs = leaf_deviations(self.plan.leaf_truth(leaves, dtype), self.reserve)
        ends, rows = self._net_ends().to(dtype), self.output_row[which]
        return self.plan.run(LogSpaceUnit(), inputs, self._log_weights(), ends, rows, units)

    def _soft(self, leaves: Tensor, which: Tensor, units: int) -> Tensor:
        """Return the output neurons of the same networks at W = 1; ``[O, 1, B]`` in -1..1."""
        inputs = signed_leaves(self.plan.leaf_truth(leaves, self.rho.dtype))
        weights, bias, rows = self._soft_weights(), self._soft_bias(), self.output_row[which]
        return self.plan.run(PlainUnit(self.beta), inputs, weights, bias, rows, units)

    def _log_weights(self) -> Tensor:
        """Return ``log(beta w)`` of each edge; ``[E]``."""
        logarithm = self.log_scale.double() + self.rho.double()
        return logarithm.to(self.rho.dtype) + math.log(self.beta)

    def _soft_weights(self) -> Tensor:
        """Return the signed weight of each edge at W = 1; ``[E]``."""
        return self.sign.to(self.rho.dtype) * self.rho.exp()

    def _soft_bias(self) -> Tensor:
        """Return the bias weight of each neuron at W = 1; ``[1, U]``."""
        return (self.bias / self.unit_scale.to(self.bias.dtype)).unsqueeze(0)

    def _net_ends(self) -> Tensor:
        """Return the ends of the net inputs, kept while no parameter changes."""
        if torch.is_grad_enabled() and (self.rho.requires_grad or self.bias.requires_grad):
            self._ends = None
            return self._computed_ends()
        state = tuple((p.data_ptr(), p._version, p.dtype, p.device) for p in (self.rho, self.bias))
        if self._ends is None or self._ends[0] != state:
            self._ends = (state, self._computed_ends())
        return self._ends[1]

    def _computed_ends(self) -> Tensor:
        bias = self.bias.double()
        return net_input_ends(self.plan, self.weight(), bias, self.beta, self.reserve)


def _reserve(wiring: Wiring, weights: Tensor, beta: float) -> float:
    """Return how far beyond -1 and +1 leaves are thought to reach.

    A neuron of ``n`` false literals then deviates from its floor by ``n W reserve``, at most
    1 / beta: from none to one satisfied literal is about the same step as to the next one.
    """
    products = torch.from_numpy(wiring.largest) * weights
    return 1.0 / (beta * (float(products.max()) if len(products) else 1.0))
