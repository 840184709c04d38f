"""``neurogame inspect CHECKPOINT --state``: why a state is good or bad."""

from __future__ import annotations

import json

import pytest

from neurogame.cli.main import main
from neurogame.errors import GameError, RulesError
from neurogame.inspect.named_state import named_state
from neurogame.simulate.game import Game
from tests.conftest import REPOSITORY

CHECKPOINT = str(REPOSITORY / "checkpoints" / "tictactoe.pt")


def test_states_have_names() -> None:
    game = Game.load("tictactoe")
    assert named_state(game, "initial") == game.initial_state()
    text = " ".join(game.initial_state().fluent_texts)
    assert named_state(game, text) == game.initial_state()
    four = named_state(game, "random:4:7")
    assert named_state(game, "random:4:7") == four
    assert not four.is_terminal
    assert sum("blank" in text or " b)" in text for text in four.fluent_texts) == 5


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", GameError, "names no state"),
        ("random:x", GameError, "random:PLIES"),
        ("random:-1", GameError, "random:PLIES"),
        ("random:99", GameError, "the longest one"),
        ("(cell 1 1", RulesError, "unmatched opening"),
        ("(cell 7 1 b)", GameError, "no fluent"),
    ],
)
def test_what_is_no_state_is_refused(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        named_state(Game.load("tictactoe"), text)


def test_the_command_says_what_adds_up(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["inspect", CHECKPOINT, "--state", "random:4:1", "--role", "xplayer", "--json"]
    assert main(line) == 0
    found = json.loads(capsys.readouterr().out)["attribution"]
    amounts = sum(own["amount"] for own in found["contributions"])
    assert found["base"] + amounts + found["gap"] == pytest.approx(found["total"])
    assert any(own["holding"] for own in found["contributions"])
    assert main([*line[:-1], "--top", "3"]) == 0
    shown = capsys.readouterr().out
    assert "value for xplayer" in shown
    assert "by the fluents behind them" in shown


def test_two_states_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["inspect", CHECKPOINT, "--state", "random:4:1", "--against", "random:4:2", "--json"]
    assert main(line) == 0
    found = json.loads(capsys.readouterr().out)["attribution"]
    assert found["against"] != found["state"]
    amounts = sum(own["amount"] for own in found["contributions"])
    assert amounts + found["gap"] == pytest.approx(found["total"])


def test_errors_are_said_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", CHECKPOINT, "--state", "nonsense"]) != 0
    assert "error:" in capsys.readouterr().err
    assert main(["inspect", CHECKPOINT, "--state", "initial", "--role", "nobody"]) != 0
    assert "has no role 'nobody'" in capsys.readouterr().err
