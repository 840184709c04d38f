"""The result of one random game per state: from the initial state, or from leaves of a search."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from enum import IntEnum
from typing import final

import torch
from torch import Tensor

from neurogame.errors import GameError, NeurogameWarning
from neurogame.kernels.playout import MOST, GivenLanes
from neurogame.kernels.words.pack import LANES, lane_mask, word_count
from neurogame.settings import whole
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch

MAX_PLIES = 1000
"""Default limit of plies of a playout."""

BLOCK_WORDS = 8192
"""Words of states that are played together: memory for 524,288 games, whatever their number."""


class Ending(IntEnum):
    """How a game ends."""

    TERMINAL = 0
    STUCK = 1
    CUT = 2


@final
@dataclass(frozen=True, eq=False)
class GameResults:
    """What each of ``N`` games came to.

    Attributes:
        goals: goal of each role / 100, 0 where there is none, of several the highest; float32
            ``[N, R]`` in 0..1. Where a game is stuck or cut, those of the state reached.
        lengths: plies made; int32 ``[N]``.
        endings: an :class:`Ending`; uint8 ``[N]``.
    """

    goals: Tensor
    lengths: Tensor
    endings: Tensor

    def __len__(self) -> int:
        """Return the number of games, ``N``."""
        return len(self.lengths)


def play_out(
    simulator: Simulator,
    states: StateBatch | int,
    seed: int,
    max_plies: int = MAX_PLIES,
    *,
    threads: int = 1,
    backend: str | None = None,
) -> GameResults:
    """Play each state to the end of its game by random moves, all equally likely.

    Args:
        simulator: of the game.
        states: reachable states, or the number of games from the initial state.
        seed: any integer; with the states and ``max_plies`` it determines the result, and game
            ``i`` does not depend on how many follow it.
        max_plies: games are cut after this number of plies from their states, at least 1.
        threads: threads that share the games, at least 1.
        backend: what plays, see :mod:`~neurogame.kernels.backends`; None: the fastest.

    Raises:
        GameError: there is no state, or an argument is out of its range.
    """
    size = len(states) if isinstance(states, StateBatch) else whole(states, "states")
    max_plies, threads = whole(max_plies, "max_plies"), whole(threads, "threads")
    for name, value in (("states", size), ("max_plies", max_plies), ("threads", threads)):
        if value < 1:
            raise GameError(f"{name} of playouts must be at least 1, not {value}")
    if max_plies > MOST:
        raise GameError(f"max_plies must be at most {MOST}, not {max_plies}")
    kernel = simulator.playout_kernel(backend)
    parts = []
    for begin, count in word_blocks(size):
        words = _block(simulator, states, begin, count)
        numbers = torch.arange(begin, begin + words.shape[1], device=simulator.device)
        end = kernel.finish(GivenLanes(words, numbers, seed, steps=max_plies, threads=threads))
        final = StateBatch(end.words & lane_mask(count, simulator.device), count)
        look = simulator.look(final)
        playing = StateBatch(end.playing[None], count).to_bool()[:, 0]
        endings = torch.full(
            (count,), int(Ending.STUCK), dtype=torch.uint8, device=simulator.device
        )
        endings[playing] = int(Ending.CUT)
        endings[look.terminal] = int(Ending.TERMINAL)
        parts.append((look.goals, end.plies[:count], endings))
    goals, lengths, endings = (torch.cat(part) for part in zip(*parts, strict=True))
    if bool((endings == int(Ending.STUCK)).any()):
        warnings.warn(f"{stuck_message()} (said once)", NeurogameWarning, stacklevel=2)
    return GameResults(goals, lengths, endings)


def word_blocks(size: int) -> list[tuple[int, int]]:
    """Return the first word and the number of games of each block of a number of games."""
    block = LANES * BLOCK_WORDS
    return [(begin // LANES, min(block, size - begin)) for begin in range(0, max(size, 1), block)]


def stuck_message() -> str:
    """Return what a warning says of games that are stuck."""
    return (
        "some role has no legal move in a state that is not terminal; the game stops there with "
        "the goals of that state"
    )


def _block(simulator: Simulator, states: StateBatch | int, begin: int, count: int) -> Tensor:
    """Return the words of one block of games, with states in the lanes beyond them, too."""
    width = word_count(count)
    if not isinstance(states, StateBatch):
        return simulator.initial(LANES * width).words
    simulator.check(states)
    # What is in the unused lanes is played on, and must be a reachable state.
    unused = ~lane_mask(count, simulator.device)
    return states.words[:, begin : begin + width] | (simulator.initial_words & unused)
