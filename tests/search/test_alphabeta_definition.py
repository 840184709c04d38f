"""Alpha-beta and max^n give the values of their definitions on random games (row A39)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from tests.search.alphabeta_twin import Search, advance, begin
from tests.search.random_tree import (
    FREE,
    OPPOSED,
    Position,
    RandomTree,
    numbered,
    packed,
    plain_maxn,
    plain_paranoid,
    played_maxn,
    searcher,
)

SEEDS = st.integers(0, 2**32 - 1)
OPTIONS = st.builds(
    SearchSettings,
    transpositions=st.booleans(),
    history=st.sampled_from([0.0, 0.05, 3.0]),
    killers=st.sampled_from([0.0, 0.05, 3.0]),
    aspiration=st.sampled_from([None, 0.01, 0.3]),
    scout=st.booleans(),
    batch=st.sampled_from([1, 7, 64]),
    think_when_forced=st.just(True),
)


@example(  # a refuted move once stood in for the terminal one that its bound came from
    seed=587, depth=2, role=0, options=SearchSettings(history=0.0, batch=1)
)
@example(  # an upper bound from below the aspiration window once stood for the proved value
    seed=355455,
    depth=4,
    role=0,
    options=SearchSettings(
        history=0.0, killers=0.0, aspiration=0.01, scout=False, batch=1, think_when_forced=True
    ),
)
@given(seed=SEEDS, depth=st.integers(1, 6), role=st.integers(0, 1), options=OPTIONS)
def test_two_roles_equal_plain_minimax(
    seed: int, depth: int, role: int, options: SearchSettings
) -> None:
    tree = RandomTree(seed, roles=2, plies=6, width=6, simultaneous=False, zero_sum=True)
    found = searcher(tree, OPPOSED, settings=options, seed=seed).search(
        packed(0), role, Limit(depth=depth)
    )
    expected = plain_paranoid(tree, 0, role, found.depth)
    assert found.value[role] == pytest.approx(expected, abs=1e-12)
    assert found.depth == depth or found.proved or _move_is_decided(tree, role, found.move)
    joint = next(j for j in tree.positions[0].children if j == found.line[0])
    assert joint[role] == found.move
    child = tree.positions[0].children[joint]
    if len(tree.positions[0].children) == tree.positions[0].counts[role]:
        assert plain_paranoid(tree, child, role, found.depth - 1) == expected


def _move_is_decided(tree: RandomTree, role: int, move: int) -> bool:
    """Return whether no other move has a higher true value."""
    full: dict[int, float] = {
        joint[role]: plain_paranoid(tree, child, role, 99)
        for joint, child in tree.positions[0].children.items()
    }
    return full[move] == max(full.values())


@given(
    seed=SEEDS,
    depth=st.integers(1, 4),
    roles=st.integers(1, 3),
    simultaneous=st.booleans(),
    options=OPTIONS,
)
def test_paranoid_equals_its_definition(
    seed: int, depth: int, roles: int, simultaneous: bool, options: SearchSettings
) -> None:
    tree = RandomTree(
        seed, roles=roles, plies=5, width=5, simultaneous=simultaneous, zero_sum=False
    )
    role = seed % roles
    forced = SearchSettings(**{**vars(options), "opponents": "paranoid"})
    found = searcher(tree, FREE, settings=forced).search(packed(0), role, Limit(depth=depth))
    assert found.value[role] == plain_paranoid(tree, 0, role, found.depth)
    # A decided or proved search may stop early; the value at full depth is then reached too.
    if found.proved:
        assert found.value[role] == plain_paranoid(tree, 0, role, 99)


@given(seed=SEEDS, depth=st.integers(1, 4), roles=st.integers(1, 3), simultaneous=st.booleans())
@example(seed=66, depth=1, roles=3, simultaneous=True)
def test_maxn_equals_its_definition(seed: int, depth: int, roles: int, simultaneous: bool) -> None:
    tree = RandomTree(
        seed, roles=roles, plies=5, width=5, simultaneous=simultaneous, zero_sum=False
    )
    role = seed % roles
    options = SearchSettings(opponents="maxn", think_when_forced=True)
    found = searcher(tree, FREE, settings=options).search(packed(0), role, Limit(depth=depth))
    assert found.value == played_maxn(tree, 0, role, found.depth)
    if found.proved:
        assert found.value == played_maxn(tree, 0, role, 99)


@given(seed=SEEDS, roles=st.integers(1, 3), role=st.integers(0, 2), simultaneous=st.booleans())
def test_proved_states_are_exact(seed: int, roles: int, role: int, simultaneous: bool) -> None:
    role %= roles
    zero_sum = roles > 1
    tree = RandomTree(
        seed, roles=roles, plies=5, width=5, simultaneous=simultaneous, zero_sum=zero_sum
    )
    found = searcher(tree, OPPOSED if zero_sum else FREE).search(packed(0), role, Limit(depth=9))
    for key, values in found.proved_states.items():
        state = numbered(key)
        assert tree.positions[state].children
        for own in range(roles) if roles < 3 else (role,):
            # The security level from either side: equal, so no player can do better.
            assert values[own] == plain_paranoid(tree, state, own, 99)
        if roles > 1:
            assert sum(values) == pytest.approx(1.0)


@given(seed=SEEDS)
def test_certain_maxn_values_do_not_depend_on_who_asks(seed: int) -> None:
    tree = RandomTree(seed, roles=2, plies=5, width=5, simultaneous=False, zero_sum=False)
    options = SearchSettings(opponents="maxn", think_when_forced=True)
    search = searcher(tree, FREE, settings=options)
    found = search.search(packed(0), 0, Limit(depth=9))
    for key, values in found.proved_states.items():
        state = numbered(key)
        assert values == plain_maxn(tree, state, 0, 99) == plain_maxn(tree, state, 1, 99)


@given(seed=SEEDS, depths=st.lists(st.integers(1, 4), max_size=4), options=OPTIONS)
def test_a_kept_tree_does_not_spoil_later_searches(
    seed: int, depths: list[int], options: SearchSettings
) -> None:
    tree = RandomTree(seed, roles=2, plies=6, width=6, simultaneous=False, zero_sum=True)
    search = searcher(tree, OPPOSED, settings=options, seed=seed)
    for number, depth in enumerate(depths):
        search.search(packed(0), number % 2, Limit(depth=depth))
    for role in range(2):
        found = search.search(packed(0), role, Limit(depth=99))
        assert found.value[role] == plain_paranoid(tree, 0, role, 99) or not found.proved
        assert _move_is_decided(tree, role, found.move)


def test_a_lost_position_is_defended() -> None:
    """Of two lost moves the one that loses later is played, whatever the seed."""
    tree = RandomTree(0, roles=2, plies=3, width=1, simultaneous=False, zero_sum=True)
    lost = Position((0, 0), {}, (0.0, 1.0))
    tree.positions = [
        Position((3, 1), {(0, 0): 3, (1, 0): 1, (2, 0): 4}, (0.5, 0.5)),
        Position((1, 2), {(0, 0): 2, (0, 1): 2}, (0.5, 0.5)),
        Position((1, 1), {(0, 0): 3}, (0.5, 0.5)),
        lost,
        Position((1, 2), {(0, 0): 2, (0, 1): 3}, (0.5, 0.5)),
    ]
    for seed in range(10):
        search = searcher(tree, OPPOSED, seed=seed)
        found = search.search(packed(0), 0, Limit(depth=9))
        assert found.move == 1
        # The other two are refuted after two plies: no need to look where this one leads.
        assert found.depth == 2
        assert found.scores == {0: 0.0, 1: 0.5, 2: 0.0}


@given(seed=SEEDS, reductions=st.sampled_from([0.4, 0.8, 2.0]), options=OPTIONS)
def test_reduced_searches_end_with_a_best_move(
    seed: int, reductions: float, options: SearchSettings
) -> None:
    """However much less deep late moves are searched first, a search that is over is right."""
    tree = RandomTree(seed, roles=2, plies=8, width=40, simultaneous=False, zero_sum=True)
    role = int(np.argmax(tree.positions[0].counts))
    search = searcher(tree, OPPOSED, settings=replace(options, reductions=reductions), seed=seed)
    found = search.search(packed(0), role, Limit(nodes=1_000_000))
    best = plain_paranoid(tree, 0, role, 8)
    assert plain_paranoid(tree, tree.positions[0].children[found.line[0]], role, 7) == best
    assert found.value[role] == best or not found.proved


def test_transpositions_and_history_save_nodes_without_changing_values() -> None:
    plain_nodes = plain_visits = nodes = visits = 0
    for seed in range(12):
        results = []
        for on in (False, True):
            tree = RandomTree(seed, roles=2, plies=7, width=8, simultaneous=False, zero_sum=True)
            options = SearchSettings(
                transpositions=on,
                history=0.05 if on else 0.0,
                killers=0.05 if on else 0.0,
                think_when_forced=True,
            )
            search = searcher(tree, OPPOSED, settings=options, seed=seed)
            results.append(search.search(packed(0), 0, Limit(depth=7)))
        assert results[0].value == results[1].value
        plain_nodes += results[0].nodes
        plain_visits += results[0].visits
        nodes += results[1].nodes
        visits += results[1].visits
    assert nodes < 0.8 * plain_nodes
    assert visits < 0.8 * plain_visits


def test_alpha_beta_looks_at_fewer_states_than_there_are() -> None:
    tree = RandomTree(3, roles=2, plies=9, width=400, simultaneous=False, zero_sum=True, ends=0)
    searched = searcher(tree, OPPOSED, seed=1).search(packed(0), 0, Limit(depth=6))

    def count(state: int, depth: int) -> int:
        children = tree.positions[state].children.values()
        return 0 if depth == 0 else len(children) + sum(count(c, depth - 1) for c in children)

    assert searched.depth == 6
    assert searched.nodes < 0.8 * count(0, 6)


class MeritTree:
    """Two roles add numbers in turn; some moves are better everywhere, as in real games."""

    fluents = 11
    offsets: ClassVar = [0, 9, 18]
    plies = 6

    def __init__(self, seed: int) -> None:
        self._merit = np.random.default_rng(seed).permutation(np.arange(-4, 5) * 2).tolist()

    @staticmethod
    def pack(ply: int, total: int) -> int:
        return ply | (total + 128) << 3

    @staticmethod
    def unpack(state: int) -> tuple[int, int]:
        return state & 7, (state >> 3) - 128

    def follow(self, state: int, joint: list[int]) -> int:
        ply, total = self.unpack(state)
        mover = ply % 2
        merit = self._merit[joint[mover] - 9 * mover]
        # A role's number grows with its own merits.
        return self.pack(ply + 1, total + merit if mover == 0 else total - merit)

    def look(self, state: int) -> tuple[list[int], bool, list[float]]:
        ply, total = self.unpack(state)
        legal = [[*range(9), 9], [0, *range(9, 18)]][ply % 2]
        won = float(total > 1)
        return legal, ply >= self.plies, [won, 1 - won]

    def value(self, state: int) -> list[float]:
        return [0.5, 0.5]


def test_history_orders_blind_search() -> None:
    """With one static value everywhere only the history can order moves (row D11)."""
    visits = {0.0: 0, 0.05: 0}
    for seed in range(3):
        values = set()
        for weight in visits:
            options = SearchSettings(history=weight, killers=weight, transpositions=False)
            tree = MeritTree(seed)
            search = searcher(tree, OPPOSED, settings=options, seed=seed)
            start = packed(tree.pack(0, 0))
            found = search.search(start, 0, Limit(depth=4))
            deep = search.search(start, 0, Limit(depth=6))
            assert deep.proved
            visits[weight] += found.visits + deep.visits
            values.add(deep.value)
        assert len(values) == 1
    assert visits[0.05] < 0.8 * visits[0.0]


def deepened(search: Search, depth: int) -> None:
    """Iterations one ply deeper each, until one rests on terminal states alone."""
    for plies in range(1, depth + 1):
        begin(search, plies, -math.inf, math.inf)
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
    begin(search, depth, alpha, beta)
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
