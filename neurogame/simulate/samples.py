"""States of random games with what these games came to: the raw material of training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import final

import numpy as np
import torch
from torch import Tensor

from neurogame.array_types import Int64s
from neurogame.errors import GameError
from neurogame.kernels.playout import GivenLanes
from neurogame.kernels.words.pack import LANES, gather_lanes, unpack, word_count
from neurogame.settings import check_kind, whole
from neurogame.simulate.play_out import BLOCK_WORDS, MAX_PLIES, Ending, GameResults, play_out
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch
from neurogame.splitmix import seed_word


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
    phase: tuple[float, float] = (0.0, 1.0),
    finished: bool = False,
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
        seed: any integer; with ``count``, ``max_plies``, ``games``, ``phase`` and ``finished`` it
            determines the result.
        max_plies: games are cut after this number of plies, at least 1.
        games: number of games, at least 1; None: as many as states, at least 64.
        phase: which part of each game the states are of: from what share of its plies to what
            share, within 0..1; ``(0.75, 1)`` is the last quarter.
        finished: whether games that were cut give no states: their goals are those of nothing.
        threads: threads that share the games, at least 1.
        backend: what plays, see :mod:`~neurogame.kernels.backends`; None: the fastest.

    Raises:
        GameError: an argument is out of its range, or no game has a first move.
    """
    check_kind(simulator, Simulator, "simulator", "game.simulator()")
    count = whole(count, "count")
    if count < 1:
        raise GameError(f"count must be at least 1, not {count}")
    check_phase(phase)
    number = max(LANES, count) if games is None else games
    results = play_out(simulator, number, seed, max_plies, threads=threads, backend=backend)
    lengths = results.lengths.cpu().numpy().astype(np.int64)
    opens = np.ceil(phase[0] * lengths).astype(np.int64)
    states = np.ceil(phase[1] * lengths).astype(np.int64) - opens
    if finished:
        cut = (results.endings == int(Ending.CUT)).cpu().numpy()
        states[cut] = 0
        if cut.all():
            raise GameError(
                f"none of {number} random games ended within {max_plies} plies, so nothing is "
                "known of what their states came to"
            )
    ends = states.cumsum()
    if not ends[-1]:
        raise GameError(
            "the initial state is terminal, a role has no move in it, or no game is long enough to "
            f"have a state in the phase {phase}: there are no states to sample"
        )
    drawn = np.random.default_rng(seed_word(seed)).integers(ends[-1], size=count)
    # Searched in their order, which stays in the cache.
    rising = np.argsort(drawn)
    game = np.empty_like(drawn)
    game[rising] = np.searchsorted(ends, drawn[rising], side="right")
    ply = drawn - (np.append(0, ends)[:-1] - opens)[game]
    kernel = simulator.playout_kernel(backend)

    def after(words: Tensor, numbers: Tensor, step: int, steps: int) -> Tensor:
        """Return the same games a number of plies later."""
        given = GivenLanes(words, numbers, seed, step=step, steps=steps, threads=threads)
        return kernel.finish(given).words

    return SampledStates(
        StateBatch.from_bool(_states_at(simulator, number, game, ply, after)),
        torch.from_numpy(ply).to(simulator.device),
        torch.from_numpy(game).to(simulator.device),
        results,
    )


def check_phase(phase: tuple[float, float]) -> None:
    """Refuse what is no part of a game.

    Raises:
        GameError: these are not two rising shares in 0..1.
    """
    if not isinstance(phase, tuple | list) or not all(isinstance(one, Real) for one in phase):
        raise GameError(f"phase={phase!r}; two shares of a game are needed, such as (0.75, 1)")
    if len(phase) != 2 or not 0 <= phase[0] < phase[1] <= 1:
        raise GameError(f"phase must be two rising shares of a game in 0..1, not {phase}")


def _states_at(
    simulator: Simulator,
    number: int,
    game: Int64s,
    ply: Int64s,
    after: Callable[[Tensor, Tensor, int, int], Tensor],
) -> Tensor:
    """Play a number of games again, and return states of them; bool ``[N, F]``.

    Args:
        simulator: of the game.
        number: of games.
        game: which one each state is of; int64 ``[N]``.
        ply: plies before each; int64 ``[N]``.
        after: words of states, their numbers, the plies that they have come to and the plies to
            go on for -> words of states.
    """
    # By block of games and ply: the order in which the replay comes by.
    plies = int(ply.max()) + 1
    place = game // (LANES * BLOCK_WORDS) * plies + ply
    order = np.argsort(place.astype(np.min_scalar_type(int(place.max()))), kind="stable")
    found, starts = np.unique(place[order], return_index=True)
    parts, now, step = [], -1, 0
    words = numbers = torch.empty(0)
    for at, rows in zip(found.tolist(), np.split(order, starts[1:]), strict=True):
        block, to = divmod(at, plies)
        begin = block * BLOCK_WORDS
        if block > now:
            width = min(BLOCK_WORDS, word_count(number) - begin)
            words, now, step = simulator.initial(LANES * width).words, block, 0
            numbers = torch.arange(begin, begin + width, device=simulator.device)
        if to > step:
            words, step = after(words, numbers, step, to - step), to
        lanes = torch.from_numpy(game[rows] - LANES * begin).to(simulator.device)
        if 8 * len(rows) > LANES * len(numbers):
            parts.append(unpack(words, LANES * len(numbers)).index_select(0, lanes))
        else:
            parts.append(unpack(gather_lanes(words, lanes), len(lanes)))
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return torch.cat(parts).index_select(0, torch.from_numpy(back).to(simulator.device))


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
