"""The thinker: answers, pondering, understudies; followers arrive at one position."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Sentence
from neurogame.gdl.write import rules_text
from neurogame.ggp.server import thinker, understudies
from neurogame.ggp.server.follower import Follower, role_number
from neurogame.ggp.server.orders import Ask, Finish, Joint, Task
from neurogame.ggp.server.positions import LONGEST_MOVE, CircuitPosition, InterpretedPosition
from neurogame.learn.checkpoints.checkpoint import load_checkpoint
from neurogame.players.player import Player
from neurogame.players.players import make_player
from neurogame.prover.game import ProverGame, ProverState
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State
from tests.ggp.server import hostile
from tests.players.scripted import first_legal, last_legal
from tests.processes import PATIENCE

TICTACTOE = rules_text(load_rules("tictactoe"))


class Faulty:
    """The last legal move of each state; raises where it is told to."""

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.pondered: list[State] = []
        self.is_pondering = threading.Event()
        self.seconds: float | None = None
        self.stops = 0
        self.report = "chosen by nobody"

    name = "faulty"

    def start(self, match: MatchStart) -> None:
        self._fail("start")
        self.role, self.seconds = match.role, match.seconds

    def choose(self, state: State, limit: Any) -> int:
        self._fail("choose")
        if self.fault == "illegal":
            return 10_000
        return last_legal(state, self.role)

    def ponder(self, state: State, stop: Callable[[], bool]) -> None:
        self.pondered.append(state)
        self.report += f"\nhas thought {len(self.pondered)} times"
        self.is_pondering.set()
        self._fail("ponder")
        while not stop():
            time.sleep(0.001)

    def stop(self) -> None:
        self.stops += 1
        self._fail("stop")

    def _fail(self, where: str) -> None:
        if self.fault == where:
            raise MemoryError(where) if where == "start" else RuntimeError(where)


class Session:
    """A thinker in a thread, talked to as the server would."""

    def __init__(self, rules: str, role: str) -> None:
        self.events: list[dict[str, Any]] = []
        self._ours, theirs = Pipe()
        self._asked = 0
        task = Task(
            match="match",
            role=role,
            rules=rules,
            player="faulty",
            steps_down=0,
            seed=1,
            ready_at=time.monotonic() + PATIENCE,
            play_clock=PATIENCE,
            memory=None,
        )
        self._thread = threading.Thread(target=self._run, args=(theirs, task))
        self._thread.start()

    def _run(self, connection: Connection, task: Task) -> None:
        try:
            thinker.think(connection, task)
        finally:
            connection.close()

    def ask(self, *moves: Joint, seconds: float = PATIENCE) -> tuple[str | None, str | None]:
        """Return fallback and move."""
        self._asked += 1
        until = time.monotonic() + seconds
        self._ours.send(Ask(number=self._asked, moves=moves, until=until))
        fallback = None
        while True:
            event = self._read()
            if event["event"] == "fallback":
                fallback = str(event["move"])
            if event["event"] == "move":
                assert event["ask"] == self._asked
                return fallback, None if event["move"] is None else str(event["move"])

    def finish(self, *moves: Joint) -> dict[str, Any]:
        """End the match; return the last event."""
        # A thinker that has refused its match may have gone already, as the server knows.
        with suppress(BrokenPipeError):
            self._ours.send(Finish(moves=moves))
        self._thread.join(PATIENCE)
        while self._ours.poll():
            try:
                self._read()
            except (EOFError, ConnectionResetError):
                break
        self._ours.close()
        return self.events[-1]

    def named(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == name]

    def _read(self) -> dict[str, Any]:
        assert self._ours.poll(PATIENCE)
        self.events.append(self._ours.recv())
        return self.events[-1]


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> Faulty:
    """The player that is made of the string ``faulty``."""
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    made = Faulty()

    def make(text: str) -> Player:
        return made if text == "faulty" else make_player("random")

    monkeypatch.setattr(understudies, "make_player", make)
    return made


def test_fallback_move_and_result(player: Faulty) -> None:
    session = Session(TICTACTOE, "XPLAYER")
    assert session.ask() == ("(mark 1 1)", "(mark 3 3)")
    assert session.ask(("(mark 3 3)", "noop")) == (None, "noop")
    joints = (("noop", "(mark 1 1)"), ("(MARK 3 1)", "NOOP"), ("noop", "(mark 1 2)"))
    assert session.ask(*joints) == ("(mark 1 3)", "(mark 3 2)")
    end = session.finish(("(mark 3 2)", "noop"))
    assert end["event"] == "end"
    assert (end["terminal"], end["goals"]) == (True, [100.0, 0.0])
    assert player.seconds is not None
    assert 0 < player.seconds <= PATIENCE
    assert player.stops == 1
    told = [event["text"] for event in session.named("chosen")]
    assert told == [
        "chosen by nobody",
        *(f"has thought {n + 1} times" for n in range(len(told) - 1)),
    ]
    assert "\n".join(told) == player.report
    assert not session.named("failure")


def test_players_that_learn_see_the_whole_match(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "my.pt"
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(
        understudies, "make_player", lambda _: make_player(f"alphabeta:cilp,depth=1,learn={path}")
    )
    session = Session(TICTACTOE, "xplayer")
    joints = [("(mark 3 3)", "noop"), ("noop", "(mark 1 1)"), ("(mark 3 1)", "noop")]
    joints += [("noop", "(mark 1 2)"), ("(mark 3 2)", "noop")]
    session.ask()
    session.ask(*joints[:2])
    session.finish(*joints[2:])
    assert [event["event"] for event in session.events[-3:]] == ["learning", "end", "learned"]
    assert not session.named("failure")
    counters = load_checkpoint(path).counters
    assert (counters["matches"], counters["plies"]) == (1, 5)


def test_ponders_on_the_likely_state(player: Faulty) -> None:
    session = Session(TICTACTOE, "xplayer")
    for news in (None, [], [("(mark 3 3)", "noop")]):
        if news is not None:
            session.ask(*news)
        assert player.is_pondering.wait(PATIENCE)
        player.is_pondering.clear()
    session.finish()
    game = Game.from_text(TICTACTOE)
    begin = game.initial_state()
    # Before the first question: the initial state. After our move the others have no choice:
    # pondered is what follows. After our noop they have one: pondered is the present state.
    after = begin.next(("(mark 3 3)", "noop"))
    assert player.pondered == [begin, after, after]


def test_a_late_or_hopeless_question_gets_the_fallback_only(player: Faulty) -> None:
    session = Session(TICTACTOE, "xplayer")
    assert session.ask(seconds=-1.0) == ("(mark 1 1)", None)
    session.finish()
    stuck = Session(hostile.STUCK, "one")
    assert stuck.ask() == (None, None)
    assert stuck.ask(("go",)) == (None, None)
    assert stuck.finish()["terminal"] is False
    assert "no legal move" in stuck.named("remark")[0]["text"]


@pytest.mark.parametrize("fault", ["start", "choose", "illegal", "ponder", "stop"])
def test_another_player_takes_over_from_one_that_fails(player: Faulty, fault: str) -> None:
    player.fault = fault
    session = Session(TICTACTOE, "xplayer")
    state = Game.from_text(TICTACTOE).initial_state()
    news: list[Joint] = []
    while not state.is_terminal:
        _, move = session.ask(*news)
        if fault == "ponder":
            assert player.is_pondering.wait(PATIENCE)
        assert move in [state.game.moves[0][index] for index in state.legal_moves[0]]
        news = [(move, state.game.moves[1][first_legal(state, 1)])]
        state = state.next(news[0])
    session.finish(*news)
    (failure,) = session.named("failure")
    assert failure["what"].startswith("faulty could not")
    assert failure["traceback"].startswith("Traceback")
    players = {event["player"] for event in session.named("move") if "player" in event}
    assert players == ({"faulty"} if fault == "stop" else {"random"})


def test_rules_and_roles_that_are_refused(player: Faulty) -> None:
    assert Session(hostile.NEGATION, "one").finish()["final"]
    refused = Session(TICTACTOE, "nobody").finish()
    assert refused["final"]
    assert "there is no role nobody" in refused["what"]


GAMES = ("tictactoe", "tictactoe3p", "connectfour_simultaneous", "prisoners")
RUBBISH = st.sampled_from(["nil", "", "(mark 1 1)", "( DROP 3 )", "noop", ")", "(((", "?x", "a b"])


@cache
def both(name: str) -> tuple[Game, ProverGame]:
    rules = load_rules(name)
    return Game.from_rules(rules, name), ProverGame(rules)


def followers(name: str) -> tuple[Follower[CircuitPosition], Follower[InterpretedPosition]]:
    game, prover = both(name)
    return (Follower(CircuitPosition(game.initial_state())), Follower(InterpretedPosition(prover)))


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(GAMES), st.data())
def test_compiled_and_interpreted_followers_agree(name: str, data: st.DataObject) -> None:
    compiled, interpreted = followers(name)
    roles = range(len(compiled.position.roles))
    last: tuple[str, ...] = ()
    for _ in range(data.draw(st.integers(1, 12))):
        legal = [interpreted.position.legal(role) for role in roles]
        moves = [data.draw(st.sampled_from(own or ("none",)) | RUBBISH) for own in legal]
        if data.draw(st.integers(0, 5)) == 0:
            moves = [*moves[: data.draw(st.integers(0, len(moves)))], "extra"]
        joint = last if data.draw(st.integers(0, 5)) == 0 else tuple(moves)
        assert compiled.follow(joint) == interpreted.follow(joint)
        assert compiled.steps == interpreted.steps
        here, there = compiled.position, interpreted.position
        assert here.is_terminal == there.is_terminal
        if not here.is_terminal:
            assert [here.legal(role) for role in roles] == [there.legal(role) for role in roles]
        last = joint


@pytest.mark.parametrize("spell", [str.upper, str.lower, lambda text: f" ; {text}\n{text} "])
def test_moves_in_any_case_and_spacing_are_understood(spell: type[str]) -> None:
    for follower in followers("tictactoe"):
        joint = tuple(spell(text) for text in ("( mark 2  2 )", "noop"))
        assert follower.follow(joint) == []
        assert follower.steps == 1


def test_the_first_spelling_of_the_rules_is_used() -> None:
    text = hostile.FINE.replace("wait", "Wait")
    game, prover = Game.from_text(text), ProverGame(parse_rules(text))
    for position in (CircuitPosition(game.initial_state()), InterpretedPosition(prover)):
        assert position.legal(0) == ("(push 0)", "Wait")
        assert position.meant(0, "wAIT") == "Wait"
        assert position.meant(0, "push") is None
        assert position.meant(0, "w" * (LONGEST_MOVE + 1)) is None


def test_nothing_is_made_at_the_end_and_where_somebody_is_stuck() -> None:
    game = Game.from_text(hostile.STUCK)
    for stuck in (
        Follower(CircuitPosition(game.initial_state())),
        Follower(InterpretedPosition(ProverGame(game.rules))),
    ):
        assert "no legal move" in stuck.follow(("go",))[0]
        assert stuck.steps == 0
    for over in followers("prisoners"):
        for step in range(100):
            over.follow(("cooperate", f"cooperate{step}"))
        before = over.steps
        assert "after the end" in over.follow(("cooperate", "cooperate"))[0]
        assert over.steps == before


def test_a_prover_is_asked_for_no_more_moves_than_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither to follow legal moves, nor to know one; to replace a wrong one, all are looked at."""
    prover = ProverGame(load_rules("tictactoe"))
    follower = Follower(InterpretedPosition(prover))
    listed = list[int]()
    legal = prover.legal

    def counted(state: ProverState, role: int) -> frozenset[Sentence]:
        listed.append(role)
        return legal(state, role)

    monkeypatch.setattr(prover, "legal", counted)
    assert follower.follow(("(MARK 2 2)", "noop")) == []
    assert follower.position.any_legal(0) == "noop"
    move = follower.position.any_legal(1)
    assert move is not None
    assert follower.position.meant(1, "(mark ?x 1)") is None
    assert follower.position.meant(1, f"({'f (' * 400}a{')' * 400})") is None
    assert follower.follow(("noop", move)) == []
    assert listed == []
    assert "is not a legal move" in follower.follow(("(mark 2 2)", "noop"))[0]
    assert listed == [0]


def test_roles_are_found_in_any_case() -> None:
    assert role_number(("White", "black"), "wHITE") == 0
    assert role_number(("White", "black"), "BLACK") == 1
    assert role_number(("White", "black"), "red") is None


def test_rules_are_looked_at_as_one_who_plays() -> None:
    """Here the first role is chance, for which nobody searches."""
    rules = (
        "(role random) (role a) (init on) (legal random (roll 1)) (legal random (roll 2)) "
        "(legal a (go 1)) (legal a (go 2)) (<= (next off) (does a (go 2))) "
        "(<= terminal (true off)) (goal a 100) (goal random 0)"
    )
    ours, theirs = Pipe()
    task = Task(
        match="preview",
        role="",
        rules=rules,
        player="mcts",
        steps_down=0,
        seed=1,
        ready_at=time.monotonic() + PATIENCE,
        play_clock=1.0,
        memory=None,
    )
    thinker.preview(theirs, task)
    assert ours.recv()["event"] == "previewed"
