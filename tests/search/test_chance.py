"""Chance is a role without interests: searches average what it does, and never count its goal."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.arena.exact_positions import move_values
from neurogame.errors import GameError
from neurogame.evaluators.fresh import make_fresh
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.alphabeta.settings import SearchSettings
from neurogame.search.exact import Prover
from neurogame.search.limit import Limit
from neurogame.search.mcts.mcts import Mcts
from neurogame.search.mcts.settings import MctsSettings
from neurogame.search.opposition import opposition
from neurogame.search.packing import state_keys
from neurogame.simulate.game import Game, State
from tests.search.chance_games import SMALL_PIG, WAGER, expected_values
from tests.search.random_tree import FREE, RandomTree, packed, plain_chance, searcher

SAFE, GAMBLE = "safe", "gamble"
GAMBLER = """
(role random) (role gambler)
(init choose)
(<= (legal gambler safe) (true choose)) (<= (legal gambler gamble) (true choose))
(<= (legal random noop) (true choose)) (<= (legal gambler noop) (true flip))
(<= (legal random heads) (true flip)) (<= (legal random tails) (true flip))
(<= (next took) (does gambler safe)) (<= (next flip) (does gambler gamble))
(<= (next won) (does random heads)) (<= (next lost) (does random tails))
(<= terminal (true took)) (<= terminal (true won)) (<= terminal (true lost))
(<= (goal gambler 60) (true took)) (<= (goal gambler 100) (true won))
(<= (goal gambler 0) (true lost))
"""
"""Taking 60 for sure, or 100 by a coin: worth 50."""
GOALS = {
    "friend": "(<= (goal random 100) (true won)) (<= (goal random 0) (not (true won)))",
    "enemy": "(<= (goal random 0) (true won)) (<= (goal random 100) (not (true won)))",
    "nothing": "(goal random 0)",
    "none": "",
}
"""What the goal of chance may be."""


@cache
def _gambler(goal: str) -> Game:
    return Game.from_text(GAMBLER + GOALS[goal])


@cache
def _game(name: str) -> Game:
    return Game.from_text({"pig": SMALL_PIG, "wager": WAGER}[name])


def _by_text(game: Game, scores: Any) -> dict[str, float]:
    return {game.moves[1][move]: score for move, score in scores.items()}


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"solver": False},
        {"solver": False, "graph": False, "urgency": "parent"},
        {"solver": False, "playout": "mast", "backup": "blend"},
        {"solver": False, "minimax": 0.4, "experience": 3.0},
        {"solver": False, "cutoff": 0, "bias": 1.0},
        {"solver": False, "tree": "values", "mix": "beta"},
        {"tree": "rave"},
        {"tree": "grave"},
    ],
    ids=str,
)
def test_monte_carlo_tree_search_takes_what_is_safe(changes: dict[str, Any], goal: str) -> None:
    game, own = _gambler(goal), MctsSettings(**changes)
    evaluator = make_fresh("cilp", game) if own.needs_evaluator else None
    found = Mcts(game, settings=own, evaluator=evaluator, seed=3).search(
        game.initial_state(), 1, Limit(simulations=2000)
    )
    scores = _by_text(game, found.scores)
    assert game.moves[1][found.move] == SAFE
    if own.tree != "values":
        assert scores[GAMBLE] == pytest.approx(0.5, abs=0.02)
    assert found.value[0] == 0
    assert found.proved == own.solver


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("opponents", ["auto", "paranoid", "maxn"])
@pytest.mark.parametrize("kind", ["cilp", "fluxplayer"])
def test_alphabeta_averages(kind: str, opponents: Any, goal: str) -> None:
    game = _gambler(goal)
    search = AlphaBeta(game, make_fresh(kind, game), settings=SearchSettings(opponents=opponents))
    found = search.search(game.initial_state(), 1, Limit(depth=2))
    assert game.moves[1][found.move] == SAFE
    assert (found.value, found.proved) == ((0.0, 0.6), True)
    assert _by_text(game, found.scores)[GAMBLE] == 0.5
    key = state_keys(game.state(["flip"]).fluents[None].numpy())[0]
    assert found.proved_states[key] == (0.0, 0.5)


def test_nobody_is_opposed_to_chance() -> None:
    game = _gambler("enemy")
    assert not opposition(game).constant_sum
    assert not opposition(game).competitive
    assert opposition(_game("pig")).constant_sum


def test_nobody_searches_for_chance() -> None:
    game = _gambler("friend")
    with pytest.raises(GameError, match=r"role 0 of .* is chance"):
        Mcts(game).search(game.initial_state(), 0, Limit(simulations=1))
    with pytest.raises(GameError, match="chance alone has a choice"):
        move_values(Prover(game), game.state(["flip"]))


@pytest.mark.parametrize("name", ["pig", "wager"])
def test_all_searches_find_the_values_of_plain_recursion(name: str) -> None:
    game = _game(name)
    expected = expected_values(game)
    start = game.initial_state()
    for role in game.players:
        if len(start.legal_moves[role]) == 1:
            continue
        own = game.players.index(role)
        for opponents in ("auto", "paranoid"):
            search = AlphaBeta(
                game,
                make_fresh("cilp", game),
                settings=SearchSettings(opponents=opponents, think_when_forced=True),
            )
            found = search.search(start, role, Limit(depth=60))
            assert found.proved
            assert found.value[role] == pytest.approx(expected[start][own], abs=1e-6)
            _same_proofs(game, found.proved_states, expected)
        tree = Mcts(game, seed=1)
        found = tree.search(start, role, Limit(simulations=40_000))
        assert found.value[role] == pytest.approx(expected[start][own], abs=0.02)
        assert _same_proofs(game, found.proved_states, expected) > 1


def _same_proofs(game: Game, proved: Any, expected: dict[State, tuple[float, ...]]) -> int:
    """Compare all proved values with the true ones; return how many there are."""
    states = {state_keys(state.fluents[None].numpy())[0]: state for state in expected}
    for key, values in proved.items():
        own = [values[role] for role in game.players]
        assert own == pytest.approx(expected[states[key]], abs=1e-6)
    return len(proved)


def test_outcomes_are_taken_alike_and_in_another_order_each_time() -> None:
    game = _gambler("none")
    firsts = set()
    for seed in range(8):
        search = Mcts(game, settings=MctsSettings(solver=False, urgency="parent"), seed=seed)
        found = search.search(game.state(["choose"]), 1, Limit(simulations=4))
        firsts.add(_by_text(game, found.scores).get(GAMBLE))
        found = search.search(game.state(["choose"]), 1, Limit(simulations=2000))
        tries = _by_text(game, found.tries)[GAMBLE]
        assert abs(_by_text(game, found.scores)[GAMBLE] - 0.5) <= 1 / tries + 1e-6
    assert {0.0, 1.0} & firsts


SEEDS = st.integers(0, 2**32 - 1)


@given(
    seed=SEEDS,
    roles=st.integers(2, 3),
    simultaneous=st.booleans(),
    depth=st.integers(1, 4),
    united=st.booleans(),
    place=st.integers(0, 2),
)
def test_random_games_with_chance(
    seed: int, roles: int, simultaneous: bool, depth: int, united: bool, place: int
) -> None:
    tree = RandomTree(
        seed, roles=roles, plies=5, width=5, simultaneous=simultaneous, zero_sum=False
    )
    chance = place % roles
    role = (chance + 1) % roles
    options = SearchSettings(
        opponents="paranoid" if united else "maxn", think_when_forced=True, batch=7
    )
    found = searcher(tree, FREE, settings=options, seed=seed, chance=chance).search(
        packed(0), role, Limit(depth=depth)
    )
    alone = roles == 2
    expected = plain_chance(tree, 0, role, found.depth, chance=chance, united=united and not alone)
    assert found.value[role] == pytest.approx(expected[role], abs=1e-6)
