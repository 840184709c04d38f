"""Who may do what: one match at a time, and an answer within its margin."""

from __future__ import annotations

import json
import socket
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.ggp.protocol.messages import Abort, Info, Message, Play, Preview, Sight, Start, Stop
from neurogame.ggp.server.margin import Margin, SmoothedDelay, round_trip
from neurogame.ggp.server.settings import ServeSettings
from tests.ggp.server.doubles import FakeSide, Reply, Stage
from tests.processes import PATIENCE, wait_until

START = Start("m.1", "x", "(role x)", 10, 5)
AVAILABLE = "((name neurogame)(status available)(species alien))"
BUSY = AVAILABLE.replace("available", "busy")


def ask(stage: Stage, message: Message) -> str:
    return stage.host.answer(message, time.monotonic())


def begun(stage: Stage, start: Start = START) -> FakeSide:
    assert ask(stage, start) == "ready"
    return stage.sides[-1]


def waiting(stage: Stage, message: Message, side: FakeSide | None = None) -> Future[str]:
    """Ask in a thread, and return when the double waits."""
    answer: Future[str] = Future()
    if side is not None:
        side.waits = True
        side.go.clear()
        side.waiting.clear()
    thread = threading.Thread(target=lambda: answer.set_result(ask(stage, message)), daemon=True)
    thread.start()
    wait_until(lambda: side is not None or bool(stage.sides))
    assert (side or stage.sides[-1]).waiting.wait(PATIENCE)
    return answer


def test_a_match_from_start_to_stop() -> None:
    stage = Stage()
    assert ask(stage, Info()) == AVAILABLE
    side = begun(stage)
    assert ask(stage, Info()) == BUSY
    assert ask(stage, Play("m.1", None)) == "noop"
    assert ask(stage, Play("m.1", ("(mark 1 1)", "noop"))) == "noop"
    assert ask(stage, Stop("m.1", ("a", "b"))) == "done"
    assert ask(stage, Info()) == AVAILABLE
    assert side.start_message == START
    assert side.calls == [
        "start",
        "play None",
        "play ('(mark 1 1)', 'noop')",
        "stop ('a', 'b')",
        "close",
    ]


def test_the_name_is_told() -> None:
    assert ask(Stage(ServeSettings(name="Cilp")), Info()).startswith("((name Cilp)(status ")


def test_another_match_and_unknown_ones_are_answered_busy() -> None:
    stage = Stage()
    for message in (Play("m.1", None), Stop("m.1", None), Abort("m.1")):
        assert ask(stage, message) == "busy"
    begun(stage)
    assert ask(stage, Start("m.2", "x", "", 10, 5)) == "busy"
    assert ask(stage, START) == "busy"
    for other in (Play("m.2", None), Stop("m.2", None), Abort("m.2"), Preview("", 1)):
        assert ask(stage, other) == "busy"
    assert ask(stage, Play("m.1", None)) == "noop"
    assert len(stage.sides) == 1


def test_matches_follow_each_other() -> None:
    stage = Stage()
    for number in range(3):
        side = begun(stage, Start(f"m.{number}", "x", "", 1, 1))
        end = Stop(f"m.{number}", None) if number % 2 else Abort(f"m.{number}")
        assert ask(stage, end) in ("done", "aborted")
        assert side.calls[-1] == "close"
    assert len(stage.sides) == 3


def test_deadlines_lie_within_the_clocks() -> None:
    stage = Stage()
    arrived = time.monotonic() - 1.0
    assert stage.host.answer(START, arrived) == "ready"
    stage.host.answer(Play("m.1", None), arrived)
    start, thinking_until, latest = (at - arrived for at in stage.sides[0].deadlines)
    assert start == pytest.approx(9.6)
    assert thinking_until == pytest.approx(4.6)
    assert latest == pytest.approx(4.9)


