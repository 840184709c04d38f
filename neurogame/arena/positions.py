"""Positions of played games with what these games came to: what an evaluator is held against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import torch

from neurogame.array_types import Float64s2, Int64s1
from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.search.lockstep.counter_random import derive
from neurogame.search.lockstep.lockstep import (
    RANDOM_SEAT,
    LockstepMatch,
    MatchPlan,
    play_lockstep,
    replayed,
)
from neurogame.settings import check_kind, whole
from neurogame.simulate.first_state import check_first_state
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from neurogame.splitmix import seed_word


@final
class EndlessGamesError(GameError):
    """No game came to an end, so that there are no outcomes."""


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class PlayedPositions:
    """All states of finished games in which a move was made, game by game, from the first on.

    Attributes:
        states: ``N`` states, none of them terminal.
        games: number of the game that each is of, as they were planned, ascending; int64 ``[N]``.
        plies: joint moves made before each; int64 ``[N]``.
        to_end: joint moves from each to the end of its game, at least 1; int64 ``[N]``.
        outcomes: goal of each role / 100 at the end of the game; float64 ``[N, R]`` in 0..1.
        cut: games that were left out, since they did not end within the limit, or were stopped.
    """

    states: StateBatch
    games: Int64s1
    plies: Int64s1
    to_end: Int64s1
    outcomes: Float64s2
    cut: int

    def __len__(self) -> int:
        """Return the number of positions, ``N``."""
        return len(self.states)

    def select(self, index: Int64s1) -> PlayedPositions:
        """Return some of the positions; ``index`` is int64 ``[K]``, ascending."""
        return PlayedPositions(
            states=self.states.select(torch.from_numpy(index)),
            games=self.games[index],
            plies=self.plies[index],
            to_end=self.to_end[index],
            outcomes=self.outcomes[index],
            cut=self.cut,
        )

    def drawn(self, count: int, seed: int) -> PlayedPositions:
        """Return ``count`` of the positions, or all if there are no more, drawn by the seed."""
        if count >= len(self):
            return self
        index = np.random.default_rng(seed_word(seed)).choice(len(self), count, replace=False)
        return self.select(np.sort(index).astype(np.int64))


def played_positions(
    game: Game,
    evaluator: Evaluator | None,
    *,
    matches: int,
    seed: int,
    epsilon: float = 0.2,
    drawn: Int64s1 | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> PlayedPositions:
    """Play games side by side, one ply ahead for all roles, and return their positions.

    Args:
        game: the game.
        evaluator: plays all roles; None: every move is random.
        matches: number of games, at least 1.
        seed: decides every random choice, at least 0.
        epsilon: chance of a random move instead of the best one, 0..1.
        drawn: random joint moves with which each game begins; int64 ``[matches]``; None: none.
        stop: asked before every ply; once it is true games under way are left out.

    Raises:
        EndlessGamesError: no game ended within the limit, or before it was stopped.
        GameError: no game is asked for, or it is over before it begins.
        ConfigurationError: the evaluator is none, or the number no whole one.
    """
    if evaluator is not None and not callable(evaluator):
        check_kind(evaluator, Evaluator, "evaluator", "checkpoint.evaluator(game)")
    if whole(matches, "matches") < 1:
        raise GameError(f"matches={matches}; at least 1 is needed")
    check_first_state(game, "there are no positions")
    roles = len(game.roles)
    seat = RANDOM_SEAT if evaluator is None else 0
    plan = MatchPlan(
        evaluators=[] if evaluator is None else [evaluator],
        seats=np.full((matches, roles), seat, np.int64),
        seeds=(derive(seed, np.arange(matches)) >> np.uint64(1)).astype(np.int64),
        max_plies=_MOST_PLIES,
        epsilon=epsilon,
        drawn=drawn,
    )
    played = play_lockstep(game, plan, stop)
    done = {n: match for n, match in enumerate(played) if match.finished and match.plies}
    if not done:
        raise EndlessGamesError(
            f"none of {matches} games of {game.name} ended within {_MOST_PLIES} plies, so there "
            "are no outcomes to compare with"
        )
    return _collected(game, done, len(played) - len(done))


def _collected(game: Game, played: dict[int, LockstepMatch], cut: int) -> PlayedPositions:
    """Collect the states of matches in which a move was made."""
    matches = list(played.values())
    lengths = np.array([match.plies for match in matches], np.int64)
    offsets = np.concatenate([[0], lengths.cumsum()])
    held = torch.zeros(int(offsets[-1]), len(game.fluents), dtype=torch.bool)
    for ply, (active, states) in enumerate(replayed(game, matches)):
        going = lengths[active] > ply
        rows = torch.from_numpy(offsets[active[going]] + ply)
        held[rows] = states.to_bool()[torch.from_numpy(going)]
    games = np.repeat(np.arange(len(matches)), lengths)
    plies = np.arange(len(games)) - offsets[games]
    return PlayedPositions(
        states=StateBatch.from_bool(held),
        games=np.array(list(played), np.int64)[games],
        plies=plies.astype(np.int64),
        to_end=(lengths[games] - plies).astype(np.int64),
        outcomes=np.stack([match.goals for match in matches])[games],
        cut=cut,
    )


def values_of(evaluator: Evaluator, states: StateBatch) -> Float64s2:
    """Return an evaluator's values of states; float64 ``[B, R]`` in 0..1."""
    fluents = states.to_bool()
    with torch.no_grad():
        parts = [evaluator(piece).double().numpy() for piece in torch.split(fluents, _PIECE)]
    return np.concatenate(parts)


_PIECE = 4096
"""States that are valued in one piece, which bounds the memory that it takes."""
_MOST_PLIES = 1000
"""Games longer than this are left out."""
