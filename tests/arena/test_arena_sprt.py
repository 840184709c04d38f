"""The sequential test: Wald's ratio where it applies, a slow twin, and measured error rates."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.arena.sprt import Sprt, SprtSettings, log_likelihood_ratio
from neurogame.arena.strength import expected_score
from neurogame.errors import ConfigurationError


def test_settings_as_text() -> None:
    assert SprtSettings.parse("") == SprtSettings(elo0=0, elo1=50, alpha=0.05, beta=0.05)
    assert SprtSettings.parse("-10, 5,0.1") == SprtSettings(elo0=-10, elo1=5, alpha=0.1)
    for settings in (SprtSettings(), SprtSettings(elo0=-3.5, elo1=2, alpha=0.01, beta=0.2)):
        assert SprtSettings.parse(str(settings)) == settings
    assert SprtSettings().upper == pytest.approx(math.log(19))
    assert SprtSettings(beta=0.1).lower == pytest.approx(math.log(0.1 / 0.95))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("5", "write elo0,elo1"),
        ("0,fifty", "write elo0,elo1"),
        ("0,1,0.1,0.1,3", "write elo0,elo1"),
        ("50,0", "elo0 below"),
        ("0,inf", "finite"),
        ("0,nan", "finite"),
        ("0,50,0", "alpha=0"),
        ("0,50,0.05,0.5", "beta=0.5"),
    ],
)
def test_refused_settings(text: str, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        SprtSettings.parse(text)


@given(wins=st.integers(1, 200), losses=st.integers(1, 200), elo=st.floats(5, 200))
def test_wins_and_losses_alone_give_the_ratio_of_wald(wins: int, losses: int, elo: float) -> None:
    low, high = expected_score(0), expected_score(elo)
    wald = wins * math.log(high / low) + losses * math.log((1 - high) / (1 - low))
    assert log_likelihood_ratio({1.0: wins, 0.0: losses}, low, high) == pytest.approx(wald)


def slow_log_likelihood(wins: int, draws: int, losses: int, score: float) -> float:
    """Return the greatest likelihood with a mean score, by trying all shares of draws."""

    def likelihoods() -> Iterator[float]:
        steps = 200_000
        most = 2 * min(score, 1 - score)
        for step in range(1, steps):
            draw = most * step / steps
            win, loss = score - draw / 2, 1 - score - draw / 2
            yield wins * math.log(win) + draws * math.log(draw) + losses * math.log(loss)

    return max(likelihoods())


@pytest.mark.parametrize("counts", [(10, 5, 3), (1, 40, 2), (30, 1, 30), (2, 9, 40)])
def test_draws_give_the_ratio_of_a_slow_twin(counts: tuple[int, int, int]) -> None:
    scores = (0.5, expected_score(60))
    slow = slow_log_likelihood(*counts, scores[1]) - slow_log_likelihood(*counts, scores[0])
    wins, draws, losses = counts
    found = log_likelihood_ratio({1.0: wins, 0.5: draws, 0.0: losses}, *scores)
    assert found == pytest.approx(slow, abs=1e-6)


def test_the_ratio_is_finite_for_one_sided_results() -> None:
    assert log_likelihood_ratio({}, 0.5, 0.6) == 0
    assert log_likelihood_ratio({1.0: 20}, 0.5, 0.6) == pytest.approx(
        20 * math.log(0.6 / 0.5), abs=0.01
    )
    assert log_likelihood_ratio({0.5: 30}, 0.5, 0.6) < -3
    assert log_likelihood_ratio({0.0: 20}, 0.5, 0.6) < -3


def test_blocks_are_counted_by_their_mean() -> None:
    test = Sprt(SprtSettings())
    for points in ([1, 1], [1, 0.5], [0, 1], [0.5, 0.5], [0.5, 1]):
        assert test.add(points) == "undecided"
    state = test.state
    assert (state.blocks, state.outcomes) == (5, ((0.5, 2), (0.75, 2), (1.0, 1)))
    assert state.lower < 0 < state.llr < state.upper
    assert str(state).startswith("SPRT undecided, LLR 0.")


@pytest.mark.parametrize(
    ("elo", "least", "most"), [(0, 0.0, 0.08), (100, 0.92, 1.0)], ids=["H0", "H1"]
)
def test_error_rates_are_kept(elo: float, least: float, most: float) -> None:
    """Pairs with draws and an advantage for one role, whose results depend on each other."""
    source = random.Random(11)
    score, tests = expected_score(elo), 300

    def pair() -> list[float]:
        found = []
        for advantage in (0.2, -0.2):
            drawn = source.random() < 0.1
            win = (score - 0.05) / 0.9 + advantage
            found.append(0.5 if drawn else float(source.random() < win))
        return found

    accepted = pairs = 0
    for _ in range(tests):
        test = Sprt(SprtSettings(elo1=100))
        while test.add(pair()) == "undecided":
            pass
        accepted += test.state.decision == "H1"
        pairs += test.state.blocks
    assert least <= accepted / tests <= most
    # Far fewer than the about 150 pairs that a fixed number of them needs for these errors.
    assert pairs / tests < 60
