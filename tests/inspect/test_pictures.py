"""Pictures of what moves are worth, and of what features count."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from neurogame.cli.main import main
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.features.candidates import find_candidates
from neurogame.features.feature import Feature
from neurogame.inspect.feature_svg import feature_svg
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


def named(game: Game, text: str) -> Feature:
    return next(one for one in find_candidates(game) if one.text == text)


def test_every_square_has_its_weight() -> None:
    game = Game.load("breakthrough6")
    way = named(game, "way of (cell * * white) to the goal of white, 0 to 1 each")
    shown = texts(feature_svg(way, game))
    # Five of six ranks count, by a fifth more each; each has six squares.
    for number in ("0.2", "0.4", "0.6", "0.8"):
        assert shown.count(number) == 6
    assert "white: each counts" in shown
    assert not any(text.startswith("black") for text in shown)


def test_what_is_taken_away_is_red() -> None:
    game = Game.load("breakthrough6")
    more = named(game, "number of (cell * * black), less that of white")
    svg = feature_svg(more, game)
    blue, red = (len(re.findall(colour, svg)) for colour in ("#2b6cb0", "#c53030"))
    assert blue == red == 36


def test_squares_of_lines_have_the_number_of_lines() -> None:
    game = Game.load("tictactoe")
    lines = named(game, "open lines of 3 with 2 of (cell * * x)")
    shown = texts(feature_svg(lines, game))
    # Of x and of o, which closes a line: three through a corner, two through an edge, four.
    assert [shown.count(number) for number in ("4",)] == [2]
    assert "x: look-ups that read it" in shown


def test_what_is_on_no_board_is_listed() -> None:
    game = Game.load("bidding_tictactoe")
    coins = next(one for one in find_candidates(game) if "coins" in one.text)
    assert any("facts: (coins" in text for text in texts(feature_svg(coins, game)))
    moves = named(game, "legal moves of x")
    assert any(text.startswith("legal moves: ") for text in texts(feature_svg(moves, game)))


def test_the_command_draws_what_features_it_chooses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["features", "tictactoe", "--games", "2048", "--quiet", "--pictures"]
    assert main([*words, str(tmp_path / "new" / "folder")]) == 0
    chosen = int(capsys.readouterr().out.split(" chosen")[0].split(", ")[-1])
    assert len(list((tmp_path / "new" / "folder").glob("*.svg"))) == chosen > 0
    (tmp_path / "file").write_text("")
    assert main([*words, str(tmp_path / "file")]) == 1
    assert "name a folder" in capsys.readouterr().err
