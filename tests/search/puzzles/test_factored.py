"""Puzzles that fall apart: their factors, lines put together, and what cannot be reached."""

from __future__ import annotations

import random

import pytest

from neurogame.regress.factors import independent_factors
from neurogame.search.limit import Limit
from neurogame.search.puzzles.factored import FactoredSearch
from neurogame.search.puzzles.solver import PuzzleSolver
from neurogame.simulate.game import Game
from tests.conftest import shared
from tests.library import experiment
from tests.search.puzzles.best_goal import best_goal, end_of

WALKS = """
(role robot)
(<= (legal robot (go ?k ?m)) (true (at ?k ?p)) (way ?k ?m ?p ?q))
(<= (moved ?k) (does robot (go ?k ?m)))
(<= (next (at ?k ?q)) (does robot (go ?k ?m)) (true (at ?k ?p)) (way ?k ?m ?p ?q))
(<= (next (at ?k ?p)) (true (at ?k ?p)) (not (moved ?k)))
(<= (goal robot 0) (not won))
"""
"""Tokens that walk, each on a graph of its own."""

CLOCK = """
(init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 6)))
(legal robot wait)
"""
STOP = """
(legal robot stop)
(<= (next over) (does robot stop))
(<= (next over) (true over))
(<= terminal (true over))
"""


def walks(seed: int, *, clock: bool) -> str:
    """Return a game of three random walks whose goals name places of several of them."""
    draw = random.Random(seed)
    places = range(4)
    text = [WALKS, CLOCK if clock else STOP]
    for k in range(3):
        text.append(f"(init (at {k} 0))")
        for number in range(6):
            text.append(f"(way {k} {number} {draw.choice(places)} {draw.choice(places)})")
    for value in (100, 60, 30):
        some = draw.sample(range(3), draw.choice((1, 2, 3)))
        body = " ".join(f"(true (at {k} {draw.choice(places)}))" for k in some)
        text.append(f"(<= (goal robot {value}) {body})")
    text += [f"(<= won (goal robot {value}))" for value in (100, 60, 30)]
    return "\n".join(text)


@pytest.mark.parametrize("clock", [True, False])
@pytest.mark.parametrize("seed", [1, 2, 5, 6, 13, 14])
def test_what_is_put_together_is_true(seed: int, clock: bool) -> None:
    game = Game.from_text(walks(seed, clock=clock))
    best = best_goal(game)
    search = FactoredSearch(game)
    line = search.best(game.initial_state(), -1, lambda: False)
    assert search.bound >= best
    if line is not None:
        end = end_of(game, line.moves)
        assert end.is_terminal
        assert end.goals == (line.goal,)
        assert line.goal <= best
    if search.count > 1:
        assert line is not None
        assert line.goal == best
        # Without a clock all that can be reached is known.
        assert clock or search.bound == best
    assert search.best(game.initial_state(), best, lambda: False) is None


def test_a_game_without_moves_left_is_over_too() -> None:
    text = WALKS + "(<= terminal (true (at 9 9))) (<= won (true (at 0 1)) (true (at 1 1)))"
    text += "(<= (goal robot 100) won)"
    game = Game.from_text(text + "".join(f"(way {k} 0 0 1) (init (at {k} 0))" for k in range(2)))
    search = FactoredSearch(game)
    search.best(game.initial_state(), 0, lambda: False)
    assert search.bound == best_goal(game) == 100


def test_what_reads_another_part_belongs_to_it() -> None:
    def sizes(*more: str) -> list[tuple[int, int, bool]]:
        ways = "".join(f"(way {k} 0 0 1) (init (at {k} 0))" for k in range(3))
        text = WALKS + CLOCK + ways + "(<= won (true (at 0 1)) (true (at 1 1)))" + "".join(more)
        text += "(<= (goal robot 100) won)"
        found = independent_factors(Game.from_text(text).circuit)
        return [(len(factor.fluents), len(factor.moves), factor.matters) for factor in found]

    # No goal reads the third token; wait moves nothing, and the clock is in no factor.
    assert sizes() == [(2, 1, True), (2, 1, True), (2, 1, False)]
    lock = "(<= (legal robot (open)) (true (at 0 1)) (true (at 1 1)))"
    open_ = "(<= (next opened) (does robot (open))) (<= (next opened) (true opened))"
    assert sizes(lock, open_) == [(5, 3, True), (2, 1, False)]
    # What every move changes belongs to all parts.
    assert len(sizes("(<= (next (last ?k)) (does robot (go ?k ?m)))")) == 1


def test_two_eight_puzzles_take_as_many_states_as_one_and_one() -> None:
    game = Game.from_text(experiment("factors").side_by_side(2))
    solver = PuzzleSolver(game)
    # What is stopped begins again.
    solver.ponder(game.initial_state(), 0, lambda: True)
    assert not solver.is_decided
    found = solver.search(game.initial_state(), 0, Limit(nodes=200_000))
    assert solver.is_decided
    assert len(found.line) == 2 * 12
    assert found.nodes < 20_000
    assert end_of(game, tuple(move for (move,) in found.line)).goals == (100.0,)


def test_a_nonogram_is_filled_and_one_that_contradicts_itself_is_found_out() -> None:
    path = shared("games", "nonogram_5x5_1.kif")
    game = Game.load(path)
    search = FactoredSearch(game)
    line = search.best(game.initial_state(), -1, lambda: False)
    assert line is not None
    assert search.nodes == len(game.moves[0])
    assert end_of(game, line.moves).goals == (100.0,)
    # As in nonogram_10x10_1, where a column names its first group twice.
    game = Game.from_text(path.read_text().replace("(col 2 2 1)", "(col 2 1 2)"))
    search = FactoredSearch(game)
    assert search.best(game.initial_state(), 0, lambda: False) is None
    assert search.bound == 0


def test_a_search_ends_where_no_more_can_be_reached() -> None:
    game = Game.from_text(walks(5, clock=False))
    solver = PuzzleSolver(game)
    found = solver.search(game.initial_state(), 0, Limit(nodes=1_000_000))
    assert found.proved
    assert found.value == (best_goal(game) / 100,)
    assert found.value < (1.0,)


def test_it_stops_when_told_to() -> None:
    game = Game.from_text(walks(1, clock=False))
    assert FactoredSearch(game).best(game.initial_state(), -1, lambda: True) is None
