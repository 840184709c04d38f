"""The HTTP side over real sockets: recorded bytes, sloppy clients, floods, and soup."""

from __future__ import annotations

import os
import re
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import ConfigurationError
from neurogame.ggp.protocol.limits import ReadingLimits
from neurogame.ggp.server.listener import listen, open_socket
from tests.ggp.server.doubles import Served, Stage, everything, recorded
from tests.processes import PATIENCE, wait_until

AVAILABLE = b"((name neurogame)(status available)(species alien))"
RULES = "(( role xplayer ) ( role oplayer ) )"


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage()


@pytest.fixture(scope="module")
def served(stage: Stage) -> Iterator[Served]:
    with closing(Served(stage.host)) as served:
        yield served


def test_recorded_traffic_to_the_letter(served: Served, stage: Stage) -> None:
    start = f"( START demo.1 xplayer {RULES} 10 5)"
    assert served.exchange(recorded("( INFO )")) == (
        b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 51\r\n\r\n" + AVAILABLE
    )
    assert served.body(recorded(start)) == b"ready"
    assert served.body(recorded("( PLAY demo.1 NIL )")) == b"noop"
    assert served.body(recorded("( PLAY demo.1 (( mark 2 1 ) noop ) )")) == b"noop"
    assert served.body(recorded("( PLAY demo.2 NIL )")) == b"busy"
    assert served.body(recorded("( STOP demo.1 (( mark 3 2 ) noop ) )")) == b"done"
    side = stage.sides[-1]
    assert side.start_message.rules == "( role xplayer ) ( role oplayer ) "
    assert side.calls[1:3] == ["play None", "play ('(mark 2 1)', 'noop')"]
    assert side.calls[3] == "stop ('(mark 3 2)', 'noop')"


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /%28INFO%29 HTTP/1.0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST / HTTP/1.1\ncontent-length: 6\n\n(INFO)",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n(ping)\r\n0\r\n\r\n",
        b"POST / HTTP/1.0\r\n\r\n(INFO)",  # Settles after a silence.
        b"POST / HTTP/1.0\r\ncontent-length: 0\r\n\r\n",
    ],
)
def test_all_ways_to_ask(served: Served, request_: bytes) -> None:
    assert served.body(request_) == AVAILABLE


def test_a_half_closed_sender_still_gets_its_answer(served: Served) -> None:
    assert served.body(b"POST / HTTP/1.0\r\n\r\ninfo", end=True) == AVAILABLE
    assert served.body(recorded("( INFO )"), end=True) == AVAILABLE


ORIGIN = "https://manager.example"
BY_PAGE = (
    b"OPTIONS / HTTP/1.1\r\nOrigin: %s\r\n\r\n",
    b"POST / HTTP/1.1\r\nOrigin: %s\r\nContent-Length: 6\r\n\r\n(INFO)",
    b"GET /%%28INFO%%29 HTTP/1.1\r\norigin:%s\r\n\r\n",
)


def test_web_pages_ask_in_vain(served: Served) -> None:
    """Neither is their question obeyed, nor may they read the answer."""
    requests = [request % ORIGIN.encode() for request in BY_PAGE]
    requests += [b"GET /%28INFO%29 HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\n\r\n"]
    for request in requests:
        reply = served.exchange(request)
        assert reply.startswith(b"HTTP/1.0 403 Forbidden\r\n")
        assert b"Access-Control" not in reply
        assert b"'serve --allow-origin' says which pages may ask" in reply
    # Who types the address is no page; nor is any other program.
    typed = b"GET /%28INFO%29 HTTP/1.1\r\nSec-Fetch-Site: none\r\n\r\n"
    for request in (typed, recorded("( INFO )"), b"OPTIONS / HTTP/1.1\r\n\r\n"):
        reply = served.exchange(request)
        assert reply.startswith(b"HTTP/1.0 200 OK\r\n")
        assert b"Access-Control" not in reply


@pytest.mark.parametrize("allowed", ["*", ORIGIN])
def test_pages_of_the_allowed_origin_may_ask(allowed: str) -> None:
    with closing(Served(Stage().host, allowed=allowed)) as served:
        for request in BY_PAGE:
            reply = served.exchange(request % ORIGIN.encode())
            head = f"\r\nAccess-Control-Allow-Origin: {allowed}\r\n".encode()
            assert reply.startswith(b"HTTP/1.0 200 OK\r\n")
            assert reply.count(head) == 1
            assert b"Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n" in reply
            # What is asked in front of a question is answered without a body.
            answer = b"Content-length: 0\r\n" if request.startswith(b"OPTIONS") else AVAILABLE
            assert answer in reply
        reply = served.exchange(BY_PAGE[1] % b"https://elsewhere.example")
        assert reply.startswith(b"HTTP/1.0 200" if allowed == "*" else b"HTTP/1.0 403")


