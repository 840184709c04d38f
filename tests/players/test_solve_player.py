"""The player for games of one role, alone and inside ``auto``."""

from __future__ import annotations

import pytest

from neurogame.errors import PlayerError
from neurogame.players.auto.auto_player import AutoPlayer
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.players import make_player
from neurogame.players.solve_player import SolvePlayer
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game


def test_it_solves_while_its_start_lasts_and_remembers_the_line() -> None:
    game = Game.load("pegs")
    player = SolvePlayer()
    # It ends as soon as the puzzle is solved.
    settings = MatchSettings(start_clock=600.0, limit=Limit(nodes=1))
    record = play_match(game, [player], settings=settings)
    assert record.goals == (100.0,)
    assert player.report == "a line of 31 moves to 100 is known, the best that there is"
    assert play_match(game, [player], Limit(nodes=1)).moves == record.moves


def test_without_a_start_it_looks_for_a_line_before_each_move() -> None:
    game = Game.load("lightsout")
    record = play_match(game, [make_player("solve,nodes=20000", game)])
    assert record.players == ("solve:nodes=20000",)
    assert record.goals == (100.0,)


def test_auto_takes_it_for_one_role() -> None:
    game = Game.load("eightpuzzle")
    player = make_player("auto:prepare=600")
    assert isinstance(player, AutoPlayer)
    record = play_match(game, [player], Limit(nodes=1))
    assert record.goals == (100.0,)
    assert player.report.startswith("plays solve (one role)")
    assert player.last is not None
    assert player.last.proved


def test_a_game_that_cannot_be_won_ends_all_the_same() -> None:
    game = Game.from_text(
        "(role robot) (init (on 0)) (succ 0 1) (succ 1 2) (legal robot a) (legal robot b)"
        "(<= (next (on ?m)) (true (on ?n)) (succ ?n ?m))"
        "(<= terminal (true (on 2))) (goal robot 0)"
    )
    settings = MatchSettings(start_clock=600.0)
    assert play_match(game, [SolvePlayer()], settings=settings).goals == (0.0,)


def test_several_roles_and_sources_are_refused() -> None:
    with pytest.raises(PlayerError, match="tictactoe has 2 roles; solve is for games of one role"):
        make_player("solve", Game.load("tictactoe"))
    with pytest.raises(PlayerError, match="solve takes no source"):
        make_player("solve:cilp")
    with pytest.raises(PlayerError, match="unknown option 'depth'; allowed are seconds, nodes"):
        make_player("solve:depth=3")


def test_auto_has_trials_in_large_games_of_one_role(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurogame.players.auto.auto_player.LARGE", 10)
    player = make_player("auto:prepare=0.01")
    record = play_match(Game.load("lightsout"), [player], Limit(nodes=200))
    assert record.ending == "terminal"
    assert isinstance(player, AutoPlayer)
    assert player.report.startswith("plays mcts")
