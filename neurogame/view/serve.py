"""Serves the page until Ctrl-C."""

from __future__ import annotations

import webbrowser

from neurogame.view.server import PageServer
from neurogame.view.site import Site
from neurogame.view.subject import PageSubject


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