@pytest.mark.parametrize("clock", [0, 0.001, 0.3, 10**9])
def test_odd_clocks_give_deadlines_all_the_same(clock: float) -> None:
    stage = Stage()
    arrived = time.monotonic()
    stage.host.answer(Start("m", "x", "", clock, clock), arrived)
    stage.host.answer(Play("m", None), arrived)
    start, thinking_until, latest = (at - arrived for at in stage.sides[0].deadlines)
    assert 0 <= start <= clock
    assert 0 < thinking_until < latest < max(clock, 0.5)


def test_the_margin_follows_late_searches_and_slow_ways() -> None:
    stage = Stage()
    side = begun(stage)

    def latest_and_thinking(way: float) -> tuple[float, float]:
        arrived = time.monotonic()
        stage.host.answer(Play("m.1", None), arrived, way)
        thinking_until, latest = side.deadlines[-2:]
        return latest - arrived, thinking_until - arrived

    for _ in range(40):
        # The double's answers are there long before the end, which tells nothing of lateness.
        latest, thinking = latest_and_thinking(0.3)
    assert latest < 4.7
    before = latest - thinking
    side.moves = [Reply("noop", "search", time.monotonic() + 6.0)]
    latest_and_thinking(0.3)
    latest, thinking = latest_and_thinking(0.3)
    assert latest - thinking > before + 0.5
    assert thinking >= 2.5


def test_info_and_abort_are_answered_while_a_move_is_looked_for() -> None:
    stage = Stage()
    side = begun(stage)
    move = waiting(stage, Play("m.1", None), side)
    assert ask(stage, Info()) == BUSY
    assert not move.done()
    assert ask(stage, Abort("m.1")) == "aborted"
    assert move.result(PATIENCE) == "nil"
    assert ask(stage, Info()) == AVAILABLE
    assert side.calls[-1] == "close"


def test_abort_while_the_player_gets_ready() -> None:
    stage = Stage()
    stage.waits = True
    ready = waiting(stage, START)
    assert ask(stage, Abort("m.1")) == "aborted"
    assert ready.result(PATIENCE) == "ready"
    stage.waits = False
    begun(stage)


def test_a_move_asked_for_too_early_waits_its_turn() -> None:
    stage = Stage()
    stage.waits = True
    ready = waiting(stage, START)
    side = stage.sides[0]
    with ThreadPoolExecutor(1) as pool:
        move = pool.submit(ask, stage, Play("m.1", None))
        wait_until(lambda: stage.host.waiting == 2)
        assert side.calls == ["start"]
        side.go.set()
        assert ready.result(PATIENCE) == "ready"
        assert move.result(PATIENCE) == "noop"
    assert side.calls == ["start", "play None"]


def test_a_move_that_cannot_have_its_turn_in_time_is_nil() -> None:
    stage = Stage()
    side = begun(stage, Start("m.1", "x", "", 0, 0.3))
    first = waiting(stage, Play("m.1", None), side)
    assert ask(stage, Play("m.1", None)) == "nil"
    assert ask(stage, Play("m.1", ("a", "b"))) == "nil"
    side.go.set()
    assert first.result(PATIENCE) == "noop"
    # What was moved counts all the same.
    assert side.calls[-1] == "hear ('a', 'b')"


def test_too_many_waiting_messages_are_answered_busy() -> None:
    stage = Stage()
    side = begun(stage)
    first = waiting(stage, Play("m.1", None), side)
    with ThreadPoolExecutor(20) as pool:
        more = [pool.submit(ask, stage, Play("m.1", ("a",))) for _ in range(20)]
        wait_until(lambda: sum(a.done() for a in more) > 20 - stage.host.waiting)
        done = [answer.result() for answer in more if answer.done()]
        assert done
        assert set(done) == {"busy"}
        side.go.set()
        assert first.result(PATIENCE) == "noop"


