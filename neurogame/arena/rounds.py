"""Rounds: matches whose goals are compared, and what the comparison says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from neurogame.learn.comparison import points_against
from neurogame.players.record import MatchRecord
from neurogame.simulate.game import Game


@final
@dataclass(frozen=True)
class Round:
    """Matches whose goals are compared.

    Attributes:
        block: number of the block; rounds of one block have a common seed.
        matches: who sat where, and what happened: one match between all players, or in games
            with one role a match of each.
    """

    block: int
    matches: tuple[tuple[tuple[int, ...], MatchRecord], ...]

    def goals(self, players: Sequence[int]) -> list[float]:
        """Return the goal that each player reached, 0..100.

        Args:
            players: their numbers.
        """
        goals = {
            player: goal
            for seats, record in self.matches
            for player, goal in zip(seats, record.of_players(record.goals), strict=True)
        }
        return [goals[player] for player in players]


def best_goal(game: Game) -> float:
    """Return the highest goal that the rules give to anybody; 100 of games that are proved."""
    if not game.has_circuit:
        return 100
    goals = [value for role in game.players for value, _ in game.circuit.goals[role]]
    return max(goals, default=100)


def outcomes(goals: Sequence[float], best: float = 100) -> list[float]:
    """Return 1 for a win, 0.5 for a draw, 0 for a loss, per player.

    The only highest goal wins and a shared highest one draws; alone, the best goal wins.

    Args:
        goals: goal of each player, 0..100.
        best: highest goal of the game.

    >>> outcomes([50, 70, 70])
    [0.0, 0.5, 0.5]
    """
    if len(goals) == 1:
        return [float(goals[0] >= best)]
    top = max(goals)
    shared = sum(goal == top for goal in goals) > 1
    return [0.0 if goal < top else 0.5 if shared else 1.0 for goal in goals]


def points(goals: Sequence[float], best: float = 100) -> list[float]:
    """Return the mean points of each player against each of the others, 0..1.

    Alone, the best goal gives one point. Between two players points are outcomes.

    Args:
        goals: goal of each player, 0..100.
        best: highest goal of the game.

    >>> points([50, 70, 100])
    [0.0, 0.5, 1.0]
    """
    if len(goals) == 1:
        return outcomes(goals, best)
    others = len(goals) - 1
    # Against itself a player has half a point, which is taken off.
    return [(sum(points_against(mine, goal) for goal in goals) - 0.5) / others for mine in goals]
