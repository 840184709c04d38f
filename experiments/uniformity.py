"""Uniformity of the random moves of a backend, by chi-square, in initial and random states.

Every role must make each of its legal moves equally often in the first ply of many games, and many
lanes that start from the same state must spread over its successors as independent uniform moves
of all roles would::

    python experiments/uniformity.py ../shared/games/*.kif --backend torch

A game's chi-squares and degrees of freedom are added up and turned into a normal variable. The
games pass if none exceeds 6.5, which chance alone does about once in 10^10 games.

*Reference:* Wilson and Hilferty, "The Distribution of Chi-Square" (1931), equation 1.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Int64s
from neurogame.kernels.backend import backend_names
from neurogame.kernels.playout import GivenLanes, PlayoutRun
from neurogame.kernels.words.pack import LANES, word_count
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_games
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch

ALARM = 6.5
"""Normal variable above which a choice counts as biased."""

LEAST = 64
"""Rarer outcomes are counted together until this many are expected: then chi-square is near."""

MOST_CHILDREN = 4096
"""States with more joint moves are left out."""

PLIES = 200
"""Random states are taken from the first plies."""


@final
@dataclass(frozen=True)
class Fit:
    """How counts agree with what was expected.

    Attributes:
        chi_square: sum over all outcomes.
        freedom: degrees of freedom.
    """

    chi_square: float = 0.0
    freedom: int = 0

    def __add__(self, other: Fit) -> Fit:
        """Join independent counts."""
        return Fit(self.chi_square + other.chi_square, self.freedom + other.freedom)

    @property
    def normal(self) -> float:
        """The chi-square as a standard normal variable; 0 without a degree of freedom."""
        if not self.freedom:
            return 0.0
        spread = 2 / (9 * self.freedom)
        ratio = self.chi_square / self.freedom
        return float((ratio ** (1 / 3) - 1 + spread) / math.sqrt(spread))


def fit(counts: Int64s, weights: Int64s) -> Fit:
    """Compare counts with expectations in proportion to weights; both ``[N]``."""
    expected = counts.sum() * weights / weights.sum()
    starts, waiting = [0], 0.0
    for index, number in enumerate(expected.tolist()):
        if waiting >= LEAST and expected[index:].sum() >= LEAST:
            starts.append(index)
            waiting = 0.0
        waiting += number
    found, awaited = np.add.reduceat(counts, starts), np.add.reduceat(expected, starts)
    return Fit(float(((found - awaited) ** 2 / awaited).sum()), len(starts) - 1)


def first_moves(simulator: Simulator, backend: str | None, lanes: int, seed: int) -> Fit:
    """Compare the moves of each role in the first ply of games."""
    plan = PlayoutRun(seed=seed, lanes=lanes, games=lanes, max_plies=1, moves=True)
    made = simulator.playout_kernel(backend).run(plan).made
    assert made is not None
    legal = simulator.status(simulator.initial(1))[0][0].numpy().astype(np.int64)
    assert not made[legal == 0].any(), "a move was made that is not legal"
    total = Fit()
    for begin, end in pairwise(simulator.move_offsets):
        if legal[begin:end].sum() > 1 and made[begin:end].sum():
            total += fit(made[begin:end], legal[begin:end])
    return total


def successors(
    simulator: Simulator, backend: str | None, state: StateBatch, lanes: int, seed: int
) -> Fit:
    """Compare the successors of one state with its children."""
    legal = simulator.status(state)[0]
    counts = [int(legal[0, b:e].sum()) for b, e in pairwise(simulator.move_offsets)]
    if math.prod(counts) > MOST_CHILDREN:
        return Fit()
    children = simulator.expand(state, legal).states.to_bool()
    words = state.to_bool()[0].to(torch.int64)[:, None].neg().repeat(1, word_count(lanes))
    numbers = torch.arange(words.shape[1]) + 1000
    kernel = simulator.playout_kernel(backend)
    end = kernel.finish(GivenLanes(words, numbers, seed, step=1, steps=1))
    after = StateBatch(end.words, LANES * words.shape[1]).to_bool()
    keys, weights = np.unique(_keys(children), return_counts=True)
    found = _keys(after)
    place = np.searchsorted(keys, found).clip(max=len(keys) - 1)
    assert (keys[place] == found).all(), "a state was reached that is no child"
    return fit(np.bincount(place, minlength=len(keys)), weights)


def examine(
    simulator: Simulator, backend: str | None = None, states: int = 4, lanes: int = 16384
) -> Iterator[Fit]:
    """Yield the fits of a game: of the first moves, and of the successors of random states.

    Args:
        simulator: of the game.
        backend: what plays.
        states: number of random states.
        lanes: lanes that start in each state, a multiple of 64.
    """
    yield first_moves(simulator, backend, 4 * lanes, seed=1)
    if simulator.look(simulator.initial(1)).terminal[0]:
        return
    sampled = sample_games(simulator, states, 2, PLIES, backend=backend)
    for index in range(states):
        state = sampled.states.select(torch.tensor([index]))
        yield successors(simulator, backend, state, lanes, seed=3 + index)


def _keys(flags: Tensor) -> Int64s:
    """Return a random 64-bit number per state, the same for the same state; int64 ``[B]``."""
    random = np.random.default_rng(0).integers(-(1 << 63), 1 << 63, flags.shape[1], np.int64)
    # Differences of states are sums of random numbers modulo 2^64.
    keys: Int64s = flags.numpy().astype(np.int64) @ random
    return keys


def main() -> int:
    """Examine the games named on the command line; return 1 if one is biased."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="+")
    parser.add_argument("--backend", choices=backend_names())
    parser.add_argument("--states", type=int, default=4)
    parser.add_argument("--lanes", type=int, default=16384)
    options = parser.parse_args()
    worst = -math.inf
    for name in options.games:
        simulator = Game.load(name).simulator()
        total = sum(examine(simulator, options.backend, options.states, options.lanes), Fit())
        worst = max(worst, total.normal)
        print(f"{name}: {total.normal:6.2f} of {total.freedom:,} degrees of freedom", flush=True)
    print(f"highest {worst:.2f}, alarm {ALARM}")
    return int(worst > ALARM)


if __name__ == "__main__":
    sys.exit(main())