def test_stop_while_a_move_is_looked_for_ends_the_match() -> None:
    stage = Stage()
    side = begun(stage, Start("m.1", "x", "", 0, 0.3))
    move = waiting(stage, Play("m.1", None), side)
    assert ask(stage, Stop("m.1", ("a",))) == "done"
    assert move.result(PATIENCE) == "nil"
    assert side.calls[-1] == "close"
    assert ask(stage, Info()) == AVAILABLE


def test_a_silent_match_is_dropped_and_a_waiting_one_is_not() -> None:
    stage = Stage(ServeSettings(silence=5))
    side = begun(stage)
    now = time.monotonic()
    stage.host.tick(now + 4)
    assert stage.host.is_busy
    move = waiting(stage, Play("m.1", None), side)
    stage.host.tick(now + 100)
    assert stage.host.is_busy
    side.go.set()
    assert move.result(PATIENCE) == "noop"
    stage.host.tick(time.monotonic() + 6)
    assert ask(stage, Info()) == AVAILABLE
    assert side.calls[-2:] == ["abort", "close"]
    assert "silent" in stage.lines[-1]


def test_the_usual_silence_is_the_start_clock_three_play_clocks_and_a_minute() -> None:
    stage = Stage()
    begun(stage)
    now = time.monotonic()
    stage.host.tick(now + 84)
    assert stage.host.is_busy
    stage.host.tick(now + 86)
    assert not stage.host.is_busy


def test_processes_are_needed_until_minutes_after_the_start_and_all_messages() -> None:
    stage = Stage()
    now = time.monotonic()
    assert stage.needed == [pytest.approx(now + 300, abs=60)]
    stage.host.tick(now)
    assert len(stage.needed) == 1
    ask(stage, Info())
    assert stage.needed[-1] >= stage.needed[0]
    begun(stage)
    stage.host.tick(now + 50)
    assert stage.needed[-1] >= now + 50 + 60
    ask(stage, Stop("m.1", None))
    ask(stage, Preview("(role x)", 10))
    said = len(stage.needed)
    stage.host.tick(now)
    assert len(stage.needed) == said + 1, "rules are looked at"
    stage.host.tick(time.monotonic() + 11)
    stage.host.tick(time.monotonic() + 12)
    assert len(stage.needed) == said + 1


def test_a_look_at_rules_ends_with_its_clock_or_with_a_match() -> None:
    stage = Stage()
    assert ask(stage, Preview("(role x)", 10)) == "ready"
    assert ask(stage, Info()) == AVAILABLE
    stage.host.tick(time.monotonic() + 9)
    assert stage.lookers[0].kills == 0
    stage.host.tick(time.monotonic() + 11)
    assert stage.lookers[0].kills == 1
    ask(stage, Preview("(role y)", 10))
    ask(stage, Preview("(role z)", 10))
    assert stage.lookers[1].kills == 1
    # The same rules again: what looks at them goes on, for longer.
    ask(stage, Preview("(role z)", 20))
    stage.host.tick(time.monotonic() + 15)
    assert stage.lookers[2].kills == 0
    begun(stage)
    assert stage.lookers[2].kills == 1
    assert [looker.message.rules for looker in stage.lookers] == [
        "(role x)",
        "(role y)",
        "(role z)",
    ]


@pytest.mark.parametrize("message", [Play("m.1", None), Stop("m.1", None)])
def test_a_fault_behind_a_match_never_gets_through(message: Message, tmp_path: Path) -> None:
    stage = Stage(ServeSettings(log=tmp_path))
    stage.fault = RuntimeError("broken\nto pieces")
    begun(stage)
    assert ask(stage, message) == ("nil" if isinstance(message, Play) else "done")
    ask(stage, Abort("m.1"))
    assert ask(stage, Info()) == AVAILABLE
    events = [json.loads(line) for line in next(tmp_path.iterdir()).read_text().splitlines()]
    assert [event["event"] for event in events].count("failure") == 2
    assert "Traceback" in events[-2]["traceback"]
    assert not any("\n" in line for line in stage.lines)


