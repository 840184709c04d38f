"""Playouts by policies are games by the rules, learn what a slow twin learns, and choose by it."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from neurogame.evaluators.build import make_evaluator
from neurogame.graph.lanes import pack_lanes
from neurogame.judges.moves import LINEAR, LOGITS
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.kernels.leaves.leaves import Leaves
from neurogame.kernels.leaves.machine import look
from neurogame.kernels.leaves.move_statistics import learn
from neurogame.kernels.leaves.playouts import play_cut, play_out
from neurogame.kernels.leaves.policy import PlayoutPolicy, decay
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.simulate.game import Game, State
from tests.kernels.leaves.judges import Broken, Guess, Marks

GAMES = ("connectfour5", "bidding_tictactoe", "tictactoe3p", "lightsout", "rockpaperscissors")
KINDS = (("uniform", "greedy"), ("mast", "greedy"), ("mast", "gibbs"))
ODD = 67


def at_start(game: Game, leaves: int, plies: int = 200) -> Leaves:
    """Return leaves that are all in the initial state."""
    made = Leaves(game.circuit, leaves, depth=8, plies=plies)
    made.block.states[:] = pack_lanes(game.circuit.initial[None])
    look(made.rules, leaves)
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
        play_out(leaves.block, policy, ODD, seed, 1000)
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
        play_out(leaves.block, policy, count, 5, 1000)
    assert np.array_equal(few.block.plies, many.block.plies[:3])
    assert np.array_equal(few.block.values, many.block.values[:3])
    assert len(np.unique(many.block.made[:, :6], axis=0)) > 60


def test_a_playout_that_reaches_the_limit_has_the_goals_of_that_state() -> None:
    game = Game.load("connectfour5")
    leaves = at_start(game, ODD)
    owner = PlayoutPolicy(game.circuit, ODD, kind="mast")
    policy = owner.policy
    play_out(leaves.block, policy, ODD, 0, 3)
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
        play_out(leaves.block, policy, ODD, seed, 1000)
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
        play_out(leaves.block, policy, ODD, 1000 + seed, 1)
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
    play_out(leaves.block, policy, ODD, 0, 1000)
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
    evaluator = make_evaluator(game, "cilp")
    leaves = at_start(game, ODD)
    owner = PlayoutPolicy(game.circuit, ODD, kind="mast")
    policy = owner.policy
    port = SearchEvaluator(evaluator, game.circuit)
    valued = play_cut(leaves.block, policy, port.values, ODD, 3, plies)
    assert valued == ODD
    for lane in (0, 1, 64, 66):
        state = replayed(game, leaves.block.made[lane], plies)
        expected = evaluator(state.fluents[None])[0].tolist()
        assert leaves.block.values[lane] == pytest.approx(expected, abs=1e-5)


def test_games_that_end_before_the_cut_have_their_goals() -> None:
    game = Game.load("connectfour5")
    evaluator = make_evaluator(game, "cilp")
    leaves = at_start(game, ODD)
    owner = PlayoutPolicy(game.circuit, ODD, kind="uniform")
    policy = owner.policy
    port = SearchEvaluator(evaluator, game.circuit)
    valued = play_cut(leaves.block, policy, port.values, ODD, 3, 12)
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


GAME = Game.load("connectfour5")
MARKS = (0.3, 0.9, 0.5, 0.88, 0.9)
ROUNDS = 60


def policy_of(judge: Marks, leaves: int = ODD, game: Game = GAME, **options: Any) -> PlayoutPolicy:
    scores = SearchJudge(judge, game.circuit)
    return PlayoutPolicy(game.circuit, leaves, kind="scored", scores=scores, **options)


def marks(factor: float = 1.0, *, scale: int = LINEAR) -> Marks:
    """Return a judge of both roles, the moves of all columns and noop."""
    numbers = [factor * mark for mark in MARKS]
    both = [
        [numbers[int(move.split()[1].rstrip(")")) - 1] if move != "noop" else 0.0 for move in own]
        for own in GAME.moves
    ]
    return Marks(*both, scale=scale)


def shares(owner: PlayoutPolicy) -> np.ndarray:
    """Return how often each column comes first, after many playouts of one ply."""
    counts = first_moves(owner.policy, at_start(GAME, ODD), ROUNDS)
    columns = [int(m.split()[1].rstrip(")")) - 1 if m != "noop" else -1 for m in GAME.moves[0]]
    found = np.zeros(len(MARKS))
    for move, column in enumerate(columns):
        if column >= 0:
            found[column] += counts[move]
    assert found.sum() == ROUNDS * ODD
    return found


def assert_fits(counts: np.ndarray, weights: Any) -> None:
    expected = counts.sum() * np.array(weights) / np.sum(weights)
    assert not counts[expected == 0].any()
    some = expected > 0
    chi_square = ((counts[some] - expected[some]) ** 2 / expected[some]).sum()
    # Four degrees of freedom: above 23.5 once in 10,000.
    assert chi_square < 23.5


def gibbs(values: Any, tau: float) -> list[float]:
    return [math.exp((value - max(values)) / tau) for value in values]


RANGE = [100 * (mark - 0.3) / 0.6 for mark in MARKS]


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({"tau": 1.0}, gibbs(RANGE, 1)),
        ({"tau": 25.0}, gibbs(RANGE, 25)),
        ({"tau": 25.0, "scaling": "max"}, gibbs([100 * mark / 0.9 for mark in MARKS], 25)),
        ({"tau": 100.0, "scaling": "raw"}, gibbs(MARKS, 1)),
        ({"tau": 1.0, "epsilon": 0.5}, [0.1 + w / 4 for w in (0, 1, 0, math.exp(-10 / 3), 1)]),
        ({"choice": "greedy", "epsilon": 0.5}, [0.1, 0.35, 0.1, 0.1, 0.35]),
        ({"choice": "greedy", "epsilon": 0.0, "scaling": "raw"}, [0, 1, 0, 0, 1]),
    ],
    ids=str,
)
def test_linear_scores_are_scaled_and_drawn_by(options: Any, weights: Any) -> None:
    assert_fits(shares(policy_of(marks(), **{"choice": "gibbs", **options})), weights)


def test_only_the_range_of_scores_counts() -> None:
    few, many = (shares(policy_of(marks(f), choice="gibbs", tau=25.0)) for f in (1.0, 1e4))
    assert np.array_equal(few, many)


def test_raw_scores_are_nearly_uniform() -> None:
    found = shares(policy_of(marks(), choice="gibbs", tau=100.0, scaling="raw"))
    assert found.max() < 2 * found.min()
    found = shares(policy_of(marks(), choice="gibbs", tau=1.0))
    assert found[0] == found[2] == 0


def test_logarithms_are_weights() -> None:
    judge = marks(4.0, scale=LOGITS)
    found = shares(policy_of(judge, choice="gibbs", tau=2.0))
    assert_fits(found, gibbs([4 * mark for mark in MARKS], 2))
    found = shares(policy_of(judge, choice="greedy", epsilon=0.0))
    assert_fits(found, [0, 1, 0, 0, 1])


@pytest.mark.parametrize("scale", [0, LOGITS])
@pytest.mark.parametrize("choice", ["gibbs", "greedy"])
def test_equal_scores_are_drawn_alike(scale: int, choice: str) -> None:
    judge = Marks(*([-3.5] * len(own) for own in GAME.moves), scale=scale)
    for scaling in ("range", "max", "raw"):
        owner = policy_of(judge, choice=choice, epsilon=0.0, scaling=scaling)
        assert_fits(shares(owner), [1, 1, 1, 1, 1])


MEANS = (0.5, 0.55, 0.6, 0.4, 0.6)


@pytest.mark.parametrize(
    ("options", "values"),
    [
        ({"blend": 0.25}, [0.25 * r + 75 * m for r, m in zip(RANGE, MEANS, strict=True)]),
        ({"blend": 0.0}, [100 * m for m in MEANS]),
        (
            {"blend": 0.5, "scale": LOGITS},
            [0.5 * mark + 5 * m for mark, m in zip(MARKS, MEANS, strict=True)],
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("choice", ["gibbs", "greedy"])
def test_scores_are_blended_with_means(options: dict[str, Any], values: Any, choice: str) -> None:
    judge = marks(scale=options.get("scale", 0))
    tau = 10.0 if judge.scale != LOGITS else 1.0
    owner = policy_of(judge, choice=choice, epsilon=0.0, tau=tau, blend=options["blend"])
    for move, name in enumerate(GAME.moves[0]):
        if name != "noop":
            owner.policy.visits[move] = 10
            owner.policy.sums[move] = 10 * MEANS[int(name.split()[1].rstrip(")")) - 1]
    # Keeping everything only works out the means anew.
    decay(owner.policy, 1.0)
    best = [float(value > max(values) - 1e-4) for value in values]
    assert_fits(shares(owner), gibbs(values, tau) if choice == "gibbs" else best)


def test_means_are_learned_only_where_they_count() -> None:
    leaves = at_start(GAME, ODD)
    for blend in (1.0, 0.5):
        owner = policy_of(marks(), blend=blend)
        play_out(leaves.block, owner.policy, ODD, 1, 1000)
        learn(owner.policy, leaves.block, ODD)
        assert owner.policy.visits.any() == (blend < 1)
        if blend < 1:
            tried = owner.policy.visits > 0
            means = owner.policy.sums[tried] / owner.policy.visits[tried]
            assert owner.policy.scores[tried] == pytest.approx(means)


@pytest.mark.parametrize("name", ["bidding_tictactoe", "tictactoe3p", "lightsout", "pursuit"])
@pytest.mark.parametrize("plies", [200, 0])
def test_playouts_are_whole_games(name: str, plies: int) -> None:
    game = Game.load(name)
    leaves = at_start(game, ODD, plies)
    judge = Guess(game)
    owner = policy_of(judge, game=game, choice="gibbs", tau=20.0, epsilon=0.2)
    play_out(leaves.block, owner.policy, ODD, 3, 200)
    values, lengths = leaves.block.values.copy(), leaves.block.plies.copy()
    if plies == 0:
        # Nothing else depends on whether playouts are recorded.
        leaves = at_start(game, ODD)
        play_out(leaves.block, owner.policy, ODD, 3, 200)
        assert np.array_equal(values, leaves.block.values)
        assert np.array_equal(lengths, leaves.block.plies)
        return
    for lane in (0, 1, 63, 64, 66):
        end = replayed(game, leaves.block.made[lane], int(lengths[lane]))
        assert end.is_terminal
        assert values[lane] * 100 == pytest.approx([goal or 0.0 for goal in end.goals])


def test_scored_playouts_do_not_depend_on_the_number_of_leaves() -> None:
    few, many = at_start(GAME, 3), at_start(GAME, 130)
    for leaves, count in ((few, 3), (many, 130)):
        owner = policy_of(Guess(GAME), count, choice="gibbs", tau=30.0)
        play_out(leaves.block, owner.policy, count, 5, 1000)
    assert np.array_equal(few.block.made, many.block.made[:3])
    assert np.array_equal(few.block.values, many.block.values[:3])
    assert len(np.unique(many.block.made[:, :6], axis=0)) > 60


def test_a_judge_is_asked_once_per_ply_and_only_for_what_is_not_random() -> None:
    leaves: Leaves = at_start(GAME, ODD)
    for epsilon, low, high in ((0.0, 0.9, 1.0), (0.75, 0.15, 0.35), (1.0, 0.0, 0.0)):
        judge = marks()
        owner = policy_of(judge, epsilon=epsilon)
        play_out(leaves.block, owner.policy, ODD, 1, 1000)
        # One role has a choice in every ply, unless only one column is left.
        choices = int(leaves.block.plies.sum())
        assert low * choices <= judge.asked <= high * choices
        assert judge.calls <= leaves.block.plies.max()
        assert owner.scores is not None
        spent = owner.scores.scores.nanoseconds
        assert (spent > 0) == (epsilon < 1)


def test_playouts_of_a_judge_that_fails_end() -> None:
    leaves = at_start(GAME, ODD)
    owner = policy_of(Broken())
    play_out(leaves.block, owner.policy, ODD, 1, 1000)
    assert owner.scores is not None
    with pytest.raises(ArithmeticError, match="no idea"):
        owner.scores.check()
