"""Uniform playouts of a block's leaves on the fused kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from neurogame.kernels.call_address import call_address
from neurogame.kernels.compiled import uncounted_inlined
from neurogame.kernels.lane_rows import to_lanes
from neurogame.kernels.leaves.bits import first_ones, lowest_bit, mixed
from neurogame.kernels.leaves.block import Block
from neurogame.kernels.llvm.frame import Argument
from neurogame.kernels.random_words import G1

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float32]
_ONE, _G1 = np.uint64(1), np.uint64(G1)
_LOOKS, _BLOCK_END = int(Argument.LOOKS), int(Argument.BLOCK_END)


class Playouts(NamedTuple):
    """The fused playouts of a game and a block of leaves; one per thread.

    Each leaf has ``K`` lanes side by side. ``F`` fluents, ``w`` words of a block of lanes, ``W``
    lane words, a multiple of ``w``.

    Attributes:
        block: the leaves.
        play: address of the function that plays.
        arguments: of that function.
        block_words: ``w``.
        leaves: leaf of each lane; int64 ``[K N]``.
        playouts: ``K``.
        lanes: states to begin with; int64 ``[F, W]``. With ``K = 1`` those of the block.
        base: scrambled seed of each lane word; int64 ``[W]``.
        open: lanes that play; int64 ``[W]``.
        reached: lanes that have reached each goal; int64 ``[G, W]``.
        goals: row in ``reached`` and role of each goal above 0; int64 ``[V, 2]``.
        goal_values: those goals / 100, with several playouts those goals; float32 ``[V]``.
    """

    block: Block
    play: int
    arguments: Integers
    block_words: int
    leaves: Integers
    playouts: int
    lanes: Integers
    base: Integers
    open: Integers
    reached: Integers
    goals: Integers
    goal_values: Reals


@uncounted_inlined
def play_on(playouts: Any, count: int, seed: int, plies: int) -> None:
    """Play the first leaves' states on at random; fills ``values``."""
    block, lanes = playouts.block, count * playouts.playouts
    if playouts.playouts > 1:
        to_lanes(block.states, playouts.leaves, 0, lanes, playouts.lanes)
    words = playouts.block_words
    blocks = (lanes + 64 * words - 1) // (64 * words)
    start = mixed(np.uint64(seed))
    for word in range(blocks * words):
        playouts.base[word] = np.int64(mixed(start + np.uint64(word + 1) * _G1))
        playouts.open[word] = np.int64(first_ones(lanes - 64 * word))
        for row in range(len(playouts.reached)):
            playouts.reached[row, word] = 0
    playouts.arguments[_LOOKS] = plies + 1
    playouts.arguments[_BLOCK_END] = blocks
    call_address(playouts.play, playouts.arguments.ctypes.data)
    _add_goals(playouts, count, lanes)


@uncounted_inlined
def _add_goals(playouts: Any, count: int, lanes: int) -> None:
    """Write the mean goals of each leaf's lanes."""
    block, leaves = playouts.block, playouts.leaves
    block.values[:count] = 0
    for goal in range(len(playouts.goals)):
        row, role = playouts.goals[goal]
        value = playouts.goal_values[goal]
        for word in range((lanes + 63) >> 6):
            rest = np.uint64(playouts.reached[row, word])
            while rest:
                block.values[leaves[64 * word + lowest_bit(rest)], role] += value
                rest &= rest - _ONE
    if playouts.playouts > 1:
        # The sums are whole numbers, so the order of the lanes does not matter.
        for leaf in range(count):
            for role in range(block.values.shape[1]):
                mean = block.values[leaf, role] / (100.0 * playouts.playouts)
                block.values[leaf, role] = np.float32(mean)