def test_joint_moves_are_put_together_from_percepts(tmp_path: Path) -> None:
    stage = Stage(ServeSettings(log=tmp_path))
    side = begun(stage, Start("m.1", "X", "(role y)(role x)(<= (legal x a) t)(role z)", 10, 5))
    for turn, own, percepts in (
        (0, None, ()),
        (1, "a", ("(did y (b 1))", "lamp", "(said Z c)")),
        (1, "a", ("(did y (b 1))",)),  # The same turn again.
        (2, "a", ("(did w b)", "(y b)")),
    ):
        assert ask(stage, Play("m.1", None, Sight(turn, own, percepts))) == "noop"
    assert ask(stage, Stop("m.1", None, Sight(3, "a", ("(did y b)", "(did z c)")))) == "done"
    assert [call for call in side.calls if call[:4] in ("play", "stop")] == [
        "play None",
        "play ('(b 1)', 'a', 'c')",
        "play None",
        "play ('()', 'a', '()')",
        "stop ('b', 'a', 'c')",
    ]
    events = [json.loads(line) for line in next(tmp_path.iterdir()).read_text().splitlines()]
    (unseen,) = [event for event in events if event["event"] == "unseen"]
    assert unseen["what"] == "turn 2: no percept tells the moves of y, z"


def test_a_match_that_cannot_be_made_leaves_the_host_free() -> None:
    stage = Stage()
    stage.refuses = True
    assert ask(stage, START) == "busy"
    assert ask(stage, Info()) == AVAILABLE
    assert ask(stage, Preview("", 1)) == "ready"
    assert len([line for line in stage.lines if "no more processes" in line]) == 2
    stage.refuses = False
    begun(stage)


def test_abort_is_answered_before_everything_is_cleared_away() -> None:
    stage = Stage()
    side = begun(stage)
    stage.closable.clear()
    assert ask(stage, Abort("m.1")) == "aborted"
    assert ask(stage, Info()) == AVAILABLE
    assert side.calls[-1] == "abort"
    with ThreadPoolExecutor(1) as pool:
        # The next match waits until nothing is left of the last one.
        ready = pool.submit(ask, stage, Start("m.2", "x", "", 2 * PATIENCE, 5))
        wait_until(lambda: stage.host.is_busy)
        assert len(stage.sides) == 1
        stage.closable.set()
        assert ready.result(PATIENCE) == "ready"
    assert side.calls[-1] == "close"


def test_after_draining_the_present_match_is_played_and_none_begins() -> None:
    stage = Stage()
    begun(stage)
    stage.host.drain()
    assert ask(stage, Play("m.1", None)) == "noop"
    assert ask(stage, Stop("m.1", None)) == "done"
    assert not stage.host.is_busy
    assert ask(stage, START) == "busy"
    assert ask(stage, Preview("", 1)) == "busy"
    assert ask(stage, Info()) == BUSY


def test_closing_ends_the_match_and_the_look_at_rules() -> None:
    stage = Stage()
    ask(stage, Preview("", 100))
    stage.host.close()
    assert stage.lookers[0].kills == 1
    stage = Stage()
    side = begun(stage)
    move = waiting(stage, Play("m.1", None), side)
    stage.host.close()
    assert move.result(PATIENCE) == "nil"
    assert side.calls[-1] == "close"
    stage.host.close()


