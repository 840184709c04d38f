"""Playouts by policies are games by the rules, learn what a slow twin learns, and choose by it."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.graph.lanes import pack_lanes
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.machine import look
from neurogame.kernels.leaves.move_statistics import learn
from neurogame.kernels.leaves.playouts import play_cut, play_out
from neurogame.kernels.leaves.policy import PlayoutPolicy, decay
from neurogame.simulate.game import Game, State

GAMES = ("connectfour5", "bidding_tictactoe", "tictactoe3p", "lightsout", "rockpaperscissors")
KINDS = (
    ("uniform", "greedy"),
    ("mast", "greedy"),
    ("mast", "gibbs"),
)
ODD = 67


def at_start(game: Game, leaves: int, plies: int = 200) -> Leaves:
    """Return leaves that are all in the initial state."""
    made = Leaves(game.circuit, leaves, depth=8, plies=plies)
    made.block.states[:] = pack_lanes(game.circuit.initial[None])
    look(made.rules, made.block, leaves)
    return made


def replayed(game: Game, made: Any, plies: int) -> State:
    """Return the state after recorded joint moves, each of which must be legal."""
    state = game.initial_state()
    for joint in made[:plies]:
        moves = []
        for role, number in enumerate(joint):
            legal = state.legal_moves[role]
            if number < 0:
                assert len(legal) == 1
                moves.append(legal[0])
            else:
                own = int(number) - game.move_offsets[role]
                assert len(legal) > 1
                assert own in legal
                moves.append(own)
        state = state.next(moves)
    return state


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("kind", "choice"), KINDS)
def test_recorded_playouts_are_whole_games(name: str, kind: str, choice: str) -> None:
    game = Game.load(name)
    leaves = at_start(game, ODD)
    owner = PlayoutPolicy(game.circuit, ODD, kind=kind, choice=choice)
    policy = owner.policy
    for seed in range(3):
        play_out(leaves.rules, leaves.block, policy, ODD, seed, 1000)
        learn(policy, leaves.block, ODD)
    for lane in (0, 1, 63, 64, 66):
        end = replayed(game, leaves.block.made[lane], int(leaves.block.plies[lane]))
        assert end.is_terminal
        goals = [goal or 0.0 for goal in end.goals]
        assert leaves.block.values[lane] * 100 == pytest.approx(goals)


def test_the_same_seed_is_the_same_playout_whatever_the_number_of_leaves() -> None:
    game = Game.load("connectfour5")
    few, many = at_start(game, 3), at_start(game, 130)
    for leaves, count in ((few, 3), (many, 130)):
        owner = PlayoutPolicy(game.circuit, count, kind="mast")
        policy = owner.policy
        play_out(leaves.rules, leaves.block, policy, count, 5, 1000)
    assert np.array_equal(few.block.plies, many.block.plies[:3])
    assert np.array_equal(few.block.values, many.block.values[:3])
    assert len(np.unique(many.block.made[:, :6], axis=0)) > 60


def test_a_playout_that_reaches_the_limit_has_the_goals_of_that_state() -> None:
    game = Game.load("connectfour5")
    leaves = at_start(game, ODD)
    owner = PlayoutPolicy(game.circuit, ODD, kind="mast")
    policy = owner.policy
    play_out(leaves.rules, leaves.block, policy, ODD, 0, 3)
    assert (leaves.block.plies == 3).all()
    for lane in (0, 66):
        goals = replayed(game, leaves.block.made[lane], 3).goals
        assert leaves.block.values[lane] * 100 == pytest.approx([goal or 0.0 for goal in goals])


def histories(leaves: Leaves, count: int) -> list[tuple[list[tuple[int, ...]], list[float]]]:
    """Return per leaf the joint moves of its whole simulation, and its values."""
    found = []
    for lane in range(count):
        block = leaves.block
        path = block.path[lane, : block.depth[lane]].tolist()
        made = block.made[lane, : block.plies[lane]].tolist()
        found.append(([tuple(joint) for joint in path + made], block.values[lane].tolist()))
    return found


@pytest.mark.parametrize("name", ["connectfour5", "bidding_tictactoe"])
def test_means_are_those_of_a_slow_twin(name: str) -> None:
    game = Game.load(name)
    leaves = at_start(game, ODD)
    owner = PlayoutPolicy(game.circuit, ODD, kind="mast")
    policy = owner.policy
    visits: dict[int, float] = defaultdict(float)
    sums: dict[int, float] = defaultdict(float)
    for seed in range(4):
        play_out(leaves.rules, leaves.block, policy, ODD, seed, 1000)
        learn(policy, leaves.block, ODD)
        for joints, values in histories(leaves, ODD):
            for joint in joints:
                for role, move in enumerate(joint):
                    if move >= 0:
                        visits[move] += 1
                        sums[move] += values[role]
    for move in range(game.circuit.move_count):
        assert policy.visits[move] == visits[move]
        assert policy.sums[move] == pytest.approx(sums[move])


def first_moves(policy: Any, leaves: Leaves, rounds: int) -> Any:
    """Return how often each move of the first role comes first."""
    counts = np.zeros(len(policy.visits))
    for seed in range(rounds):
        play_out(leaves.rules, leaves.block, policy, ODD, 1000 + seed, 1)
        np.add.at(counts, leaves.block.made[:, 0, 0], 1)
    return counts


@pytest.mark.parametrize(("choice", "epsilon"), [("greedy", 0.4), ("gibbs", None), ("gibbs", 0.25)])
def test_moves_are_chosen_with_the_stated_probabilities(choice: str, epsilon: float | None) -> None:
    game = Game.load("connectfour5")
    leaves = at_start(game, ODD)
    means = np.array([0.5, 0.55, 0.6, 0.4, 0.6])
    owner = PlayoutPolicy(game.circuit, ODD, kind="mast", choice=choice, epsilon=epsilon)
    policy = owner.policy
    drops = game.circuit.move_count // 2 - 1
    policy.visits[:drops] = 10
    policy.sums[:drops] = 10 * means
    # Keeping everything only works out the scores anew.
    decay(policy, 1.0)
    counts = first_moves(policy, leaves, 150)[:drops]
    if choice == "greedy":
        expected = np.array([0.08, 0.08, 0.38, 0.08, 0.38])
    else:
        weights = np.array([math.exp(100 * mean / 10) for mean in means])
        expected = weights / weights.sum()
        expected = expected * (1 - (epsilon or 0)) + (epsilon or 0) / 5
    total = counts.sum()
    assert total == 150 * ODD
    chi_square = ((counts - total * expected) ** 2 / (total * expected)).sum()
    # Four degrees of freedom: above 23.5 once in 10,000.
    assert chi_square < 23.5


def test_decay_keeps_means_and_forgetting_nothing() -> None:
    game = Game.load("connectfour5")
    leaves = at_start(game, ODD)
    owner = PlayoutPolicy(game.circuit, ODD, kind="mast")
    policy = owner.policy
    play_out(leaves.rules, leaves.block, policy, ODD, 0, 1000)
    learn(policy, leaves.block, ODD)
    visits, scores = policy.visits.copy(), policy.scores.copy()
    decay(policy, 0.25)
    assert policy.visits == pytest.approx(visits / 4)
    assert policy.scores == pytest.approx(scores)
    decay(policy, 0.0)
    assert not policy.visits.any()
    assert (policy.scores == 1).all()


@pytest.mark.parametrize("plies", [0, 3])
def test_cut_playouts_have_the_evaluators_values(plies: int) -> None:
    game = Game.load("connectfour5")
    evaluator = make_evaluator(game, EvaluatorConfig(kind="cilp"))
    leaves = at_start(game, ODD)
    owner = PlayoutPolicy(game.circuit, ODD, kind="mast")
    policy = owner.policy
    port = SearchEvaluator(evaluator, game.circuit)
    valued = play_cut(leaves.rules, leaves.block, policy, port.values, ODD, 3, plies)
    assert valued == ODD
    for lane in (0, 1, 64, 66):
        state = replayed(game, leaves.block.made[lane], plies)
        expected = evaluator(state.fluents[None])[0].tolist()
        assert leaves.block.values[lane] == pytest.approx(expected, abs=1e-5)


def test_games_that_end_before_the_cut_have_their_goals() -> None:
    game = Game.load("connectfour5")
    evaluator = make_evaluator(game, EvaluatorConfig(kind="cilp"))
    leaves = at_start(game, ODD)
    owner = PlayoutPolicy(game.circuit, ODD, kind="uniform")
    policy = owner.policy
    port = SearchEvaluator(evaluator, game.circuit)
    valued = play_cut(leaves.rules, leaves.block, policy, port.values, ODD, 3, 12)
    ends = 0
    for lane in range(ODD):
        state = replayed(game, leaves.block.made[lane], int(leaves.block.plies[lane]))
        ends += state.is_terminal
        if state.is_terminal:
            goals = [goal or 0.0 for goal in state.goals]
            assert leaves.block.values[lane] * 100 == pytest.approx(goals)
        else:
            expected = evaluator(state.fluents[None])[0].tolist()
            assert leaves.block.values[lane] == pytest.approx(expected, abs=1e-5)
    assert 0 < ends < ODD
    assert valued == ODD - ends
