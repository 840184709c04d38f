"""What knowledge's score of a move is made of: the move's own value, and the state after it."""

from __future__ import annotations

import torch
from torch import Tensor

from neurogame.evaluators.attribution import Attribution
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.evaluators.replies import drawn_replies
from neurogame.inspect.attribution.exact import adds, exact
from neurogame.simulate.game import State
from neurogame.simulate.states import StateBatch

_UNKNOWN = 0.5
"""The value of a state of which nothing has been learned."""


def attribute_knowledge(knowledge: Knowledge, state: State, role: int, move: int) -> Attribution:
    """Return the score of a move as the sum that it is.

    The base is what a state is worth of which nothing is known. The move's own value is one
    contribution; what the value of the state after the move differs from the base by is shared
    among the fluents that hold in it as they add to the log-odds. (For a sum below a sigmoid
    these are its integrated gradients from the state in which nothing holds.) A hidden unit passes
    on what fluents excite it by, and its own bias is a contribution of its own.

    Args:
        knowledge: of the state's game.
        state: in which the move is legal.
        role: whose move.
        move: an index into the role's moves.

    *Reference:* Sharma, Kobti & Goodwin (2008), equations (2) to (4).
    """
    worths, factor = knowledge.shares()
    alone = float(worths[knowledge.offsets[role] + move])
    simulator = state.game.simulator()
    replies = drawn_replies(simulator, state.fluents[None], role, knowledge.config.replies)
    amounts = torch.zeros(len(state.fluents), dtype=torch.float64)
    threshold, goal, share = 0.0, 0.0, factor / len(replies)
    for reply in replies:
        joint = reply.clone()
        joint[:, role] = move
        after = simulator.step(state.batch, joint)
        look = simulator.look(after)
        if knowledge.config.true_goals and bool(look.terminal[0]):
            goal += share * (float(look.goals[0, role]) - _UNKNOWN)
            continue
        by_fluent, bias = _state(knowledge, after, role)
        amounts += share * by_fluent
        threshold += share * bias
    contributions = [
        adds("move", "the move, whatever the state", alone),
        adds("goal", "the goal that it ends with", goal),
        adds("threshold", "hidden units' biases", threshold),
    ]
    then = zip(state.game.fluents, amounts.tolist(), strict=True)
    contributions += [
        adds("fluent", f"then {name}", amount, (n,)) for n, (name, amount) in enumerate(then)
    ]
    legal = torch.zeros(1, len(state.game.moves[role]), dtype=torch.bool)
    legal[0, move] = True
    scores = knowledge.move_scores(state.fluents[None].numpy(), legal.numpy(), role)
    total, base = float(scores[0, move]), factor * _UNKNOWN
    return exact("score", role, total, contributions, amounts.tolist(), move=move, base=base)


def _state(knowledge: Knowledge, states: StateBatch, role: int) -> tuple[Tensor, float]:
    """Return what fluents and biases add to the value of one state beyond that of no knowledge."""
    held = states.to_bool()[0].double()
    with torch.no_grad():
        weights, bias = knowledge.psi[role].double(), 0.0
        if knowledge.inner is not None and knowledge.outer is not None:
            inner, readout = knowledge.inner.weight.double(), knowledge.outer.weight[role].double()
            begin = knowledge.inner.bias.double()
            active = readout * (inner @ held + begin > 0)
            weights = weights + active @ inner
            bias = float(active @ begin) + float(knowledge.outer.bias[role])
        added = weights * held
        odds = added.sum() + bias
        worth = torch.sigmoid(odds) - _UNKNOWN
        # At odds of 0 the slope of the sigmoid is what each adds.
        slope = float(worth / odds) if abs(float(odds)) > 1e-9 else 0.25
    return added * slope, bias * slope
