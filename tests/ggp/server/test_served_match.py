"""Whole matches against an independent referee, and what may happen in the middle of one."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from neurogame.gdl.library import load_rules
from neurogame.gdl.scramble import scramble
from neurogame.gdl.write import rules_text
from neurogame.ggp.server import served_match
from neurogame.ggp.server.processes import Processes
from neurogame.ggp.server.served_match import MoveAnswer
from tests.ggp.server import hostile
from tests.ggp.server.doubles import Events, Referee, are_gone, ask, set_up
from tests.processes import run, wait_until


def library(name: str) -> str:
    return rules_text(load_rules(name))


def scrambled(name: str, seed: int) -> str:
    return rules_text(scramble(load_rules(name), seed).rules)


@pytest.mark.parametrize(
    ("text", "player", "role"),
    [
        (scrambled("tictactoe", 1), "mcts:sims=50", 0),
        (library("tictactoe3p").upper(), "random", 1),
        (scrambled("connectfour_simultaneous", 2).upper(), "mcts:sims=50", 1),
        (library("lightsout"), "alphabeta:cilp,depth=2", 0),
    ],
)
def test_whole_matches_are_legal_and_searched(
    processes: Processes, text: str, player: str, role: int
) -> None:
    referee, events = Referee(text, role, seed=role), Events()
    match = referee.served(processes, events, player)
    set_up(match)
    while not referee.is_over:
        answer = ask(match, referee.last)
        assert answer.source == "search"
        referee.step(answer.move)
    match.stop(referee.last)
    assert events.named("ready") == [{"who": "thinker", "player": player}]
    assert not events.named("failure")
    assert not events.named("remark")
    assert not events.named("died")
    end = events.wait_for("end")
    assert end["terminal"] is True
    assert end["goals"] == referee.goals
    assert are_gone(events)


def kill_thinker(events: Events, number: int) -> dict[str, Any]:
    """Kill the ``number``-th thinker; return what the log says of its death."""
    os.kill(events.wait_for("launched", number)["pid"], signal.SIGKILL)
    died = events.wait_for("died", number)
    assert died["ending"] == "killed by SIGKILL"
    return died


def test_a_thinker_that_never_answers_is_replaced_twice_and_then_missed(
    processes: Processes,
) -> None:
    referee, events = Referee(library("tictactoe")), Events()
    match = referee.served(processes, events, "random")
    set_up(match)
    for death in range(1, 4):
        ready = events.wait_for("ready", death)
        # Who has died twice is not tried again.
        assert ready["player"] == ("random" if death < 3 else "mcts")
        assert kill_thinker(events, death)["replaced"] is (death < 3)
    answer = ask(match, referee.last, thinking=0.1)
    assert answer.source in ("guard", "prover")
    referee.step(answer.move)
    match.stop(referee.last)
    assert are_gone(events)


def test_a_thinker_that_answers_between_its_deaths_is_replaced_as_often_as_it_dies(
    processes: Processes,
) -> None:
    referee, events = Referee(library("connectfour")), Events()
    match = referee.served(processes, events, "random")
    set_up(match)
    for death in range(1, 6):
        assert events.wait_for("ready", death)["player"] == "random"
        answer = ask(match, referee.last)
        assert answer.source == "search"
        referee.step(answer.move)
        assert kill_thinker(events, death)["replaced"] is True
    match.stop(referee.last)
    assert are_gone(events)


def test_a_process_that_cannot_be_started_now_is_started_for_a_later_question(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    referee, events = Referee(library("connectfour")), Events()
    match = referee.served(processes, events, "random")

    def refuse(*_: object) -> None:
        raise BlockingIOError("no more processes")

    with monkeypatch.context() as patch:
        patch.setattr(match, "_processes", SimpleNamespace(launch=refuse, are_coming=bool))
        now = time.monotonic()
        match.start(now)
        while len(events.named("failure")) < 2:
            assert match.play(None, thinking_until=now, latest=now).move == "nil"
    answer = ask(match, None)
    assert answer.move in referee.legal(0)
    assert answer.source == "search"
    match.close()
    assert are_gone(events)


def test_a_thinker_that_dies_while_it_thinks_is_replaced_in_the_same_turn(
    processes: Processes,
) -> None:
    referee, events = Referee(library("connectfour")), Events()
    match = referee.served(processes, events, "mcts")
    set_up(match)

    def kill() -> None:
        events.wait_for("fallback")
        os.kill(events.wait_for("launched")["pid"], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    answer = ask(match, None, thinking=0.3)
    killer.join()
    match.close()
    assert answer.move in referee.legal(0)
    assert answer.source in ("search", "fallback")
    assert len(events.named("launched")) == 3
    assert are_gone(events)


def test_proofs_play_until_the_thinker_is_ready(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the thinker is copied from loads meanwhile; the guard does not wait for it."""
    loading = threading.Event()
    loading.set()
    monkeypatch.setattr(processes, "are_coming", loading.is_set)
    referee, events = Referee(library("tictactoe")), Events()
    match = referee.served(processes, events, "mcts")
    match.start(time.monotonic())
    events.wait_for("guard ready", who="guard")
    who: list[list[dict[str, Any]]] = []

    def load() -> None:
        events.wait_for("proved move", who="guard")
        who.append(events.named("launched"))
        loading.clear()

    loader = threading.Thread(target=load)
    loader.start()
    first = ask(match, None, thinking=0.2)
    loader.join()
    assert [[launched["who"] for launched in all_of] for all_of in who] == [["guard"]]
    assert first.source == "prover"
    assert events.named("proved move")[0]["simulations"] > 0
    referee.step(first.move)
    events.wait_for("ready")
    # From here on the thinker plays; the other role's turn is over first.
    for _ in range(2):
        answer = ask(match, referee.last, thinking=0.1)
        assert answer.source in ("search", "fallback")
        assert answer.move in referee.legal(0)
        referee.step(answer.move)
    match.stop(referee.last)
    assert are_gone(events)


