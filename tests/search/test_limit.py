"""Limits: their text, their ranges, and merging."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import ConfigurationError
from neurogame.search.limit import Limit

LIMITS = st.builds(
    Limit,
    seconds=st.none() | st.integers(1, 1000).map(lambda n: n / 8),
    nodes=st.none() | st.integers(1, 10**5),
    depth=st.none() | st.integers(1, 50),
    simulations=st.none() | st.integers(1, 10**5),
)


@given(limit=LIMITS)
def test_text_round_trip(limit: Limit) -> None:
    assert Limit.parse(str(limit)) == limit
    assert bool(limit) == (limit != Limit())


def test_large_node_counts_survive_the_text() -> None:
    limit = Limit(nodes=123_456_789)
    assert Limit.parse(str(limit)) == limit


@given(one=LIMITS, other=LIMITS)
def test_merging_takes_the_stricter_of_each(one: Limit, other: Limit) -> None:
    merged = one.merged(other)
    for name in ("seconds", "nodes", "depth", "simulations"):
        given_values = [v for v in (getattr(one, name), getattr(other, name)) if v is not None]
        assert getattr(merged, name) == min(given_values, default=None)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("time=1", "limit: unknown option 'time'"),
        ("seconds=0", "above 0"),
        ("seconds=nan", "above 0"),
        ("seconds=inf", "above 0"),
        ("seconds=fast", "a number"),
        ("depth=1.5", "a whole number"),
        ("nodes=0", "at least 1"),
        ("depth", "name=number"),
        ("depth=1,depth=2", "each name once"),
    ],
)
def test_refusals_say_what_is_allowed(text: str, complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        Limit.parse(text)
