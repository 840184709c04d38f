"""Exact values: the package's own search agrees with a solver that is independent of it."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.arena.exact_positions import move_values, sample_positions
from neurogame.errors import ConfigurationError, GameError
from neurogame.search.exact import Prover
from neurogame.search.openings import Opening, Openings, play_opening
from neurogame.simulate.game import Game, State
from tests.conftest import REPOSITORY
from tests.library import experiment
from tests.library import load as library

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(REPOSITORY / "experiments"))
    from kept_values import ValueKeeping, value_keeping_share


@cache
def known(number: int) -> tuple[Game, Any, list[State], Prover]:
    """Return a solved game, its independent solver, positions, and the package's prover."""
    module = experiment("solved_games")  # It has solvers on bit boards.
    board = module.BOARDS[number]
    game = Game.load(board.game)
    plies = range(9) if number == 0 else range(8, 20, 3)
    return game, module.Solver(board), sample_positions(game, 12, 4, plies), Prover(game)


def solved(number: int, state: State) -> dict[int, float]:
    """Return the value of each move to whoever moves, 0..1, by the independent solver."""
    game, solver, _, _ = known(number)
    mover, own, other = solver.position(state)
    return {
        move: (1 + solver.after(own, other, solver.cell(game.moves[mover][move], own | other))) / 2
        for move in state.legal_moves[mover]
    }


@pytest.mark.parametrize("number", [0, 1])
def test_values_are_those_of_an_independent_solver(number: int) -> None:
    _, _, states, prover = known(number)
    assert len(states) > 40
    values = [move_values(prover, state) for state in states]
    assert values == [solved(number, state) for state in states]
    assert {value for found in values if found for value in found.values()} == {0.0, 0.5, 1.0}


@pytest.mark.parametrize("number", [0, 1])
def test_the_share_is_counted_by_definition(number: int) -> None:
    game, _, states, prover = known(number)
    exact = [solved(number, state) for state in states]
    draw = np.random.default_rng(1)
    played = {state: int(draw.choice(list(v))) for state, v in zip(states, exact, strict=True)}

    def share(choice: dict[State, int]) -> ValueKeeping:
        return value_keeping_share(game, choice.__getitem__, states, prover=prover)

    perfect = share({s: max(v, key=v.__getitem__) for s, v in zip(states, exact, strict=True)})
    assert perfect.share == perfect.telling_share == 1
    worst = share({s: min(v, key=v.__getitem__) for s, v in zip(states, exact, strict=True)})
    assert worst.telling_share == 0
    assert worst.kept == worst.states - worst.telling
    random = share(played)
    kept = [v[played[s]] == max(v.values()) for s, v in zip(states, exact, strict=True)]
    telling = [len(set(v.values())) > 1 for v in exact]
    assert (random.states, random.kept) == (len(states), sum(kept))
    assert random.telling == sum(telling)
    assert random.telling_kept == sum(k and t for k, t in zip(kept, telling, strict=True))
    assert f"{100 * random.share:.1f} %" in random.text()


def test_what_is_not_proved_is_left_out_and_counted() -> None:
    game = Game.load("connectfour")
    short = Prover(game, 5)
    states = [game.initial_state()]
    assert short.value(states[0], 0) is None
    assert not short.is_decided(states[0])
    found = value_keeping_share(game, lambda _: 0, states, prover=short)
    assert (found.states, found.unproved) == (0, 1)


def test_what_takes_the_help_of_others_is_not_decided() -> None:
    meeting = Game.from_text(
        "(role a) (role b) (role c) (init begun) (place p) (place q)"
        "(<= (legal ?r (go ?p)) (role ?r) (place ?p))"
        "(<= (next (at ?r ?p)) (does ?r (go ?p))) (<= terminal (not (true begun)))"
        "(<= met (true (at a ?p)) (true (at b ?p)) (true (at c ?p)))"
        "(<= (goal ?r 100) (role ?r) met) (<= (goal ?r 0) (role ?r) (not met))"
    )
    prover = Prover(meeting)
    assert not prover.is_decided(meeting.initial_state())
    assert prover.value(meeting.initial_state(), 0) is None


def test_states_without_one_chooser_are_refused() -> None:
    game = Game.load("bidding_tictactoe")
    with pytest.raises(GameError, match="exactly one"):
        move_values(Prover(game), game.initial_state())


GAMES = ("tictactoe", "nim", "connectfour5", "bidding_tictactoe", "tictactoe3p", "lightsout")


def positions(game: Game, openings: list[Opening]) -> list[State]:
    return [play_opening(game, opening) for opening in openings]


