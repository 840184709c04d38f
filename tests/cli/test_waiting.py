"""A person is told what takes seconds before a match, unless they want quiet."""

from __future__ import annotations

import pytest

from neurogame.cli.main import main
from neurogame.files import cache_folder
from neurogame.waiting import say

MATCH = ["match", "tictactoe", "--matches", "1", "--players"]


@pytest.mark.parametrize(
    ("player", "told"),
    [
        ("alphabeta:features,depth=1", "random games for the weights"),
        ("mcts:features,gate=0.1,sims=2", "trials of its uses, up to 0 s"),
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


def test_a_library_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    say("something")
    found = capsys.readouterr()
    assert found.out == found.err == ""
