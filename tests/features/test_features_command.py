"""``neurogame features``: what people and machines are shown."""

from __future__ import annotations

import json

import pytest

from neurogame.cli.main import main

LINE = ["features", "breakthrough6", "--games", "4096"]


def test_people_see_the_chosen_ones_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LINE, "--all"]) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert "20 features" in lines[0]
    assert "4,096 random games" in lines[0]
    rows = lines[3:]
    assert len(rows) == 20
    stars = [row.startswith("* ") for row in rows]
    assert stars == sorted(stars, reverse=True)
    assert any(stars)
    assert all(row.endswith("]") != star for row, star in zip(rows, stars, strict=True))


def test_machines_get_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LINE, "--json", "--quiet", "--seed", "3"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    record = json.loads(shown.out)
    assert record["games"] == 4096
    assert len(record["features"]) == 20
    for feature in record["features"]:
        assert feature["chosen"] == (feature["reason"] == "") == (feature["adds"] is not None)
        for role in ("white", "black"):
            own = feature["roles"][role]
            assert own["interval"][0] <= own["strength"] <= own["interval"][1]
            assert len(own["by quarter"]) == 4


def test_impossible_numbers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["features", "tictactoe", "--games", "1"]) == 1
    assert "games=1; allowed: a whole number (at least 64)" in capsys.readouterr().err
