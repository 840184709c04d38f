"""``neurogame auto``: a table of what is believed, and the player's own words, without a match."""

from __future__ import annotations

import json

import pytest

from neurogame.cli.main import main
from neurogame.learn.self_teaching import SelfTeaching
from neurogame.players.auto.school import School
from neurogame.players.race import Race
from tests.library import Captured, Patch


@pytest.fixture
def hasty(monkeypatch: Patch) -> None:
    """Let learning and trials take a moment."""

    def learn(self: SelfTeaching, until: float) -> None:
        for _ in range(10):
            self.learn_a_little()

    monkeypatch.setattr(SelfTeaching, "learn", learn)
    monkeypatch.setattr(Race, "run", lambda *_: None)
    monkeypatch.setattr(School, "spend", lambda *_: False)


@pytest.mark.usefixtures("hasty")
def test_it_prints_a_row_for_each_candidate(capsys: Captured) -> None:
    assert main(["auto", "tictactoe", "--clock", "60,0.1", "--quiet"]) == 0
    head, search, tree, plays, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["candidate", "expected", "trials", "believed", "better"]
    assert search.startswith("alphabeta:cilp,refine=")
    assert tree.startswith("mcts:cilp,refine=")
    assert plays.startswith("plays ")
    assert main(["auto", "tictactoe", "--clock", "60,0.1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["game"] == "tictactoe"
    assert told["learned_seconds"] > 0
    assert [set(row) for row in told["candidates"]] == [{"name", *head.split()[1:]}] * 2


def test_one_role_is_solved(capsys: Captured) -> None:
    assert main(["auto", "lightsout", "--clock", "5,1", "--quiet"]) == 0
    assert "plays solve" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--clock", "30"], "--clock 30: two numbers of seconds above 0 are needed"),
        (["--clock", "a,b"], "two numbers of seconds above 0 are needed"),
        (["--clock=-5,1"], "two numbers of seconds above 0 are needed"),
        (["--clock", "5,0"], "two numbers of seconds above 0 are needed"),
        (["--player", "mcts"], "--player mcts: it must be auto"),
    ],
)
def test_what_it_cannot_use_is_refused(options: list[str], message: str, capsys: Captured) -> None:
    assert main(["auto", "tictactoe", *options]) == 1
    assert message in capsys.readouterr().err
