"""Random games in which features are looked at: at the end, on average, and by phase."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import torch

from neurogame.features.values import FeatureValues
from neurogame.kernels.twin.pack import LANES
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch

PHASES = 4
"""Parts into which a game is divided, by its own length."""

Reals = npt.NDArray[np.float32]


@final
@dataclass(frozen=True, eq=False)
class SeenGames:
    """What features were in a number of random games that ended.

    ``G`` games, ``K`` features, ``R`` roles.

    Attributes:
        results: goals of the roles at the end, 0..1; float32 ``[G, R]``.
        lengths: in plies; int64 ``[G]``.
        ends: features in the last state; float32 ``[G, K]``.
        means: their means over the states looked at, in which a move was made; float32 ``[G, K]``.
        phases: in one random state of each quarter of the game, of those looked at, NaN where
            there is none; float32 ``[PHASES, G, K]``.
        steps: mean square of the difference of features from one state looked at to the next;
            float64 ``[K]``.
        spread: their variance over all these states; float64 ``[K]``.
    """

    results: Reals
    lengths: npt.NDArray[np.int64]
    ends: Reals
    means: Reals
    phases: Reals
    steps: npt.NDArray[np.float64]
    spread: npt.NDArray[np.float64]


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

    Args:
        simulator: of the game.
        features: what is looked at.
        games: how many, rounded up to blocks.
        seed: of all moves and of the states looked at.
        stride: plies between the states looked at, at least 1.
        most: plies after which games are left out.
        block: games at once, a multiple of 64.
    """
    kernel = simulator.playout_kernel()
    for first in range(0, games, block):
        words = simulator.initial(block).words
        numbers = torch.arange(first // LANES, (first + block) // LANES)
        lengths = np.zeros(block, np.int64)
        playing = np.ones(block, np.bool_)
        looks: list[Reals] = []
        active: list[npt.NDArray[np.bool_]] = []
        for ply in range(0, most, stride):
            states = StateBatch(words, block)
            looks.append(features.of(states, simulator.look(states)).numpy())
            active.append(playing.copy())
            end = kernel.finish(words, numbers, seed, step=ply, steps=stride)
            words = end.words
            lengths += end.plies.numpy()[:block]
            playing = StateBatch(end.playing[None], block).to_bool()[:, 0].numpy()
            if not playing.any():
                break
        last = StateBatch(words, block)
        look = simulator.look(last)
        ended = look.terminal.numpy() & (lengths > 0)
        if ended.any():
            ends = features.of(last, look).numpy()
            random = np.random.default_rng((seed & (1 << 63) - 1, first))
            yield _seen(
                np.stack(looks)[:, ended],
                np.stack(active)[:, ended],
                ends[ended],
                look.goals.numpy()[ended].astype(np.float32),
                lengths[ended],
                stride,
                random,
            )


def _seen(
    looks: Reals,
    active: npt.NDArray[np.bool_],
    ends: Reals,
    results: Reals,
    lengths: npt.NDArray[np.int64],
    stride: int,
    random: np.random.Generator,
) -> SeenGames:
    """Return what was seen; ``looks`` is float32 ``[T, G, K]``, ``active`` bool ``[T, G]``."""
    count = active.sum(axis=0)
    weight = active[:, :, None].astype(np.float32)
    means = (looks * weight).sum(axis=0) / count[:, None]
    games = np.arange(len(lengths))
    phases = np.full((PHASES, *ends.shape), np.nan, np.float32)
    for phase in range(PHASES):
        begin = -(-phase * lengths // (PHASES * stride))
        end = -(-(phase + 1) * lengths // (PHASES * stride))
        some = end > begin
        drawn = begin + (random.random(len(lengths)) * np.maximum(end - begin, 1)).astype(np.int64)
        phases[phase, some] = looks[np.minimum(drawn, count - 1)[some], games[some]]
    both = active[1:] & active[:-1]
    moved = (np.square(looks[1:] - looks[:-1]) * both[:, :, None]).sum(axis=(0, 1))
    total = max(int(active.sum()), 1)
    mean = (looks * weight).sum(axis=(0, 1)) / total
    spread = (np.square(looks - mean) * weight).sum(axis=(0, 1)) / total
    return SeenGames(
        results=results,
        lengths=lengths,
        ends=ends,
        means=means.astype(np.float32),
        phases=phases,
        steps=(moved / max(int(both.sum()), 1)).astype(np.float64),
        spread=spread.astype(np.float64),
    )
