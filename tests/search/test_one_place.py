"""An option of a search is declared in one place: it is read, checked, shown, and searched with."""

from __future__ import annotations

import json
import sys
from functools import cache
from typing import Any

import pytest

from tests.processes import run

PLAYERS = {"mcts": "mcts:sims=20", "alphabeta": "alphabeta:blind,depth=1"}


@cache
def all_told() -> dict[str, Any]:
    """Return what becomes of the option in a process of its own, by search."""
    done = run([sys.executable, "-m", "tests.search.toy_option", json.dumps(PLAYERS)])
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("search", PLAYERS)
def test_a_toy_option_reaches_the_compiled_search(search: str) -> None:
    told = all_told()[search]
    # In the memory that compiled code reads: as declared, and as the player string says.
    assert told["numbers"] == [3, 5]
    wide, word, unknown = told["refusals"]
    assert "patience=10" in wide
    assert "allowed: a whole number (1..9)" in wide
    assert "patience='often'" in word
    assert "unknown option 'patients'" in unknown
    assert "patience" in unknown
    shown = " ".join(told["help"].split())
    assert "patience=3 how often it sighs before a move, 1..9" in shown
