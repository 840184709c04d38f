"""The three ways in which the body of an HTTP message says where it ends.

A body is fed with bytes as they arrive, and says when it is complete. None of them holds more
than its limit.
"""

from __future__ import annotations

import re
from typing import TypeAlias, final

from neurogame.errors import ProtocolError

_BRACKETS = re.compile(rb"[();]")
_LINE_END = re.compile(rb"[\r\n]")
_LONGEST_SIZE_LINE = 1024


@final
class OpenBody:
    """A body without an announced length: up to the sender's end, or a whole message.

    Args:
        limit: greatest length; bytes.
    """

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self.is_complete = False
        self._limit = limit
        self._depth = 0
        self._in_comment = False

    @property
    def is_settled(self) -> bool:
        """Whether all parentheses are closed behind something that is not blank."""
        return self._depth <= 0 and bool(self.data) and not self.data.isspace()

    def feed(self, data: bytes) -> None:
        """Take bytes that have arrived.

        Raises:
            ProtocolError: the body is longer than the limit.
        """
        _check_length(len(self.data) + len(data), self._limit)
        self.data += data
        position = 0
        while True:
            pattern = _LINE_END if self._in_comment else _BRACKETS
            token = pattern.search(data, position)
            if token is None:
                return
            position = token.end()
            match token[0]:
                case b"(":
                    self._depth += 1
                case b")":
                    self._depth -= 1
                case b";":
                    self._in_comment = True
                case _:
                    self._in_comment = False

    def end(self) -> None:
        """Hear that no more bytes will come: the body is complete."""
        self.is_complete = True


@final
class CountedBody:
    """A body whose length was announced.

    Some senders count characters where bytes are meant. So, where there are other bytes than
    ASCII and parentheses are still open at the announced end, the rest of the message is waited
    for.

    Args:
        length: what was announced; bytes.
        limit: greatest length; bytes.

    Raises:
        ProtocolError: the announced length is above the limit.
    """

    def __init__(self, length: int, limit: int) -> None:
        _check_length(length, limit)
        self.data = bytearray()
        self.is_complete = length == 0
        self._length = length
        self._limit = limit
        self._rest: OpenBody | None = None

    @property
    def is_settled(self) -> bool:
        """Whether the announced end is behind us: all that may follow is there in a moment."""
        return self._rest is not None

    def feed(self, data: bytes) -> None:
        """Take bytes that have arrived.

        Raises:
            ProtocolError: the body is longer than the limit.
        """
        if self._rest is not None:
            self._rest.feed(data)
        elif len(self.data) + len(data) < self._length:
            self.data += data
        elif not self.is_complete:
            self._cross(data)

    def end(self) -> None:
        """Hear that no more bytes will come.

        Raises:
            ProtocolError: fewer have come than were announced.
        """
        if not self.is_complete and self._rest is None:
            raise ProtocolError(f"{self._length} bytes were announced, {len(self.data)} came")
        self.is_complete = True

    def _cross(self, data: bytes) -> None:
        """Take the bytes with which the announced length is reached."""
        end = self._length - len(self.data)
        self.data += data[:end]
        self.is_complete = True
        if self.data.isascii():
            return
        rest = OpenBody(self._limit)
        rest.feed(bytes(self.data))
        if not rest.is_settled:
            self.is_complete = False
            self._rest, self.data = rest, rest.data
            rest.feed(data[end:])


@final
class ChunkedBody:
    """A body in chunks, each behind a line with its size.

    Args:
        limit: greatest length; bytes.
    """

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self.is_complete = False
        self._limit = limit
        self._line = bytearray()
        self._missing = 0
        self._stage = "size"

    @property
    def is_settled(self) -> bool:
        """Whether the last chunk has come, though not the empty line that should follow it."""
        return self._stage == "trailer"

    def feed(self, data: bytes) -> None:
        """Take bytes that have arrived.

        Raises:
            ProtocolError: a size is not a hexadecimal number, or the limit is exceeded.
        """
        position = 0
        while position < len(data) and not self.is_complete:
            if self._stage == "data":
                piece = data[position : position + self._missing]
                self.data += piece
                self._missing -= len(piece)
                position += len(piece)
                if not self._missing:
                    self._stage = "gap"
            else:
                end = data.find(b"\n", position)
                self._line += data[position:] if end < 0 else data[position:end]
                position = len(data) if end < 0 else end + 1
                if len(self._line) > _LONGEST_SIZE_LINE:
                    raise ProtocolError("a line between chunks is too long")
                if end >= 0:
                    line = bytes(self._line).strip()
                    self._line.clear()
                    self._take_line(line)

    def end(self) -> None:
        """Hear that no more bytes will come.

        Raises:
            ProtocolError: the last chunk has not come.
        """
        if not self.is_complete:
            raise ProtocolError("it ended before its last chunk")

    def _take_line(self, line: bytes) -> None:
        """Go on behind a line that is not data."""
        if self._stage == "gap":
            self._stage = "size"
        elif self._stage == "trailer":
            self.is_complete = not line
        else:
            digits = line.partition(b";")[0].strip()
            if not re.fullmatch(rb"[0-9A-Fa-f]{1,15}", digits):
                raise ProtocolError(f"{digits[:20]!r} is not the size of a chunk")
            self._missing = int(digits, 16)
            _check_length(len(self.data) + self._missing, self._limit)
            self._stage = "data" if self._missing else "trailer"


Body: TypeAlias = OpenBody | CountedBody | ChunkedBody
"""A body that is being read: of no announced length, of one, or in chunks."""


def _check_length(length: int, limit: int) -> None:
    if length > limit:
        raise ProtocolError(f"{length:,} bytes, at most {limit:,} are allowed")
