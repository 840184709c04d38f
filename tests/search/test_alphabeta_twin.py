"""The slow twin of alpha-beta and max^n finds the values of the definitions, and the core's."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from tests.search.alphabeta_twin import Search, advance, begin
from tests.search.random_tree import (
    FREE,
    RandomTree,
    packed,
    plain_maxn,
    plain_paranoid,
    plain_quiescence,
    searcher,
)

SEEDS = st.integers(0, 2**32 - 1)


def deepened(search: Search, depth: int) -> None:
    """Iterations one ply deeper each, until one rests on terminal states alone."""
    for plies in range(1, depth + 1):
        begin(search, plies, 0, -math.inf, math.inf)
        advance(search)
        if not search.horizon:
            return


@given(
    seed=SEEDS,
    depth=st.integers(1, 5),
    roles=st.integers(1, 3),
    simultaneous=st.booleans(),
    shared=st.booleans(),
    scout=st.booleans(),
)
def test_paranoid(
    seed: int, depth: int, roles: int, simultaneous: bool, shared: bool, scout: bool
) -> None:
    tree = RandomTree(
        seed, roles=roles, plies=5, width=5, simultaneous=simultaneous, zero_sum=False
    )
    role = seed % roles
    search = Search(tree, role, shared=shared, scout=scout)
    deepened(search, depth)
    assert search.value == plain_paranoid(tree, 0, role, depth)
    options = SearchSettings(
        opponents="paranoid", transpositions=shared, scout=scout, think_when_forced=True
    )
    found = searcher(tree, FREE, settings=options).search(packed(0), role, Limit(depth=depth))
    if found.depth == depth:
        assert found.value[role] == search.value


@given(seed=SEEDS, depth=st.integers(1, 6), role=st.integers(0, 1), scout=st.booleans())
def test_one_opponent(seed: int, depth: int, role: int, scout: bool) -> None:
    tree = RandomTree(seed, roles=2, plies=6, width=6, simultaneous=False, zero_sum=True)
    search = Search(tree, role, scout=scout, opposed=True)
    deepened(search, depth)
    assert search.value == plain_paranoid(tree, 0, role, depth)


@given(
    seed=SEEDS,
    depth=st.integers(1, 5),
    ends=st.tuples(st.integers(0, 16), st.integers(0, 16)).filter(lambda e: e[0] != e[1]),
    scout=st.booleans(),
)
def test_windows(seed: int, depth: int, ends: tuple[int, int], scout: bool) -> None:
    """Fail-soft: a value within the window is exact, one outside it is a bound."""
    tree = RandomTree(seed, roles=2, plies=5, width=5, simultaneous=False, zero_sum=True)
    search = Search(tree, 0, scout=scout, opposed=True)
    alpha, beta = min(ends) / 16, max(ends) / 16
    begin(search, depth, 0, alpha, beta)
    advance(search)
    expected = plain_paranoid(tree, 0, 0, depth)
    if search.value <= alpha:
        assert expected <= search.value
    elif search.value >= beta:
        assert expected >= search.value
    else:
        assert expected == search.value


@given(
    seed=SEEDS,
    depth=st.integers(2, 4),
    simultaneous=st.booleans(),
    plies=st.integers(1, 4),
    quiet=st.sampled_from([0.0, 0.25, 0.5]),
    scout=st.booleans(),
)
def test_quiescence(
    seed: int, depth: int, simultaneous: bool, plies: int, quiet: float, scout: bool
) -> None:
    tree = RandomTree(seed, roles=2, plies=7, width=4, simultaneous=simultaneous, zero_sum=False)
    search = Search(tree, 0, shared=False, scout=scout, quiet=quiet)
    begin(search, depth, plies, -math.inf, math.inf)
    advance(search)
    assert search.value == plain_quiescence(tree, 0, 0, depth, plies, quiet)


@given(
    seed=SEEDS,
    depth=st.integers(1, 4),
    roles=st.integers(1, 3),
    simultaneous=st.booleans(),
    shared=st.booleans(),
)
def test_maxn(seed: int, depth: int, roles: int, simultaneous: bool, shared: bool) -> None:
    tree = RandomTree(
        seed, roles=roles, plies=5, width=5, simultaneous=simultaneous, zero_sum=False
    )
    role = seed % roles
    search = Search(tree, role, maxn=True, shared=shared)
    deepened(search, depth)
    assert search.values == plain_maxn(tree, 0, role, depth)
