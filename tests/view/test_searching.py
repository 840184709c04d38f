"""Players between their moves: kept for a match, and stopped when others take their place."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from neurogame.first_use import ask_with, compiling
from neurogame.gdl.write import rules_text
from neurogame.players.player import Player
from neurogame.players.random_player import RandomPlayer
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State
from neurogame.view import searching
from neurogame.view.opponent import LONGEST, bounded_limit, checked_player
from neurogame.view.searching import Order, Rulesheet, answer_orders
from neurogame.waiting import listen


class Counted:
    """A random player that notes what is asked of it."""

    def __init__(self, notes: list[str]) -> None:
        self._notes, self._player = notes, RandomPlayer()
        self.name = "random"

    def start(self, match: MatchStart) -> None:
        self._notes.append("start")
        self._player.start(match)

    def choose(self, state: State, limit: Limit) -> int:
        return self._player.choose(state, limit)

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        raise AssertionError

    def stop(self) -> None:
        self._notes.append("stop")


def test_players_are_kept_for_a_match_and_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []

    def make(spec: object, seed: int = 0) -> Player:
        notes.append("make")
        return Counted(notes)

    monkeypatch.setattr(searching, "make_player", make)
    desk = searching._Desk(Game.load("tictactoe"))
    line = (("(mark 1 1)", "noop"), ("noop", "(mark 2 2)"))

    def ask(line: tuple[tuple[str, ...], ...], seed: int = 0) -> list[str]:
        notes.clear()
        role = len(line) % 2
        found = desk.answer(Order(player="random", role=role, line=line, seed=seed))
        assert found["move"].startswith("(mark")
        return list(notes)

    assert ask(()) == ["make", "start"]
    assert ask(line) == []
    # A line that does not go on from the last one is another match.
    assert ask(()) == ["stop", "start"]
    made = [ask((), seed) for seed in range(1, 100)]
    assert sum(own.count("make") for own in made) == 99
    assert sum(own.count("stop") for own in made) == 99 - searching._PLAYERS + 1


def test_who_waits_for_code_that_is_compiled_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, Any]] = []
    orders = [Order(player="random", role=0, line=(), seed=0)]

    def answer(desk: object, order: Order) -> dict[str, object]:
        compiling("neurogame.some_module")
        return {}

    monkeypatch.setattr(searching._Desk, "answer", answer)
    connection: Any = SimpleNamespace(recv=orders.pop, send=sent.append)
    text = rules_text(Game.load("tictactoe").rules)
    try:
        # There is no further order.
        with pytest.raises(IndexError):
            answer_orders(connection, Rulesheet(name="tictactoe", text=text))
    finally:
        ask_with(None)
        listen(None)
    assert [list(one) for one in sent] == [["said"], ["found"]]
    assert "compiled for the first time" in sent[0]["said"]


def test_nobody_thinks_for_ever() -> None:
    assert bounded_limit(checked_player("mcts:sims=1000000000")) == Limit(seconds=LONGEST)
    # Without a limit a player thinks for a second by itself.
    assert bounded_limit(checked_player("mcts")) == Limit()
