"""The texts that name heuristics in player strings: ``max(TEXT)`` and ``min(TEXT)``."""

from __future__ import annotations

import re

_HEURISTIC = re.compile(r"\s*(max|min)\s*\((.*)\)\s*", re.I | re.S)


def heuristic_text(source: str) -> tuple[bool, str] | None:
    """Take ``max(TEXT)`` or ``min(TEXT)`` apart, which name a heuristic.

    Args:
        source: of a player string.

    Returns:
        Whether to maximise, and the text, with single spaces; None: it has not this form.
    """
    form = _HEURISTIC.fullmatch(source)
    return None if form is None else (form[1].lower() == "max", " ".join(form[2].split()))
