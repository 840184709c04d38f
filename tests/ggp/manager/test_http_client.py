"""Messages on the wire: the bytes that GGP-Base sends, and every kind of reply."""

from __future__ import annotations

import socket
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import PlayerError
from neurogame.ggp.manager.address import Address
from neurogame.ggp.manager.client import Answer, Call, run_all
from neurogame.ggp.manager.reply import ReplyError, ReplyReader
from tests.ggp.manager.fake_players import fake_player, http, slowly
from tests.processes import wait_until

RECORDED = (
    "POST / HTTP/1.0\r\n"
    "Accept: text/delim\r\n"
    "Host: localhost\r\n"
    "Sender: GAMESERVER\r\n"
    "Receiver: RandomA\r\n"
    "Content-Type: text/acl\r\n"
    "Content-Length: 46\r\n"
    "\r\n"
    "( PLAY demo.ticTacToe.1 (( mark 2 1 ) noop ) )"
)


def ask(reply: str | bytes | None, *, strict: bool = False, limit: int = 1000) -> Answer:
    """Return what the client makes of a reply."""
    with fake_player(lambda seen: reply) as player:
        address = Address("127.0.0.1", player.port)
        return Call(address, "( PLAY m NIL )", 5.0, strict=strict, limit=limit).run()


def test_the_request_is_what_was_recorded_from_ggp_base() -> None:
    with fake_player(lambda seen: "noop") as player:
        call = Call(
            Address("localhost", player.port),
            "( PLAY demo.ticTacToe.1 (( mark 2 1 ) noop ) )",
            5.0,
            receiver="RandomA",
        )
        answer = call.run()
    assert [seen.raw.decode() for seen in player.seen] == [RECORDED]
    assert (answer.text, answer.problem, answer.connected) == ("noop", "", True)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (http("( mark 1 1 )"), "( mark 1 1 )"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnoop", "noop"),
        (b"HTTP/1.1 500 Oh dear\nContent-length:4\n\nnoop and more", "noop"),
        (b"HTTP/1.0 200 OK\r\n\r\n\r\n (mark\r\n 1 1) \r\n", "(mark\r\n 1 1)"),
        (b"HTTP/1.0 200 OK\r\ncontent-length: 400\r\n\r\nno", "no"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nnoop", "noop"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n\xff\xfe(1)", "\ufffd\ufffd(1)"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"2;x=y\r\nno\r\nA\r\nop 3456789 \r\n0\r\n\r\n",
            "noop 3456789",
        ),
    ],
)
def test_replies_that_are_understood(reply: bytes, text: str) -> None:
    answer = ask(reply)
    assert (answer.text, answer.problem) == (text, "")


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        (None, "closed without a reply"),
        (b"noop", "no HTTP reply"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 1001\r\n\r\nnoop", "1001 bytes"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\nx", "bytes or more"),
        (b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 5000, "more than 1000 bytes"),
        (b"x" * 100_000, "no end of the headers"),
        (b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnoop\r\n", "chunk"),
        (b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"0" * 1100, "chunk"),
        (
            b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFF\r\nx",
            "at most 1,000",
        ),
    ],
)
def test_replies_that_are_refused(reply: bytes | None, detail: str) -> None:
    answer = ask(reply)
    assert answer.problem == "connection"
    assert answer.connected
    assert detail in answer.detail


