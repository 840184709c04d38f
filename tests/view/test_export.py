"""A match as one file: all of it inside, whole or not at all, and nothing that loads more."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from neurogame.cli.main import main
from neurogame.errors import ConfigurationError
from neurogame.view.export import export, with_match
from neurogame.view.positions import Positions
from neurogame.view.subject import open_subject


def contents(path: Path) -> dict[str, Any]:
    """Return what a file holds beside the page."""
    text = path.read_text(encoding="utf-8")
    [boot] = re.findall(r'<script type="application/json" id="boot">(.*?)</script>', text)
    found: dict[str, Any] = json.loads(
        gzip.decompress(base64.b64decode(json.loads(boot)["packed"]))
    )
    return found


def test_everything_is_inside(tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    line = ["view", "tictactoe", "--evaluator", "fuzzy", "--export", str(path)]
    assert main([*line, "--player", "random", "--seed", "4"]) == 0
    found = contents(path)
    subject = with_match(open_subject("tictactoe", evaluator="fuzzy"), "random", 200, 4)
    positions = Positions(subject.game)
    moves, opinion = subject.match.moves, subject.opinions["values"].get(None)
    plies = len(moves)
    assert plies >= 5
    assert [len(found[name]) for name in ("positions", "values", "explained", "curve")] == (
        [plies + 1] * 4
    )
    assert found["positions"][3] == json.loads(json.dumps(positions.describe(moves[:3])))
    assert opinion is not None
    state = positions.state(moves[:2])
    amounts = opinion.explain(state, 0, None).by_fluent
    assert found["explained"][2]["svg"] == positions.painted(moves[:2], state, amounts)
    assert path.stat().st_size < 200_000
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^'\"\s]*", text)) <= {"http://www.w3.org/2000/svg"}
    assert "Content-Security-Policy" in text
    assert "connect-src" not in text
    # The same seed gives the same file.
    before = path.read_bytes()
    assert main([*line, "--player", "random", "--seed", "4"]) == 0
    assert path.read_bytes() == before


def test_values_need_not_be_taken_apart(tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    line = ["view", "tictactoe", "--evaluator", "fuzzy", "--export", str(path), "--plies", "3"]
    assert main([*line, "--player", "random", "--method", "none"]) == 0
    found = contents(path)
    assert found["explained"] == [None] * 4
    assert len(found["curve"]) == 4
    assert main([*line, "--player", "random", "--method", "exact"]) == 1


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    subject = with_match(open_subject("tictactoe", evaluator="fuzzy"), "random", 1, 1)
    with pytest.raises(ConfigurationError, match="--export"):
        export(subject, tmp_path / "nowhere" / "match.html", quiet=True)
    assert list(tmp_path.iterdir()) == []
