"""Searches answer what they answered when these moves were written down, bit for bit."""

from __future__ import annotations

import json

import pytest

from tests.search.golden_moves import FILE, GAMES, golden

KNOWN = json.loads(FILE.read_text())


@pytest.mark.parametrize("name", GAMES)
def test_answers_are_the_same(name: str) -> None:
    for key, found in golden(name):
        assert found == KNOWN[key], key
