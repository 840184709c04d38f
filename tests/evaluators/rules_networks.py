"""Rules networks with random weights, and states of games, for tests."""

from __future__ import annotations

import numpy as np
import torch

from neurogame.array_types import UInt64s
from neurogame.evaluators.rules_network.build import make_rules_network
from neurogame.evaluators.rules_network.config import RulesNetworkConfig
from neurogame.evaluators.rules_network.evaluator import RulesNetwork
from neurogame.graph.lanes import pack_lanes
from neurogame.search.opposition import opposition
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch

SMALL = RulesNetworkConfig(hidden=8, lookups=24, longest=4)


def network_of(
    game: Game, config: RulesNetworkConfig = SMALL, *, seed: int = 0, random: bool = True
) -> RulesNetwork:
    """Return an evaluator of a game, with random weights if asked for."""
    opposed = len(game.roles) == 2 and opposition(game).constant_sum
    found = make_rules_network(game, config, opposed=opposed, seed=seed)
    if random:
        generator = torch.Generator().manual_seed(seed + 1)
        with torch.no_grad():
            for parameter in found.parameters():
                parameter.copy_(0.3 * torch.randn(parameter.shape, generator=generator))
    return found


def states_in_play(game: Game, count: int, seed: int = 0) -> StateBatch:
    """Return states of random games that are not over, in the order in which they were reached."""
    random = np.random.default_rng(seed)
    found: list[torch.Tensor] = []
    state = game.initial_state()
    while len(found) < count:
        if state.is_terminal:
            state = game.initial_state()
            continue
        found.append(state.fluents)
        state = state.next([int(random.choice(own)) for own in state.legal_moves])
    return StateBatch.from_bool(torch.stack(found))


def packed(states: StateBatch) -> UInt64s:
    """Return states as compiled searches take them; uint64 ``[N, Fw]``."""
    return pack_lanes(states.to_bool().numpy())
