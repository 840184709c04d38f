"""The HTTP reply of a player, read as its bytes come in."""

from __future__ import annotations

import re
from typing import final

from neurogame.errors import ProtocolError
from neurogame.ggp.protocol.bodies import ChunkedBody

MAXIMUM_HEADER_BYTES = 65_536
"""A reply that has no empty line by then is no HTTP."""

_HEADER_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"^content-length:[ \t]*(-?\d+)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_CHUNKED = re.compile(rb"^transfer-encoding:[^\r\n]*\bchunked\b", re.IGNORECASE | re.MULTILINE)
_DIGITS = 18
_BROKEN_OFF = "\ufffd"


class ReplyError(Exception):
    """What came is not a reply; the text says why."""


@final
class ReplyReader:
    """Collects the bytes of one reply and knows when it is complete.

    Players are forgiven much: lines may end in LF alone, any HTTP version and status will do,
    without ``Content-Length`` the reply lasts until the connection closes, and one that breaks
    off early counts as far as it came. GGP-Base forgives less; see ``strict``.

    Args:
        limit: largest body in bytes, at least 1.
        strict: read as GGP-Base's manager does: chunks are not decoded, a reply that breaks off
            is spoiled, and without ``Content-Length`` line ends vanish.
    """

    def __init__(self, limit: int, *, strict: bool = False) -> None:
        self._limit = limit
        self._strict = strict
        self._data = bytearray()
        self._body_at: int | None = None
        self._length: int | None = None
        self._chunks: ChunkedBody | None = None

    def feed(self, data: bytes) -> bool:
        """Take more bytes.

        Args:
            data: the next bytes from the connection.

        Returns:
            Whether the reply is complete, so that nothing more need be read.

        Raises:
            ReplyError: the reply is larger than the limit, or is no HTTP.
        """
        if self._chunks is not None:
            return self._unpacked(self._chunks, data)
        searched = max(0, len(self._data) - 3)
        self._data += data
        if self._body_at is None:
            self._find_body(searched)
        if self._body_at is None:
            return False
        if self._chunks is not None:
            return self._unpacked(self._chunks, bytes(self._data[self._body_at :]))
        size = len(self._data) - self._body_at
        if self._length is not None and size >= self._length:
            return True
        if size > self._limit:
            raise ReplyError(f"the reply has more than {self._limit} bytes")
        return False

    def text(self) -> str:
        """Return the body: all of it, or what has come when the player closed the connection.

        Raises:
            ReplyError: not even the headers were complete.
        """
        if self._body_at is None:
            raise ReplyError("closed without a reply" if not self._data else "no HTTP reply")
        if self._chunks is not None:
            return _decoded(self._chunks.data).strip()
        if self._length is None:
            text = _decoded(self._data[self._body_at :])
            return re.sub(r"\r\n|\r|\n", "", text).strip() if self._strict else text.strip()
        text = _decoded(self._data[self._body_at : self._body_at + self._length])
        if self._strict and len(self._data) - self._body_at < self._length:
            text += _BROKEN_OFF
        return text.strip()

    def _unpacked(self, chunks: ChunkedBody, data: bytes) -> bool:
        """Take more bytes of a body in chunks; return whether the last chunk has come."""
        try:
            chunks.feed(data)
        except ProtocolError as error:
            raise ReplyError(f"in the reply: {error}") from None
        return chunks.is_complete or chunks.is_settled

    def _find_body(self, start: int) -> None:
        """Look for the end of the headers, and in them for how long the body is."""
        end = _HEADER_END.search(self._data, start)
        if end is None:
            if len(self._data) > MAXIMUM_HEADER_BYTES:
                raise ReplyError(f"no end of the headers within {MAXIMUM_HEADER_BYTES} bytes")
            return
        self._body_at = end.end()
        headers = bytes(self._data[: end.start()])
        if _CHUNKED.search(headers) and not self._strict:
            self._chunks = ChunkedBody(self._limit)
            return
        lengths = _LENGTH.findall(headers)
        if not lengths:
            return
        # More digits than any limit has are not worth reading.
        length = int(lengths[-1][:_DIGITS])
        if length > self._limit:
            raise ReplyError(f"a reply of {length} bytes or more; {self._limit} are allowed")
        if length >= 0:
            self._length = length


def _decoded(data: bytes | bytearray) -> str:
    return data.decode("utf-8", errors="replace")
