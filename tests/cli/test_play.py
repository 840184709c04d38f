"""A person plays against the best player that is there, at a level, and may ask why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from neurogame.cli.main import main
from neurogame.gdl.scramble import scramble
from neurogame.gdl.write import rules_text
from neurogame.players.players import make_player
from neurogame.players.random_player import RandomPlayer
from tests.library import Captured, Patch, Refused, load

Play = Callable[..., str]


@pytest.fixture
def played(monkeypatch: Patch, capsys: Captured) -> Play:
    """Play with the answers of a person, and return what is shown."""

    def run(*line: str, answers: tuple[str, ...] = ("quit",)) -> str:
        given = iter(answers)
        monkeypatch.setattr("builtins.input", lambda prompt: next(given))
        assert main(["play", *line]) == 0
        return capsys.readouterr().out

    return run


def test_the_trained_player_of_a_game_is_found_under_other_names_and_tells_why(
    played: Play, tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("other.kif")
    path.write_text(rules_text(scramble(load("tictactoe").rules, 3).rules), encoding="utf-8")
    shown = played(str(path), "--seconds", "0.1", answers=("why", "1", "why", "quit"))
    opponent = "alphabeta:checkpoints/tictactoe.pt"
    assert f"Your opponent: {opponent} (trained for this game)" in shown
    assert f"{opponent} has no move to explain yet" in shown
    assert " played (" in shown
    assert "\nexpected " in shown
    assert "(exact), in log-odds" in shown
    assert ", the best 6 of 8\n" in shown
    assert list(tmp_path.iterdir()) == [tmp_path / path]


@pytest.mark.parametrize(
    ("line", "opponent"),
    [
        ("nim", "auto:prepare=10 (no player of this game comes trained"),
        ("tictactoe --level easy", "mcts:sims=30 (easy"),
        ("tictactoe --level hard", "alphabeta:checkpoints/tictactoe.pt (trained"),
        ("tictactoe --prover", "mcts (plain search"),
    ],
)
def test_who_plays_is_said_in_a_line(
    line: str, opponent: str, played: Play, monkeypatch: Patch
) -> None:
    made: list[str] = []

    def make(text: str, *rest: object) -> RandomPlayer:
        made.append(text)
        return RandomPlayer()

    monkeypatch.setattr(f"{make_player.__module__}.make_player", make)
    first, *_ = played(*line.split()).splitlines()
    assert first.startswith(f"Your opponent: {opponent}")
    assert made == [opponent.partition(" (")[0]]


def test_a_level_is_no_player_string_and_says_the_time(refused: Refused) -> None:
    assert "not with --level easy, which says how long" in refused(
        "play", "tictactoe", "--level", "easy", "--seconds", "2"
    )
    assert "leave one of the two out" in refused(
        "play", "tictactoe", "--level", "hard", "--opponent", "random"
    )