def test_who_asks_whether_to_go_on_is_told(served: Served) -> None:
    with served.connect() as own:
        own.sendall(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n")
        assert own.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        own.sendall(b"(INFO)")
        assert everything(own).endswith(AVAILABLE)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (b"( INFO )\r\n", b"a request line"),
        (recorded("( HELLO )"), b"unknown command 'HELLO'"),
        (recorded("(" * 3000), b"deep"),
        (recorded("( PLAY a (" + "(b) " * 20_000), b"missing"),  # Large: another thread.
        (b"POST / HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n", b"at most 8,388,608"),
    ],
)
def test_bad_requests_get_a_line_and_status_400(
    served: Served, request_: bytes, says: bytes
) -> None:
    reply = served.exchange(request_)
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.0 400 Bad Request\r\nContent-type: text/acl\r\n")
    assert says in body
    assert b"\n" not in body
    assert b"Traceback" not in body


def test_the_reason_arrives_though_more_is_sent_than_read(served: Served) -> None:
    head = b"POST / HTTP/1.0\r\nContent-Length: 9000000\r\n\r\n"
    assert b"at most 8,388,608" in served.exchange(head, *[b"x" * 65536] * 20)


def test_a_large_start_is_understood(served: Served, stage: Stage) -> None:
    rules = "(init (cell 1 1 b))\n" * 20_000
    assert served.body(recorded(f"( START big x ({rules}) 1 1)")) == b"ready"
    assert stage.sides[-1].start_message.rules == rules
    assert served.body(recorded("( ABORT big )")) == b"aborted"


def test_names_and_moves_of_any_letters_come_back(served: Served, stage: Stage) -> None:
    start = "( START größe x () 1 1)"
    head = f"POST / HTTP/1.0\r\nContent-Length: {len(start)}\r\n\r\n"  # Characters, not bytes.
    assert served.body(head.encode() + start.encode()) == b"ready"
    body = "( PLAY größe ((zug é) noop))".encode()
    head = f"POST / HTTP/1.0\r\nContent-Length: {len(body)}\r\n\r\n"
    assert served.body(head.encode() + body) == b"noop"
    assert stage.sides[-1].calls[-1] == "play ('(zug é)', 'noop')"
    escaped = b"GET /%28ABORT+gr%C3%B6%C3%9Fe%29 HTTP/1.0\r\n\r\n"
    assert served.body(escaped) == b"aborted"


def test_info_and_abort_are_answered_while_a_move_is_looked_for(
    served: Served, stage: Stage
) -> None:
    assert served.body(recorded(f"( START think x {RULES} 10 5)")) == b"ready"
    side = stage.sides[-1]
    side.waits = True
    with served.connect() as thinking:
        thinking.sendall(recorded("( PLAY think NIL )"))
        assert side.waiting.wait(PATIENCE)
        assert b"(status busy)" in served.body(recorded("( INFO )"))
        assert served.body(recorded("( ABORT think )")) == b"aborted"
        assert everything(thinking).endswith(b"\r\n\r\nnil")


def test_a_manager_that_has_gone_away_does_no_harm(served: Served, stage: Stage) -> None:
    assert served.body(recorded(f"( START gone x {RULES} 10 5)")) == b"ready"
    side = stage.sides[-1]
    side.waits = True
    with served.connect() as gone:
        gone.sendall(recorded("( PLAY gone NIL )"))
        assert side.waiting.wait(PATIENCE)
        gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    side.waits = False
    side.go.set()
    assert served.body(recorded("( STOP gone NIL )")) == b"done"


def test_clocks_run_from_the_first_byte(served: Served, stage: Stage) -> None:
    assert served.body(recorded(f"( START early x {RULES} 10 5)")) == b"ready"
    with served.connect() as early:
        time.sleep(0.5)  # Nobody can wait for this too long.
        before = time.monotonic()
        early.sendall(recorded("( PLAY early NIL )"))
        assert everything(early).endswith(b"noop")
    # 5 s less a reserve of 0.1.
    assert stage.sides[-1].deadlines[2] >= before + 4.7
    assert served.body(recorded("( STOP early NIL )")) == b"done"