def test_abort_ends_all_waiting_at_once(processes: Processes) -> None:
    referee, events = Referee(library("connectfour")), Events()
    match = referee.served(processes, events, "mcts")
    set_up(match)
    found: list[MoveAnswer] = []
    waiting = threading.Thread(target=lambda: found.append(ask(match, None, thinking=50.0)))
    waiting.start()
    events.wait_for("fallback")
    match.abort()
    waiting.join()
    assert found[0].source == "fallback"
    assert found[0].move in referee.legal(0)
    match.close()
    assert are_gone(events)
    assert ask(match, None).move == "nil"
    match.close()


def test_abort_before_and_during_start(processes: Processes) -> None:
    referee, events = Referee(library("connectfour")), Events()
    early = referee.served(processes, events)
    early.abort()
    set_up(early)
    assert ask(early, None).source == "none"
    assert not events.all
    match = referee.served(processes, events)
    starting = threading.Thread(target=set_up, args=(match,))
    starting.start()
    events.wait_for("launched")
    match.abort()
    starting.join()
    match.close()
    assert are_gone(events)


def test_half_a_message_keeps_no_process_alive(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served_match, "_END", 0.5)
    events = Events()
    match = Referee(library("tictactoe")).served(processes, events)
    match._thinker.target = "tests.ggp.server.child_targets:half"
    match.start(time.monotonic())
    events.wait_for("half")
    child = match._thinker.child
    assert child is not None
    wait_until(lambda: not child.connection.poll())
    match.close()
    assert events.wait_for("died")["ending"] == "killed by SIGKILL"
    assert are_gone(events)


def test_guard_and_fallback_where_the_thinker_is_late(processes: Processes) -> None:
    referee, events = Referee(library("connectfour")), Events()
    match = referee.served(processes, events, "mcts")
    # Nothing can be ready after no time at all; the guard and the thinker follow later.
    match.start(time.monotonic())
    now = time.monotonic()
    nothing = match.play(None, thinking_until=now, latest=now)
    assert (nothing.move, nothing.source) == ("nil", "none")
    referee.step(next(iter(referee.legal(0))))
    events.wait_for("guard ready", who="guard")
    while len(referee.legal(0)) == 1 or not events.named("ready"):
        referee.step(ask(match, referee.last, thinking=0.0).move)
    # The fallback comes long before the search is over.
    now = time.monotonic()
    late = match.play(referee.last, thinking_until=now + 50, latest=now + 0.3)
    assert late.source in ("fallback", "guard")
    assert late.move in referee.legal(0)
    match.close()


def test_what_a_server_may_do_wrong(processes: Processes) -> None:
    referee, events = Referee(hostile.FINE), Events()
    match = referee.served(processes, events, "random")
    set_up(match)
    first = ask(match, None)
    assert ask(match, None).move in referee.legal(0)
    assert first.move in referee.legal(0)
    moved = ask(match, ("( PUSH 0 )", "NOOP", "more"))
    assert moved.move in ("(push 1)", "wait")
    assert ask(match, ("( PUSH 0 )", "NOOP", "more")).move in ("(push 1)", "wait")
    # Not legal, so replaced by the first legal one: the game goes on.
    assert ask(match, ("nil",)).move in ("(push 2)", "wait")
    # The last joint move is told before the end, as by a question that came too early.
    match.hear(("(push 2)", "noop"))
    match.stop(None)
    assert events.wait_for("end")["goals"] == [100, 0]
    texts = " ".join(fields["text"] for fields in events.named("remark"))
    assert "3 moves for 2 roles" in texts
    assert "repetition" in texts
    assert "went on with (push 1)" in texts


def test_a_role_in_another_case_and_one_that_does_not_exist(processes: Processes) -> None:
    events = Events()
    referee = Referee(hostile.FINE.replace("one", "One"))
    match = referee.served(processes, events, "random")
    set_up(match)
    assert ask(match, None).move in referee.legal(0)
    match.close()
    for text in (hostile.FINE, hostile.FINE.upper()):
        stranger = Referee(text)
        stranger.game._roles = ("nobody", "two")
        match = stranger.served(processes, events, "random")
        set_up(match)
        assert ask(match, None, thinking=1.0).move == "nil"
        match.close()
    assert "no role nobody; roles are one, two" in events.named("failure")[0]["what"]


def test_the_server_loads_nothing_heavy() -> None:
    check = (
        "import sys, neurogame.ggp.server.served_match;"
        "sys.exit(bool({'torch', 'numpy', 'numba'} & set(sys.modules)))"
    )
    run([sys.executable, "-c", check])
