"""Two evaluators against each other: wins, draws, losses and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any, final

import numpy as np

from neurogame.evaluators.base import Evaluator
from neurogame.intervals import paired_interval
from neurogame.learn.lockstep_pieces import play_pieces
from neurogame.search.lockstep.counter_random import derive
from neurogame.search.lockstep.lockstep import RANDOM_SEAT, LockstepMatch, MatchPlan
from neurogame.search.openings import NODES, Openings
from neurogame.simulate.game import Game
from neurogame.workers.workplace import Workplace


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
        low: lower end of the 95 % interval of the score, see
            :func:`~neurogame.intervals.paired_interval`; the matches of an opening are a cluster.
        high: upper end of that interval.
        mean_goal: its mean goal, 0..100.
        distinct: number of different matches, by their moves and who made them.
        openings: number of different openings.
        opening_plies: joint moves of each of them.
        unfinished: matches cut off at the ply limit; not counted in ``matches``.
        rival_goal: mean goal of the others' roles in the same matches, 0..100; None with fewer than
            three roles, where it is not counted.
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
    openings: int
    opening_plies: int
    unfinished: int
    rival_goal: float | None = None

    def is_better(self) -> bool:
        """Return whether it did better than the other.

        With up to two roles that is more than half of the points. Of three and more equal players
        each wins but its share, and goals need not exclude each other: there it is a higher goal
        than the others have in the same matches, in which everyone has every role.
        """
        if not self.matches:
            return False
        return self.score > 0.5 if self.rival_goal is None else self.mean_goal > self.rival_goal

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dictionary; without a match some are None."""
        fields = asdict(self).items()
        return {
            name: None if number is None or math.isnan(number) else number
            for name, number in fields
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Comparison:
        """Return what :meth:`to_json` has written."""
        known: dict[str, Any] = {n: math.nan if v is None else v for n, v in values.items()}
        return cls(**known | {"rival_goal": values.get("rival_goal")})

    def text(self) -> str:
        """Return one line for people."""
        if not self.matches:
            return "no match was finished"
        return (
            f"{self.wins} wins, {self.draws} draws, {self.losses} losses: "
            f"{100 * self.score:.1f} % [{100 * self.low:.1f}, {100 * self.high:.1f}], "
            f"{self.matches} matches, {self.distinct} distinct"
        )


def compare(
    game: Game,
    evaluator: Evaluator,
    other: Evaluator | None,
    *,
    matches: int,
    seed: int,
    opening_plies: int = 0,
    opening_nodes: int = NODES,
    max_plies: int = 1000,
    margin: bool = False,
    depth: int = 1,
    stop: Callable[[], bool] = lambda: False,
    workplace: Workplace | None = None,
) -> Comparison:
    """Let an evaluator play another from random openings, in each role once.

    In a game with one role both play it, each with the same seeds, and the goals are compared.
    Where there are fewer openings than needed they are played again with other seeds.

    Args:
        game: the game.
        evaluator: the one whose result is counted.
        other: what it plays against; None moves uniformly at random.
        matches: number of matches, at least 2; best a multiple of the number of roles.
        seed: every random choice follows from it.
        opening_plies: random joint moves at the start of every match, exactly as many; see
            :class:`~neurogame.search.openings.Openings`.
        opening_nodes: how hard to search for openings that are decided; 0: they are not told.
        max_plies: a match is cut off after this many plies.
        margin: see :class:`~neurogame.search.lockstep.lockstep.MatchPlan`.
        depth: plies that both look ahead.
        stop: asked before every ply; once it is true all matches are cut off where they are. Where
            matches take long, some are over before others begin.
        workplace: who helps with matches that take long; None: nobody.
    """
    # Chance has no seat of its own: where it is, matches move at random.
    players, roles = game.players, len(game.players)
    number, rival = np.arange(matches), RANDOM_SEAT if other is None else 1
    seats = np.full((matches, len(game.roles)), rival, np.int64)
    if roles == 1:
        seats[0::2] = 0
    else:
        seats[number, np.array(players)[number % roles]] = 0
    # Matches that differ only in who has which role share their seed.
    pair = number // max(roles, 2)
    openings = Openings(game, opening_plies, seed, nodes=opening_nodes)
    listed = openings.first(int(pair[-1]) + 1)
    begins = np.array(listed, np.int64).reshape(len(listed), openings.plies, len(game.roles))
    plan = MatchPlan(
        evaluators=[evaluator] if other is None else [evaluator, other],
        seats=seats,
        seeds=(derive(seed, pair) >> np.uint64(1)).astype(np.int64),
        openings=begins[pair % len(begins)],
        max_plies=max_plies,
        margin=margin,
        depth=depth,
    )
    played = play_pieces(game, plan, workplace, stop)
    if roles == 1:
        beside = zip_longest(played[0::2], played[1::2])
        counted = [_counted(*both, players[0], players, n) for n, both in enumerate(beside)]
    else:
        counted = []
        for n, match in enumerate(played):
            role = players[n % roles]
            others = [one for one in players if one != role]
            counted.append(_counted(match, match, role, others, n // roles))
    return summarise(counted, openings=len(listed), opening_plies=openings.plies)


@final
@dataclass(frozen=True, kw_only=True)
class Played:
    """A match that a comparison counts.

    Attributes:
        cluster: number of its opening, or of the opening's repetition with other seeds.
        result: 1 win, 0.5 draw, 0 loss, NaN unfinished.
        goal: the goal of whoever is measured, 0..100.
        rivals: mean goal of the others, 0..100; None with fewer than three roles.
        moves: what tells different matches apart: who made which moves.
    """

    cluster: int
    result: float
    goal: float
    rivals: float | None
    moves: bytes


def summarise(played: Sequence[Played], *, openings: int, opening_plies: int) -> Comparison:
    """Count results.

    Args:
        played: the matches.
        openings: number of different openings.
        opening_plies: joint moves of each.
    """
    done = [match for match in played if not math.isnan(match.result)]
    others = [match.rivals for match in done if match.rivals is not None]
    counted = [match.result for match in done]
    clusters: dict[int, list[Played]] = {}
    for match in done:
        clusters.setdefault(match.cluster, []).append(match)
    low, high = paired_interval(
        [[match.result for match in cluster] for cluster in clusters.values()],
        len({tuple(match.moves for match in cluster) for cluster in clusters.values()}),
    )
    count = len(done)
    score = math.fsum(counted) / count if count else float("nan")
    return Comparison(
        matches=count,
        wins=counted.count(1.0),
        draws=counted.count(0.5),
        losses=counted.count(0.0),
        score=score,
        low=low,
        high=high,
        mean_goal=math.fsum(match.goal for match in done) / count if count else float("nan"),
        distinct=len({match.moves for match in played}),
        openings=openings,
        opening_plies=opening_plies,
        unfinished=len(played) - count,
        rival_goal=math.fsum(others) / count if others else None,
    )


def _counted(
    mine: LockstepMatch,
    theirs: LockstepMatch | None,
    role: int,
    others: Sequence[int],
    cluster: int,
) -> Played:
    """Return what a match counts.

    Args:
        mine: the match.
        theirs: in which the goals are that it is compared with; None: there is none.
        role: whose goal counts in the match.
        others: whose goals it is compared with.
        cluster: see :class:`Played`.
    """
    moves = bytes([role]) + mine.moves.tobytes()
    if theirs is None or not (mine.finished and theirs.finished):
        return Played(cluster=cluster, result=math.nan, goal=math.nan, rivals=None, moves=moves)
    goal, goals = float(mine.goals[role]), theirs.goals[list(others)]
    return Played(
        cluster=cluster,
        result=points_against(goal, float(goals.max())),
        goal=100 * goal,
        rivals=100 * float(goals.mean()) if len(others) > 1 else None,
        moves=moves,
    )


def points_against(mine: float, others: float) -> float:
    """Return 1 if the first goal is higher, 0.5 if they are equal, else 0."""
    return 0.5 if mine == others else float(mine > others)
