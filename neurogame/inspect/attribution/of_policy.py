"""What a learned policy's score of a move is made of: a sum over the fluents that hold."""

from __future__ import annotations

import torch

from neurogame.evaluators.attribution import Attribution
from neurogame.evaluators.measured import Measured
from neurogame.evaluators.policy.policy import LearnedPolicy
from neurogame.inspect.attribution.exact import adds
from neurogame.simulate.game import State


def policy_score(policy: LearnedPolicy, role: int, move: int) -> Measured:
    """Return the score of a move as a number of states."""
    return Measured(
        of=lambda fluents: policy(fluents, role)[:, move],
        unit="logit",
        role=role,
        move=move,
        kind=policy.bias.dtype,
    )


def attribute_policy(policy: LearnedPolicy, state: State, role: int, move: int) -> Attribution:
    """Return the score of a move as the sum that it is, given which hidden units are above 0.

    A unit passes on what fluents excite it by; the difference of two moves' scores is the
    logarithm of the odds between them.

    Args:
        policy: of the state's game.
        state: any state.
        role: whose move.
        move: an index into the role's moves.
    """
    layout = policy.layout
    held = state.fluents[None].to(policy.bias.dtype)
    number = policy.offsets[role] + move
    with torch.no_grad():
        mode = int(layout.mode_of(held)[0])
        embedding = policy.embedding[int(layout.weights[mode])].double()
        seen, bias = layout.seen(held, mode)[0].double(), policy.bias[mode].double()
        active = policy.readout[number].double() * (bias + seen @ embedding > 0)
        target = torch.from_numpy(layout.seen_as[mode]).long()
        per_fluent = torch.where(target >= 0, (embedding @ active)[target.clamp(min=0)], 0.0)
        amounts = per_fluent * state.fluents
        threshold, move_weight = float(bias @ active), float(policy.moves[number])
        total = float(policy(held, role)[0, move])
    others = [
        adds("move", "the move, whatever the state", move_weight),
        adds("threshold", "hidden units' biases", threshold),
    ]
    return policy_score(policy, role, move).attribution(
        state, amounts, method="exact", base=0.0, total=total, others=others
    )