def every_position(game: Game, plies: int) -> set[State]:
    """Return all positions after so many plies, from the definition."""
    found = {game.initial_state()}
    for _ in range(plies):
        found = {
            state.next(joint)
            for state in found
            if not state.is_terminal
            for joint in itertools.product(*state.legal_moves)
        }
    return {state for state in found if not state.is_terminal}


@settings(max_examples=12)
@given(name=st.sampled_from(GAMES), plies=st.integers(1, 3), seed=st.integers(0, 10**6))
def test_each_leads_to_a_position_of_its_own(name: str, plies: int, seed: int) -> None:
    game = library(name)
    openings = Openings(game, plies, seed, nodes=50)
    found = openings.first(20)
    assert openings.plies == plies
    assert {len(opening) for opening in found} == {plies}
    # ``next`` refuses moves that are not legal.
    reached = positions(game, found)
    assert len(set(reached)) == len(found)
    assert not any(state.is_terminal for state in reached)
    # The same seed gives the same ones, in whatever portions they are asked for.
    again = Openings(game, plies, seed, nodes=50)
    assert [again[number] for number in range(len(found))] == found
    assert again.first(20) == found


@pytest.mark.parametrize(("name", "plies"), [("tictactoe", 1), ("tictactoe", 2), ("nim", 1)])
def test_all_positions_are_found_and_no_more(name: str, plies: int) -> None:
    game = library(name)
    openings = Openings(game, plies, 3, nodes=0)
    found = openings.first(10**6)
    everything = every_position(game, plies)
    assert len(found) == len(everything)
    assert set(positions(game, found)) == everything
    assert f"only {len(everything)} openings of {plies} pl" in openings.note(10**6)
    assert openings.note(len(found)) == ""
    # Who wants more begins again.
    assert openings[len(found)] == found[0]
    assert openings[2 * len(found) + 1] == found[1]


def test_all_openings_are_drawn_equally_often() -> None:
    game = library("tictactoe")
    first = [Openings(game, 1, seed, nodes=0)[0] for seed in range(450)]
    counts = np.unique([opening[0][0] for opening in first], return_counts=True)[1]
    # Chi-square with 8 degrees of freedom: above 26.1 in 0.1 % of cases; the seeds are fixed.
    assert len(counts) == 9
    assert float(((counts - 50.0) ** 2 / 50.0).sum()) < 26.1


def test_decided_positions_are_left_out_and_draws_are_not() -> None:
    game = library("tictactoe")
    openings = Openings(game, 3, 5, nodes=10_000)
    found = openings.first(10**6)
    everything = every_position(game, 3)
    undecided = {state for state in everything if max(solved(0, state).values()) == 0.5}
    assert set(positions(game, found)) == undecided
    assert 0 < openings.decided == len(everything) - len(undecided)
    assert f"{openings.decided} decided openings were left out" in openings.note(10**6)
    assert Openings(game, 4, 3).note(1) == "1 decided opening was left out"
    # What was drawn for later ones is not counted to the first.
    fresh = Openings(game, 3, 5, nodes=10_000)
    assert fresh.note(4) == openings.note(4)


def test_where_everything_is_decided_that_has_to_serve() -> None:
    # Nobody draws at nim.
    game = library("nim")
    openings = Openings(game, 2, 1, nodes=10**6)
    found = openings.first(10**6)
    assert len(found) == openings.decided == len(every_position(game, 2))
    assert openings.are_decided
    assert "all openings are decided already" in openings.note(5)
    assert not Openings(game, 2, 1, nodes=0).are_decided


def test_puzzles_are_never_called_decided() -> None:
    openings = Openings(library("lightsout"), 1, 1, nodes=10**6)
    assert openings.first(3)
    assert openings.decided == 0


def test_they_are_shorter_only_where_no_match_lasts_so_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = library("tictactoe")
    openings = Openings(game, 11, 1)
    assert len(openings[0]) == openings.plies == 8
    # As long as any draw has lasted, at once: not a ply less each time.
    tried: list[int] = []
    begin = Openings._begin

    def noted(self: Openings) -> None:
        tried.append(self.plies)
        begin(self)

    monkeypatch.setattr(Openings, "_begin", noted)
    assert len(Openings(game, 1_000, 1)[0]) == 8
    assert tried == [1_000, 8]
    # Some matches of seven plies are over, and not counted.
    seven = Openings(game, 7, 1, nodes=0)
    assert {len(opening) for opening in seven.first(50)} == {7}
    assert seven.ended > 0


def test_none_and_too_few_plies() -> None:
    game = library("tictactoe")
    openings = Openings(game, 0, 1)
    assert openings.first(5) == [()]
    assert openings[3] == ()
    assert openings.note(5) == ""
    with pytest.raises(ConfigurationError, match="opening_plies=-1"):
        Openings(game, -1, 1)
