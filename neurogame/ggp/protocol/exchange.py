"""How a message and its answer travel over HTTP: as bytes, without any connection.

The reader takes bytes in whatever pieces they arrive and is strict about sizes only: header
names in any case, line ends with or without a carriage return, HTTP/1.0, 1.1 or no version are
all understood.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final
from urllib.parse import unquote_to_bytes

from neurogame.errors import ProtocolError
from neurogame.ggp.protocol.bodies import Body, ChunkedBody, CountedBody, OpenBody
from neurogame.ggp.protocol.limits import ReadingLimits

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
"""What a sender wants to see who asked whether the body may follow."""

_METHODS = ("POST", "GET", "OPTIONS")
_REASONS = {200: "OK", 400: "Bad Request", 403: "Forbidden"}
_KEPT = (b"content-length", b"transfer-encoding", b"expect", b"origin", b"sec-fetch-site")
_OTHER_SITES = (b"cross-site", b"same-site")
_LONGEST_COUNT = 18


@final
@dataclass(frozen=True)
class Request:
    """A complete request.

    Attributes:
        method: ``POST``, ``GET`` or ``OPTIONS``.
        data: the body, or (GET) the address; bytes as they came.
        page: the origin of the web page that sent it, as its browser tells; ``null`` if that keeps
            it to itself; empty if no page of another site has sent it.
    """

    method: str
    data: bytes
    page: str = ""

    @property
    def text(self) -> str:
        """The message; what is not UTF-8 is read as Latin-1, which has no errors."""
        return _decoded(_message_part(self.data) if self.method == "GET" else self.data)


@final
class RequestReader:
    """Reads one request.

    Args:
        limits: what it may cost.
    """

    def __init__(self, limits: ReadingLimits) -> None:
        self._limits = limits
        self._line = bytearray()
        self._head = 0
        self._method = ""
        self._target = b""
        self._headers: dict[bytes, bytes] = {}
        self._body: Body | None = None

    @property
    def size(self) -> int:
        """How many bytes are held."""
        return len(self._line) + len(self._target) + (len(self._body.data) if self._body else 0)

    @property
    def is_settled(self) -> bool:
        """Whether a silence would mean that the request is complete; see :meth:`settle`."""
        return self._body is not None and self._body.is_settled

    @property
    def wants_continue(self) -> bool:
        """Whether the sender waits for :data:`CONTINUE` before it sends the body."""
        return (
            self._body is not None
            and not self._body.data
            and self._headers.get(b"expect", b"").lower() == b"100-continue"
        )

    def feed(self, data: bytes) -> Request | None:
        """Take bytes that have arrived.

        Args:
            data: any number of bytes.

        Returns:
            The request if it is complete.

        Raises:
            ProtocolError: this cannot become a request, or a limit is exceeded.
        """
        position = 0
        while self._body is None and position < len(data):
            end = data.find(b"\n", position)
            stop = len(data) if end < 0 else end + 1
            self._head += stop - position
            self._line += data[position:stop]
            self._check_head()
            position = stop
            if end >= 0:
                line = bytes(self._line).strip()
                self._line.clear()
                self._take_line(line)
        if self._body is not None and position < len(data):
            self._body.feed(data[position:])
        return self.settle() if self._body is not None and self._body.is_complete else None

    def end(self) -> Request:
        """Hear that no more bytes will come.

        Returns:
            The request.

        Raises:
            ProtocolError: it is not complete.
        """
        if self._body is None and not self._method:
            self._take_line(bytes(self._line).strip())
        if self._body is None and self._method in ("", "POST"):
            raise ProtocolError("it ended within its headers")
        if self._body is not None:
            self._body.end()
        return self.settle()

    def settle(self) -> Request:
        """Return what has arrived as a complete request."""
        data = b"" if self._body is None else bytes(self._body.data)
        return Request(self._method, self._target if self._method == "GET" else data, self._page())

    def _page(self) -> str:
        # Pictures and forms are asked for without an origin, but with this.
        is_other = self._headers.get(b"sec-fetch-site", b"none").lower() in _OTHER_SITES
        return _decoded(self._headers.get(b"origin", b"null" if is_other else b""))

    def _check_head(self) -> None:
        """Refuse long heads; that of GET holds the message."""
        is_get = self._method == "GET" or self._line[:4].upper() == b"GET "
        limit = self._limits.body if is_get else self._limits.head
        if self._head > limit:
            raise ProtocolError(f"more than {limit:,} bytes before the body")

    def _take_line(self, line: bytes) -> None:
        """Take one line of the head, without its end."""
        if not self._method:
            if line:  # Empty lines in front are skipped.
                self._take_first_line(line)
        elif line:
            name, _, value = line.partition(b":")
            name, value = name.strip().lower(), value.strip()
            if name not in _KEPT:
                return
            if self._headers.setdefault(name, value) != value:
                raise ProtocolError(f"two different headers {name.decode()!r}")
        else:
            self._body = self._start_body()

    def _take_first_line(self, line: bytes) -> None:
        method, *rest = line.split(None, 1)
        self._method = _decoded(method[:20]).upper()
        if self._method not in _METHODS or not rest:
            raise ProtocolError(
                f"found {_decoded(line[:20])!r}, "
                f"a request line with {', '.join(_METHODS)} is needed"
            )
        *target, version = rest[0].rsplit(None, 1)
        self._target = target[0] if target and version[:5].upper() == b"HTTP/" else rest[0]

    def _start_body(self) -> Body:
        """Return the body that the headers announce."""
        limit = self._limits.body
        if self._method != "POST":
            return CountedBody(0, limit)
        coding = self._headers.get(b"transfer-encoding", b"identity").lower()
        if coding == b"chunked":
            return ChunkedBody(limit)
        if coding != b"identity":
            raise ProtocolError(f"transfer encoding {_decoded(coding[:20])!r}")
        count = self._headers.get(b"content-length")
        if count is None:
            return OpenBody(limit)
        if not count.isdigit() or len(count) > _LONGEST_COUNT:
            raise ProtocolError(f"content length {_decoded(count[:20])!r}")
        return CountedBody(int(count), limit)


def reply_bytes(text: str, status: int = 200, allowed: str = "") -> bytes:
    """Return a reply, with the headers that GGP-Base's players send.

    The connection ends behind it, as HTTP/1.0 has it.

    Args:
        text: the answer; ASCII, others are escaped.
        status: 200, 400 or 403.
        allowed: the origin of web pages that may read it, ``*`` for all; empty for none.
    """
    body = text.encode("utf-8", "backslashreplace")
    head = (
        f"HTTP/1.0 {status} {_REASONS[status]}\r\n"
        "Content-type: text/acl\r\n"
        f"Content-length: {len(body)}\r\n"
    )
    if allowed:
        head += (
            f"Access-Control-Allow-Origin: {allowed}\r\n"
            "Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
            "Access-Control-Allow-Headers: Content-Type\r\n"
            "Access-Control-Allow-Age: 86400\r\n"
        )
    return f"{head}\r\n".encode("ascii") + body


def _message_part(target: bytes) -> bytes:
    """Return the message in an address: all behind its first slash, un-escaped."""
    _, scheme, rest = target.partition(b"://")
    path = rest if scheme and target[:4].lower() == b"http" else target
    return unquote_to_bytes(path.partition(b"/")[2].replace(b"+", b" "))


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
