"""Alpha-beta and max^n give the values of their definitions on random games (row A39)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from neurogame.search.deepening import TreeSearch
from neurogame.search.limit import Limit
from neurogame.search.run import Root
from neurogame.search.settings import SearchSettings
from neurogame.search.tree import Bytes, Frontier
from tests.search.random_tree import FREE, OPPOSED, Position, RandomTree, plain_maxn, plain_paranoid

SEEDS = st.integers(0, 2**32 - 1)
OPTIONS = st.builds(
    SearchSettings,
    transpositions=st.booleans(),
    history=st.sampled_from([0.0, 0.05, 3.0]),
    aspiration=st.sampled_from([None, 0.01, 0.3]),
    batch=st.sampled_from([1, 7, 4096]),
    first=st.integers(1, 5),
    think_when_forced=st.just(True),
)


@settings(max_examples=120, deadline=None)
@example(  # a refuted move once stood in for the terminal one that its bound came from
    seed=587, depth=2, role=0, options=SearchSettings(history=0.0, batch=1, first=1)
)
@given(seed=SEEDS, depth=st.integers(1, 6), role=st.integers(0, 1), options=OPTIONS)
def test_two_roles_equal_plain_minimax(
    seed: int, depth: int, role: int, options: SearchSettings
) -> None:
    tree = RandomTree(seed, roles=2, plies=6, width=6, simultaneous=False, zero_sum=True)
    found = TreeSearch(tree, opposition=OPPOSED, settings=options, seed=seed).search(
        tree.root(role), role, Limit(depth=depth)
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


@settings(max_examples=60, deadline=None)
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
    found = TreeSearch(tree, opposition=FREE, settings=forced).search(
        tree.root(role), role, Limit(depth=depth)
    )
    assert found.value[role] == plain_paranoid(tree, 0, role, found.depth)
    # A decided or proved search may stop early; the value at full depth is then reached too.
    if found.proved:
        assert found.value[role] == plain_paranoid(tree, 0, role, 99)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, depth=st.integers(1, 4), roles=st.integers(1, 3), simultaneous=st.booleans())
def test_maxn_equals_its_definition(seed: int, depth: int, roles: int, simultaneous: bool) -> None:
    tree = RandomTree(
        seed, roles=roles, plies=5, width=5, simultaneous=simultaneous, zero_sum=False
    )
    role = seed % roles
    options = SearchSettings(opponents="maxn", think_when_forced=True)
    found = TreeSearch(tree, opposition=FREE, settings=options).search(
        tree.root(role), role, Limit(depth=depth)
    )
    assert found.value == plain_maxn(tree, 0, role, found.depth)
    if found.proved:
        assert found.value == plain_maxn(tree, 0, role, 99)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, roles=st.integers(1, 3), role=st.integers(0, 2), simultaneous=st.booleans())
def test_proved_states_are_exact(seed: int, roles: int, role: int, simultaneous: bool) -> None:
    role %= roles
    zero_sum = roles > 1
    tree = RandomTree(
        seed, roles=roles, plies=5, width=5, simultaneous=simultaneous, zero_sum=zero_sum
    )
    found = TreeSearch(tree, opposition=OPPOSED if zero_sum else FREE).search(
        tree.root(role), role, Limit(depth=9)
    )
    for key, values in found.proved_states.items():
        state = int(np.frombuffer(key, dtype=np.uint32)[0])
        assert tree.positions[state].children
        for own in range(roles) if roles < 3 else (role,):
            # The security level from either side: equal, so no player can do better.
            assert values[own] == plain_paranoid(tree, state, own, 99)
        if roles > 1:
            assert sum(values) == pytest.approx(1.0)


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_certain_maxn_values_do_not_depend_on_who_asks(seed: int) -> None:
    tree = RandomTree(seed, roles=2, plies=5, width=5, simultaneous=False, zero_sum=False)
    options = SearchSettings(opponents="maxn", think_when_forced=True)
    search = TreeSearch(tree, opposition=FREE, settings=options)
    found = search.search(tree.root(0), 0, Limit(depth=9))
    for key, values in found.proved_states.items():
        state = int(np.frombuffer(key, dtype=np.uint32)[0])
        assert values == plain_maxn(tree, state, 0, 99) == plain_maxn(tree, state, 1, 99)


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, depths=st.lists(st.integers(1, 4), max_size=4), options=OPTIONS)
def test_a_kept_tree_does_not_spoil_later_searches(
    seed: int, depths: list[int], options: SearchSettings
) -> None:
    tree = RandomTree(seed, roles=2, plies=6, width=6, simultaneous=False, zero_sum=True)
    search = TreeSearch(tree, opposition=OPPOSED, settings=options, seed=seed)
    for number, depth in enumerate(depths):
        search.search(tree.root(number % 2), number % 2, Limit(depth=depth))
    for role in range(2):
        found = search.search(tree.root(role), role, Limit(depth=99))
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
        search = TreeSearch(tree, opposition=OPPOSED, seed=seed)
        found = search.search(tree.root(0), 0, Limit(depth=9))
        assert found.move == 1
        # The other two are refuted after two plies: no need to look where this one leads.
        assert found.depth == 2
        assert found.scores == {0: 0.0, 1: 0.5, 2: 0.0}


def test_transpositions_and_history_save_nodes_without_changing_values() -> None:
    plain_nodes = plain_visits = nodes = visits = 0
    for seed in range(12):
        results = []
        for on in (False, True):
            tree = RandomTree(seed, roles=2, plies=7, width=8, simultaneous=False, zero_sum=True)
            options = SearchSettings(
                transpositions=on, history=0.05 if on else 0.0, think_when_forced=True
            )
            search = TreeSearch(tree, opposition=OPPOSED, settings=options, seed=seed)
            results.append(search.search(tree.root(0), 0, Limit(depth=7)))
        assert results[0].value == results[1].value
        plain_nodes += results[0].nodes
        plain_visits += results[0].visits
        nodes += results[1].nodes
        visits += results[1].visits
    assert nodes < 0.8 * plain_nodes
    assert visits < 0.8 * plain_visits


def test_alpha_beta_looks_at_fewer_states_than_there_are() -> None:
    tree = RandomTree(3, roles=2, plies=9, width=400, simultaneous=False, zero_sum=True, ends=0)
    searched = TreeSearch(tree, opposition=OPPOSED, seed=1).search(tree.root(0), 0, Limit(depth=6))

    def count(state: int, depth: int) -> int:
        children = tree.positions[state].children.values()
        return 0 if depth == 0 else len(children) + sum(count(c, depth - 1) for c in children)

    assert searched.depth == 6
    assert searched.nodes < 0.8 * count(0, 6)


class MeritTree:
    """Two roles add numbers in turn; some moves are better everywhere, as in real games."""

    role_count = 2
    plies = 7

    def __init__(self, seed: int) -> None:
        self._merit = np.random.default_rng(seed).permutation(np.arange(-4, 5) * 2)

    def root(self) -> Root:
        return Root(
            state=np.array([[0, 128]], dtype=np.uint8),
            legal=np.zeros((1, 1), dtype=np.uint8),
            counts=np.array([9, 1]),
            own_moves=np.arange(9),
        )

    def expand(self, states: Bytes, legal: Bytes) -> Frontier:
        ply = np.repeat(states[:, 0].astype(np.int64) + 1, 9)
        mover = (ply + 1) % 2
        move = np.tile(np.arange(9), len(states))
        # A role's number grows with its own merits; odd, so that the sum is never drawn.
        signed = np.where(mover == 0, 1, -1) * self._merit[move]
        total = np.repeat(states[:, 1].astype(np.int64), 9) + signed
        terminal = ply == self.plies
        won = np.where(terminal, (total > 129).astype(float), 0.5)
        counts = np.where((mover == 1)[:, None], [9, 1], [1, 9]) * ~terminal[:, None]
        return Frontier(
            start=np.arange(len(states) + 1) * 9,
            joint=np.stack([np.where(mover == 0, move, 0), np.where(mover == 1, move, 0)], axis=1),
            states=np.stack([ply, total], axis=1).astype(np.uint8),
            legal=np.zeros((len(ply), 1), dtype=np.uint8),
            counts=counts,
            terminal=terminal,
            values=np.stack([won, 1 - won], axis=1),
        )


def test_history_orders_blind_search() -> None:
    """With one static value everywhere only the history can order moves (row D11)."""
    visits = {0.0: 0, 0.05: 0}
    for seed in range(2):
        values = set()
        for weight in visits:
            options = SearchSettings(history=weight, transpositions=False, first=1)
            tree = MeritTree(seed)
            search = TreeSearch(tree, opposition=OPPOSED, settings=options, seed=seed)
            found = search.search(tree.root(), 0, Limit(depth=4))
            deep = search.search(tree.root(), 0, Limit(depth=7))
            assert deep.proved
            visits[weight] += found.visits + deep.visits
            values.add(deep.value)
        assert len(values) == 1
    assert visits[0.05] < 0.8 * visits[0.0]
