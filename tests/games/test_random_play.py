"""Random play of library games has the means that exact calculation or other people found."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod, sqrt
from typing import TypeVar

import pytest

from neurogame.simulate.game import Game
from neurogame.simulate.playouts import playouts
from tests.games.plain_games import PlainGame, TicTacToe
from tests.games.plain_other_games import Nim, Prisoners, RockPaperScissors

State = TypeVar("State", bound=Hashable)
Z_BOUND = 4.5
GAMES = 20_000


def random_play(name: str, seed: int) -> tuple[float, list[float]]:
    """Return the mean length and each role's mean goal in 0..1 of many random games."""
    found = playouts(Game.load(name).simulator(), GAMES, seed)
    assert found.cut == 0
    return found.mean_length, [goal / 100 for goal in found.mean_goals]


@dataclass(frozen=True)
class Moments:
    """Expectations over uniformly random play from a state on.

    Attributes:
        length: number of plies left, and its square.
        goals: per role the goal in 0..1, and its square.
    """

    length: tuple[float, float]
    goals: tuple[tuple[float, float], ...]


def exact(game: PlainGame[State]) -> Moments:
    """Return the moments of random play from the start, by visiting every state once."""
    known: dict[State, Moments] = {}

    def value(state: State) -> Moments:
        if state not in known:
            known[state] = visit(state)
        return known[state]

    def visit(state: State) -> Moments:
        result = game.goals(state)
        if result is not None:
            return Moments((0, 0), tuple((g / 100, (g / 100) ** 2) for g in result))
        moves = game.moves(state)
        weight = 1 / prod(map(len, moves))
        children = [value(game.next(state, joint)) for joint in product(*moves)]
        length = sum(child.length[0] for child in children) * weight
        square = sum(child.length[1] for child in children) * weight
        goals = zip(*(child.goals for child in children), strict=True)
        means = tuple((mean(role, 0, weight), mean(role, 1, weight)) for role in goals)
        # E[(n + 1)^2] = E[n^2] + 2 E[n] + 1
        return Moments((length + 1, square + 2 * length + 1), means)

    return value(game.initial())


def mean(pairs: Sequence[tuple[float, float]], which: int, weight: float) -> float:
    """Return the sum of one moment over all children times the weight of each."""
    return sum(pair[which] for pair in pairs) * weight


def z_score(found: float, moments: tuple[float, float]) -> float:
    """Return how many standard errors a mean of all games lies from the exact one."""
    variance = moments[1] - moments[0] ** 2
    if variance < 1e-12:
        return 0.0 if abs(found - moments[0]) < 1e-6 else float("inf")
    return (found - moments[0]) / sqrt(variance / GAMES)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("tictactoe", TicTacToe()),
        ("nim", Nim()),
        ("rockpaperscissors", RockPaperScissors()),
        ("prisoners", Prisoners()),
    ],
)
def test_means_of_random_play_are_the_exact_ones(name: str, plain: PlainGame[State]) -> None:
    moments = exact(plain)
    length, goals = random_play(name, seed=11)
    assert abs(z_score(length, moments.length)) < Z_BOUND
    for goal, pair in zip(goals, moments.goals, strict=True):
        assert abs(z_score(goal, pair)) < Z_BOUND


def test_exact_means_of_tic_tac_toe_are_the_known_ones() -> None:
    """First player 58.49 %, draws 12.70 %, second player 28.81 %."""
    moments = exact(TicTacToe())
    win, draw = 737 / 1260, 8 / 63
    assert moments.goals[0][0] == pytest.approx(win + draw / 2)
    assert moments.goals[1][0] == pytest.approx(1 - win - draw / 2)


@pytest.mark.parametrize(
    ("name", "length", "deviation"),
    # Means and deviations of one game's length, from 300 000 and 60 000 games of another program
    # that plays uniformly random moves (standard errors 0.014 and 0.036).
    [("connectfour", 21.31, 7.38), ("qubic", 35.48, 8.76)],
)
def test_mean_length_of_random_play_is_what_another_program_found(
    name: str, length: float, deviation: float
) -> None:
    found, _ = random_play(name, seed=5)
    assert abs(found - length) < Z_BOUND * deviation * sqrt(1 / GAMES + 1 / 60_000)
