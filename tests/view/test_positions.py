"""Positions by the moves that lead to them, and the squares that moves touch."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.errors import GameError
from neurogame.show.board_drawing import place_name
from neurogame.show.layout import find_layout
from neurogame.show.touched import squares_of_moves
from neurogame.simulate.game import Game, State
from neurogame.view import positions as module
from neurogame.view.positions import Positions
from neurogame.view.recorded import Line
from neurogame.view.role_colours import role_colours

GAMES = ("tictactoe", "breakthrough6", "connectfour_simultaneous", "prisoners", "checkers6")


@pytest.fixture(scope="module")
def games() -> dict[str, Game]:
    return {name: Game.load(name) for name in GAMES}


def played(game: Game, choices: list[int]) -> tuple[Line, list[State]]:
    """Return a line of legal moves and its states, made one by one: the slow twin."""
    line: list[tuple[str, ...]] = []
    states = [game.initial_state()]
    for choice in choices:
        state = states[-1]
        if state.is_terminal:
            break
        joint = [own[choice % len(own)] for own in state.legal_moves]
        line.append(tuple(t[m] for t, m in zip(game.moves, joint, strict=True)))
        states.append(state.next(joint))
    return tuple(line), states


@given(st.sampled_from(GAMES), st.lists(st.integers(0, 99), max_size=12))
@settings(max_examples=25)
def test_states_are_those_of_the_game(
    games: dict[str, Game], name: str, choices: list[int]
) -> None:
    line, states = played(games[name], choices)
    positions = Positions(games[name])
    assert positions.states(line) == states
    assert positions.state(line) == states[-1]
    counts = [[len(own) for own in state.legal_moves] for state in states[:-1]]
    assert positions.choices(line) == counts


def test_few_are_kept_and_all_are_found_again(
    games: dict[str, Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_KEPT", 3)
    game = games["breakthrough6"]
    positions = Positions(game)
    lines = [played(game, [seed, *range(8)]) for seed in range(6)]
    for line, states in [*lines, *reversed(lines)]:
        assert positions.states(line) == states
        assert len(positions._states) <= 3


@given(st.sampled_from(GAMES), st.lists(st.integers(0, 99), max_size=8))
@settings(max_examples=25)
def test_moves_touch_what_they_change(
    games: dict[str, Game], name: str, choices: list[int]
) -> None:
    """Compared with one step for each move, in games in which one role has a choice."""
    _, states = played(games[name], choices)
    state = states[-1]
    deciding = [role for role, own in enumerate(state.legal_moves) if len(own) > 1]
    if state.is_terminal or len(deciding) != 1:
        return
    boards = find_layout(state.game).boards
    found = squares_of_moves(state)
    for role, legal in enumerate(state.legal_moves):
        for move in legal:
            if role not in deciding:
                assert found[role][move] == []
                continue
            joint = [own[0] for own in state.legal_moves]
            joint[role] = move
            after = state.next(joint)
            expected = {
                f"{number}/{place_name(place)}"
                for number, board in enumerate(boards)
                for fluent, (place, _) in board.squares.items()
                if bool(after.fluents[fluent]) != bool(state.fluents[fluent])
            }
            assert set(found[role][move]) == expected


def test_of_simultaneous_moves_only_the_own_squares_count(games: dict[str, Game]) -> None:
    state = games["connectfour_simultaneous"].initial_state()
    for own in squares_of_moves(state):
        assert len(own) == 8
        assert len({tuple(squares) for squares in own.values()}) == 8
        assert all(len(squares) <= 2 for squares in own.values())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ([["(mark 1 1)", "noop"], ["(mark 1 1)", "noop"]], "ply 2"),
        ([["(mark 9 9)", "noop"]], "has no move"),
        ([["noop", "noop"]], "not legal"),
    ],
)
def test_illegal_moves_are_named(
    games: dict[str, Game], line: list[list[str]], message: str
) -> None:
    positions = Positions(games["tictactoe"])
    with pytest.raises(GameError, match=message):
        positions.states(positions.line(line))


@pytest.mark.parametrize("given_line", [None, {}, "noop", [["noop"]], [[1, 2]], [[]] * 9999])
def test_what_is_no_line_is_refused(games: dict[str, Game], given_line: object) -> None:
    with pytest.raises(GameError, match="a line is a list"):
        Positions(games["tictactoe"]).line(given_line)


def test_nothing_follows_the_end(games: dict[str, Game]) -> None:
    positions = Positions(games["tictactoe"])
    moves = ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"]
    joint = [(m, "noop") if ply % 2 == 0 else ("noop", m) for ply, m in enumerate(moves)]
    found = positions.describe(tuple(joint))
    assert found["terminal"]
    assert found["goals"] == [100, 0]
    assert found["legal"] == [[], []]
    with pytest.raises(GameError, match="over after 5 plies"):
        positions.state((*joint, ("noop", "noop")))


def test_roles_have_the_colours_of_their_pieces(games: dict[str, Game]) -> None:
    four = role_colours(Game.load("connectfour"))
    # Pieces are coloured in the order of their names, roles stand in their own.
    assert four == ["#e69f00", "#0072b2"]
    for game in games.values():
        colours = role_colours(game)
        assert len(set(colours)) == len(colours) == len(game.roles)
