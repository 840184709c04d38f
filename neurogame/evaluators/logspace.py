"""Neurons in log space: how far an output is from its lowest and from its highest value.

A bipolar neuron whose literals are mostly false has an output so near its floor that floats
round the difference away, and a network of such neurons rates many different states alike. A
neuron is therefore carried as two logarithms::

    low = log(o - floor)        high = log(ceiling - o)

where floor and ceiling are its outputs when all literals of the network are as false (as true)
as can be. With positive weights ``w``, a literal's own deviations and ``x = x_floor + dx``::

    log dx = logsumexp(log w + low)          of the literals (a negation exchanges low and high)
    low    = log(h(x_floor + dx) - h(x_floor))
           = log 2 + log s(beta x) + log s(-beta x_floor) + log(1 - exp(-beta dx))

with the logistic function ``s``, because ``s(a) - s(b) = s(a) s(-b) (1 - exp(-(a - b)))``; and
``high`` is the mirror image. Nothing is ever the difference of nearly equal numbers.
"""

from __future__ import annotations

import math
from typing import final

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from neurogame.evaluators.plan import NeuronGroup, Plan, Unit

NOTHING = -1e9
"""Logarithm that stands for no deviation at all: the filler that pads short neurons."""

LOG_2 = math.log(2.0)
_SERIES_BELOW = 0.01


def log_one_minus_exp(log_t: Tensor) -> Tensor:
    """Return ``log(1 - exp(-t))`` from ``log t``, exact even where ``t`` underflows.

    Args:
        log_t: logarithm of ``t > 0``; any shape.

    Returns:
        The same shape; its derivative by ``log t`` is ``t / (exp(t) - 1)``, between 0 and 1.
    """
    t = log_t.exp()
    small = t < _SERIES_BELOW
    # log((1 - exp(-t)) / t) = -t/2 + t^2/24 - t^4/2880 + ...
    near_zero = log_t + t * (-0.5 + t * (1.0 / 24.0 - t * t / 2880.0))
    far = torch.log(-torch.expm1(-t.clamp_min(_SERIES_BELOW)))
    return torch.where(small, near_zero, far)


@final
class LogSpaceUnit(Unit):
    """The neuron ``o = h(sum w o + bias)`` by its two log deviations.

    Channel 0 is ``low``, channel 1 ``high``. Edge parameter: ``log(beta w)``, ``w > 0``. Neuron
    parameters: ``beta x_floor`` and ``beta x_ceiling``.
    """

    channels = 2

    def __call__(
        self, children: Tensor, group: NeuronGroup, edges: Tensor, nodes: Tensor
    ) -> Tensor:
        """Return the log deviations ``[n, 2, B]``; see :class:`Unit`."""
        floor, ceiling = nodes[0].unsqueeze(1), nodes[1].unsqueeze(1)
        if group.leaves_only:
            # Leaves are never so near an end that their deviations would have to be logarithms.
            rise = torch.matmul(edges.exp().unsqueeze(1), children).squeeze(2).log()
        else:
            rise = torch.logsumexp(children + edges[None, :, :, None], dim=2)
        up, down = rise.exp()
        # The end that is nearer gives the net input with the smaller rounding error.
        x = torch.where(up < down, floor + up, ceiling - down)
        gap = log_one_minus_exp(rise)
        low = LOG_2 + logsigmoid(x) + logsigmoid(-floor) + gap[0]
        high = LOG_2 + logsigmoid(-x) + logsigmoid(ceiling) + gap[1]
        return torch.stack([low, high], dim=1)

    def leaf_inputs(self, leaves: Tensor) -> Tensor:
        """Return the deviations themselves, for neurons that read nothing but leaves."""
        return leaves.exp()


def leaf_deviations(truth: Tensor, reserve: float) -> Tensor:
    """Return the log deviations of leaves, which are -1 (false) to +1 (true).

    The ends that leaves are measured from lie a little outside: at ``-1 - reserve`` and
    ``1 + reserve``. So no deviation is 0 and no logarithm infinite, while outputs are untouched.

    Args:
        truth: 0..1; ``[K, B]``.
        reserve: positive.

    Returns:
        Filler and leaves; ``[1 + K, 2, B]``.
    """
    both = torch.stack([truth, 1.0 - truth], dim=1)
    leaves = torch.log(2.0 * both + reserve)
    return torch.cat([leaves.new_full((1, 2, truth.shape[1]), NOTHING), leaves])


def log_odds_range(plan: Plan, log_weights: Tensor, ends: Tensor, reserve: float) -> Tensor:
    """Return each neuron's log-odds ``low - high`` with all literals false, and with all true.

    No state lies outside this range; where a fluent is read in both polarities none reaches it.

    Args:
        plan: the groups.
        log_weights: ``log(beta w)`` of each edge; ``[E]``.
        ends: as from :func:`~.net_ends.net_input_ends`; ``[2, U]``.
        reserve: how far beyond -1 and +1 leaves are thought to reach.

    Returns:
        ``[2, U]`` in the dtype of the ends.
    """
    wiring = plan.wiring
    truth = ends.new_tensor([[0.0, 1.0]]).expand(wiring.first_unit_row - 1, 2)
    leaves = _crossed(leaf_deviations(truth, reserve))
    rows = wiring.first_unit_row + torch.arange(wiring.unit_count, device=ends.device)
    units = plan.run(_RangeUnit(), leaves, log_weights, ends, rows, wiring.unit_count)
    both = _crossed(units)
    return (both[:, 0] - both[:, 1]).t()


@final
class _RangeUnit(Unit):
    """The log-space neuron where all literals are false and where all are true.

    The negation of a literal that is false is true: not only the channels are exchanged then
    but also the two cases. Channel 1 therefore holds the cases in reverse order.
    """

    channels = 2

    def __call__(
        self, children: Tensor, group: NeuronGroup, edges: Tensor, nodes: Tensor
    ) -> Tensor:
        """Return log deviations ``[n, 2, 2]``; see :class:`Unit`."""
        straight = torch.stack([children[0], children[1].flip(2)])
        plain = group._replace(leaves_only=False)
        return _crossed(LogSpaceUnit()(straight, plain, edges, nodes))


def _crossed(values: Tensor) -> Tensor:
    """Return ``[n, 2, 2]`` with the two cases of channel 1 exchanged."""
    return torch.stack([values[:, 0], values[:, 1].flip(1)], dim=1)
