"""The server of the page: for one person, on this machine only, by the standard library."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import webbrowser
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, final

from neurogame.aside import at_work
from neurogame.errors import ConfigurationError, NeurogameError
from neurogame.version import __version__
from neurogame.view.guard import refused
from neurogame.view.page import content_policy
from neurogame.view.site import Site
from neurogame.view.subject import PageSubject

ADDRESS = "127.0.0.1"
DEFAULT_PORT = 8147
_SLOWEST = 30.0
"""Seconds that a client may take to send a request."""
_JSON = "application/json; charset=utf-8"
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@final
class PageServer(ThreadingHTTPServer):
    """Serves the page of a site; made, it listens.

    Attributes:
        site: what answers.
        port: where it listens.
    """

    daemon_threads = True
    block_on_close = False
    # Two programs at one port would share what one person asks.
    allow_reuse_port = False

    def __init__(self, site: Site, port: int | None = None) -> None:
        """Listen on the loopback address.

        Args:
            site: what answers.
            port: 0 takes a free one; None: the usual one if it is free, else any.

        Raises:
            ConfigurationError: the port cannot be had.
        """
        self.site = site
        try:
            super().__init__((ADDRESS, DEFAULT_PORT if port is None else port), _Handler)
        except (OSError, OverflowError) as error:
            if port is not None:
                raise ConfigurationError(
                    f"--port {port}: {error}; name another one, or 0 for any that is free"
                ) from None
            super().__init__((ADDRESS, 0), _Handler)
        self.port = int(self.server_address[1])

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{ADDRESS}:{self.port}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say in a line what went wrong with a connection; the server goes on."""
        error = sys.exception()
        if not isinstance(error, OSError):
            print(f"warning: a request failed: {error!r}", file=sys.stderr)

    def server_close(self) -> None:
        """Listen no more, and end what the site still does."""
        super().server_close()
        self.site.close()


@final
class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    server: PageServer
    server_version = f"neurogame/{__version__}"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = _SLOWEST

    def do_GET(self) -> None:
        """Answer a question that needs nothing but its address."""
        if not self._is_welcome("GET"):
            return
        if self.path == "/":
            with at_work():
                html = self.server.site.html()
            self._send(HTTPStatus.OK, html, "text/html; charset=utf-8")
        elif self.path in self.server.site.asked:
            self._answer(self.server.site.asked[self.path])
        else:
            self._unknown()

    def do_POST(self) -> None:
        """Answer a question about a position, or begin or end a search."""
        if not self._is_welcome("POST"):
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        question = self.server.site.posted.get(self.path)
        if question is None:
            self._unknown()
            return
        try:
            given = json.loads(body)
        except (ValueError, RecursionError) as error:
            self._refuse(HTTPStatus.BAD_REQUEST, f"what was sent is no JSON: {error}")
            return
        if not isinstance(given, dict):
            self._refuse(HTTPStatus.BAD_REQUEST, "what was sent is no JSON object")
            return
        self._answer(lambda: question(given))

    def _is_welcome(self, method: str) -> bool:
        """Return whether a request is answered; if not, say why."""
        hosts = self.headers.get_all("Host", [])
        refusal = refused(method, self.headers, hosts, self.server.port)  # type: ignore[arg-type]
        if refusal is not None:
            self.close_connection = True
            self._refuse(*refusal)
        return refusal is None

    def _answer(self, question: Any) -> None:
        """Send what a question brings; an error is an answer too."""
        try:
            with at_work():
                body = json.dumps(question(), allow_nan=False)
        except NeurogameError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        except Exception as error:
            print(f"warning: {self.path} failed: {error!r}", file=sys.stderr)
            self._refuse(
                HTTPStatus.INTERNAL_SERVER_ERROR, f"failed: {type(error).__name__}: {error}"
            )
        else:
            self._send(HTTPStatus.OK, body, _JSON)

    def _unknown(self) -> None:
        self._refuse(HTTPStatus.NOT_FOUND, "there is nothing at this address; the page is at /")

    def _refuse(self, status: HTTPStatus, text: str) -> None:
        self._send(status, json.dumps({"error": text}), _JSON)

    def _send(self, status: HTTPStatus, text: str, kind: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", content_policy(False))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        # A page that was closed meanwhile waits for no answer.
        with contextlib.suppress(ConnectionError, socket.timeout):
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet about requests."""

    def version_string(self) -> str:
        """Return who answers."""
        return self.server_version


def serve(subject: PageSubject, *, port: int | None, seed: int, opens: bool) -> None:
    """Serve the page of a subject until Ctrl-C.

    Args:
        subject: what is looked at.
        port: 0 takes a free one; None: the usual one if it is free, else any.
        seed: of players.
        opens: whether to open the page in the browser.

    Raises:
        ConfigurationError: the port cannot be had.
    """
    site = Site(subject, seed)
    try:
        server = PageServer(site, port)
    except BaseException:
        site.close()
        raise
    with server:
        print(f"{subject.title} at {server.url}, on this machine only; Ctrl-C ends", flush=True)
        if opens:
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("ends", flush=True)
