"""The compiled search is the algorithm of the papers, visit by visit."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.next_values import NextValues
from neurogame.judges.moves import LOGITS, MoveJudge
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.search.mcts.compiled.tree import BOUND, LEAST, MOST, PENDING, WINNER
from neurogame.search.mcts.options import leaves_ahead, make_options
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.mcts.tree import MctsTree, TreePlan
from neurogame.search.packing import state_words
from neurogame.simulate.game import Game, State
from tests.kernels.leaves.judges import Guess as Priors
from tests.search.chance_games import SMALL_PIG, WAGER
from tests.search.mcts_twin import Real, Twin
from tests.search.twin_reading import choices, is_exact, node_of, node_values, record_of

CYCLE = """
(role walker) (role guard)
(init (at a)) (init (post 1))
(place a) (place b) (place c) (place d)
(link a b) (link b c) (link c a) (link b a) (link c d)
(<= (legal walker (go ?y)) (true (at ?x)) (link ?x ?y))
(legal guard hold) (legal guard swap)
(<= (next (at ?y)) (does walker (go ?y)))
(<= (next (post 1)) (true (post 1)) (does guard hold))
(<= (next (post 2)) (true (post 2)) (does guard hold))
(<= (next (post 1)) (true (post 2)) (does guard swap))
(<= (next (post 2)) (true (post 1)) (does guard swap))
(<= terminal (true (at d)))
(<= (goal walker 100) (true (at d)) (true (post 1)))
(<= (goal walker 30) (true (at d)) (true (post 2)))
(<= (goal walker 0) (not terminal))
(<= (goal guard 70) (true (at d)) (true (post 2)))
(<= (goal guard 0) (true (at d)) (true (post 1)))
(<= (goal guard 10) (not terminal))
"""


TEXTS = {"cycle": CYCLE, "small pig": SMALL_PIG, "wager": WAGER}


@cache
def _game(name: str) -> Game:
    return Game.from_text(TEXTS[name]) if name in TEXTS else Game.load(name)


class Guess(Evaluator):
    """A fixed random linear function of the fluents, squashed: not good, but never the same."""

    def __init__(self, game: Game) -> None:
        super().__init__(len(game.fluents), len(game.roles), {"kind": "guess"})
        random = torch.Generator().manual_seed(5)
        self.weights = torch.randn(len(game.fluents), len(game.roles), generator=random)

    def forward(self, fluents: Tensor) -> Tensor:
        return torch.sigmoid((fluents.float() @ self.weights).double()).float()


def _grown(
    game: Game,
    settings: MctsSettings,
    lanes: int,
    simulations: int,
    *,
    recorded: bool = False,
    judge: MoveJudge | None = None,
    state: State | None = None,
    ahead: int = 0,
) -> tuple[MctsTree, Twin]:
    """Return a tree and its twin.

    Recorded playouts have a policy, and write their moves ply by ply.
    """
    settings = replace(settings, cutoff=settings.plies) if recorded else settings
    options = make_options(game, settings, 12345)
    evaluator = Guess(game) if settings.needs_evaluator else None
    plan = TreePlan(
        circuit=game.circuit,
        options=options,
        capacity=settings.capacity,
        memory=1 << 30,
        lanes=lanes,
        settings=settings if recorded else MctsSettings(),
        ahead=ahead,
    )
    scores = None if judge is None else SearchJudge(judge, game.circuit)
    tree = MctsTree(plan, SearchEvaluator(evaluator, game.circuit), tree_scores=scores)
    root = state or game.initial_state()
    tree.set_root(state_words(root.fluents.numpy()))
    tree.run(lanes, simulations=simulations, nodes=None, until=0, deadline=0)
    twin = Twin(
        game,
        options,
        lanes,
        evaluator=evaluator,
        recorded=recorded,
        judge=judge,
        state=root,
        ahead=ahead,
    )
    twin.search(simulations)
    return tree, twin


def _assert_equal(tree: MctsTree, twin: Twin) -> None:
    assert tree.size == len(twin.nodes)
    for node in twin.nodes:
        assert (tree.tree.states[node.index] == state_words(node.state.fluents.numpy())).all()
        name = int(tree.tree.nodes[node.index])
        own = node_of(tree.tree, name)
        assert is_exact(tree.tree, name) == (node.exact is not None)
        if node.exact is not None:
            assert node_values(tree.tree, name) == pytest.approx(node.exact)
            assert own.flags >> MOST & BOUND == node.plies
        for winner in twin.winners:
            assert _least(own.flags, winner) == min(node.least.get(winner, 1), BOUND)
        assert bool(own.record) == bool(node.edges)
        if node.exact is None:
            visits = record_of(tree.tree, name).visits if own.record else own.ends
            assert visits == node.visits
        for choice in choices(tree.tree, name):
            edges = node.edges[choice.role]
            assert choice.moves.tolist() == [e.move for e in edges]
            assert choice.visits.tolist() == [e.visits for e in edges]
            assert choice.known.tolist() == [e.known is not None for e in edges]
            means = [e.total / e.visits if e.known is None else e.known for e in edges if e.visits]
            assert _close(choice.means[choice.visits > 0], means, 1e-4)
            if len(node.edges) == 1:
                after = [node.children.get((e.move,)) for e in edges if e.known is not None]
                half, role = Real(0.5), choice.role
                before = [c.sums[role] / c.visits if c and c.edges else half for c in after]
                assert _close(choice.before[choice.known], before, 1e-4)
            if choice.priors is not None:
                assert _close(choice.priors, [e.prior for e in edges], 1e-6)


def _close(some: Any, others: Any, tolerance: float) -> bool:
    """Whether numbers are as many and alike; for a few of them NumPy's own check takes longer."""
    some, others = some.tolist(), [float(one) for one in others]
    return len(some) == len(others) and all(
        abs(one - other) <= tolerance for one, other in zip(some, others, strict=True)
    )


