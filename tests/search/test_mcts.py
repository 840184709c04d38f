"""Monte-Carlo tree search on real rules: limits, memory, reuse, proofs, all kinds of games."""

from __future__ import annotations

import _thread
import threading
from functools import reduce
from operator import xor
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError, GameError, LimitError
from neurogame.evaluators.base import Evaluator
from neurogame.kernels.backends import VARIABLE
from neurogame.search.limit import Limit
from neurogame.search.mcts.compiled.tree import PENDING, Tree
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.room import NodeLayout, Room, make_tree
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.mcts.tree import MctsTree
from neurogame.search.packing import state_keys
from neurogame.simulate.game import Game, State
from tests.conftest import shared
from tests.kernels.leaves.judges import Guess
from tests.library import load as game
from tests.library import minimax
from tests.search.twin_reading import choices, node_of, record_of


def tree_of(search: Mcts) -> MctsTree:
    """Return the first tree of a search."""
    return search._trees[0]


def after(name: str, *joints: tuple[str, ...]) -> State:
    state = game(name).initial_state()
    for joint in joints:
        state = state.next(joint)
    return state


class Constant(Evaluator):
    """The same values everywhere."""

    def __init__(self, of: Game, *values: float) -> None:
        super().__init__(len(of.fluents), len(of.roles), {"kind": "constant"})
        self.given = torch.tensor(values)
        self.asked = 0

    def forward(self, fluents: Tensor) -> Tensor:
        self.asked += len(fluents)
        return self.given.expand(len(fluents), -1)


@pytest.mark.parametrize("lanes", [1, 64])
def test_tictactoe_is_solved_and_every_proof_is_right(lanes: int) -> None:
    rules = game("tictactoe")
    search = Mcts(rules, settings=MctsSettings(lanes=lanes))
    found = search.search(rules.initial_state(), 0, Limit(simulations=100_000))
    assert found.proved
    assert found.value == (0.5, 0.5)
    assert found.simulations < 100_000
    keys = list(found.proved_states)
    assert len(keys) == len(search.proved_states) > 500
    packed = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), -1)
    fluents = np.unpackbits(packed, axis=1, count=len(rules.fluents)).view(np.bool_)
    assert state_keys(fluents) == keys
    states = [State(rules, torch.from_numpy(row.copy())) for row in fluents]
    assert not any(state.is_terminal for state in states[::20])
    late = [n for n in range(0, len(states), 4) if max(map(len, states[n].legal_moves)) <= 4]
    assert len(late) > 100
    for number in late[::2]:
        assert found.proved_states[keys[number]] == minimax(states[number])
    search.forget()
    assert len(search.proved_states) == 0


def _nim_sum(state: State) -> int:
    """Bouton: the player to move loses exactly if this is 0."""
    heaps = (text.split() for text in state.fluent_texts if text.startswith("(heap"))
    return reduce(xor, (int(size.rstrip(")")) for _, _, size in heaps))


def test_nim_is_solved() -> None:
    rules = game("nim")
    state = rules.initial_state()
    lost = Mcts(rules).search(state, 0, Limit(simulations=200_000))
    assert lost.proved
    assert lost.value == (0.0, 1.0)
    state = state.next(["(leave d 4)", "noop"])
    assert _nim_sum(state) != 0
    won = Mcts(rules).search(state, 1, Limit(simulations=200_000))
    assert won.proved
    assert won.value == (0.0, 1.0)
    assert _nim_sum(state.next([state.legal_moves[0][0], won.move])) == 0


def test_a_win_is_taken_and_a_loss_avoided_before_anything_else() -> None:
    rules = game("tictactoe")
    threat = ("(mark 1 1)", "noop"), ("noop", "(mark 2 2)"), ("(mark 1 2)", "noop")
    met = Mcts(rules).search(after("tictactoe", *threat), 1, Limit(simulations=2000))
    assert rules.moves[1][met.move] == "(mark 1 3)"
    state = after("tictactoe", *threat, ("noop", "(mark 3 3)"))
    won = Mcts(rules).search(state, 0, Limit(simulations=200))
    assert rules.moves[0][won.move] == "(mark 1 3)"
    assert won.proved
    assert won.value == (1.0, 0.0)
    assert won.scores[won.move] == 1.0


@pytest.mark.parametrize("kind", ["uct", "rave", "grave"])
@pytest.mark.parametrize("playout", ["uniform", "decisive", "mast"])
def test_visits_gather_at_the_best_move(kind: Any, playout: Any) -> None:
    rules = game("tictactoe")
    state = after(
        "tictactoe", ("(mark 1 1)", "noop"), ("noop", "(mark 2 2)"), ("(mark 1 2)", "noop")
    )
    settings = MctsSettings(tree=kind, playout=playout, solver=False)
    found = Mcts(rules, settings=settings).search(state, 1, Limit(simulations=3000))
    assert rules.moves[1][found.move] == "(mark 1 3)"
    assert found.tries[found.move] > 1500
    assert not found.proved