def test_strictly_read_a_reply_is_what_ggp_base_makes_of_it() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnoop\r\n0\r\n\r\n"
    assert ask(chunked, strict=True).text == "4noop0"
    assert ask(http("(a 1)"), strict=True).text == "(a 1)"
    broken_off = ask(b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nnoop", strict=True)
    assert broken_off.text.startswith("noop")
    assert broken_off.text != "noop"


@given(
    body=st.text("ab() \r\n", max_size=30),
    framing=st.sampled_from(["length", "close", "chunked"]),
    cuts=st.lists(st.integers(1, 20), max_size=40),
    newline=st.sampled_from([b"\r\n", b"\n"]),
)
def test_it_does_not_matter_in_what_pieces_a_reply_comes(
    body: str, framing: str, cuts: list[int], newline: bytes
) -> None:
    data = body.encode()
    head = [b"HTTP/1.1 200 OK", b"Server: a:b"]
    if framing == "length":
        head.append(b"CONTENT-LENGTH:  %d" % len(data))
    elif framing == "chunked":
        head.append(b"Transfer-Encoding: chunked")
        pieces = [data[at : at + 7] for at in range(0, len(data), 7)] + [b""]
        data = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    wire = newline.join([*head, b"", data])
    reader, position, complete = ReplyReader(1000), 0, False
    for cut in [*cuts, len(wire)]:
        complete = reader.feed(wire[position : position + cut])
        position += cut
        if complete:
            break
    assert complete == (framing != "close")
    assert reader.text() == body.strip()


@given(st.binary(max_size=300), st.booleans())
def test_no_bytes_break_the_reader(data: bytes, strict: bool) -> None:
    reader = ReplyReader(50, strict=strict)
    try:
        reader.feed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + data)
        text = reader.text()
    except ReplyError:
        return
    assert len(text) <= 51


def test_a_reply_that_drips_for_too_long_is_late_although_each_byte_is_quick() -> None:
    with fake_player(slowly(http("x" * 300), 0.01)) as player:
        answer = Call(Address("127.0.0.1", player.port), "( STOP m NIL )", 0.3).run()
    assert (answer.text, answer.problem, answer.connected) == ("", "timeout", True)
    with fake_player(slowly(http("noop"), 0.0005)) as player:
        answer = Call(Address("127.0.0.1", player.port), "( STOP m NIL )", 10).run()
    assert answer.text == "noop"


def test_a_player_that_is_not_there_is_a_connection_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    answer = Call(Address("127.0.0.1", port), "( INFO )", 2.0).run()
    assert (answer.problem, answer.connected) == ("connection", False)


def test_a_player_that_accepts_but_never_answers_is_late() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        answer = Call(Address("127.0.0.1", port), "( INFO )" * 100_000, 0.2).run()
    assert (answer.problem, answer.connected) == ("timeout", True)


def test_calls_run_at_the_same_time() -> None:
    started: list[float] = []

    def together(seen: object) -> str:
        # Nobody is answered before all have been asked.
        started.append(time.monotonic())
        wait_until(lambda: len(started) == 3)
        return "ready"

    with fake_player(together) as one, fake_player(together) as two:
        ports = [one.port, two.port, one.port]
        calls = [Call(Address("127.0.0.1", port), "( START )", 10.0) for port in ports]
        answers = run_all([calls[0], None, *calls[1:]], 10.0)
    assert [a and a.text for a in answers] == ["ready", None, "ready", "ready"]


def test_a_cancelled_call_ends_without_waiting_for_its_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        call = Call(Address("127.0.0.1", listener.getsockname()[1]), "( INFO )", 60.0)
        canceller = threading.Timer(0.05, call.cancel)
        canceller.start()
        assert call.run().problem == "connection"
        canceller.join()
        assert call.run().detail == "cancelled"


@pytest.mark.parametrize(
    ("text", "address", "shown"),
    [
        ("http://127.0.0.1:9147", Address("127.0.0.1", 9147), "http://127.0.0.1:9147"),
        ("localhost:1", Address("localhost", 1), "http://localhost:1"),
        ("http://player.example", Address("player.example", 9147), "http://player.example:9147"),
        ("http://[::1]:80/", Address("::1", 80), "http://[::1]:80"),
        ("http://h:80/a/b", Address("h", 80, "/a/b"), "http://h:80/a/b"),
    ],
)
def test_addresses(text: str, address: Address, shown: str) -> None:
    assert Address.parse(text) == address
    assert str(address) == shown
    assert Address.parse(shown) == address


@pytest.mark.parametrize(
    "text",
    ["", "mcts", "https://a:1", "a:b", "a:0", "a:70000", "a b", "http://a:1/x y", "a\r\nX: y", "ä"],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(PlayerError, match="no address of a player"):
        Address.parse(text)
