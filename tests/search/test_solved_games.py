"""Small games are solved: value and best moves agree with independent solvers (row A39)."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game, State
from tests.search.solvers import LineGame, cube_rules, nim_best_moves, nim_is_won

END = Limit(depth=99)
Cells = tuple[int, int]


def _searcher(game: Game, seed: int = 0) -> AlphaBeta:
    settings = SearchSettings(think_when_forced=True)
    evaluator = make_evaluator(game, EvaluatorConfig(kind="cilp"))
    return AlphaBeta(game, evaluator, settings=settings, seed=seed)


def _mover(state: State) -> int:
    """Return who may do anything but noop."""
    noop = [state.game.move_index(role, "noop") for role in state.game.roles]
    return next(r for r, moves in enumerate(state.legal_moves) if moves != (noop[r],))


def _joint(state: State, role: int, move: int) -> list[int]:
    return [move if r == role else moves[0] for r, moves in enumerate(state.legal_moves)]


def _value(search: AlphaBeta, state: State, role: int) -> float:
    """Return a role's value of a state; where only the move is decided, that of what follows."""
    while not state.is_terminal:
        mover = _mover(state)
        found = search.search(state, mover, END)
        if found.proved:
            return found.value[role]
        state = state.next(_joint(state, mover, found.move))
    goal = state.goals[role]
    assert goal is not None
    return goal / 100


def _best_moves(search: AlphaBeta, state: State, role: int) -> set[int]:
    """Return the moves whose successors have the highest value, each searched to the end."""
    values = {
        move: _value(search, state.next(_joint(state, role, move)), role)
        for move in state.legal_moves[role]
    }
    return {move for move, value in values.items() if value == max(values.values())}


def _check(
    game: Game,
    solver: LineGame,
    cell_of: Callable[[str, Cells], int],
    *,
    plies: int,
    count: int,
    sets: int,
) -> None:
    """Compare searches of positions after random moves with a solver."""
    draw, done = random.Random(plies), 0
    search = _searcher(game)
    while done < count:
        state, cells = game.initial_state(), (0, 0)
        for _ in range(plies):
            role = _mover(state)
            move = draw.choice(state.legal_moves[role])
            cell = cell_of(game.moves[role][move], cells)
            state = state.next(_joint(state, role, move))
            cells = (cells[1], cells[0] | 1 << cell)
            if state.is_terminal:
                break
        if state.is_terminal:
            continue
        role = _mover(state)
        found = search.search(state, role, END)
        best = solver.best_moves(*cells)
        assert _value(search, state, role) == (solver.value(*cells) + 1) / 2
        assert not found.proved or found.value[1 - role] == 1 - found.value[role]
        assert cell_of(game.moves[role][found.move], cells) in best
        if done < sets:
            moves = _best_moves(search, state, role)
            assert {cell_of(game.moves[role][move], cells) for move in moves} == best
        done += 1


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.strip("()").split()[1:]]


def _drop(text: str, cells: Cells) -> int:
    cell = _numbers(text)[0] - 1
    while (cells[0] | cells[1]) >> cell & 1:
        cell += 5
    return cell


def _mark_square(text: str, cells: Cells) -> int:
    column, row = _numbers(text)
    return 3 * (row - 1) + column - 1


def _mark(text: str, cells: Cells) -> int:
    return _numbers(text)[0]


def test_tictactoe() -> None:
    game, solver = Game.load("tictactoe"), LineGame((3, 3), 3)
    for plies in (1, 2, 3, 4, 5):
        _check(game, solver, _mark_square, plies=plies, count=12, sets=6)


def test_connect_four_on_five_columns() -> None:
    game, solver = Game.load("connectfour5"), LineGame((5, 4), 4, gravity=True)
    for plies in (8, 10, 12):
        _check(game, solver, _drop, plies=plies, count=12, sets=4)


def test_connect_four_on_five_columns_is_a_draw() -> None:
    game = Game.load("connectfour5")
    found = _searcher(game).search(game.initial_state(), 0, END)
    assert found.proved
    assert found.value == (0.5, 0.5)
    # Either edge loses: found with the solver, which takes too long for a test.
    assert found.move in {game.move_index("red", f"(drop {column})") for column in (2, 3, 4)}
    assert len(found.line) == 20


def test_tictactoe_on_a_cube() -> None:
    game, solver = Game.from_text(cube_rules(), "cube"), LineGame((3, 3, 3), 3)
    found = _searcher(game).search(game.initial_state(), 0, END)
    assert found.proved
    assert found.value == (1.0, 0.0)
    # With best play the first player fills a line with the fourth mark; the middle is the only
    # first move that wins by force.
    assert len(found.line) == found.depth == 7
    assert solver.value(0, 0) == 1
    for plies in (4, 6, 9):
        _check(game, solver, _mark, plies=plies, count=12, sets=3)


def test_nim() -> None:
    game = Game.load("nim")
    search = _searcher(game)
    draw = random.Random(1)
    for _ in range(40):
        heaps = tuple(draw.randint(0, top) for top in (1, 3, 5, 7))
        if sum(heaps) < 2:
            continue
        fluents = [f"(heap {h} {n})" for h, n in zip("abcd", heaps, strict=True)]
        state = game.state([*fluents, "(control first)"])
        found = search.search(state, 0, END)
        assert _value(search, state, 0) == nim_is_won(heaps)
        best = {
            game.move_index("first", f"(leave {'abcd'[heap]} {rest})")
            for heap, rest in nim_best_moves(heaps)
        }
        assert found.move in best
        assert _best_moves(search, state, 0) == best


@pytest.mark.parametrize("seed", range(4))
def test_the_seed_decides_between_equal_moves(seed: int) -> None:
    game = Game.load("tictactoe")
    state = game.initial_state()
    once, again = (_searcher(game, seed).search(state, 0, Limit(depth=4)) for _ in range(2))
    assert once.move == again.move
    assert once.nodes == again.nodes
    assert once.line == again.line
