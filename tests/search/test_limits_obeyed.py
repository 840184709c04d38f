"""What happens when a limit cuts the search short."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import ConfigurationError
from neurogame.evaluators.build import make_evaluator
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.memory import Capacity
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.result import SearchResult
from neurogame.simulate.game import Game
from tests.search.random_tree import (
    FREE,
    OPPOSED,
    Position,
    RandomTree,
    packed,
    plain_paranoid,
    searcher,
)


def _tree(seed: int) -> RandomTree:
    return RandomTree(seed, roles=2, plies=8, width=60, simultaneous=False, zero_sum=True, ends=0)


def _whole(batch: int = 1) -> SearchSettings:
    """Return settings with which a value of a depth is that of all lines of that depth."""
    return SearchSettings(batch=batch, think_when_forced=True, reductions=0.0)


def _is_sound(tree: RandomTree, found: SearchResult) -> bool:
    """Return whether the value is of the last complete depth, or of a better move one deeper."""
    complete = plain_paranoid(tree, 0, 0, found.depth)
    child = tree.positions[0].children[found.line[0]]
    partial = plain_paranoid(tree, child, 0, found.depth)
    return found.value[0] in (complete, partial)


@pytest.mark.parametrize("budget", [1, 5, 40, 150, 400])
def test_node_limit_keeps_the_last_complete_depth(budget: int) -> None:
    for seed in range(5):
        tree = _tree(seed)
        settings = _whole(1 + 20 * (seed % 3))
        found = searcher(tree, OPPOSED, settings=settings).search(packed(0), 0, Limit(nodes=budget))
        # Reading the principal line of every depth generates its states once more.
        again = tree.expanded - found.nodes
        assert len(found.line) <= again <= sum(range(found.depth + 2))
        first = len(tree.positions[0].children)
        # The first ply is always completed, whatever it costs.
        assert found.nodes <= max(budget, first)
        assert found.depth >= 1
        assert _is_sound(tree, found)


def test_a_better_move_of_an_unfinished_iteration_is_played() -> None:
    better = 0
    for budget in range(30, 300, 6):
        tree = _tree(budget)
        found = searcher(tree, OPPOSED, settings=_whole()).search(packed(0), 0, Limit(nodes=budget))
        if found.value[0] != plain_paranoid(tree, 0, 0, found.depth):
            better += 1
            child = tree.positions[0].children[found.line[0]]
            assert found.value[0] == plain_paranoid(tree, child, 0, found.depth)
            assert found.scores[found.move] == found.value[0]
    assert better > 0


def test_time_limit_returns_what_is_known_then() -> None:
    for seed in range(2):
        tree = _tree(seed)
        tree.on_call = lambda: time.sleep(0.02)
        search = searcher(tree, OPPOSED, settings=_whole())
        found = search.search(packed(0), 0, Limit(seconds=1.0))
        # Each state takes a fiftieth of the time, and all of them much more than there is.
        assert found.nodes <= 60
        assert not found.proved
        assert _is_sound(tree, found)
        assert found.move in found.scores


def test_no_time_at_all_gives_a_legal_move() -> None:
    tree = next(t for t in map(_tree, range(99)) if t.positions[0].counts[0] == 4)
    moves = set()
    for seed in range(30):
        found = searcher(tree, OPPOSED, seed=seed).search(packed(0), 0, Limit(seconds=1e-9))
        assert found.depth == 0
        assert not found.proved
        assert found.value == (0.5, 0.5)
        moves.add(found.move)
    assert moves == set(range(4))


def test_an_interrupted_search_can_be_resumed() -> None:
    tree = _tree(4)
    search = searcher(tree, OPPOSED, settings=SearchSettings(batch=1, think_when_forced=True))
    calls = 0

    def interrupt() -> None:
        nonlocal calls
        calls += 1
        if calls == 30:
            raise KeyboardInterrupt

    tree.on_call = interrupt
    with pytest.raises(KeyboardInterrupt):
        search.search(packed(0), 0, Limit(depth=6))
    again = search.search(packed(0), 0, Limit(depth=6))
    assert again.depth == 6
    assert again.value[0] == plain_paranoid(tree, 0, 0, again.depth)


def test_the_tree_is_kept_from_search_to_search() -> None:
    tree = _tree(2)
    search = searcher(tree, OPPOSED)
    first = search.search(packed(0), 0, Limit(depth=4))
    assert first.nodes > 0
    assert search.search(packed(0), 0, Limit(depth=4)).nodes == 0
    search.forget()
    again = search.search(packed(0), 0, Limit(depth=4))
    assert again.value == first.value
    assert again.nodes > 0


@pytest.mark.parametrize("capacity", [Capacity(40, 4, 4), Capacity(100, 64, 16)])
def test_little_memory_changes_no_value(capacity: Capacity) -> None:
    for seed in range(4):
        tree = _tree(seed)
        search = searcher(tree, OPPOSED, capacity=capacity)
        plenty = searcher(tree, OPPOSED)
        for role in (0, 1):
            found = search.search(packed(0), role, Limit(depth=6))
            assert found.value[role] == plain_paranoid(tree, 0, role, found.depth)
            assert found.nodes >= plenty.search(packed(0), role, Limit(depth=6)).nodes
        assert len(search.proved_states) <= capacity.proofs


def test_memory_grows_while_it_may() -> None:
    tree = RandomTree(1, roles=2, plies=9, width=400, simultaneous=False, zero_sum=True, ends=0.1)
    values = []
    for entries in (1 << 14, 4):
        search = searcher(tree, OPPOSED, capacity=Capacity(1 << 14, entries, 1 << 12))
        values.append(search.search(packed(0), 0, Limit(depth=9)).value[0])
    assert values[0] == values[1] == plain_paranoid(tree, 0, 0, 9)


def test_wide_nodes_enlarge_the_stack() -> None:
    tree = RandomTree(0, roles=2, plies=3, width=50, simultaneous=False, zero_sum=True, ends=0)
    tree.offsets = [0, 1000, 2000]
    tree.moves = 1000
    for state in range(50):
        children: dict[tuple[int, ...], int] = {
            (move, 0): 50 + move % 50 for move in range(900 + state)
        }
        tree.positions[state] = Position((900 + state, 1), children, (0.5, 0.5))
    found = searcher(tree, OPPOSED).search(packed(0), 0, Limit(depth=3))
    assert found.value[0] == plain_paranoid(tree, 0, 0, found.depth)
    assert set(found.scores) == set(range(900))


def test_same_seed_same_move_and_ties_are_all_played() -> None:
    tree = RandomTree(0, roles=1, plies=1, width=1, simultaneous=False, zero_sum=False)
    tree.positions = [
        Position((5,), {(m,): 1 for m in range(5)}, (0.5,)),
        Position((0,), {}, (0.5,)),
    ]
    limit = Limit(depth=3)
    moves = []
    for seed in range(40):
        pair = [searcher(tree, FREE, seed=seed).search(packed(0), 0, limit).move for _ in range(2)]
        assert pair[0] == pair[1]
        moves.append(pair[0])
    assert set(moves) == set(range(5))


def test_a_limit_is_needed() -> None:
    tree = _tree(0)
    search = searcher(tree, OPPOSED)
    for limit in (Limit(), Limit(simulations=10)):
        with pytest.raises(ConfigurationError, match="seconds, nodes, depth"):
            search.search(packed(0), 0, limit)


def test_too_wide_a_state_is_not_expanded() -> None:
    tree = next(t for t in map(_tree, range(99)) if t.positions[0].counts[0] == 4)
    search = searcher(tree, OPPOSED, settings=SearchSettings(widest=1))
    found = search.search(packed(0), 0, Limit(depth=3))
    assert found.nodes == 0
    assert found.depth == 0
    assert found.move in range(4)


LIMITS = st.builds(
    Limit,
    seconds=st.none() | st.integers(1, 1000).map(lambda n: n / 8),
    nodes=st.none() | st.integers(1, 10**9),
    depth=st.none() | st.integers(1, 50),
    simulations=st.none() | st.integers(1, 10**5),
)


@pytest.mark.parametrize("text", ["seconds=1e12", "nodes=1" + 20 * "0", "sims=1" + 20 * "0"])
def test_numbers_beyond_64_bits_limit_nothing(text: str) -> None:
    game, limit = Game.load("tictactoe"), Limit.parse(text)
    state = game.initial_state()
    result = Mcts(game).search(state, 0, limit)
    assert result.proved
    if limit.simulations is None:
        searched = AlphaBeta(game, make_evaluator(game, "cilp")).search(state, 0, limit)
        assert searched.value == result.value


@given(limit=LIMITS)
def test_text_round_trip(limit: Limit) -> None:
    assert Limit.parse(str(limit)) == limit
    assert bool(limit) == (limit != Limit())


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
        ("depth", "name=value"),
        ("depth=1,depth=2", "each name once"),
    ],
)
def test_refusals_say_what_is_allowed(text: str, complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        Limit.parse(text)
