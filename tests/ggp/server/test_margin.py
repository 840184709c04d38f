"""The margin: careful at first, close to what is measured later, never most of a clock."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.ggp.server.margin import Margin, SmoothedDelay, round_trip

SECONDS = st.floats(0, 1e5)


def test_it_begins_careful() -> None:
    margin = Margin(0.1)
    assert margin.whole(10) == pytest.approx(0.4)
    assert margin.reserve(10) == pytest.approx(0.1)
    assert margin.reserve(1) == pytest.approx(0.05)
    assert margin.reserve(0) == 0


def test_prompt_searches_shrink_it_to_its_floor() -> None:
    margin = Margin(0.1)
    widths = []
    for _ in range(60):
        margin.observe_lateness(0.001)
        margin.observe_way(0.0005)
        widths.append(margin.whole(10))
    assert widths == sorted(widths, reverse=True)
    assert widths[0] < 0.4
    assert widths[-1] == pytest.approx(0.15)
    assert margin.whole(1) == pytest.approx(0.1)


def test_a_late_search_widens_it_at_once_by_more_than_its_lateness() -> None:
    margin = Margin(0.1)
    for _ in range(60):
        margin.observe_lateness(0.01)
    before = margin.whole(10)
    margin.observe_lateness(0.5)
    assert margin.whole(10) > before + 0.4


def test_steady_lateness_is_covered() -> None:
    margin = Margin(0.1)
    for _ in range(100):
        margin.observe_lateness(0.3)
        margin.observe_way(0.1)
    assert 0.1 < margin.reserve(10) < 0.13
    assert 0.4 < margin.whole(10) < 0.5


@given(st.lists(SECONDS), st.lists(SECONDS), SECONDS)
def test_it_never_takes_more_than_half_of_a_clock(
    lateness: list[float], ways: list[float], clock: float
) -> None:
    margin = Margin(0.1)
    for seconds in lateness:
        margin.observe_lateness(seconds)
    for seconds in ways:
        margin.observe_way(seconds)
    assert 0 <= margin.reserve(clock) <= margin.whole(clock) <= clock / 2


@given(st.lists(SECONDS, min_size=1))
def test_the_smoothed_delay_follows_rfc_6298_where_it_is_late(samples: list[float]) -> None:
    delay = SmoothedDelay(0.1, 0.05)
    mean, deviation = 0.1, 0.05
    for sample in samples:
        delay.observe(sample)
        deviation = 0.75 * deviation + 0.25 * max(0.0, sample - mean)
        mean = 0.875 * mean + 0.125 * sample
    assert delay.bound == pytest.approx(mean + 4 * deviation)


def test_the_round_trip_of_a_connection_is_told_or_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            assert 0 <= round_trip(client) < 1
        assert round_trip(client) == 0  # Closed.