def test_the_log_and_the_lines_tell_the_match(tmp_path: Path) -> None:
    stage = Stage(ServeSettings(log=tmp_path, player="mcts"))
    side = begun(stage, Start("../m 1", "x", "(role x)", 10, 5))
    side.log.write("ready", who="thinker", player="mcts")
    ask(stage, Play("../m 1", None))  # No choice: not worth a line.
    side.log.write("fallback", who="thinker", ask=2, move="(a 2)")
    ask(stage, Play("../m 1", None))
    side.moves = [Reply("(a 1)", "guard", time.monotonic())]
    ask(stage, Play("../m 1", ("b",)))
    side.log.write("end", who="thinker", terminal=True, goals=[[100.0], 0])
    ask(stage, Stop("../m 1", ("c",)))
    (path,) = tmp_path.iterdir()
    events = [json.loads(line) for line in path.read_text().splitlines()]
    names = [event["event"] for event in events]
    expected = "start started ready answer fallback answer answer end over"
    assert names == expected.split()
    assert events[0]["rules"] == "(role x)"
    assert events[0]["player"] == "mcts"
    answers = [event for event in events if event["event"] == "answer"]
    assert [(event["joint"], event["move"], event["source"]) for event in answers] == [
        (None, "noop", "search"),
        (None, "noop", "search"),
        (["b"], "(a 1)", "guard"),
    ]
    assert stage.lines[0] == "../m 1: starts, role x, clocks 10 s and 5 s"
    assert stage.lines[1] == "../m 1: mcts plays"
    assert stage.lines[2].startswith("../m 1: move 2: noop after 0.0")
    assert stage.lines[3].startswith("../m 1: move 3: (a 1) (guard) after 0.0")
    assert stage.lines[4] == "../m 1: over after 3 moves, goals 100 0"


def test_names_tell_a_terminal_nothing() -> None:
    stage = Stage()
    begun(stage, Start("m\x1b]0;name\x07", "\x1b[31mx", "(role x)", 10, 5))
    assert stage.lines == ["m?]0;name?: starts, role ?[31mx, clocks 10 s and 5 s"]


SECONDS = st.floats(0, 1e5)


def test_it_begins_careful() -> None:
    margin = Margin(0.1)
    assert margin.whole(10) == pytest.approx(0.4)
    assert margin.reserve(10) == pytest.approx(0.1)
    assert margin.reserve(1) == pytest.approx(0.05)
    assert margin.reserve(0) == 0


def test_prompt_searches_shrink_it_to_its_floor() -> None:
    margin = Margin(0.1)
    widths = []
    for _ in range(60):
        margin.observe_lateness(0.001)
        margin.observe_way(0.0005)
        widths.append(margin.whole(10))
    assert widths == sorted(widths, reverse=True)
    assert widths[0] < 0.4
    assert widths[-1] == pytest.approx(0.15)
    assert margin.whole(1) == pytest.approx(0.1)


def test_a_late_search_widens_it_at_once_by_more_than_its_lateness() -> None:
    margin = Margin(0.1)
    for _ in range(60):
        margin.observe_lateness(0.01)
    before = margin.whole(10)
    margin.observe_lateness(0.5)
    assert margin.whole(10) > before + 0.4


def test_steady_lateness_is_covered() -> None:
    margin = Margin(0.1)
    for _ in range(100):
        margin.observe_lateness(0.3)
        margin.observe_way(0.1)
    assert 0.1 < margin.reserve(10) < 0.13
    assert 0.4 < margin.whole(10) < 0.5


@given(st.lists(SECONDS), st.lists(SECONDS), SECONDS)
def test_it_never_takes_more_than_half_of_a_clock(
    lateness: list[float], ways: list[float], clock: float
) -> None:
    margin = Margin(0.1)
    for seconds in lateness:
        margin.observe_lateness(seconds)
    for seconds in ways:
        margin.observe_way(seconds)
    assert 0 <= margin.reserve(clock) <= margin.whole(clock) <= clock / 2


@given(st.lists(SECONDS, min_size=1))
def test_the_smoothed_delay_follows_rfc_6298_where_it_is_late(samples: list[float]) -> None:
    delay = SmoothedDelay(0.1, 0.05)
    mean, deviation = 0.1, 0.05
    for sample in samples:
        delay.observe(sample)
        deviation = 0.75 * deviation + 0.25 * max(0.0, sample - mean)
        mean = 0.875 * mean + 0.125 * sample
    assert delay.bound == pytest.approx(mean + 4 * deviation)


def test_the_round_trip_of_a_connection_is_told_or_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            assert 0 <= round_trip(client) < 1
        assert round_trip(client) == 0  # Closed.