def _least(flags: int, winner: int) -> int:
    """The lower bound that a node's flags tell of the plies to a win."""
    return flags >> LEAST & BOUND if flags >> WINNER == winner + 1 else 1


def _late(name: str, moves: list[int]) -> State:
    """The state after some moves, before the end of the game."""
    state = _game(name).initial_state()
    for move in moves:
        after = state.next([own[move % len(own)] for own in state.legal_moves])
        if after.is_terminal:
            break
        state = after
    return state


PLAIN = MctsSettings(capacity=5000)


@pytest.mark.parametrize(
    ("name", "moves", "lanes"),
    [
        ("tictactoe", 3, 1),
        ("tictactoe", 3, 64),
        ("nim", 2, 1),
        ("connectfour5", 12, 1),
        ("connectfour5", 12, 64),
        ("breakthrough6", 22, 3),
    ],
)
def test_a_win_is_pursued(name: str, moves: int, lanes: int) -> None:
    random, winners, simulations = np.random.default_rng(1), 0, 1800 if lanes == 64 else 600
    settings = replace(PLAIN, graph=lanes == 1, capacity=20000)
    for number in range(8):
        state = _late(name, random.integers(100, size=moves).tolist())
        tree, twin = _grown(_game(name), settings, lanes, simulations, state=state)
        _assert_equal(tree, twin)
        winners += len(twin.winners)
        if winners and number > 1:
            break
    assert winners


@pytest.mark.parametrize("simulations", [300, 1500])
@pytest.mark.parametrize("lanes", [1, 3, 64])
def test_moves_that_lose_alike_are_compared(lanes: int, simulations: int) -> None:
    game = _game("tictactoe")
    state = game.initial_state()
    # A double threat: nothing that o does lets it live longer than two plies.
    for number, square in enumerate(("1 1", "2 2", "3 3", "3 1", "1 3")):
        mark = game.move_index(game.roles[number % 2], f"(mark {square})")
        other = game.move_index(game.roles[1 - number % 2], "noop")
        state = state.next([mark, other] if number % 2 == 0 else [other, mark])
    settings = replace(PLAIN, graph=lanes == 1, capacity=20000)
    tree, twin = _grown(game, settings, lanes, simulations, state=state)
    _assert_equal(tree, twin)
    compared = [node for node in twin.nodes if node.compared]
    assert len(compared) == 4
    assert simulations == 300 or {node.visits for node in compared} == {256}


@pytest.mark.parametrize("solver", [True, False])
@pytest.mark.parametrize(
    "name",
    [
        *("tictactoe", "tictactoe3p", "lightsout", "rockpaperscissors", "bidding_tictactoe"),
        *("cycle", "small pig", "wager", "einstein"),
    ],
)
def test_sequential_uct(name: str, solver: bool) -> None:
    tree, twin = _grown(_game(name), replace(PLAIN, solver=solver), 1, 200)
    _assert_equal(tree, twin)
    assert tree.tree.root == tree.tree.nodes[0]


