"""States of random games with what these games came to: the raw material of training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.errors import GameError
from neurogame.kernels.words.pack import LANES, gather_lanes, unpack, word_count
from neurogame.simulate.play_out import BLOCK_WORDS, MAX_PLIES, GameResults, play_out
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch


@final
@dataclass(frozen=True, eq=False)
class SampledStates:
    """States in which a move was made in some of a number of random games.

    Attributes:
        states: ``N`` states, in random order.
        plies: number of plies made before each state; int64 ``[N]``.
        games: which game each state is of: the game of this number of ``results``; int64 ``[N]``.
        results: what all games came to that were played.
    """

    states: StateBatch
    plies: Tensor
    games: Tensor
    results: GameResults

    @property
    def outcomes(self) -> Tensor:
        """Goal of each role / 100 at the end of the state's game; float32 ``[N, R]`` in 0..1."""
        return self.results.goals[self.games]

    @property
    def lengths(self) -> Tensor:
        """Plies of the whole game of each state; int32 ``[N]``."""
        return self.results.lengths[self.games]


def sample_games(
    simulator: Simulator,
    count: int,
    seed: int,
    max_plies: int = MAX_PLIES,
    *,
    games: int | None = None,
    threads: int = 1,
    backend: str | None = None,
) -> SampledStates:
    """Play random games and draw some of the states in which a move was made.

    All these states of all games are equally likely, with repetition, so long games give more of
    them. The games are played twice, the second time to collect the states, so only the sampled
    ones are ever held.

    Args:
        simulator: of the game.
        count: number of states to draw, at least 1.
        seed: any integer; with ``count``, ``max_plies`` and ``games`` it determines the result.
        max_plies: games are cut after this number of plies, at least 1.
        games: number of games, at least 1; None: as many as states, at least 64.
        threads: threads that share the games, at least 1.
        backend: what plays, see :mod:`~neurogame.kernels.backends`; None: the fastest.

    Raises:
        GameError: an argument is out of its range, or no game has a first move.
    """
    if count < 1:
        raise GameError(f"count must be at least 1, not {count}")
    number = max(LANES, count) if games is None else games
    results = play_out(simulator, number, seed, max_plies, threads=threads, backend=backend)
    ends = results.lengths.cpu().numpy().cumsum(dtype=np.int64)
    if not ends[-1]:
        raise GameError(
            "the initial state is terminal, or a role has no move in it: there are no states to "
            "sample"
        )
    drawn = np.random.default_rng(seed & (1 << 64) - 1).integers(ends[-1], size=count)
    game = np.searchsorted(ends, drawn, side="right")
    ply = results.lengths.cpu().numpy()[game] - (ends[game] - drawn)
    kernel = simulator.playout_kernel(backend)
    # By block of games and ply: the order in which the replay comes by.
    block = game // (LANES * BLOCK_WORDS)
    order = np.lexsort((ply, block))
    parts = []
    for first in np.unique(block):
        begin = int(first) * BLOCK_WORDS
        width = min(BLOCK_WORDS, word_count(number) - begin)
        words = simulator.initial(LANES * width).words
        numbers = torch.arange(begin, begin + width, device=simulator.device)
        members = order[block[order] == first]
        step = 0
        for at in np.unique(ply[members]):
            if at > step:
                steps = int(at) - step
                end = kernel.finish(words, numbers, seed, step=step, steps=steps, threads=threads)
                words, step = end.words, int(at)
            lanes = torch.from_numpy(game[members[ply[members] == at]] - LANES * begin)
            parts.append(unpack(gather_lanes(words, lanes.to(simulator.device)), len(lanes)))
    back = torch.from_numpy(np.argsort(order)).to(simulator.device)
    return SampledStates(
        StateBatch.from_bool(torch.cat(parts)[back]),
        torch.from_numpy(ply).to(simulator.device),
        torch.from_numpy(game).to(simulator.device),
        results,
    )


def sample_states(
    simulator: Simulator, count: int, seed: int, max_plies: int = MAX_PLIES
) -> StateBatch:
    """Return random states as they occur in random games, in which every role has a move.

    Args:
        simulator: of the game.
        count: number of states, at least 1; they may repeat.
        seed: any integer.
        max_plies: states beyond this ply do not occur.
    """
    return sample_games(simulator, count, seed, max_plies).states
