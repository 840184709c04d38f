"""What learns a rules network, and what of it is kept with a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.evaluators.rules_network.unit_images import unit_orbits
from neurogame.kernels.rules_network.learning import Learning, make_learning
from neurogame.learn.lanes.config import LaneConfig
from neurogame.native.struct import array_of

_KEPT = (
    *("errors", "sizes", "moments"),
    *("embedding_gradient", "bias_gradient", "readout_gradient"),
)
_NUMBERS = ("waiting", "steps", "positions")


def learning_of(evaluator: RulesNetwork, config: LaneConfig) -> Learning:
    """Return what changes an evaluator's weights in place, at its beginning.

    Args:
        evaluator: what learns.
        config: its step sizes.
    """
    first = evaluator.first_embedding.numpy(), evaluator.first_bias.numpy()
    return make_learning(
        evaluator.kernel_weights(),
        evaluator.layout.images,
        rate=config.table_rate,
        step_size=config.step_size,
        every=config.step_every,
        outside=evaluator.outside_weights(),
        pull=config.pull,
        classes=unit_orbits(evaluator.layout, *first),
    )


def learning_state(learning: Learning) -> dict[str, Tensor]:
    """Return all that is needed to go on learning, beside the weights."""
    tensors = {name: torch.from_numpy(array_of(learning, name).copy()) for name in _KEPT}
    numbers = [getattr(learning, name) for name in _NUMBERS]
    return tensors | {"numbers": torch.tensor(numbers, dtype=torch.int64)}


def restore_learning(learning: Learning, state: Mapping[str, Tensor]) -> None:
    """Go on where another one of the same evaluator was.

    In older files modes that share weights shared biases and readouts, too. Step sizes of such a
    file do not fit, and are found anew.

    Args:
        learning: changed in place.
        state: what :func:`learning_state` returned.
    """
    if any(array_of(learning, name).shape != state[name].shape for name in _KEPT):
        return
    for name in _KEPT:
        array_of(learning, name)[...] = state[name].numpy()
    for name, number in zip(_NUMBERS, state["numbers"].tolist(), strict=True):
        setattr(learning, name, number)


def widened_state(state: Mapping[str, Tensor], learning: Learning) -> dict[str, Tensor]:
    """Return a state of learning for an evaluator with more units and look-ups, behind the others.

    What learns anew has seen nothing so far; squares of its gradients are taken to be typical.

    Args:
        state: what :func:`learning_state` returned of the smaller one.
        learning: of the larger one; it stays as it is.
    """
    gradients = _KEPT[3:]
    moments: list[Tensor] = []
    for number, kind in enumerate(state["moments"]):
        parts = kind.split([state[name].numel() for name in gradients])
        padded = []
        for part, name in zip(parts, gradients, strict=True):
            known = part.view_as(state[name])
            # Squares that were never seen would make the first steps several times too long.
            typical = known.mean(dim=-1, keepdim=True) if number == 1 else 0.0
            padded.append(_padded(known, array_of(learning, name).shape, typical).flatten())
        moments.append(torch.cat(padded))
    others = {
        name: _padded(state[name], array_of(learning, name).shape)
        for name in _KEPT
        if name != "moments"
    }
    return others | {"moments": torch.stack(moments), "numbers": state["numbers"]}


def _padded(tensor: Tensor, shape: tuple[int, ...], behind: Tensor | float = 0.0) -> Tensor:
    """Return a tensor with more numbers, all alike, behind its last dimension."""
    larger = tensor.new_zeros(shape) + behind
    larger[..., : tensor.shape[-1]] = tensor
    return larger
