"""What happens when a limit cuts the search short."""

from __future__ import annotations

import pytest

from neurogame.errors import ConfigurationError
from neurogame.search.deepening import TreeSearch
from neurogame.search.limit import Limit
from neurogame.search.settings import SearchSettings
from tests.search.random_tree import FREE, OPPOSED, RandomTree, plain_paranoid


def _tree(seed: int) -> RandomTree:
    return RandomTree(seed, roles=2, plies=8, width=60, simultaneous=False, zero_sum=True, ends=0)


@pytest.mark.parametrize("budget", [1, 5, 40, 150, 400])
def test_node_limit_keeps_the_last_complete_depth(budget: int) -> None:
    for seed in range(5):
        tree = _tree(seed)
        search = TreeSearch(tree, opposition=OPPOSED, settings=SearchSettings(first=1))
        found = search.search(tree.root(0), 0, Limit(nodes=budget))
        first = len(tree.positions[0].children)
        # The first ply is always completed, whatever it costs.
        assert tree.expanded == found.nodes <= max(budget, first)
        assert found.depth >= (1 if first > 1 else 0)
        assert found.value[0] == plain_paranoid(tree, 0, 0, found.depth)


def test_time_limit_returns_the_last_complete_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("neurogame.search.clock.time.perf_counter", lambda: now[0])

    def tick() -> None:
        now[0] += 1.0

    for seed in range(8):
        tree = _tree(seed)
        tree.on_expand = tick
        search = TreeSearch(tree, opposition=OPPOSED, settings=SearchSettings(first=1))
        found = search.search(tree.root(0), 0, Limit(seconds=6.5))
        assert tree.calls <= 7
        assert found.depth >= 1
        assert found.value[0] == plain_paranoid(tree, 0, 0, found.depth)
        assert found.move in found.scores


def test_no_time_at_all_gives_a_legal_move(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def later() -> float:
        now[0] += 1.0
        return now[0]

    monkeypatch.setattr("neurogame.search.clock.time.perf_counter", later)
    tree = _tree(1)
    moves = set()
    for seed in range(20):
        search = TreeSearch(tree, opposition=OPPOSED, seed=seed)
        found = search.search(tree.root(0), 0, Limit(seconds=0.5))
        assert found.depth == 0
        assert not found.proved
        moves.add(found.move)
    assert moves == set(tree.root(0).own_moves.tolist())


def test_an_interrupted_search_can_be_resumed() -> None:
    tree = _tree(4)
    search = TreeSearch(tree, opposition=OPPOSED, settings=SearchSettings(first=1))

    def interrupt() -> None:
        if tree.calls == 30:
            raise KeyboardInterrupt

    tree.on_expand = interrupt
    with pytest.raises(KeyboardInterrupt):
        search.search(tree.root(0), 0, Limit(depth=6))
    again = search.search(tree.root(0), 0, Limit(depth=6))
    assert again.value[0] == plain_paranoid(tree, 0, 0, again.depth)


def test_the_tree_is_kept_from_search_to_search() -> None:
    tree = _tree(2)
    search = TreeSearch(tree, opposition=OPPOSED)
    first = search.search(tree.root(0), 0, Limit(depth=4))
    assert first.nodes > 0
    assert search.search(tree.root(0), 0, Limit(depth=4)).nodes == 0
    search.forget()
    again = search.search(tree.root(0), 0, Limit(depth=4))
    assert again.value == first.value
    assert again.nodes > 0


def test_capacity_bounds_the_kept_tree() -> None:
    tree = _tree(3)
    settings = SearchSettings(capacity=100, first=1)
    search = TreeSearch(tree, opposition=OPPOSED, settings=settings)
    for _ in range(3):
        found = search.search(tree.root(0), 0, Limit(depth=8))
        assert found.nodes <= 100
        assert found.value[0] == plain_paranoid(tree, 0, 0, found.depth)


def test_same_seed_same_move_and_ties_are_all_played() -> None:
    tree = RandomTree(0, roles=1, plies=1, width=1, simultaneous=False, zero_sum=False)
    tree.positions = [
        type(tree.positions[0])((5,), {(m,): 1 for m in range(5)}, (0.5,)),
        type(tree.positions[0])((0,), {}, (0.5,)),
    ]
    limit = Limit(depth=3)
    moves = []
    for seed in range(40):
        pair = [
            TreeSearch(tree, opposition=FREE, seed=seed).search(tree.root(0), 0, limit).move
            for _ in range(2)
        ]
        assert pair[0] == pair[1]
        moves.append(pair[0])
    assert set(moves) == set(range(5))


def test_a_limit_is_needed() -> None:
    tree = _tree(0)
    search = TreeSearch(tree, opposition=OPPOSED)
    for limit in (Limit(), Limit(simulations=10)):
        with pytest.raises(ConfigurationError, match="seconds, nodes, depth"):
            search.search(tree.root(0), 0, limit)


def test_too_wide_a_state_is_not_expanded() -> None:
    tree = _tree(0)
    search = TreeSearch(tree, opposition=OPPOSED, settings=SearchSettings(widest=1))
    found = search.search(tree.root(0), 0, Limit(depth=3))
    assert found.nodes == 0
    assert found.depth == 0
    assert found.move in tree.root(0).own_moves
