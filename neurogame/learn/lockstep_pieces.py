"""Matches of shallow players as pieces of work: some here, the others by workers if it is worth it.

The pieces are the same whoever plays them, and so are the matches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from neurogame.evaluators.base import Evaluator
from neurogame.files import Arrays
from neurogame.learn.lanes.rounds import named_deaths
from neurogame.learn.travelling import Travelling, as_tensors
from neurogame.search.lockstep.lockstep import LockstepMatch, MatchPlan, play_lockstep
from neurogame.simulate.game import Game
from neurogame.workers.workplace import Workplace

_PIECES = 16
_WORTH = 5.0
"""Seconds that the other pieces would take here, up to which they are played at once, which is
quicker, and from which on workers are asked: to begin they ground the rules, and compile."""
_LOOK = 0.2
"""Seconds between two looks whether the matches are to stop."""


def play_pieces(
    game: Game,
    plan: MatchPlan,
    workplace: Workplace | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> list[LockstepMatch]:
    """Play all matches of a plan as :func:`~neurogame.search.lockstep.lockstep.play_lockstep` does.

    Where it takes long, some are over before others begin, and count although there is a stop.

    Args:
        game: the game.
        plan: which matches.
        workplace: who may help; None: nobody.
        stop: asked every now and then; once it is true matches are cut off where they are.

    Raises:
        GameError: a reached state that is not terminal gives a role no legal move.
        LimitError: workers have died over a piece, or their cluster has gone.
    """
    count = len(plan.seeds)
    bounds = np.linspace(0, count, min(_PIECES, count) + 1).astype(int).tolist()
    played: list[LockstepMatch] = []
    for number, (begin, end) in enumerate(pairwise(bounds), start=1):
        begun = time.perf_counter()
        played += play_lockstep(game, _piece(plan, begin, end), stop)
        if (time.perf_counter() - begun) * (len(bounds) - 1 - number) < _WORTH:
            return played + play_lockstep(game, _piece(plan, end, count), stop)
        if workplace is not None and workplace.workers > 1:
            others = [_piece(plan, *piece) for piece in pairwise(bounds[number:])]
            return played + _helped(game, plan, others, workplace, stop)
    return played


def _helped(
    game: Game,
    plan: MatchPlan,
    pieces: Sequence[MatchPlan],
    workplace: Workplace,
    stop: Callable[[], bool],
) -> list[LockstepMatch]:
    """Play pieces of a plan in workers."""
    players = Travelling.of(game, plan.evaluators)
    weights = [_weights(evaluator) for evaluator in plan.evaluators]
    submitted = [
        workplace.executor.submit(_play_part, players, weights, replace(piece, evaluators=()))
        for piece in pieces
    ]
    played: list[LockstepMatch] = []
    with named_deaths():
        for piece, promise in zip(pieces, submitted, strict=True):
            played += _awaited(promise, stop) or play_lockstep(game, piece, lambda: True)
    return played


def _piece(plan: MatchPlan, begin: int, end: int) -> MatchPlan:
    """Return the matches of a plan from one on, before another."""
    return replace(
        plan,
        seats=plan.seats[begin:end],
        seeds=plan.seeds[begin:end],
        openings=None if plan.openings is None else plan.openings[begin:end],
        drawn=None if plan.drawn is None else plan.drawn[begin:end],
    )


def _awaited(
    piece: Future[list[LockstepMatch]], stop: Callable[[], bool]
) -> list[LockstepMatch] | None:
    """Return what a piece has come to; None if all is to stop before."""
    while not wait([piece], _LOOK).done:
        if stop():
            piece.cancel()
            return None
    return None if piece.cancelled() else piece.result()


def _weights(evaluator: Evaluator) -> Arrays:
    """Return the weights of an evaluator as plain arrays."""
    return {name: part.detach().numpy() for name, part in evaluator.state_dict().items()}


def _play_part(
    players: Travelling, weights: Sequence[Arrays], plan: MatchPlan
) -> list[LockstepMatch]:
    """Play the matches of a plan, in a worker."""
    evaluators = _rebuilt(players)
    for evaluator, arrays in zip(evaluators, weights, strict=True):
        evaluator.load_state_dict(as_tensors(arrays))
    return play_lockstep(players.game(), replace(plan, evaluators=evaluators))


@lru_cache(maxsize=1)
def _rebuilt(players: Travelling) -> list[Evaluator]:
    """Return the evaluators, which a worker keeps for the next piece."""
    return players.evaluators()
