"""A person is told what takes seconds before a match, unless they want quiet."""

from __future__ import annotations

import io
import sys
import time

import pytest

from neurogame.cli.main import main
from neurogame.files import cache_folder
from neurogame.terminal import Terminal
from neurogame.waiting import during, listen, say

MATCH = ["match", "tictactoe", "--matches", "1", "--players"]


@pytest.mark.parametrize(
    ("player", "told"),
    [
        ("alphabeta:features,depth=1", "random games for the weights"),
        ("mcts:features,gate=0.1,sims=2", "trials of its uses"),
        ("mcts:features,gate=0.1,sims=2", "evaluator: "),
        ("alphabeta:cilp,depth=1,refine=0.1", "refined by self-play"),
        ("auto:prepare=0.1,nodes=10", "looks for the player that suits"),
        ("heuristic:depth=1", "rank heuristics"),
    ],
)
def test_what_takes_seconds_is_told(
    player: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = cache_folder()
    assert folder is not None
    # What is known from earlier starts is not played again.
    for path in folder.glob("feature-sums-*"):
        path.unlink(missing_ok=True)
    assert main([*MATCH, player, "random"]) == 0
    assert told in capsys.readouterr().err
    assert main([*MATCH, player, "random", "--quiet"]) == 0
    assert told not in capsys.readouterr().err


class Clock:
    """Three seconds have passed at the first look, more than expected at the others."""

    def __init__(self) -> None:
        self.looks = 0

    def monotonic(self) -> float:
        self.looks += 1
        return (0.0, 3.0, 60.0)[min(self.looks, 3) - 1]


def test_a_bar_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurogame.terminal._GLANCE", 0.001)
    monkeypatch.setattr("neurogame.terminal.time", Clock())
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", shown)
    listen(Terminal())
    with during("learning", 10):
        while "10 of 10 s" not in shown.getvalue():
            time.sleep(0.001)
    listen(None)
    seen = shown.getvalue()
    assert "learning: 0 of 10 s" in seen
    assert "learning: 3 of 10 s" in seen
    # What is late stands still.
    assert "60 of" not in seen


def test_a_library_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    say("something")
    with during("something", 10):
        pass
    found = capsys.readouterr()
    assert found.out == found.err == ""
