"""What learns a rules network, and what of it is kept with a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from neurogame.evaluators.rules_network.evaluator import RulesNetwork
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
    return make_learning(
        evaluator.kernel_weights(),
        evaluator.layout.images,
        rate=config.table_rate,
        step_size=config.step_size,
        every=config.step_every,
        outside=evaluator.outside_weights(),
        pull=config.pull,
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
