"""The server answers its own page only, and nothing that a client sends ends it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest

from neurogame.errors import ConfigurationError
from neurogame.view.guard import MOST_BYTES
from neurogame.view.server import PageServer
from neurogame.view.site import Site
from neurogame.view.subject import open_subject
from tests.view.serving import ask, post, request, served

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    with served(open_subject("tictactoe", evaluator="fuzzy")) as own:
        yield own


@pytest.fixture(autouse=True)
def _it_lives_on(server: PageServer) -> Iterator[None]:
    yield
    assert post(server, "/api/position", {"line": []})[0] == 200


def test_the_page_says_what_may_run_in_it(server: PageServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    status, body, headers = request(server, "GET", "/")
    assert status == 200
    assert b"tictactoe" in body
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http:" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert not [name for name in headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
def test_its_own_names_are_answered(server: PageServer, name: str) -> None:
    headers = {"Host": f"{name}:{server.port}"}
    assert request(server, "GET", "/", headers=headers)[0] == 200


@pytest.mark.parametrize(
    "host", ["example.com", "example.com:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.:{port}"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_other_names_are_refused(server: PageServer, host: str, method: str) -> None:
    """A name of another site may lead to this machine, too."""
    headers = {"Host": host.format(port=server.port), **JSON}
    status, body, _ = request(server, method, "/", b"{}" if method == "POST" else None, headers)
    assert status == 403
    assert "asked for host" in json.loads(body)["error"]


def test_two_hosts_and_no_host_are_refused(server: PageServer) -> None:
    good = f"Host: 127.0.0.1:{server.port}\r\n"
    for hosts in (good + "Host: example.com\r\n", ""):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as own:
            own.sendall(f"GET / HTTP/1.1\r\n{hosts}\r\n".encode())
            assert b" 403 " in own.recv(100)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://example.com"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/position", "/api/job"])
def test_other_sites_are_refused(server: PageServer, headers: dict[str, str], path: str) -> None:
    own = {name: value.format(port=server.port) for name, value in headers.items()}
    assert request(server, "GET", path, headers=own)[0] == 403
    assert request(server, "POST", path, b'{"line": []}', own | JSON)[0] == 403


def test_its_own_origin_is_answered(server: PageServer) -> None:
    headers = {"Origin": f"http://localhost:{server.port}", "Sec-Fetch-Site": "same-origin", **JSON}
    assert request(server, "POST", "/api/position", b'{"line": []}', headers)[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        *("/../pyproject.toml", "/..%2f..%2fetc/passwd", "//etc/passwd", "/assets/page.js"),
        *("/page.html", "/?x=1", "/api/position/", "/api/%2e%2e/"),
    ],
)
def test_nothing_else_is_there(server: PageServer, path: str) -> None:
    assert request(server, "GET", path)[0] == 404
    assert request(server, "POST", path, b"{}", JSON)[0] == 404


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 400, "no JSON"),
        (b"{", 400, "no JSON"),
        (b"\xff\xfe\x00", 400, "no JSON"),
        (b"[" * 100_000, 400, "no JSON"),
        (b"[]", 400, "no JSON object"),
        (b"{}", 400, "a line is a list"),
        (b'{"line": [["(mark 7 7)", "noop"]]}', 400, "has no move"),
    ],
)
def test_what_makes_no_sense_gets_one_line(
    server: PageServer, body: bytes, status: int, words: str
) -> None:
    found, text, headers = request(server, "POST", "/api/position", body, JSON)
    assert found == status
    assert headers["Content-Type"].startswith("application/json")
    assert words in json.loads(text)["error"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_other_types_than_json_are_refused(server: PageServer, kind: str) -> None:
    headers = {"Content-Type": kind}
    assert request(server, "POST", "/api/position", b'{"line": []}', headers)[0] == 415


@pytest.mark.parametrize(
    ("length", "status"),
    [(str(MOST_BYTES + 1), 413), ("9" * 400, 413), ("-1", 400), ("x", 400), ("¹", 400)],
)
def test_too_much_is_not_read(server: PageServer, length: str, status: int) -> None:
    """The reply comes before anything was sent."""
    head = (
        f"POST /api/position HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as own:
        own.sendall(head.encode("utf-8"))
        assert f" {status} ".encode() in own.recv(100)


def test_chunks_are_not_read(server: PageServer) -> None:
    headers = {**JSON, "Transfer-Encoding": "chunked"}
    assert request(server, "POST", "/api/position", b"", headers)[0] == 411


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"])
def test_other_methods_are_refused(server: PageServer, method: str) -> None:
    assert request(server, method, "/")[0] == 501


def test_half_a_request_ends_nothing(server: PageServer) -> None:
    for half in (b"\x00\xff\r\n\r\n", b"GET", b"POST / HTTP/1.1\r\nContent-Length: 5\r\n"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as own:
            own.sendall(half)


def test_a_taken_port_is_said(server: PageServer) -> None:
    site = Site(open_subject("tictactoe", evaluator="fuzzy"))
    with pytest.raises(ConfigurationError, match=f"--port {server.port}"):
        PageServer(site, server.port)
    with pytest.raises(ConfigurationError, match="--port 70000"):
        PageServer(site, 70000)
    site.close()


def test_the_usual_port_may_be_taken(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurogame.view.server.DEFAULT_PORT", server.port)
    site = Site(open_subject("tictactoe", evaluator="fuzzy"))
    with PageServer(site) as other:
        assert other.port not in (0, server.port)


def test_no_run_is_said(server: PageServer) -> None:
    status, body, _ = request(server, "GET", "/api/run")
    assert status == 400
    assert "no training run" in json.loads(body)["error"]
    assert ask(server, "/api/job")["stage"] == "done"