def test_a_request_has_its_time_in_all_not_per_byte() -> None:
    with closing(Served(Stage().host, ReadingLimits(seconds=0.3))) as served:
        with served.connect() as slow:
            slow.sendall(b"POST / HTTP/1.0\r\n")
            with suppress(OSError):
                for _ in range(30):
                    slow.sendall(b"a")
                    time.sleep(0.02)
            reply = everything(slow)
        assert reply == b"" or b"not complete after 0.3 s" in reply
        assert served.answers()


def test_a_flood_of_slow_senders_never_locks_out_a_manager() -> None:
    stage = Stage()
    with closing(Served(stage.host, ReadingLimits(connections=8))) as served, ExitStack() as held:
        start = recorded(f"( START flood x {RULES} 10 5)")
        assert served.body(start) == b"ready"
        stage.sides[-1].waits = True
        manager = held.enter_context(served.connect())
        manager.sendall(recorded("( PLAY flood NIL )"))
        assert stage.sides[-1].waiting.wait(PATIENCE)
        slow: list[socket.socket] = []
        for number in range(1, 41):
            slow.append(held.enter_context(served.connect()))
            slow[-1].sendall(b"POST /")
            assert number % 10 or served.answers()
        # The oldest slow ones went, not the manager that waits for its move.
        assert everything(slow[0]) == b""
        stage.sides[-1].go.set()
        assert everything(manager).endswith(b"noop")


def test_many_large_incomplete_requests_are_held_within_the_memory() -> None:
    limits = ReadingLimits(body=2**20, memory=2**21)
    with closing(Served(Stage().host, limits)) as served, ExitStack() as held:
        own = [held.enter_context(served.connect()) for _ in range(6)]
        for each in own:
            with suppress(OSError):  # Dropped already.
                each.sendall(b"POST / HTTP/1.0\r\nContent-Length: 1000000\r\n\r\n")
                each.sendall(b"x" * 900_000)
        assert served.answers()
        wait_until(lambda: sum(map(is_closed, own)) >= 3)


def is_closed(own: socket.socket) -> bool:
    """Whether the other side has closed."""
    own.settimeout(0.01)
    try:
        return own.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_connections_leave_nothing_behind(served: Served) -> None:
    def handles() -> int:
        return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

    for _ in range(5):
        served.body(recorded("( PLAY none NIL )"))
    before, threads = handles(), threading.active_count()
    for _ in range(50):
        served.body(recorded("( INFO )"))
        served.body(recorded("( PLAY none NIL )"))
        served.exchange(b"nonsense\r\n")
        with served.connect() as own:
            own.sendall(b"POST / HT")
    wait_until(lambda: handles() <= before)
    # The pool of workers may have grown to its size, which is bounded.
    assert threading.active_count() <= threads + 16


SOUP = st.lists(
    st.binary(max_size=30)
    | st.sampled_from(
        [b"POST / HTTP/1.0\r\n", b"GET /", b"\r\n\r\n", b"Content-Length: 5\r\n", b"( INFO )", b"("]
    ),
    min_size=1,
    max_size=6,
).map(b"".join)


@given(soup=SOUP)
def test_soup_is_answered_and_kills_nobody(served: Served, soup: bytes) -> None:
    reply = served.exchange(soup, end=True)
    assert re.match(rb"HTTP/1\.0 (200 OK|400 Bad Request)\r\n", reply)
    assert served.answers()


def test_a_port_in_use_is_refused_in_one_line() -> None:
    with open_socket("127.0.0.1", 0) as own, socket.socket() as client:
        port = own.getsockname()[1]
        assert client.connect_ex(("127.0.0.1", port)) != 0  # Not ready yet: refused.
        with open_socket("127.0.0.1", port) as late:
            listen(own)
            says = f"^cannot listen at 127.0.0.1:{port}: Address already in use; choose another"
            with pytest.raises(ConfigurationError, match=says):
                listen(late)
        with pytest.raises(ConfigurationError, match=says):
            open_socket("127.0.0.1", port)


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="choose another --port or --host"):
        open_socket("192.0.2.1", 0)
    with pytest.raises(ConfigurationError, match="cannot listen at no such host"):
        open_socket("no such host", 0)
