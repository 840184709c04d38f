"""Two evaluators against each other: wins, draws, losses and how sure they are."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, final

import numpy as np
import torch

from neurogame.evaluators.base import Evaluator
from neurogame.intervals import wilson_interval
from neurogame.learn.counter_random import derive
from neurogame.learn.lockstep import RANDOM_SEAT, MatchPlan, play_lockstep
from neurogame.learn.trajectory import Trajectory
from neurogame.simulate.game import Game


@final
@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Result of matches of one evaluator against another.

    Attributes:
        matches: number of finished matches.
        wins: matches in which it had a higher goal than every other role.
        draws: matches in which its goal equalled the highest other goal.
        losses: all other matches.
        score: (wins + draws / 2) / matches, in 0..1.
        low: lower end of the 95 % interval of the score.
        high: upper end of the 95 % interval of the score.
        mean_goal: its mean goal, 0..100.
        distinct: number of different matches, by their moves.
        unfinished: matches cut off at the ply limit; not counted in ``matches``.
    """

    matches: int
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float
    mean_goal: float
    distinct: int
    unfinished: int

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dictionary."""
        return asdict(self)

    def text(self) -> str:
        """Return one line for people."""
        return (
            f"{self.wins} wins, {self.draws} draws, {self.losses} losses: "
            f"{100 * self.score:.1f} % [{100 * self.low:.1f}, {100 * self.high:.1f}]"
        )


def compare(
    game: Game,
    evaluator: Evaluator,
    other: Evaluator | None,
    *,
    matches: int,
    seed: int,
    random_plies: int = 0,
    max_plies: int = 1000,
    margin: bool = False,
    depth: int = 1,
    stop: Callable[[], bool] = lambda: False,
) -> Comparison:
    """Let an evaluator play another, taking the roles in turn.

    In a game with one role both play it, each with the same seeds, and the goals are compared.

    Args:
        game: the game.
        evaluator: the one whose result is counted.
        other: what it plays against; None moves uniformly at random.
        matches: number of matches, at least 2.
        seed: every random choice follows from it.
        random_plies: up to this many random plies at the start, for more distinct matches.
        max_plies: a match is cut off after this many plies.
        margin: see :class:`~neurogame.learn.lockstep.MatchPlan`.
        depth: plies that both look ahead.
        stop: asked before every ply; once it is true all matches are cut off where they are.
    """
    roles = len(game.roles)
    number = np.arange(matches)
    rival = RANDOM_SEAT if other is None else 1
    own = number % (roles if roles > 1 else 2)
    if roles > 1:
        seats = np.where(np.arange(roles)[None, :] == own[:, None], 0, rival)
    else:
        seats = np.where(own[:, None] == 0, 0, rival)
    # Matches that differ only in who has which role share their seed.
    pair = number // max(roles, 2)
    plan = MatchPlan(
        evaluators=[evaluator] if other is None else [evaluator, other],
        seats=seats.astype(np.int64),
        seeds=(derive(seed, pair) >> np.uint64(1)).astype(np.int64),
        epsilon=[0.0] if other is None else [0.0, 0.0],
        random_plies=random_plies,
        max_plies=max_plies,
        margin=margin,
        depth=depth,
    )
    played = play_lockstep(game, plan, stop)
    if roles == 1:
        return summarise(played[0::2], _solo_results(played), [0] * len(played[0::2]))
    results = [_result(t, int(own[i])) for i, t in enumerate(played)]
    return summarise(played, results, [int(role) for role in own])


def summarise(played: list[Trajectory], results: list[float], own: list[int]) -> Comparison:
    """Count results.

    Args:
        played: the matches.
        results: 1 win, 0.5 draw, 0 loss, NaN unfinished; as long as ``played``.
        own: the role whose goals are averaged, per match.
    """
    counted = [result for result in results if not math.isnan(result)]
    goals = [100 * float(t.goals[r]) for t, r in zip(played, own, strict=True) if t.finished]
    count = len(counted)
    score = sum(counted) / count if count else float("nan")
    low, high = wilson_interval(sum(counted), count)
    return Comparison(
        matches=count,
        wins=counted.count(1.0),
        draws=counted.count(0.5),
        losses=counted.count(0.0),
        score=score,
        low=low,
        high=high,
        mean_goal=sum(goals) / len(goals) if goals else float("nan"),
        distinct=count_distinct(played),
        unfinished=len(results) - count,
    )


def count_distinct(played: list[Trajectory]) -> int:
    """Return how many matches differ in their moves."""
    return len({t.moves.numpy().tobytes() for t in played})


def moves_digest(played: list[Trajectory]) -> str:
    """Return a short text that tells apart lists of matches with different moves."""
    digest = hashlib.sha256()
    for match in played:
        digest.update(match.moves.numpy().tobytes() + b"|")
    return digest.hexdigest()[:16]


def _result(trajectory: Trajectory, own: int) -> float:
    if not trajectory.finished:
        return float("nan")
    goals = trajectory.goals
    others = torch.cat([goals[:own], goals[own + 1 :]]).max()
    return _points(float(goals[own]), float(others))


def _solo_results(played: list[Trajectory]) -> list[float]:
    results = []
    for mine, rivals in zip(played[0::2], played[1::2], strict=False):
        done = mine.finished and rivals.finished
        goals = (float(mine.goals[0]), float(rivals.goals[0]))
        results.append(_points(*goals) if done else float("nan"))
    if len(results) < len(played[0::2]):
        results.append(float("nan"))
    return results


def _points(mine: float, others: float) -> float:
    return 0.5 if mine == others else float(mine > others)
