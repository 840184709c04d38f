"""The best line of a puzzle: against all states one by one, and on real rulesheets."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch

from neurogame.errors import GameError
from neurogame.search.limit import Limit
from neurogame.search.puzzles.line import Line
from neurogame.search.puzzles.luck import played_moves
from neurogame.search.puzzles.needs import Needs
from neurogame.search.puzzles.solver import PuzzleSolver
from neurogame.simulate.game import Game, State
from neurogame.simulate.play_out import play_out
from tests.conftest import shared
from tests.search.puzzles.best_goal import best_goal, end_of

SMALL = ["blocksWorld", "circlesolitaire", "coins", "duplicateStateSmall"]
HARD = ["queens08ug", "hidato19", "pegEuro", "stateSpaceLarge"]
"""Random games hardly ever win these; the highest goal is known to be reached within seconds."""

WAITING = """
(role robot)
(init (step 0)) (init (held 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal robot wait) (true (held ?n)))
(<= (legal robot take) (true (held ?n)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (held ?n)) (true (held ?n)) (does robot wait))
(<= (next (held taken)) (does robot take))
(<= terminal (true (step 4)))
(<= terminal (true (held taken)))
(<= (goal robot 90) (true (held taken)) (true (step 3)))
(<= (goal robot 30) (true (held taken)) (not (true (step 3))))
(<= (goal robot 10) (not (true (held taken))))
"""
"""The move that ends the game is worth most in the third step: what takes longer is no loss."""


@pytest.mark.parametrize("name", SMALL)
def test_what_is_decided_is_the_best_of_all_states(name: str) -> None:
    game = Game.load(shared("games", f"{name}.kif"))
    solver = PuzzleSolver(game)
    found = solver.search(game.initial_state(), 0, Limit())
    assert solver.is_decided
    assert found.proved
    assert round(100 * found.value[0]) == best_goal(game)
    end = end_of(game, tuple(move for (move,) in found.line))
    assert end.is_terminal
    assert end.goals[0] == 100 * found.value[0]


@pytest.mark.parametrize("name", HARD)
def test_real_puzzles_are_solved(name: str) -> None:
    game = Game.load(shared("games", f"{name}.kif"))
    solver = PuzzleSolver(game)
    found = solver.search(game.initial_state(), 0, Limit(nodes=3_000_000))
    end = end_of(game, tuple(move for (move,) in found.line))
    assert end.is_terminal
    assert end.goals == (100.0,)


def test_waiting_may_be_rewarded() -> None:
    game = Game.from_text(WAITING)
    solver = PuzzleSolver(game)
    found = solver.search(game.initial_state(), 0, Limit())
    assert found.value == (0.9,)
    assert solver.is_decided
    assert len(found.line) == 3


def test_a_goal_that_nothing_leads_to_is_not_looked_for_for_ever() -> None:
    game = Game.from_text(WAITING.replace("(true (step 3)))", "(true (step 9)))"))
    solver = PuzzleSolver(game)
    found = solver.search(game.initial_state(), 0, Limit())
    assert found.value == (0.3,)
    assert found.proved


def test_the_same_seed_finds_the_same_line() -> None:
    game = Game.load("pegs")
    lines = []
    for seed in (1, 1, 2):
        solver = PuzzleSolver(game, seed)
        lines.append(solver.search(game.initial_state(), 0, Limit(nodes=30_000)).line)
    assert lines[0] == lines[1]
    assert lines[0] != lines[2]


def test_the_line_is_followed_from_move_to_move_and_left_behind() -> None:
    game = Game.load("eightpuzzle")
    solver = PuzzleSolver(game)
    state = game.initial_state()
    first = solver.search(state, 0, Limit(nodes=100_000))
    assert first.value == (1.0,)
    second = solver.search(state.next([first.move]), 0, Limit(nodes=100_000))
    assert second.line == first.line[1:]
    assert second.nodes == 0
    # Where somebody else has moved, a new line is looked for.
    other = next(move for move in state.legal_moves[0] if move != first.move)
    aside = state.next([other])
    third = solver.search(aside, 0, Limit(nodes=100_000))
    assert third.nodes > 0
    assert end_of(game, tuple(move for (move,) in third.line), aside).is_terminal
    solver.forget()
    assert solver.line is None
    assert not solver.is_decided


def test_without_any_time_a_legal_move_is_found() -> None:
    game = Game.load("pegs")
    state = game.initial_state()
    found = PuzzleSolver(game).search(state, 0, Limit(seconds=1e-9))
    assert found.move in state.legal_moves[0]
    assert not found.proved


def test_several_roles_are_refused() -> None:
    with pytest.raises(GameError, match="tictactoe has 2 roles, a puzzle has one"):
        PuzzleSolver(Game.load("tictactoe"))


@pytest.mark.parametrize("name", ["pegs", "lightsout"])
def test_a_random_game_is_played_again(name: str) -> None:
    game = Game.load(name)
    simulator = game.simulator(backend="auto")
    states = simulator.expand(simulator.initial(1)).states
    states = states.select(torch.arange(len(states)).repeat(40))
    games = play_out(simulator, states, 5)
    for lane in (0, 63, 64, len(states) - 1):
        length = int(games.lengths[lane])
        moves = played_moves(simulator, states, lane, 5, length)
        state = State(game, states.select(torch.tensor([lane])).to_bool()[0])
        end = end_of(game, moves, state)
        assert len(moves) == length
        assert end.is_terminal
        assert end.goals[0] == round(100 * float(games.goals[lane, 0]))


def test_another_seed_is_another_game() -> None:
    game = Game.load("pegs")
    simulator = game.simulator(backend="auto")
    with pytest.raises(GameError, match="cannot be played again"):
        # Longer than any game: no move leads on from its end.
        played_moves(simulator, simulator.initial(64), 0, 5, 60)


def test_lines_are_compared_by_goal_then_by_hope_then_by_length() -> None:
    def rank(goal: int, length: int, *, is_over: bool) -> tuple[int, bool, int]:
        return Line(goal=goal, moves=(0,) * length, is_over=is_over).rank

    assert rank(50, 9, is_over=True) > rank(0, 20, is_over=False)
    assert rank(50, 3, is_over=True) > rank(50, 9, is_over=True)
    assert rank(0, 3, is_over=False) > rank(0, 9, is_over=True)
    assert rank(0, 9, is_over=True) > rank(0, 3, is_over=True)
    # What holds where the game goes on is no goal yet.
    assert rank(90, 3, is_over=False) < rank(10, 3, is_over=True)


def test_what_holds_in_a_game_without_end_is_no_goal() -> None:
    game = Game.from_text(
        "(role robot) (init (on 0)) (legal robot a) (legal robot b)"
        "(<= (next (on ?x)) (true (on ?x))) (<= (next (on 1)) (does robot a))"
        "(<= terminal (true (on 9))) (<= (goal robot 100) (true (on 0)))"
    )
    state = game.initial_state()
    found = PuzzleSolver(game).search(state, 0, Limit())
    assert found.value == (0.0,)
    assert found.move in state.legal_moves[0]


def _narrowed(needs: Needs, game: Game, state: State) -> list[int]:
    legal = game.simulator().status(state.batch)[0].numpy()
    narrow = needs.narrowed(state.fluents[None].numpy(), legal)
    assert not (narrow & ~legal).any()
    return np.flatnonzero(narrow[0]).tolist()


def test_the_cell_with_the_fewest_digits_comes_first() -> None:
    game = Game.load(shared("games", "futoshiki6.kif"))
    needs = Needs(game.circuit)
    state = game.initial_state()
    for _ in range(20):
        texts = [game.moves[0][move] for move in state.legal_moves[0]]
        cells = Counter(t.rpartition(" ")[0] for t in texts if t.startswith("(place"))
        moves = _narrowed(needs, game, state)
        (cell,) = {game.moves[0][move].rpartition(" ")[0] for move in moves}
        assert len(moves) == cells[cell] == min(cells.values())
        state = state.next([moves[0]])


@pytest.mark.parametrize("name", ["pegs", "lightsout", "eightpuzzle"])
def test_some_move_is_always_left(name: str) -> None:
    game = Game.load(name)
    needs = Needs(game.circuit)
    random = np.random.default_rng(3)
    state = game.initial_state()
    while not state.is_terminal and state.legal_moves[0]:
        assert _narrowed(needs, game, state)
        state = state.next([int(random.choice(state.legal_moves[0]))])


def test_a_goal_that_is_no_conjunction_needs_nothing() -> None:
    game = Game.from_text(
        "(role robot) (init (on 0)) (legal robot a) (legal robot b)"
        "(<= (next (on 1)) (does robot a)) (<= (next (on 2)) (does robot b))"
        "(<= terminal (not (true (on 0))))"
        "(<= (goal robot 100) (true (on 1))) (<= (goal robot 0) (not (true (on 1))))"
    )
    needs = Needs(game.circuit)
    assert needs.count == 0
    legal = np.ones((1, 2), np.bool_)
    assert needs.narrowed(np.zeros((1, 3), np.bool_), legal).all()
