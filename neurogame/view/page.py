"""The page: one document with its styles and scripts inside, and what may run in it."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

_ASSETS = Path(__file__).parent / "assets"
_SCRIPTS = (
    *("elements.js", "board.js", "chart.js", "sources.js"),
    *("panels.js", "play.js", "details.js", "page.js"),
)
"""In the order in which they stand on the page."""


def page(boot: dict[str, Any], *, alone: bool = False) -> str:
    """Return the page as one HTML document that loads nothing.

    Args:
        boot: what the page begins with, JSON-able.
        alone: whether it is a file of its own, which says itself what may run in it; else its
            server does.
    """
    policy = ""
    if alone:
        policy = f'<meta http-equiv="Content-Security-Policy" content="{content_policy(alone)}">'
    pieces = {
        "POLICY": policy,
        "STYLE": _asset("page.css"),
        "BOOT": script_json(boot),
        "SCRIPT": _script(),
    }
    text = _asset("page.html")
    for name, piece in pieces.items():
        before, mark, after = text.partition(f"<!--{name}-->")
        assert mark, name
        # Joined from the front: what is put in is never searched for another mark.
        pieces[name] = before + piece
        text = after
    return "".join(pieces.values()) + text


def content_policy(alone: bool) -> str:
    """Return the Content-Security-Policy: nothing runs and nothing is loaded but the page's own.

    Args:
        alone: whether the page is a file, which asks no server.
    """
    rules = [
        "default-src 'none'",
        f"script-src {_hash(_script())}",
        f"style-src {_hash(_asset('page.css'))}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    # A document cannot say of itself who may frame it.
    return "; ".join(rules if alone else [*rules, "connect-src 'self'", "frame-ancestors 'none'"])


def script_json(value: Any) -> str:
    """Return JSON that may stand in a script element: nothing in it ends the element.

    Args:
        value: JSON-able.
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Return all scripts as one, in a scope of its own."""
    parts = "\n".join(_asset(name) for name in _SCRIPTS)
    return f"(() => {{\n'use strict';\n{parts}\n}})();\n"


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
