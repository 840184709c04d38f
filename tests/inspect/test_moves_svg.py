"""Pictures of what moves are worth."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from neurogame.cli.main import main
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.inspect.move_values import MoveValue, move_values
from neurogame.inspect.moves_svg import moves_svg
from neurogame.inspect.named_state import named_state
from neurogame.show.paint import FRAME
from neurogame.simulate.game import Game

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    """Return what is written in a picture."""
    return [own.text or "" for own in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def squares(svg: str, *, frame: bool) -> int:
    """Return how many squares have a frame, or a move."""
    found = ElementTree.fromstring(svg).iter(f"{SVG}rect")
    return sum(
        own.get("stroke") == FRAME if frame else own.get("fill-opacity") is not None
        for own in found
    )


def test_each_move_has_its_value_on_its_square() -> None:
    game = Game.load("connectfour")
    state = named_state(game, "random:9:3")
    evaluator = make_evaluator(game, EvaluatorConfig(kind="cilp"))
    role = next(role for role, own in enumerate(state.legal_moves) if len(own) > 1)
    moves = move_values(evaluator, state)[role]
    svg = moves_svg(state, role, moves, shares=True)
    shown = texts(svg)
    assert shown[0] == f"{game.roles[role]}: value of each move, %"
    for own in moves:
        assert f"{100 * own.value:.0f}" in shown
    assert squares(svg, frame=True) == 1
    assert squares(svg, frame=False) == len(moves) == 7


def test_a_square_shows_the_best_move_and_of_the_squares_the_empty_one() -> None:
    game = Game.load("breakthrough6")
    state = game.initial_state()
    legal = state.legal_moves[0]
    values = [1 - number / len(legal) for number in range(len(legal))]
    moves = tuple(
        MoveValue(move=move, text=game.moves[0][move], value=value)
        for move, value in zip(legal, values, strict=True)
    )
    svg = moves_svg(state, 0, moves, shares=True)
    # All moves lead to the third row, several to one square of it.
    assert squares(svg, frame=False) == 6 < len(legal)
    assert squares(svg, frame=True) == 1


def test_moves_that_change_no_board_are_listed() -> None:
    game = Game.load("prisoners")
    moves = tuple(
        MoveValue(move=move, text=text, value=float(move))
        for move, text in enumerate(game.moves[0])
    )[::-1]
    shown = texts(moves_svg(game.initial_state(), 0, moves, shares=False))
    assert shown[0].endswith("score of each move")
    assert all(any(own.text in line for line in shown) for own in moves)


def test_the_command_draws_what_it_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "moves.svg"
    words = ["inspect", "tictactoe", "--state", "random:3:1", "--svg", str(path)]
    assert main([*words, "--method", "toggling"]) == 0
    capsys.readouterr()
    assert texts(path.read_text())[0] == "oplayer: value of each move, %"
    over = "(cell 1 1 x) (cell 1 2 x) (cell 1 3 x) (cell 2 2 o) (cell 3 2 o) (control oplayer)"
    path.unlink()
    assert main([*words[:2], "--state", over, "--svg", str(path)]) == 1
    assert "the game is over" in capsys.readouterr().err
    assert not path.exists()
