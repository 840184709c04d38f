"""Whether learning still gains, in words."""

from __future__ import annotations

from typing import Any

from neurogame.arena.strength_curve import still_rises


def candidate(seconds: float, score: float | None, low: float, against: float) -> dict[str, Any]:
    matches = 0 if score is None else 100
    row = {"seconds": seconds, "against": against, "matches": matches, "score": score}
    return row | {"low": low, "high": 1.0 if score is None else 2 * score - low}


def test_it_rises_while_the_last_candidate_wins_beyond_its_interval() -> None:
    rows = [candidate(10, 0.9, 0.8, 0), candidate(30, 0.62, 0.54, 10)]
    assert still_rises(rows) == (
        "still rising: the weights after 30 s take 62 % [54, 70] from those after 10 s"
    )


def test_it_is_flat_since_the_last_gain_even_if_a_lucky_candidate_was_released() -> None:
    rows = [candidate(10, 0.9, 0.8, 0), candidate(30, 0.53, 0.45, 10), candidate(60, 0.5, 0.4, 30)]
    assert still_rises(rows) == (
        "flat since 10 s: the last weights take 50 % [40, 60] of 100 matches from those after 30 s"
    )


def test_nothing_is_claimed_without_a_gain_or_a_match() -> None:
    assert still_rises([]) == ""
    assert still_rises([candidate(10, 0.5, 0.4, 0)]).startswith("no gain is certain: ")
    assert "no match" in still_rises([candidate(10, None, 0.0, 0)])