@pytest.mark.parametrize("playouts", [1, 8])
def test_playouts_that_decide_see_a_threat_at_once(playouts: int) -> None:
    rules = game("tictactoe")
    state = after(
        "tictactoe", ("(mark 1 1)", "noop"), ("noop", "(mark 2 2)"), ("(mark 1 2)", "noop")
    )
    settings = MctsSettings(playout="decisive", playouts=playouts, solver=False)
    found = Mcts(rules, settings=settings).search(state, 1, Limit(simulations=6))
    lost = {rules.moves[1][move] for move, value in found.scores.items() if value == 0}
    assert lost == {rules.moves[1][move] for move in state.legal_moves[1]} - {"(mark 1 3)"}


def test_playouts_that_decide_go_to_the_end() -> None:
    with pytest.raises(ConfigurationError, match="playout='decisive'; allowed: decisive with"):
        MctsSettings(playout="decisive", cutoff=2)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("lanes", [1, 7, 64])
@pytest.mark.parametrize("simulations", [1, 50, 301])
def test_simulations_are_exact(lanes: int, threads: int, simulations: int) -> None:
    rules = game("connectfour")
    search = Mcts(rules, settings=MctsSettings(lanes=lanes, threads=threads, capacity=2000))
    found = search.search(rules.initial_state(), 0, Limit(simulations=simulations))
    assert found.simulations == simulations
    assert sum(found.tries.values()) == simulations
    assert found.playouts <= simulations
    assert found.nodes <= simulations
    assert found.move in rules.initial_state().legal_moves[0]


@pytest.mark.parametrize("lanes", [1, 64])
def test_nodes_are_exact(lanes: int) -> None:
    rules = game("connectfour")
    search = Mcts(rules, settings=MctsSettings(lanes=lanes))
    found = search.search(rules.initial_state(), 0, Limit(nodes=500))
    assert found.nodes == 500
    assert found.simulations >= 500
    # All nodes of this one are soon made: the search ends nevertheless.
    rules = game("rockpaperscissors")
    found = Mcts(rules, settings=MctsSettings(lanes=lanes)).search(
        rules.initial_state(), 0, Limit(nodes=500)
    )
    assert found.nodes < 500


def test_the_default_is_sequential_where_simulations_are_counted() -> None:
    rules = game("connectfour")
    start, limit = rules.initial_state(), Limit(simulations=800)
    default = Mcts(rules).search(start, 0, limit)
    assert (
        default.tries == Mcts(rules, settings=MctsSettings(lanes=1)).search(start, 0, limit).tries
    )
    assert (
        default.tries != Mcts(rules, settings=MctsSettings(lanes=64)).search(start, 0, limit).tries
    )


@pytest.mark.parametrize("lanes", [1, 32])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "policies", [{"playout": "mast"}, {"tree": "action", "playout": "knowledge"}], ids=str
)
def test_the_seed_decides(policies: Any, threads: int, lanes: int) -> None:
    rules = game("connectfour")
    settings = MctsSettings(threads=threads, lanes=lanes, **policies)
    judges = {"action": Guess(rules), "knowledge": Guess(rules, seed=9)}
    tries = [
        Mcts(rules, settings=settings, judges=judges, seed=seed)
        .search(rules.initial_state(), 0, Limit(simulations=200))
        .tries
        for seed in (1, 1, 2)
    ]
    assert tries[0] == tries[1] != tries[2]


def test_a_full_tree_is_searched_on() -> None:
    rules = game("connectfour")
    search = Mcts(rules, settings=MctsSettings(capacity=300, lanes=16))
    found = search.search(rules.initial_state(), 0, Limit(simulations=5000))
    assert found.simulations == 5000
    assert found.nodes > 300
    assert tree_of(search).size <= 300
    assert tree_of(search).tree.end <= len(tree_of(search).tree.heap)
    # The next one begins with room for more.
    state = rules.initial_state().next([found.move, "noop"])
    again = search.search(state, 1, Limit(simulations=2000))
    assert again.simulations == 2000
    assert again.nodes > 300
    assert tree_of(search).size <= 300


