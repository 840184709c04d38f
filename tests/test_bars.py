"""Bars off a terminal: one line every thirty seconds, and none that is drawn over itself."""

from __future__ import annotations

import io
import sys
from typing import final

import pytest
from tqdm import tqdm

from neurogame.bars import EVERY, bar_stream


@final
class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("stays", [True, False])
def test_a_bar_in_a_file_is_a_line_every_thirty_seconds(
    stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred steps of three seconds are ten lines, and the last state if the bar stays."""
    told, clock = io.StringIO(), Clock()
    monkeypatch.setattr(sys, "stderr", told)
    layout = "{desc}: {n_fmt} of {total_fmt}"
    with tqdm(
        total=101, desc="learn", bar_format=layout, leave=stays, file=bar_stream(clock)
    ) as bar:
        for _ in range(100):
            clock.now += EVERY / 10
            bar.update()
            bar.refresh()
        assert told.getvalue().count("\n") == 10
        bar.update()
        bar.refresh()
    lines = told.getvalue().split("\n")
    assert lines[:10] == [f"learn: {10 * number} of 101" for number in range(1, 11)]
    assert lines[10:] == (["learn: 101 of 101", ""] if stays else [""])


def test_a_bar_on_a_terminal_is_drawn_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr(told, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", told)
    assert bar_stream() is told
