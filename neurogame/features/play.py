"""Random games in which features are looked at: at the end, on average, and by phase."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
import torch

from neurogame.array_types import Bools, Float32s, Float64s, Int64s
from neurogame.features.values import FeatureValues
from neurogame.kernels.playout import GivenLanes
from neurogame.kernels.words.pack import LANES
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.state_rows import rows_of, states_of
from neurogame.simulate.states import StateBatch

PHASES = 4
"""Parts into which a game is divided, by its own length."""

FIRST_BLOCK = 512
"""Games of the first block: fewer take hardly less time, as each step has a cost of its own."""


@final
@dataclass(frozen=True, eq=False)
class SeenGames:
    """What features were in a number of random games that ended.

    ``G`` games, ``K`` features, ``R`` roles.

    Attributes:
        results: goals of the roles at the end, 0..1; float32 ``[G, R]``.
        lengths: in plies; int64 ``[G]``.
        ends: features in the last state; float32 ``[G, K]``.
        phases: in one random state of each quarter of the game, of those looked at, NaN where
            there is none; float32 ``[PHASES, G, K]``.
        means: over the quarters; float32 ``[G, K]``.
        steps: mean square of the difference of features from one state looked at to the next;
            float64 ``[K]``.
        spread: their variance over all states of quarters; float64 ``[K]``.
    """

    results: Float32s
    lengths: Int64s
    ends: Float32s
    phases: Float32s
    means: Float32s
    steps: Float64s
    spread: Float64s


def seen_games(
    simulator: Simulator,
    features: FeatureValues,
    games: int,
    seed: int,
    *,
    stride: int,
    most: int,
    block: int = 4096,
) -> Iterator[SeenGames]:
    """Play random games block by block, and yield what features were in them.

    The first block is small, and each is as large as all before it: whoever has a limit of time can
    stop early. Which games are in which block depends on the arguments alone.

    Args:
        simulator: of the game.
        features: what is looked at.
        games: how many, rounded up to a multiple of 64.
        seed: of all moves and of the states looked at.
        stride: plies between the states looked at, at least 1.
        most: plies after which games are left out.
        block: games at once, at most; a multiple of 64.
    """
    for first, size in block_sizes(games, block):
        lengths = np.zeros(size, np.int64)
        looks = []
        for look in random_looks(simulator, first, size, seed, stride=stride, most=most):
            looks.append(look.words)
            lengths += look.plies
        last = simulator.look(StateBatch(looks[-1], size))
        ended = np.flatnonzero(last.terminal.numpy() & (lengths > 0))
        if len(ended):
            random = np.random.default_rng((seed & (1 << 63) - 1, first))
            drawn = _Drawn.of(lengths[ended], stride, random)
            wanted = np.stack([np.full(len(ended), len(looks) - 1), *drawn.looks])
            rows = rows_of(StateBatch(torch.cat(looks, dim=1), size * len(looks)))
            index = (wanted * size + ended).reshape(-1)
            states = states_of(rows, index, len(looks[0]))
            values = features.of(states, simulator.look(states))
            yield _seen(
                values.reshape(*wanted.shape, -1),
                drawn,
                last.goals.numpy()[ended],
                lengths[ended],
            )


@final
@dataclass(frozen=True, eq=False)
class RandomLook:
    """What random games have come to; ``G`` games.

    Attributes:
        words: their states in lanes; int64 ``[F, ceil(G / 64)]``.
        plies: since the look before; int64 ``[G]``.
        playing: which of them go on; bool ``[G]``.
    """

    words: torch.Tensor
    plies: Int64s
    playing: Bools


def random_looks(
    simulator: Simulator, first: int, size: int, seed: int, *, stride: int, most: int
) -> Iterator[RandomLook]:
    """Play random games side by side, and yield them at the beginning and every few plies.

    Args:
        simulator: of the game.
        first: number of the first game, which decides its moves with the seed; a multiple of 64.
        size: how many, a multiple of 64.
        seed: of all moves.
        stride: plies between looks, at least 1.
        most: plies after which no more are played.
    """
    kernel, words = simulator.playout_kernel(), simulator.initial(size).words
    numbers = torch.arange(first // LANES, (first + size) // LANES)
    yield RandomLook(words, np.zeros(size, np.int64), np.ones(size, np.bool_))
    for ply in range(0, most, stride):
        end = kernel.finish(GivenLanes(words, numbers, seed, step=ply, steps=stride))
        words = end.words
        playing = StateBatch(end.playing[None], size).to_bool()[:, 0].numpy()
        yield RandomLook(words, end.plies.numpy()[:size], playing)
        if not playing.any():
            break


def block_sizes(games: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the first game of each block and its size: 512, 512, 1024, ... games.

    Args:
        games: of all blocks, rounded up to a multiple of 64.
        most: of a block; a multiple of 64.
    """
    first, last = 0, -(-games // LANES) * LANES
    while first < last:
        size = min(max(first, FIRST_BLOCK), most, last - first)
        yield first, size
        first += size


@final
@dataclass(frozen=True, eq=False)
class _Drawn:
    """Which states of ``G`` games are looked at, by the number of the look.

    Attributes:
        phases: one of each quarter; int64 ``[PHASES, G]``.
        there: whether there is one; bool ``[PHASES, G]``.
        before: one that another one follows; int64 ``[G]``.
        followed: whether there is one; bool ``[G]``.
    """

    phases: Int64s
    there: Bools
    before: Int64s
    followed: Bools

    @property
    def looks(self) -> tuple[Int64s, ...]:
        """All looks of all games: at quarters, before and after a step; each int64 ``[G]``."""
        return *self.phases, self.before, self.before + self.followed

    @classmethod
    def of(cls, lengths: Int64s, stride: int, random: np.random.Generator) -> _Drawn:
        """Draw them for games of so many plies."""
        quarter = np.arange(PHASES)[:, None]
        begin = -(-quarter * lengths // (PHASES * stride))
        end = -(-(quarter + 1) * lengths // (PHASES * stride))
        chance = random.random((PHASES + 1, len(lengths)))
        looks = -(-lengths // stride)
        return cls(
            phases=begin + (chance[:PHASES] * (end - begin)).astype(np.int64),
            there=end > begin,
            before=(chance[PHASES] * (looks - 1)).astype(np.int64),
            followed=looks > 1,
        )


def _seen(values: Float32s, drawn: _Drawn, results: Float32s, lengths: Int64s) -> SeenGames:
    """Return what was seen; values are those of the ends and what was drawn, ``[L, G, K]``."""
    ends, phases, before, after = values[0], values[1 : 1 + PHASES], values[-2], values[-1]
    phases[~drawn.there] = np.nan
    states = phases[drawn.there]
    moved = np.square(after - before)
    return SeenGames(
        results=results,
        lengths=lengths,
        ends=ends,
        phases=phases,
        means=np.nanmean(phases, axis=0),
        steps=moved.sum(axis=0, dtype=np.float64) / max(int(drawn.followed.sum()), 1),
        spread=states.var(axis=0, dtype=np.float64),
    )
