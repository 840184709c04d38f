"""Requests out of bytes: recorded ones, sloppy ones, and soup."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import ProtocolError
from neurogame.ggp.protocol.exchange import Request, RequestReader, reply_bytes
from neurogame.ggp.protocol.limits import ReadingLimits

PLAY = "( PLAY demo.ticTacToe.1 (( mark 2 1 ) noop ) )"
RECORDED = (
    b"POST / HTTP/1.0\r\n"
    b"Accept: text/delim\r\n"
    b"Host: localhost\r\n"
    b"Sender: GAMESERVER\r\n"
    b"Receiver: RandomA\r\n"
    b"Content-Type: text/acl\r\n"
    b"Content-Length: 46\r\n"
    b"\r\n" + PLAY.encode()
)
SMALL = ReadingLimits(head=1024, body=2048, memory=4096)


def read(data: bytes, limits: ReadingLimits | None = None) -> tuple[str, str] | None:
    """The method and the message of a request that is complete."""
    request = RequestReader(limits or ReadingLimits()).feed(data)
    return request and (request.method, request.text)


def test_the_recorded_request() -> None:
    assert read(RECORDED) == ("POST", PLAY)


def test_the_recorded_reply() -> None:
    """Those of GGP-Base's players, which answer to all web pages."""
    assert reply_bytes("noop", allowed="*") == (
        b"HTTP/1.0 200 OK\r\n"
        b"Content-type: text/acl\r\n"
        b"Content-length: 4\r\n"
        b"Access-Control-Allow-Origin: *\r\n"
        b"Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
        b"Access-Control-Allow-Headers: Content-Type\r\n"
        b"Access-Control-Allow-Age: 86400\r\n"
        b"\r\n"
        b"noop"
    )


def test_a_reply_tells_web_pages_nothing_unless_they_are_allowed() -> None:
    assert b"Access-Control" not in reply_bytes("noop")
    assert b"Allow-Origin: https://a.example\r\n" in reply_bytes("x", allowed="https://a.example")


@pytest.mark.parametrize(
    ("head", "page"),
    [
        (b"Host: x", ""),
        (b"Sec-Fetch-Site: none", ""),
        (b"ORIGIN: https://a.example", "https://a.example"),
        (b"Sec-Fetch-Site: cross-site", "null"),
        (b"Sec-Fetch-Site: same-site\r\nOrigin: http://localhost:1", "http://localhost:1"),
    ],
)
def test_the_page_that_has_asked_is_known(head: bytes, page: str) -> None:
    data = b"POST / HTTP/1.1\r\n" + head + b"\r\nContent-Length: 6\r\n\r\n(INFO)"
    request = RequestReader(ReadingLimits()).feed(data)
    assert request == Request("POST", b"(INFO)", page)


@pytest.mark.parametrize(
    ("data", "request_"),
    [
        (b"GET /%28INFO%29 HTTP/1.0\r\n\r\n", ("GET", "(INFO)")),
        (b"get /(+INFO%20) HTTP/1.1\n\n", ("GET", "( INFO )")),
        (b"GET http://here:1/%28PING%29 HTTP/1.1\r\nHost: here\r\n\r\n", ("GET", "(PING)")),
        (b"GET /( ABORT a )\r\n\r\n", ("GET", "( ABORT a )")),
        (b"GET / HTTP/1.0\r\n\r\n", ("GET", "")),
        (b"OPTIONS / HTTP/1.1\r\nOrigin: x\r\n\r\n", ("OPTIONS", "")),
        (b"\r\n\nPOST / HTTP/1.1\ncontent-length: 6\n\n(INFO)", ("POST", "(INFO)")),
        (b"POST / HTTP/1.0\r\nCONTENT-LENGTH:0\r\n\r\n", ("POST", "")),
        (b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)\r\n\r\n", ("POST", "(INFO)")),
        (
            b"POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n"
            b"4;x=y\r\n(INF\r\n2\r\nO)\r\n0\r\nTrailer: t\r\n\r\n",
            ("POST", "(INFO)"),
        ),
        # Characters counted instead of bytes: the message goes on behind the announced end.
        ("POST / HTTP/1.0\r\nContent-Length: 17\r\n\r\n(PLAY é ((mark é)))".encode(), None),
    ],
)
def test_other_requests(data: bytes, request_: tuple[str, str] | None) -> None:
    assert read(data) == request_


def test_a_length_in_characters_is_understood() -> None:
    reader = RequestReader(ReadingLimits())
    text = "( PLAY é (( mark ß 1 ) ) )"
    head = f"POST / HTTP/1.0\r\nContent-Length: {len(text)}\r\n\r\n"
    assert reader.feed(head.encode() + text.encode()) is None
    assert reader.is_settled
    assert reader.settle().text == text


