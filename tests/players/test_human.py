"""A person at the terminal: every kind of answer, and the commands play and match."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from neurogame.cli.main import main
from neurogame.players.human import HumanPlayer
from neurogame.players.player import MatchAbandoned
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game


class Terminal:
    """Gives prepared answers and keeps what is shown."""

    def __init__(self, *answers: str) -> None:
        self._answers: Iterator[str] = iter(answers)
        self.shown: list[str] = []

    def read(self, prompt: str) -> str:
        self.shown.append(prompt)
        try:
            return next(self._answers)
        except StopIteration:
            raise EOFError from None

    def write(self, text: str) -> None:
        self.shown.append(text)

    def text(self) -> str:
        return "\n".join(self.shown)


def _choose(game: Game, *answers: str) -> tuple[str, Terminal]:
    terminal = Terminal(*answers)
    player = HumanPlayer(terminal.read, terminal.write)
    player.start(MatchStart(game, 0, 0))
    return game.moves[0][player.choose(game.initial_state(), Limit())], terminal


@pytest.mark.parametrize("answer", ["(mark 2 2)", "mark 2 2", "  ( MARK  2 2 ) ", "Mark 2  2"])
def test_moves_are_understood_as_text(tictactoe: Game, answer: str) -> None:
    move, _ = _choose(tictactoe, answer)
    assert move.lower() == "(mark 2 2)"


def test_moves_are_understood_as_numbers(tictactoe: Game) -> None:
    legal = tictactoe.initial_state().legal_moves[0]
    for number in (1, len(legal)):
        move, terminal = _choose(tictactoe, str(number))
        assert move == tictactoe.moves[0][legal[number - 1]]
        assert f"{number} {move}" in terminal.text()


def test_bad_answers_are_explained_and_asked_again(tictactoe: Game) -> None:
    move, terminal = _choose(
        tictactoe, "", "0", "99", "jump", "noop", "help", "moves", "state", "(mark 1 1)"
    )
    assert move.lower() == "(mark 1 1)"
    shown = terminal.text()
    assert "no move number 0" in shown
    assert "no move number 99; take 1 to 9" in shown
    assert "'jump' is not a move" in shown
    assert "noop is not legal now" in shown
    assert "Type the number of a move" in shown
    assert shown.count("9 (mark 3 3)") == 2


@pytest.mark.parametrize("answers", [("quit",), ("Q",), ()])
def test_leaving(tictactoe: Game, answers: tuple[str, ...]) -> None:
    with pytest.raises(MatchAbandoned):
        _choose(tictactoe, *answers)


def test_forced_moves_are_not_asked(tictactoe: Game) -> None:
    terminal = Terminal()
    player = HumanPlayer(terminal.read, terminal.write)
    player.start(MatchStart(tictactoe, 1, 0))
    state = tictactoe.initial_state()
    assert player.choose(state, Limit()) == state.legal_moves[1][0]


def test_play_command_plays_to_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: "1")
    command = ["play", "tictactoe", "--opponent", "random", "--role", "OPlayer"]
    roles = Game.load("tictactoe").roles
    command[-1] = roles[1].upper()
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert f"You are {roles[1]}" in shown
    assert "The match is over" in shown
    assert any(verdict in shown for verdict in ("You win.", "You lose.", "A draw."))


def test_play_command_at_the_end_of_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def closed(prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", closed)
    assert main(["play", "tictactoe", "--opponent", "random"]) == 0
    assert "You left after 0 moves." in capsys.readouterr().out


def test_match_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["match", "tictactoe", "--players", "alphabeta:cilp-paper,depth=2", "random"]
    command += ["--matches", "6", "--seed", "1", "--opening-plies", "1", "--json"]
    command += ["--record", str(tmp_path / "records")]
    assert main(command) == 0
    shown = capsys.readouterr()
    values = json.loads(shown.out)
    assert values["matches"] == 6
    assert values["players"] == ["alphabeta:cilp-paper,depth=2", "random"]
    assert values["wins"] + values["draws"] + values["losses"] == 6
    assert values["ci95"][0] <= values["win_rate"] <= values["ci95"][1]
    for name in ("scores", "illegal_moves", "timeouts", "distinct_games"):
        assert name in values
    files = sorted((tmp_path / "records").iterdir())
    assert len(files) == 6
    first = json.loads(files[0].read_text())
    assert len(first["states"]) == first["length"] + 1
    assert main([*command[:5], "--quiet", "--matches", "2"]) == 0
    assert "mean goal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--players", "random"], "2 roles"),
        (["--players", "random", "stockfish"], "stockfish"),
        (["--players", "random", "random", "--depth", "0"], "depth=0"),
        (["--players", "random", "random", "--matches", "0"], "matches=0"),
        (["--players", "random", "random", "--play-clock", "-1"], "play_clock"),
    ],
)
def test_match_command_refuses(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["match", "tictactoe", *arguments]) == 1
    shown = capsys.readouterr()
    assert complaint in shown.err
    assert shown.err.startswith("error: ")
    assert shown.out == ""