AHEAD: list[dict[str, Any]] = [
    *({}, {"urgency": "parent"}, {"tree": "action"}, {"tree": "action", "mix": "seed"}),
    *({"tree": "rave"}, {"tree": "grave", "ref": 20, "urgency": "parent"}),
]


@pytest.mark.parametrize("changes", AHEAD, ids=str)
@pytest.mark.parametrize(
    ("name", "first"),
    [
        *(("tictactoe", 0), ("tictactoe3p", 1), ("lightsout", 0), ("rockpaperscissors", 1)),
        *(("bidding_tictactoe", 0), ("cycle", 1)),
    ],
)
def test_leaves_played_ahead_wait_for_their_simulation(
    name: str, changes: dict[str, Any], first: int
) -> None:
    # Few or many ahead, by turns: each of the two in every game, and with every change.
    ahead = (5, 64)[(AHEAD.index(changes) + first) % 2]
    game, settings = _game(name), replace(PLAIN, capacity=20000, **changes)
    judge = Priors(game) if changes.get("tree") == "action" else None
    _assert_equal(*_grown(game, settings, 1, 150, judge=judge, ahead=ahead))


@pytest.mark.parametrize(
    ("changes", "leaves"),
    [
        ({}, 19),
        ({"playouts": 32}, 8),
        ({"playouts": 64}, 0),
        ({"tree": "action"}, 19),
        ({"tree": "action", "ripe": 3}, 0),
        ({"tree": "rave"}, 19),
        ({"tree": "grave", "cutoff": 4}, 0),
        ({"playout": "mast"}, 0),
        ({"bias": 1.0}, 0),
        ({"cutoff": 4}, 0),
    ],
    ids=str,
)
def test_leaves_are_played_ahead_only_where_that_changes_nothing(
    changes: dict[str, Any], leaves: int
) -> None:
    game, settings = _game("connectfour"), replace(PLAIN, **changes)
    options = make_options(game, settings, 1)
    assert leaves_ahead(game.circuit, options, settings, None) == leaves
    pig = _game("small pig")
    assert leaves_ahead(pig.circuit, make_options(pig, PLAIN, 1), PLAIN, 9) == 0


@pytest.mark.parametrize("name", ["tictactoe", "connectfour5", "cycle", "bidding_tictactoe"])
def test_simulations_ahead_leave_nothing_in_the_tree(name: str) -> None:
    """Every simulation is one of those that were asked for, and none is on its way any more."""
    game = _game(name)
    plan = TreePlan(
        circuit=game.circuit,
        options=make_options(game, PLAIN, 7),
        capacity=20000,
        memory=1 << 30,
        lanes=1,
        settings=PLAIN,
        ahead=16,
    )
    tree = MctsTree(plan, SearchEvaluator(None, game.circuit))
    tree.set_root(state_words(game.initial_state().fluents.numpy()))
    for simulations in (*range(40, 400, 40), *range(400, 2000, 400)):
        tree.run(1, simulations=simulations, nodes=None, until=0, deadline=0)
        for place in tree.tree.nodes[: tree.size]:
            node = node_of(tree.tree, int(place))
            if node.record == 0:
                continue
            assert record_of(tree.tree, int(place)).status & PENDING == 0
            for choice in choices(tree.tree, int(place)):
                begun = choice.visits > 0
                assert begun.tolist() == sorted(begun.tolist(), reverse=True)
                if not is_exact(tree.tree, int(place)) and not choice.known.any():
                    visits, ends = (
                        getattr(record_of(tree.tree, int(place)), n) for n in ("visits", "ends")
                    )
                    assert choice.visits.sum() + ends == visits
    assert tree.totals.simulations == tree.root_visits or is_exact(tree.tree, tree.tree.root)


@pytest.mark.parametrize("urgency", ["parent", 0.6])
@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe"])
def test_first_play_urgency(name: str, urgency: float) -> None:
    _assert_equal(*_grown(_game(name), replace(PLAIN, urgency=urgency), 1, 120))


@pytest.mark.parametrize("graph", [True, False])
@pytest.mark.parametrize("urgency", ["first", "parent"])
@pytest.mark.parametrize("kind", ["rave", "grave"])
@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe"])
def test_all_moves_as_first(name: str, kind: Any, urgency: Any, graph: bool) -> None:
    settings = replace(PLAIN, tree=kind, urgency=urgency, graph=graph, ref=20, k=100.0)
    _assert_equal(*_grown(_game(name), settings, 1, 120))