def test_a_tree_of_two_nodes_is_searched() -> None:
    rules = game("connectfour")
    search, state = Mcts(rules, settings=MctsSettings(capacity=2)), rules.initial_state()
    found = search.search(state, 0, Limit(simulations=300))
    assert tree_of(search).tree.root == tree_of(search).tree.nodes[0]
    assert found.state is state
    assert found.simulations == sum(found.tries.values()) == 300
    assert tree_of(search).size == 2


def test_memory_for_not_even_the_root_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def small(layout: NodeLayout, room: Room, circuit: Circuit) -> Tree:
        return make_tree(layout, room._replace(words=16), circuit)

    monkeypatch.setattr("neurogame.search.mcts.tree.make_tree", small)
    with pytest.raises(LimitError, match="capacity"):
        Mcts(game("connectfour"))


def test_the_tree_is_kept_from_move_to_move() -> None:
    rules = game("connectfour")
    search = Mcts(rules)
    start = rules.initial_state()
    first = search.search(start, 0, Limit(simulations=4000))
    child = start.next([first.move, "noop"])
    second = search.search(child, 1, Limit(simulations=1000))
    # A move is tried once more than its node has tries: the first time ends there.
    assert sum(second.tries.values()) == 1000 + first.tries[first.move] - 1
    forgetful = Mcts(rules, settings=MctsSettings(reuse=False))
    forgetful.search(start, 0, Limit(simulations=4000))
    alone = forgetful.search(child, 1, Limit(simulations=1000))
    assert sum(alone.tries.values()) == 1000


def test_forced_moves_are_not_thought_about() -> None:
    rules = game("connectfour")
    found = Mcts(rules).search(rules.initial_state(), 1, Limit(seconds=60))
    assert found.simulations == 1
    assert rules.moves[1][found.move] == "noop"
    assert found.line


@pytest.mark.parametrize(
    "name",
    [
        *("lightsout", "tictactoe3p", "prisoners", "bidding_tictactoe"),
        *("connectfour_simultaneous", "pursuit", "dotsandboxes"),
    ],
)
@pytest.mark.parametrize(
    "settings",
    [
        MctsSettings(lanes=1, capacity=3000),
        MctsSettings(lanes=32, capacity=3000, backup="blend", final="secure"),
        MctsSettings(
            lanes=8, capacity=3000, tree="grave", graph=False, playout="mast", final="max"
        ),
        MctsSettings(tree="action", playout="action", lanes=1),
        MctsSettings(tree="knowledge", playout="knowledge", lanes=16, blend=0.5),
        MctsSettings(tree="grave", playout="action", lanes=4, epsilon=0.3),
        MctsSettings(tree="action", playout="mast", lanes=8, ripe=4, graph=False),
    ],
    ids=["plain", "laned", "grave", "both", "blended", "grave and judge", "mast"],
)
def test_all_kinds_of_games(name: str, settings: MctsSettings) -> None:
    _play(game(name), settings)


@pytest.mark.parametrize("name", ["ghostMaze2p", "blocker"])
def test_shared_games(name: str) -> None:
    _play(game(str(shared("games", f"{name}.kif"))), MctsSettings(lanes=16, capacity=3000))


def _play(rules: Game, settings: MctsSettings) -> None:
    """Play some plies of a game, all roles with the same tree, and look at every answer."""
    judges = {"action": Guess(rules), "knowledge": Guess(rules, seed=2)}
    search = Mcts(rules, settings=settings, judges=judges)
    state = rules.initial_state()
    for _ in range(4):
        if state.is_terminal:
            break
        joint = []
        for role, legal in enumerate(state.legal_moves):
            found = search.search(state, role, Limit(simulations=60))
            assert found.move in legal
            assert sum(found.tries.values()) >= (60 if len(legal) > 1 else 0) or found.proved
            assert set(found.scores) <= set(found.tries) <= set(legal)
            assert all(0 <= value <= 1 for value in (*found.value, *found.scores.values()))
            joint.append(found.move)
            _follow(state, found.line)
        state = state.next(joint)
    _assert_at_rest(tree_of(search))


def _follow(state: State, line: tuple[tuple[int, ...], ...]) -> None:
    for joint in line:
        assert all(move in legal for move, legal in zip(joint, state.legal_moves, strict=True))
        state = state.next(joint)


def _assert_at_rest(tree: MctsTree) -> None:
    """No simulation is on its way, and every count adds up."""
    for index in range(tree.size):
        node = int(tree.tree.nodes[index])
        if node_of(tree.tree, node).record:
            record = record_of(tree.tree, node)
            assert record.status & PENDING == 0
            for choice in choices(tree.tree, node):
                assert choice.visits.sum() == record.visits - record.ends


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("threads", [1, 2])
def test_interrupts_stop_all_threads_and_leave_nothing_behind(threads: int) -> None:
    rules = game("connectfour")
    search = Mcts(rules, settings=MctsSettings(threads=threads))
    # Something to be pressed while the search runs; nothing else ends it before two minutes.
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search.search(rules.initial_state(), 0, Limit(seconds=120))
    timer.join()
    found = search.search(rules.initial_state(), 0, Limit(simulations=100))
    assert found.simulations == sum(found.tries.values()) == 100
    _assert_at_rest(tree_of(search))


