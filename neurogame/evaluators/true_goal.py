"""State values as search and learning want them: true goals where the game is over."""

from __future__ import annotations

import torch
from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.judges.states import checked_values
from neurogame.settings import check_kind
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch


def state_values(simulator: Simulator, evaluator: Evaluator, states: StateBatch) -> Tensor:
    """Return the goals of terminal states and the evaluator's values of all others.

    Args:
        simulator: of the game; on the device of the states.
        evaluator: of the game; on the same device.
        states: a batch of ``B`` states.

    Returns:
        ``[B, R]`` in 0..1, in role order.

    Raises:
        GameError: the evaluator returns anything else.
        ConfigurationError: one of these is of another kind.
    """
    check_kind(simulator, Simulator, "simulator", "game.simulator()")
    check_kind(states, StateBatch, "states", "state.batch")
    if not callable(evaluator):
        check_kind(evaluator, Evaluator, "evaluator", "checkpoint.evaluator(game)")
    look = simulator.look(states)
    estimates = checked_values(evaluator(states.to_bool()), *look.goals.shape)
    return torch.where(look.terminal[:, None], look.goals.to(estimates.dtype), estimates)