def test_without_a_length_a_whole_message_settles_and_the_end_completes() -> None:
    reader = RequestReader(ReadingLimits())
    assert reader.feed(b"POST / HTTP/1.0\r\n\r\n( PLAY a ; ) no\n (x") is None
    assert not reader.is_settled
    reader.feed(b" y)")
    assert not reader.is_settled
    reader.feed(b" )")
    assert reader.is_settled
    reader.feed(b"\r\n")
    assert reader.end().text == "( PLAY a ; ) no\n (x y) )\r\n"


def test_bytes_that_are_not_utf8_are_read_as_latin_1() -> None:
    data = b"POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\na\xffb"
    assert read(data) == ("POST", "a\xffb")


def test_who_waits_for_a_go_on_is_seen() -> None:
    reader = RequestReader(ReadingLimits())
    head = b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n"
    assert reader.feed(head) is None
    assert reader.wants_continue
    assert reader.feed(b"(IN") is None
    assert not reader.wants_continue
    assert reader.feed(b"FO)") == Request("POST", b"(INFO)")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"( INFO )\r\n", "a request line with POST, GET, OPTIONS"),
        (b"\x16\x03\x01\x02\x00\n", "a request line"),
        (b"PUT / HTTP/1.1\r\n", "a request line"),
        (b"POST\r\n", "a request line"),
        (b"POST / HTTP/1.0\r\nContent-Length: -1\r\n\r\n", "content length '-1'"),
        (b"POST / HTTP/1.0\r\nContent-Length: 1e3\r\n\r\n", "content length '1e3'"),
        (b"POST / HTTP/1.0\r\nContent-Length: 2049\r\n\r\n", "2,049 bytes, at most 2,048"),
        (b"POST / HTTP/1.0\r\nContent-Length: " + b"9" * 30 + b"\r\n\r\n", "content length"),
        (b"POST / HTTP/1.0\nContent-Length: 1\nContent-Length: 2\n\n", "two different"),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: gzip\r\n\r\n", "transfer encoding 'gzip'"),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "size of a chunk"),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n", "at most 2,048"),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + b"0" * 1100, "too long"),
        (b"POST / HTTP/1.0\r\n\r\n" + b"x" * 2049, "at most 2,048"),
        (b"POST / HTTP/1.0\r\n" + b"a: b\r\n" * 200, "more than 1,024 bytes before the body"),
        (b"x" * 1025, "more than 1,024 bytes before"),
        (b"\n" * 1025, "more than 1,024 bytes before"),
        (b"GET /" + b"x" * 2048, "more than 2,048 bytes before"),
    ],
)
def test_bad_requests_are_refused_with_their_reason(data: bytes, says: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        read(data, SMALL)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"POST / HTTP/1.0\r\nContent-",
        b"POST / HTTP/1.0\r\nContent-Length: 10\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
    ],
)
def test_what_ends_too_early_is_refused(data: bytes) -> None:
    reader = RequestReader(ReadingLimits())
    assert reader.feed(data) is None
    with pytest.raises(ProtocolError, match=r"ended|announced"):
        reader.end()


def test_an_old_request_without_version_and_headers_ends_with_its_sender() -> None:
    reader = RequestReader(ReadingLimits())
    assert reader.feed(b"GET /%28INFO%29") is None
    assert reader.end().text == "(INFO)"


PIECES = st.sampled_from(
    [
        b"POST / HTTP/1.0\r\n",
        b"POST / HTTP/1.1\n",
        b"GET /(INFO) HTTP/1.1\r\n",
        b"Content-Length: 6\r\n",
        b"Content-Length: 99999999999999999999\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Expect: 100-continue\r\n",
        b"\r\n",
        b"\n",
        b"2\r\n()\r\n0\r\n\r\n",
        b"( INFO )",
        b"((((",
        b"))",
        b"; \xff\x00",
    ]
)


@given(st.lists(PIECES | st.binary(max_size=20), max_size=8).map(b"".join), st.data())
def test_soup_reads_the_same_in_any_pieces(soup: bytes, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(soup)), max_size=6).map(sorted))
    ends = [*cuts, len(soup)]
    pieces = [soup[begin:end] for begin, end in zip([0, *cuts], ends, strict=True)]
    assert outcome([soup]) == outcome(pieces) == outcome([bytes([byte]) for byte in soup])


def outcome(pieces: list[bytes]) -> tuple[str, object]:
    """What becomes of bytes that arrive in pieces: a request, its reason, or waiting."""
    reader = RequestReader(SMALL)
    try:
        for piece in pieces:
            request = reader.feed(piece)
            if request is not None:
                return "request", request
            assert reader.size <= SMALL.body + len(piece)
        return "end", reader.end()
    except ProtocolError as error:
        return "refused", str(error)