def test_time_is_the_limit_even_of_a_first_search() -> None:
    rules = game("tictactoe3p")
    found = Mcts(rules).search(rules.initial_state(), 0, Limit(seconds=0.05))
    assert found.simulations > 0
    assert found.move in rules.initial_state().legal_moves[0]
    parts = {"select", "rules", "insert", "playouts", "evaluate", "back up"}
    assert set(found.split) == parts | {"playout scores", "tree scores"}
    assert all(seconds >= 0 for seconds in found.split.values())
    # No time at all gives a legal move.
    found = Mcts(rules).search(rules.initial_state(), 0, Limit(seconds=1e-9))
    assert found.move in rules.initial_state().legal_moves[0]
    assert found.simulations == 0


def test_playouts_are_cut_off_and_valued() -> None:
    rules = game("connectfour")
    evaluator = Constant(rules, 0.3, 0.7)
    settings = MctsSettings(cutoff=0, solver=False)
    search = Mcts(rules, settings=settings, evaluator=evaluator)
    found = search.search(rules.initial_state(), 0, Limit(simulations=200))
    assert found.value == pytest.approx((0.3, 0.7), abs=1e-5)
    assert found.evaluations == evaluator.asked == 200
    with pytest.raises(ConfigurationError, match="evaluator"):
        Mcts(rules, settings=settings)
    with pytest.raises(GameError, match="another game"):
        Mcts(game("tictactoe"), settings=settings, evaluator=evaluator)


def test_an_evaluators_error_is_raised_and_nothing_is_kept() -> None:
    rules = game("connectfour")

    class Broken(Constant):
        def forward(self, fluents: Tensor) -> Tensor:
            raise ArithmeticError("no idea")

    search = Mcts(rules, settings=MctsSettings(cutoff=0), evaluator=Broken(rules, 0.3, 0.7))
    for _ in range(2):
        with pytest.raises(ArithmeticError, match="no idea"):
            search.search(rules.initial_state(), 0, Limit(simulations=200))


def test_rules_in_plain_torch_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, tries = game("tictactoe"), []
    for backend in ("llvm", "torch"):
        monkeypatch.setenv(VARIABLE, backend)
        search = Mcts(rules)
        tries.append(search.search(rules.initial_state(), 0, Limit(simulations=60)).tries)
    assert sum(tries[0].values()) == sum(tries[1].values()) == 60


def test_what_cannot_be_searched_is_refused() -> None:
    rules = game("tictactoe")
    search, start = Mcts(rules), game("tictactoe").initial_state()
    for limit in (Limit(), Limit(depth=3)):
        with pytest.raises(ConfigurationError, match="seconds, simulations, nodes"):
            search.search(start, 0, limit)
    limit = Limit(simulations=10)
    for role in (2, -1, "xplayer"):
        with pytest.raises(GameError, match=rf"role {role}; tictactoe has 0\.\.1, .*role_index"):
            search.search(start, role, limit)  # type: ignore[arg-type]
    with pytest.raises(GameError, match="nim"):
        search.search(game("nim").initial_state(), 0, limit)
    state = start
    while not state.is_terminal:
        state = state.next([moves[0] for moves in state.legal_moves])
    with pytest.raises(GameError, match="terminal"):
        search.search(state, 0, limit)


def test_settings_out_of_range_are_refused() -> None:
    refused: tuple[dict[str, Any], ...] = (
        {"tree": "uxt"},
        {"urgency": "late"},
        {"urgency": float("nan")},
        {"lanes": 0},
        {"lanes": 513},
        {"exploration": -1.0},
        {"playouts": 2, "tree": "rave"},
        {"playouts": 2, "cutoff": 4},
        {"minimax": 1.5},
        {"capacity": 1},
        {"playout": "oracle"},
        {"choice": "best"},
        {"mix": "half"},
        {"scaling": "log"},
        {"blend": 1.5},
        {"virtual": -1.0},
        {"ripe": 0},
        {"tau": 0.0},
        {"k": -3.0},
        {"playouts": 2, "tree": "action"},
    )
    for wrong in refused:
        with pytest.raises(ConfigurationError, match=next(iter(wrong))):
            MctsSettings(**wrong)
