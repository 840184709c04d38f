"""The moves of a random game that ended well, found again."""

from __future__ import annotations

import torch

from neurogame.errors import GameError
from neurogame.kernels.playout import GivenLanes
from neurogame.kernels.words.pack import LANES
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch


def played_moves(
    simulator: Simulator, states: StateBatch, lane: int, seed: int, length: int
) -> tuple[int, ...]:
    """Return the moves of one of the games of :func:`~neurogame.simulate.play_out.play_out`.

    Games are a function of the seed, so each ply can be played again.

    Args:
        simulator: of a game of one role.
        states: that were played out, at most 524,288.
        lane: which of them.
        seed: with which they were.
        length: plies of that game.

    Returns:
        Indices within the role's own moves; ``[length]``.

    Raises:
        GameError: no move leads from one state to the next: this is another game's seed or lane.
    """
    word, bit = divmod(lane, LANES)
    kernel = simulator.playout_kernel()
    state = states.select(torch.tensor([lane]))
    numbers = torch.tensor([word])
    moves = []
    for step in range(length):
        # The other lanes play from the same state: what is not wanted must be reachable, too.
        words = torch.where(state.words & 1 != 0, -1, 0)
        given = GivenLanes(words, numbers, seed, step=step, steps=1)
        after = kernel.finish(given).words >> bit & 1
        expansion = simulator.children(state)
        same = (expansion.states.to_bool() == (after[:, 0] != 0)).all(dim=1).nonzero()
        if not len(same):
            raise GameError("a random game cannot be played again: another seed, lane or game")
        moves.append(int(expansion.joint[int(same[0]), 0]))
        state = expansion.states.select(same[0])
    return tuple(moves)
