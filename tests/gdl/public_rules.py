"""The public rulesheets, each parsed once per process however many tests go through all of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from neurogame.gdl.library import read_text
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.terms import Rules
from tests.conftest import SHARED

PUBLIC = sorted((SHARED / "games").glob("*.kif"))


@cache
def public_rules(path: Path) -> Rules:
    """Return the rules of a file, as they are written there."""
    return parse_rules(read_text(path), str(path))