@pytest.mark.parametrize("lanes", [3, 64])
@pytest.mark.parametrize("name", ["tictactoe", "nim", "tictactoe3p", "bidding_tictactoe", "wager"])
def test_a_block_descends_as_if_one_came_after_the_other(name: str, lanes: int) -> None:
    settings = replace(PLAIN, graph=False, capacity=20000)
    _assert_equal(*_grown(_game(name), settings, lanes, 200))


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("kind", ["rave", "grave"])
def test_all_moves_of_playouts(kind: Any, recorded: bool) -> None:
    settings = replace(PLAIN, tree=kind, urgency="parent", ref=20)
    _assert_equal(*_grown(_game("tictactoe"), settings, 1, 160, recorded=recorded))
    settings = replace(settings, graph=False)
    _assert_equal(*_grown(_game("nim"), settings, 16, 160, recorded=recorded))
    _assert_equal(*_grown(_game("connectfour5"), settings, 64, 400, recorded=recorded))


@pytest.mark.parametrize("name", ["tictactoe", "cycle", "bidding_tictactoe"])
def test_blended_results(name: str) -> None:
    _assert_equal(*_grown(_game(name), replace(PLAIN, backup="blend"), 1, 120))


@pytest.mark.parametrize(
    "changes",
    [
        {"bias": 2.0},
        {"minimax": 0.4},
        {"bias": 1.0, "minimax": 0.3},
        {"experience": 5.5},
        {"experience": 2.0, "minimax": 0.5},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["tictactoe", "tictactoe3p", "bidding_tictactoe", "einstein"])
def test_hints_of_an_evaluator(name: str, changes: dict[str, Any]) -> None:
    settings = replace(PLAIN, **changes)
    _assert_equal(*_grown(_game(name), settings, 1, 100))


@pytest.mark.parametrize("mix", ["beta", "seed"])
@pytest.mark.parametrize("lanes", [1, 16])
@pytest.mark.parametrize("name", ["tictactoe", "nim", "tictactoe3p", "bidding_tictactoe", "wager"])
def test_priors(name: str, lanes: int, mix: Any) -> None:
    # In a graph the order in which a block's simulations come to a node is not the one of the twin.
    settings = replace(PLAIN, tree="action", mix=mix, graph=lanes == 1, capacity=20000)
    game = _game(name)
    _assert_equal(*_grown(game, settings, lanes, 120, judge=Priors(game)))


@pytest.mark.parametrize(
    "changes",
    [
        {"ripe": 7},
        {"ripe": 7, "mix": "seed"},
        {"urgency": 0.3, "k": 100.0},
        {"mix": "seed", "virtual": 0.0},
        {"mix": "seed", "virtual": 5.5, "scaling": "raw"},
        {"scaling": "max"},
        {"scaling": "raw"},
        {"bias": 1.0, "minimax": 0.3},
        {"minimax": 0.3, "mix": "seed"},
        {"urgency": 0.3, "scaling": "max", "experience": 2.0},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe"])
def test_options_of_priors(name: str, changes: dict[str, Any]) -> None:
    game = _game(name)
    settings = replace(PLAIN, tree="action", **changes)
    _assert_equal(*_grown(game, settings, 1, 100, judge=Priors(game)))


@pytest.mark.parametrize("digits", [0, 1])
def test_equal_priors(digits: int) -> None:
    game = _game("tictactoe")
    for mix in ("beta", "seed"):
        settings = replace(PLAIN, tree="action", mix=mix)
        judge = Priors(game, digits=digits)
        _assert_equal(*_grown(game, settings, 1, 100, judge=judge))


@pytest.mark.parametrize("mix", ["beta", "seed"])
def test_priors_by_logarithms(mix: Any) -> None:
    game = _game("tictactoe")
    settings = replace(PLAIN, tree="action", mix=mix)
    _assert_equal(*_grown(game, settings, 1, 100, judge=Priors(game, scale=LOGITS)))


@pytest.mark.parametrize("kind", ["knowledge", "values"])
@pytest.mark.parametrize("name", ["tictactoe", "tictactoe3p"])
def test_priors_of_other_judges(name: str, kind: Any) -> None:
    game = _game(name)
    judge = NextValues(game, Guess(game)) if kind == "values" else Priors(game)
    settings = replace(PLAIN, tree=kind)
    _assert_equal(*_grown(game, settings, 1, 120, judge=judge))
