"""Which requests are answered: those of the page itself, in a browser on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import TypeAlias

MOST_BYTES = 1 << 20
"""Of what is posted."""
_NAMES = ("127.0.0.1", "localhost", "[::1]")
_FETCHED_BY = ("same-origin", "none")
_TYPE = "application/json"

Refusal: TypeAlias = tuple[HTTPStatus, str]


def refused(method: str, headers: Mapping[str, str], hosts: list[str], port: int) -> Refusal | None:
    """Return why a request is not answered, or None.

    Another page may let the browser send requests here, and a name of its own may lead to this
    machine (DNS rebinding). The first are known by their origin, the second by the host that they
    ask for; scripts of other pages cannot change either.

    Args:
        method: ``GET`` or ``POST``.
        headers: of the request, looked up in any case.
        hosts: all values of ``Host``.
        port: of the server.
    """
    addresses = [f"{name}:{port}" for name in _NAMES] + (list(_NAMES) if port == 80 else [])
    if len(hosts) != 1 or hosts[0].lower() not in addresses:
        return (
            HTTPStatus.FORBIDDEN,
            f"asked for host {', '.join(hosts)[:80] or 'none'!r}; this page is only at "
            f"{', '.join(addresses)}",
        )
    origin = headers.get("Origin")
    if origin is not None and origin.lower() not in [f"http://{name}" for name in addresses]:
        return HTTPStatus.FORBIDDEN, "sent by another site; only the page itself may ask"
    if headers.get("Sec-Fetch-Site", "none").lower() not in _FETCHED_BY:
        return HTTPStatus.FORBIDDEN, "sent by another site; open the page by its own address"
    return _refused_body(headers) if method == "POST" else None


def _refused_body(headers: Mapping[str, str]) -> Refusal | None:
    """Return why what is posted is not read, or None."""
    # Forms of other pages can send other types only, without asking first.
    kind = headers.get("Content-Type", "none").partition(";")[0].strip().lower()
    if kind != _TYPE:
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"of type {kind[:80]!r}; {_TYPE} is needed"
    length = headers.get("Content-Length")
    if length is None or headers.get("Transfer-Encoding") is not None:
        return HTTPStatus.LENGTH_REQUIRED, "without a length; Content-Length is needed"
    if not (length.isascii() and length.isdecimal()):
        return HTTPStatus.BAD_REQUEST, f"Content-Length is {length[:80]!r}; a number is needed"
    if len(length) > 9 or int(length) > MOST_BYTES:
        return (
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"{length[:20]} bytes; at most {MOST_BYTES} are read",
        )
    return None
