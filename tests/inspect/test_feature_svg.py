"""Pictures of what features count."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from neurogame.cli.main import main
from neurogame.features.candidates import find_candidates
from neurogame.features.feature import Feature
from neurogame.inspect.feature_svg import feature_svg
from neurogame.simulate.game import Game


def named(game: Game, text: str) -> Feature:
    return next(one for one in find_candidates(game) if one.text == text)


def texts(svg: str) -> list[str]:
    found = ElementTree.fromstring(svg)
    return [own.text or "" for own in found.iter("{http://www.w3.org/2000/svg}text")]


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


def test_the_command_draws_what_is_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["features", "tictactoe", "--games", "2048", "--quiet", "--pictures"]
    assert main([*words, str(tmp_path / "new" / "folder")]) == 0
    chosen = int(capsys.readouterr().out.split(" chosen")[0].split(", ")[-1])
    assert len(list((tmp_path / "new" / "folder").glob("*.svg"))) == chosen > 0
    (tmp_path / "file").write_text("")
    assert main([*words, str(tmp_path / "file")]) == 1
    assert "name a folder" in capsys.readouterr().err
