"""Best play and random play of library games are what calculation and other people found."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from math import prod, sqrt
from typing import TypeVar

import pytest

from neurogame.gdl.library import load_rules
from neurogame.simulate.game import Game
from neurogame.simulate.playouts import playouts
from tests.games.plain_games import PlainGame, Qubic, TicTacToe, numbers, text
from tests.games.plain_mixed_games import (
    EightPuzzle,
    LightsOut,
    Nim,
    Pegs,
    Prisoners,
    RockPaperScissors,
)
from tests.reference.interpreter import ReferenceGame, ReferenceState


def play(name: str, moves: list[str]) -> tuple[bool, tuple[float | None, ...]]:
    """Return whether a game of one role is over after these moves, and its goals."""
    state = Game.load(name).initial_state()
    for move in moves:
        assert not state.is_terminal
        state = state.next([move])
    return state.is_terminal, state.goals


def test_lights_out_needs_five_presses() -> None:
    lights = LightsOut()
    lamps = [(x, y) for x in range(1, 6) for y in range(1, 6)]
    effect = {lamp: lights.next((0, frozenset()), [text("press", *lamp)])[1] for lamp in lamps}
    lit = lights.initial()[1]

    def solutions(presses: int) -> list[tuple[tuple[int, int], ...]]:
        found = []
        for chosen in combinations(lamps, presses):
            dark: frozenset[tuple[int, ...]] = frozenset()
            for lamp in chosen:
                dark = dark ^ effect[lamp]
            if dark == lit:
                found.append(chosen)
        return found

    assert not any(solutions(presses) for presses in range(5))
    (best,) = solutions(5)
    assert play("lightsout", [text("press", *lamp) for lamp in best]) == (True, (100.0,))
    assert not play("lightsout", [text("press", *lamp) for lamp in best[:4]])[0]


def test_eight_puzzle_needs_twelve_moves() -> None:
    puzzle = EightPuzzle()
    start = puzzle.initial()
    reached = {start[1]: list[str]()}
    frontier = [start]
    while (1, 2, 3, 4, 5, 6, 7, 8, 0) not in reached:
        following = []
        for state in frontier:
            for move in puzzle.moves(state)[0]:
                child = puzzle.next(state, [move])
                if child[1] not in reached:
                    reached[child[1]] = [*reached[state[1]], move]
                    following.append(child)
        frontier = following
    moves = reached[1, 2, 3, 4, 5, 6, 7, 8, 0]
    assert len(moves) == 12
    assert play("eightpuzzle", moves) == (True, (100.0,))


def test_pegs_can_be_solved_in_31_jumps() -> None:
    pegs = Pegs()
    seen: set[frozenset[tuple[int, ...]]] = set()

    def solution(state: frozenset[tuple[int, ...]]) -> list[str] | None:
        """Return moves that leave one peg in the middle, found in depth first."""
        if state == {(4, 4)}:
            return []
        if state in seen:
            return None
        seen.add(state)
        for move in pegs.moves(state)[0]:
            rest = solution(pegs.next(state, [move]))
            if rest is not None:
                return [move, *rest]
        return None

    moves = solution(pegs.initial())
    assert moves is not None
    assert len(moves) == 31
    assert play("pegs", moves) == (True, (100.0,))


def test_nim_is_won_exactly_where_the_heaps_do_not_cancel_out() -> None:
    game = ReferenceGame(load_rules("nim"))
    checked = 0

    @cache
    def mover_wins(state: ReferenceState) -> bool:
        nonlocal checked
        texts = [game.text(fluent) for fluent in state]
        mover = int("(control second)" in texts)
        if game.terminal(state):
            wins = game.goals(state, mover) == [100]
        else:
            (idle,) = game.legal(state, 1 - mover)
            joints = [
                (move, idle) if mover == 0 else (idle, move) for move in game.legal(state, mover)
            ]
            replies = [mover_wins(game.next(state, joint)) for joint in joints]
            wins = not all(replies)
        total = 0
        for heap in texts:
            total ^= sum(numbers(heap))
        assert wins == (total != 0)
        checked += 1
        return wins

    assert not mover_wins(game.initial())
    # Of 2 * 2 * 4 * 6 * 8 heaps and movers only a few cannot be reached from the start.
    assert checked > 700


def test_qubic_has_76_lines_of_four_cells() -> None:
    """The rules' naming of lines by three kinds of coordinates names each line once."""
    atoms = Game.load("qubic").circuit.atoms
    parts = [text for text in map(atoms.text, range(len(atoms))) if text.startswith("(has ")]
    assert len(parts) == 2 * len(Qubic().lines) * 4 == 2 * 76 * 4


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
