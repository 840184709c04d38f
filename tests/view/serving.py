"""A page that is served to a test, and raw requests to it."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from neurogame.view.server import PageServer
from neurogame.view.site import Site
from neurogame.view.subject import PageSubject

EVIL = {
    "xplayer": "<b>",
    "oplayer": '"',
    "x": "<script>alert",
    "o": "</script>",
    "b": "&lt",
    "mark": "'><img/src=x/onerror=alert",
    "cell": "]]>",
}
"""Names of tic-tac-toe -> names that mean something to browsers."""


def evil_rules(text: str) -> str:
    """Return the rules of tic-tac-toe in such names."""
    words = text.replace("(", " ( ").replace(")", " ) ")
    lines = (line.partition(";")[0].split() for line in words.splitlines())
    return "\n".join(" ".join(EVIL.get(word, word) for word in line) for line in lines)


@contextmanager
def served(subject: PageSubject) -> Iterator[PageServer]:
    """Serve the page of a subject while the block runs."""
    server = PageServer(Site(subject), 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def request(
    server: PageServer,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, bytes, Mapping[str, str]]:
    """Send a request as it is given, and return status, body and headers of the reply."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method, path, body, dict(headers or {}))
        reply = connection.getresponse()
        return reply.status, reply.read(), dict(reply.headers.items())
    finally:
        connection.close()


def post(server: PageServer, path: str, given: object) -> tuple[int, dict[str, Any]]:
    """Ask as the page does."""
    body = json.dumps(given).encode()
    status, found, _ = request(server, "POST", path, body, {"Content-Type": "application/json"})
    return status, json.loads(found)


def ask(server: PageServer, path: str) -> dict[str, Any]:
    """Ask what needs no body."""
    status, found, _ = request(server, "GET", path)
    assert status == 200
    answer: dict[str, Any] = json.loads(found)
    return answer
