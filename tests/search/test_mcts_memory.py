"""What is dropped from a tree is what cannot be reached, and nothing that is kept changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neurogame.circuit.circuit import Circuit
from neurogame.errors import NeurogameWarning
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.machine_memory import share_memory
from neurogame.search.alphabeta.compiled import memory as reserve
from neurogame.search.alphabeta.memory import Capacity
from neurogame.search.limit import Limit
from neurogame.search.mcts import room as mcts_room
from neurogame.search.mcts import room as tree_memory
from neurogame.search.mcts.compiled.compact import compact
from neurogame.search.mcts.compiled.search import GRAVE
from neurogame.search.mcts.compiled.tree import EXACT, TERMINAL, Tree, clear
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.options import make_options
from neurogame.search.mcts.room import NodeLayout, Room, halved, make_tree, room_of, usual_memory
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.mcts.tree import MctsTree, TreePlan
from neurogame.search.packing import state_words
from neurogame.search.refusal import say_less_memory
from neurogame.simulate.game import Game
from tests.kernels.leaves.judges import Guess
from tests.search.random_tree import OPPOSED, RandomTree, packed, plain_paranoid, searcher
from tests.search.twin_reading import (
    child,
    choices,
    is_exact,
    node_of,
    node_values,
    only_moves,
    record_of,
)


def _tree(
    game: Game, settings: MctsSettings, *, wide: bool = False, memory: int = 1 << 30
) -> MctsTree:
    plan = TreePlan(
        circuit=game.circuit,
        options=make_options(game, settings, 3),
        capacity=settings.capacity,
        memory=memory,
        lanes=16,
        settings=settings,
        wide=wide,
    )
    judged = settings.tree_judge is not None
    scores = SearchJudge(Guess(game), game.circuit) if judged else None
    return MctsTree(plan, SearchEvaluator(None, game.circuit), tree_scores=scores)


def _search(tree: MctsTree, simulations: int) -> None:
    more = tree.totals.simulations + simulations
    tree.run(16, simulations=more, nodes=None, until=0, deadline=0)


def _read(tree: MctsTree, paths: bool) -> dict[bytes, Any]:
    """Return all that can be reached from the root: state (and path) -> what is known of it."""
    found: dict[bytes, Any] = {}
    index_of = {int(tree.tree.nodes[i]): i for i in range(tree.size)}
    stack = [(tree.tree.root, b"")]
    while stack:
        node, path = stack.pop()
        key = tree.tree.states[index_of[node]].tobytes() + path
        if key in found:
            continue
        decided = choices(tree.tree, node)
        own = node_of(tree.tree, node)
        terminal = bool(own.flags & TERMINAL)
        values = node_values(tree.tree, node)
        table = own.ends if decided and tree.plan.options.kind == GRAVE else 0
        found[key] = (
            own.flags & EXACT,
            None if values is None else values.tolist(),
            None if terminal else only_moves(tree.tree, node),
            [
                (c.role, *(getattr(c, n).tolist() for n in ("moves", "visits", "sums", "known")))
                for c in decided
            ],
            [None if c.priors is None else c.priors.tolist() for c in decided],
            tree.tree.worth[table].tolist() if table else None,
            record_of(tree.tree, node).status if decided else 0,
        )
        for picks in np.ndindex(*(len(c.moves) for c in decided)) if decided else ():
            below = child(tree.tree, node, decided, picks)
            if below:
                stack.append((below, path + bytes(picks) if paths else b""))
    return found


@pytest.mark.parametrize("name", ["connectfour", "tictactoe", "bidding_tictactoe", "tictactoe3p"])
@pytest.mark.parametrize("graph", [True, False])
def test_searching_on_in_a_thinned_out_tree(name: str, graph: bool) -> None:
    game = Game.load(name)
    tree = _tree(game, MctsSettings(capacity=600, graph=graph, backup="blend"))
    words = state_words(game.initial_state().fluents.numpy())
    tree.set_root(words)
    for _ in range(6):
        _search(tree, 700)
        full = tree.size
        tree.set_root(words)
        assert tree.size <= max(300, 1) or tree.size == full <= 600
        root = choices(tree.tree, tree.tree.root)
        for choice in root:
            assert choice.visits.sum() == tree.totals.simulations
            assert (choice.sums <= choice.visits + 1e-3).all()
    assert len(_read(tree, paths=not graph)) == tree.size


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("connectfour", MctsSettings(capacity=5000)),
        ("connectfour", MctsSettings(capacity=5000, graph=False)),
        ("tictactoe", MctsSettings(capacity=8000, tree="rave")),
        ("tictactoe", MctsSettings(capacity=8000, tree="grave", ref=6)),
        ("bidding_tictactoe", MctsSettings(capacity=8000)),
        ("tictactoe3p", MctsSettings(capacity=8000)),
        ("connectfour", MctsSettings(capacity=5000, tree="action")),
        ("bidding_tictactoe", MctsSettings(capacity=8000, tree="knowledge", ripe=3)),
    ],
)
def test_what_is_kept_does_not_change(name: str, settings: MctsSettings, wide: bool) -> None:
    game = Game.load(name)
    tree, paths = _tree(game, settings, wide=wide), not settings.graph
    state = game.initial_state()
    tree.set_root(state_words(state.fluents.numpy()))
    _search(tree, 2000)
    # Two plies on, where simulations have been.
    for _ in range(2):
        joint = [moves[len(moves) // 2] for moves in state.legal_moves]
        state = state.next(joint)
    tree.set_root(state_words(state.fluents.numpy()))
    before, size, used = _read(tree, paths), tree.size, tree.tree.end
    compact(tree.tree, graph=settings.graph)
    assert tree.size < size
    assert tree.tree.end < used
    assert _read(tree, paths) == before
    if settings.graph:
        assert tree.size == len(before)
        # All of them are found by their states.
        for index in range(tree.size):
            tree.set_root(tree.tree.states[index].copy())
            assert tree.tree.root == tree.tree.nodes[index]
            if index > 40:
                break
        tree.set_root(state_words(state.fluents.numpy()))
    _search(tree, 500)
    record = record_of(tree.tree, tree.tree.root)
    passed = sum(choices(tree.tree, tree.tree.root)[0].visits)
    # Once it is proved, simulations that pursue the win or compare moves count in the moves alone.
    proved = is_exact(tree.tree, tree.tree.root)
    assert passed > record.visits if proved else passed == record.visits - record.ends


def test_a_full_tree_makes_room_and_grows_on() -> None:
    game = Game.load("connectfour")
    tree = _tree(game, MctsSettings(capacity=1000))
    state = game.initial_state()
    words = state_words(state.fluents.numpy())
    tree.set_root(words)
    for simulations in range(500, 6000, 500):
        _search(tree, 500)
        assert tree.size <= 1000
        root = choices(tree.tree, tree.tree.root)[0]
        # What is dropped are nodes; no result is.
        assert root.visits.sum() == tree.totals.simulations == simulations
    assert tree.totals.created > 2000
    assert len(_read(tree, paths=False)) == tree.size
    linked = [child(tree.tree, tree.tree.root, [root], [n]) for n in range(len(root.moves))]
    assert all(linked)
    # The next root has been kept.
    follow = state.next([state.legal_moves[0][3], state.legal_moves[1][0]])
    tree.set_root(state_words(follow.fluents.numpy()))
    assert record_of(tree.tree, tree.tree.root).visits > 500


def test_without_time_for_it_a_full_tree_is_searched_as_it_is() -> None:
    game = Game.load("connectfour")
    tree = _tree(game, MctsSettings(capacity=1000))
    state = game.initial_state()
    tree.set_root(state_words(state.fluents.numpy()), seconds=1e-9)
    _search(tree, 3000)
    assert tree.size == tree.totals.created + 1 == 1000
    assert choices(tree.tree, tree.tree.root)[0].visits.sum() == 3000
    # The next search has room, and nothing else.
    state = state.next([state.legal_moves[0][3], state.legal_moves[1][0]])
    tree.set_root(state_words(state.fluents.numpy()), seconds=1e-9)
    assert tree.size == 1
    # While nobody waits, half of the room is cleared.
    _search(tree, 3000)
    tree.set_root(state_words(state.fluents.numpy()), idle=True)
    assert 1 < tree.size <= 500


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("connectfour", MctsSettings(capacity=1500)),
        ("connectfour", MctsSettings(capacity=1500, tree="grave", ref=6, graph=False)),
        ("bidding_tictactoe", MctsSettings(capacity=1500)),
        ("pursuit", MctsSettings(capacity=1500, tree="rave")),
    ],
)
def test_the_same_seed_renews_the_same_tree(name: str, settings: MctsSettings) -> None:
    game = Game.load(name)
    words = state_words(game.initial_state().fluents.numpy())
    found = []
    for chunks in (1, 5):
        tree = _tree(game, settings)
        tree.set_root(words)
        for _ in range(chunks):
            # As many as whole blocks.
            _search(tree, 8000 // chunks)
        assert tree.totals.created > 1500
        found.append(_read(tree, paths=not settings.graph))
    assert found[0] == found[1]


@pytest.mark.parametrize(("name", "capacity"), [("tictactoe", 1500), ("bidding_tictactoe", 8000)])
def test_what_is_proved_in_a_renewed_tree_is_true(name: str, capacity: int) -> None:
    game = Game.load(name)
    state = game.initial_state()
    solved = Mcts(game, settings=MctsSettings(lanes=16), seed=1)
    found = solved.search(state, 0, Limit(simulations=60_000))
    small = Mcts(game, settings=MctsSettings(lanes=16, capacity=capacity), seed=1)
    limited = small.search(state, 0, Limit(simulations=60_000))
    assert limited.nodes > capacity
    common = limited.proved_states.keys() & found.proved_states.keys()
    assert len(common) > 30
    assert all(limited.proved_states[key] == found.proved_states[key] for key in common)
    if name == "tictactoe":
        assert limited.proved
        assert limited.value == (0.5, 0.5)


@pytest.mark.parametrize("name", ["connectfour", "connectfour_simultaneous", "pursuit"])
def test_longer_tables_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.load(name)
    words = state_words(game.initial_state().fluents.numpy())
    found = []
    for first in (1 << 16, 8):
        monkeypatch.setattr(tree_memory, "_FIRST_NODES", first)
        tree = _tree(game, MctsSettings(capacity=100_000))
        tree.set_root(words)
        _search(tree, 600)
        found.append(_read(tree, paths=False))
        assert len(tree.tree.table) == (1 << 17 if first > 8 else 1 << (2 * tree.size).bit_length())
    assert found[0] == found[1]


def test_places_may_have_31_bits() -> None:
    game = Game.load("connectfour")
    words = state_words(game.initial_state().fluents.numpy())
    found = []
    for memory in (1 << 28, 1 << 35):
        tree = _tree(game, MctsSettings(capacity=None), memory=memory)
        tree.set_root(words)
        if memory > 1 << 30:
            clear(tree.tree)
            tree.tree.end = len(tree.tree.heap) - 600_000
            tree.set_root(words)
        _search(tree, 16_000)
        found.append(_read(tree, paths=False))
    assert found[0] == found[1]


def test_a_tree_that_is_refused_memory_is_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    say_less_memory.cache_clear()
    asked = []

    def refusing(layout: NodeLayout, room: Room, circuit: Circuit) -> Tree:
        asked.append(room.nodes)
        if room.nodes > 5000:
            raise MemoryError
        return make_tree(layout, room, circuit)

    def refused(tree: Tree, graph: bool) -> None:
        raise MemoryError

    monkeypatch.setattr("neurogame.search.mcts.tree.make_tree", refusing)
    game = Game.load("connectfour")
    with pytest.warns(NeurogameWarning, match="mcts: the system refuses the memory"):
        search = Mcts(game, settings=MctsSettings(capacity=20_000))
    assert asked == [20_000, 10_000, 5000]
    found = search.search(game.initial_state(), 0, Limit(simulations=20_000))
    assert sum(found.tries.values()) == 20_000
    monkeypatch.setattr("neurogame.search.mcts.tree.compact", refused)
    # Refused the memory to make room, it goes on without new nodes.
    again = search.search(game.initial_state(), 0, Limit(simulations=20_000))
    assert sum(again.tries.values()) == 40_000
    assert search._trees[0].size == 5000


_GIB = 1 << 30


def _layout(legal: int = 20, fluents: int = 130) -> NodeLayout:
    return NodeLayout(
        roles=2,
        fluents=fluents,
        moves=500,
        legal=legal,
        hinted=False,
        judged=False,
        all_moves=False,
        wide=False,
    )


@pytest.mark.parametrize("legal", [2, 20, 300])
@pytest.mark.parametrize("memory", [1 << 24, _GIB, 4 * _GIB])
def test_memory_is_used_and_kept_to(legal: int, memory: int) -> None:
    room = room_of(_layout(legal), memory=memory, capacity=None, ref=None)
    # States of three words, numbers and proofs, and up to four places of the table.
    taken = 4 * room.words + room.nodes * (24 + 8 + 32)
    assert 0.7 * memory < taken < 1.1 * memory + 40_000


def test_no_tree_exceeds_what_places_can_tell() -> None:
    room = room_of(_layout(), memory=1 << 50, capacity=None, ref=None)
    assert 0.95 * (1 << 31) < room.words < 1 << 31
    assert room.nodes < 1 << 30


def test_a_given_capacity_is_kept_to() -> None:
    room = room_of(_layout(), memory=4 * _GIB, capacity=1000, ref=50)
    assert room.nodes == 1000
    assert room.tables == 42
    assert halved(room).nodes == 500
    assert halved(halved(room_of(_layout(), memory=1, capacity=None, ref=None))).nodes == 2


def test_what_is_free_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts_room, "free_memory", lambda: 8 * _GIB)
    assert usual_memory() == 2 * _GIB
    share_memory(4)
    try:
        assert usual_memory() == _GIB // 2
    finally:
        share_memory(1)
    monkeypatch.setattr(mcts_room, "free_memory", lambda: None)
    assert usual_memory() == _GIB


def test_the_trees_of_all_threads_share_the_memory() -> None:
    game = Game.load("tictactoe")
    nodes = []
    for threads in (1, 2):
        search = Mcts(game, settings=MctsSettings(memory=64, threads=threads))
        search.search(game.initial_state(), 0, Limit(simulations=10))
        nodes.append([len(tree.tree.nodes) for tree in search._trees])
    assert nodes[1] == [nodes[0][0] // 2] * 2


def _wide_tree() -> RandomTree:
    return RandomTree(3, roles=2, plies=9, width=400, simultaneous=False, zero_sum=True, ends=0.1)


def test_alpha_beta_keeps_fewer_children(monkeypatch: pytest.MonkeyPatch) -> None:
    say_less_memory.cache_clear()
    make, wanted = reserve.make_kept, []

    def refusing(sizes: Any, rows: int) -> Any:
        wanted.append(rows)
        if rows > 5000:
            raise MemoryError
        return make(sizes, rows)

    monkeypatch.setattr(reserve, "make_kept", refusing)
    tree = _wide_tree()
    search = searcher(tree, OPPOSED, capacity=Capacity(40_000, 1 << 14, 1 << 10))
    with pytest.warns(NeurogameWarning, match="alpha-beta: the system refuses"):
        found = search.search(packed(0), 0, Limit(depth=6))
    assert wanted == [40_000, 20_000, 10_000, 5000]
    assert found.value[0] == plain_paranoid(tree, 0, 0, found.depth)
    assert search._memory(0).capacity == Capacity(5000, 1 << 11, 1 << 7)


def test_alpha_beta_without_any_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(sizes: Any, rows: int) -> Any:
        raise MemoryError

    monkeypatch.setattr(reserve, "make_kept", refusing)
    say_less_memory.cache_clear()
    search = searcher(_wide_tree(), OPPOSED)

    def attempt() -> None:
        with pytest.raises(MemoryError):
            search.search(packed(0), 0, Limit(depth=6))

    with pytest.warns(NeurogameWarning):
        attempt()


@pytest.mark.parametrize(
    ("refused", "limit"), [("make_table", "entries_limit"), ("make_proofs", "proofs_limit")]
)
def test_alpha_betas_tables_stay_small(
    monkeypatch: pytest.MonkeyPatch, refused: str, limit: str
) -> None:
    say_less_memory.cache_clear()
    tree = _wide_tree()
    search = searcher(tree, OPPOSED, capacity=Capacity(40_000, 1 << 14, 1 << 14))
    memory = search._memory(0)
    setattr(memory.search, limit, 20 if refused == "make_table" else 2)

    def refusing(*sizes: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(reserve, refused, refusing)
    monkeypatch.setattr(memory, "begin", lambda: setattr(memory.search, "age", 1))
    with pytest.warns(NeurogameWarning, match="goes on with less"):
        found = search.search(packed(0), 0, Limit(depth=9))
    assert found.depth == 9 or found.proved
    assert found.value[0] == plain_paranoid(tree, 0, 0, found.depth)
    kept = memory.capacity
    assert (kept.entries, kept.proofs) == (
        (4096, 1 << 14) if refused == "make_table" else (1 << 14, 1024)
    )
