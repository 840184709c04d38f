"""The lockstep engine against play state by state."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.intervals import paired_interval, wilson_interval
from neurogame.learn import comparison
from neurogame.learn.comparison import compare
from neurogame.learn.lockstep_pieces import play_pieces
from neurogame.search.lockstep.counter_random import derive, uniform
from neurogame.search.lockstep.joint_moves import JOINT_LIMIT, joint_moves
from neurogame.search.lockstep.lockstep import RANDOM_SEAT, LockstepMatch, MatchPlan, play_lockstep
from neurogame.search.openings import Openings
from neurogame.simulate.game import Game, State
from neurogame.workers.workplace import Workplace
from tests.library import load as library


@cache
def evaluators(name: str) -> tuple[Evaluator, Evaluator]:
    game = library(name)
    first = make_evaluator(game, EvaluatorConfig(kind="cilp", noise=0.1), 1)
    second = make_evaluator(game, "mlp", 2)
    return first.eval(), second.eval()


def plan_for(name: str, matches: int, **keywords: object) -> MatchPlan:
    roles = len(library(name).roles)
    seats = (np.arange(matches)[:, None] + np.arange(roles)[None, :]) % 2
    settings = dict(keywords)
    return MatchPlan(
        evaluators=evaluators(name),
        seats=settings.pop("seats", seats),  # type: ignore[arg-type]
        seeds=np.arange(matches) + 100,
        **settings,  # type: ignore[arg-type]
    )


def own_value(state: State, role: int, evaluator: Evaluator, margin: bool) -> float:
    """Return what a role makes of a state reached, by definition."""
    if state.is_terminal:
        return (state.goals[role] or 0.0) / 100
    with torch.no_grad():
        values = evaluator(state.fluents[None])[0].double()
    return float((values[role] + 1 - values[1 - role]) / 2 if margin else values[role])


def best_value(state: State, role: int, depth: int, evaluator: Evaluator, margin: bool) -> float:
    """Return what a role can rely on in a state, by definition."""
    if depth == 0 or state.is_terminal:
        return own_value(state, role, evaluator, margin)
    return max(move_values(state, role, depth, evaluator, margin).values())


def move_values(
    state: State, role: int, depth: int, evaluator: Evaluator, margin: bool
) -> dict[int, float]:
    """Return what a role can rely on after each of its moves, by definition."""
    found: dict[int, float] = {}
    for joint in itertools.product(*state.legal_moves):
        value = best_value(state.next(joint), role, depth - 1, evaluator, margin)
        found[joint[role]] = min(value, found.get(joint[role], 2.0))
    return found


@pytest.mark.parametrize(
    ("name", "margin", "depth", "plies"),
    [
        ("tictactoe", False, 1, 9),
        ("tictactoe", True, 1, 9),
        ("tictactoe", False, 2, 9),
        ("bidding_tictactoe", False, 1, 6),
        ("bidding_tictactoe", False, 2, 1),
        ("tictactoe3p", False, 1, 4),
        ("lightsout", False, 2, 1),
    ],
)
def test_every_greedy_move_is_best_by_definition(
    name: str, margin: bool, depth: int, plies: int
) -> None:
    game = library(name)
    plan = plan_for(name, 2, margin=margin, max_plies=plies, depth=depth)
    for match, played_match in enumerate(play_lockstep(game, plan)):
        state = game.initial_state()
        for ply in range(played_match.plies):
            played = played_match.moves[ply].tolist()
            for role, legal in enumerate(state.legal_moves):
                if len(legal) == 1:
                    continue
                judge = plan.evaluators[plan.seats[match, role]]
                worth = move_values(state, role, depth, judge, margin)
                # Batches of another size may round otherwise.
                assert worth[played[role]] >= max(worth.values()) - 1e-6
            state = state.next(played)
        assert played_match.finished == state.is_terminal


def test_a_match_is_a_function_of_its_seed_and_not_of_its_company() -> None:
    game = library("tictactoe3p")
    seats = np.array([[0, 1, RANDOM_SEAT]] * 6)
    plan = plan_for("tictactoe3p", 6, seats=seats)
    together = play_lockstep(game, plan)
    for match in (0, 3, 5):
        one = MatchPlan(
            evaluators=plan.evaluators,
            seats=plan.seats[match : match + 1],
            seeds=plan.seeds[match : match + 1],
        )
        alone = play_lockstep(game, one)[0]
        assert np.array_equal(alone.moves, together[match].moves)
    assert len({match.moves.tobytes() for match in together}) > 1


def test_the_ply_limit_leaves_a_match_unfinished() -> None:
    game = library("tictactoe")
    cut = play_lockstep(game, plan_for("tictactoe", 2, max_plies=3))
    assert [t.plies for t in cut] == [3, 3]
    assert not any(t.finished for t in cut)


def test_random_seats_move_uniformly() -> None:
    game = library("tictactoe")
    seats = np.full((900, 2), RANDOM_SEAT)
    played = play_lockstep(game, plan_for("tictactoe", 900, seats=seats, max_plies=1))
    counts = np.unique([t.moves[0, 0] for t in played], return_counts=True)[1]
    # Chi-square with 8 degrees of freedom: above 26.1 in 0.1 % of cases; the seeds are fixed.
    assert len(counts) == 9
    assert float(((counts - 100.0) ** 2 / 100.0).sum()) < 26.1


def test_comparison_takes_roles_in_turn_and_counts_games() -> None:
    sound, _ = evaluators("tictactoe")
    result = compare(library("tictactoe"), sound, None, matches=40, seed=3)
    assert result.wins + result.draws + result.losses == result.matches == 40
    assert result.score > 0.7
    assert result.low < result.score < result.high
    solo, other = evaluators("lightsout")
    pairs = compare(library("lightsout"), solo, other, matches=6, seed=3, max_plies=30)
    assert pairs.matches + pairs.unfinished == 3


def test_matches_begin_with_their_openings() -> None:
    game = library("tictactoe")
    found = Openings(game, 3, 1).first(4)
    openings = np.array([found[n // 2] for n in range(8)], np.int64)
    played = play_lockstep(game, plan_for("tictactoe", 8, openings=openings))
    for match, opening in zip(played, openings, strict=True):
        assert match.moves[:3].tolist() == opening.tolist()
        assert match.plies > 3


@pytest.mark.parametrize(("name", "roles"), [("tictactoe", 2), ("tictactoe3p", 3)])
def test_a_comparison_plays_every_opening_in_every_order_of_roles(
    name: str, roles: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[MatchPlan, list[LockstepMatch]]] = []

    def play(
        game: Game, plan: MatchPlan, workplace: Workplace | None, stop: Callable[[], bool]
    ) -> list[LockstepMatch]:
        seen.append((plan, play_pieces(game, plan, workplace, stop)))
        return seen[0][1]

    monkeypatch.setattr(comparison, "play_pieces", play)
    first, second = evaluators(name)
    matches = 6 * roles
    result = compare(library(name), first, second, matches=matches, seed=5, opening_plies=2)
    ((plan, played),) = seen
    assert plan.openings is not None
    groups = [range(n, n + roles) for n in range(0, matches, roles)]
    begins = [[played[n].moves[:2].tolist() for n in group] for group in groups]
    assert all(begin == group[0] for group in begins for begin in group)
    assert len({str(group[0]) for group in begins}) == 6
    for group in groups:
        # The one that is measured has each role once, with the same seed.
        assert sorted(np.argmax(plan.seats[group] == 0, axis=1)) == list(range(roles))
        assert len(set(plan.seeds[group].tolist())) == 1
    assert (result.openings, result.opening_plies, result.matches) == (6, 2, matches)
    own = [int(np.argmax(plan.seats[n] == 0)) for n in range(matches)]
    assert result.distinct == len({(o, str(m.moves)) for o, m in zip(own, played, strict=True)})
    clusters = [[_points(played[n].goals.tolist(), own[n]) for n in group] for group in groups]
    assert result.score == pytest.approx(np.mean(clusters))
    assert (result.low, result.high) == paired_interval(clusters)
    assert f"{matches} matches, {result.distinct} distinct" in result.text()


def _points(goals: list[float], own: int) -> float:
    """Return what a match brings, by definition."""
    others = max(goal for role, goal in enumerate(goals) if role != own)
    return 0.5 if goals[own] == others else float(goals[own] > others)


def test_too_few_openings_are_played_again_and_tell_less() -> None:
    first, second = evaluators("tictactoe")
    result = compare(library("tictactoe"), first, second, matches=40, seed=5, opening_plies=0)
    assert (result.openings, result.matches) == (1, 40)
    assert result.distinct < 40
    fresh = wilson_interval(result.score * result.distinct, result.distinct)
    assert result.high - result.low > 0.5 * (fresh[1] - fresh[0])


def test_wilson_interval_known_values() -> None:
    # Wilson's interval for 8 of 10: 0.4902 to 0.9433 (Agresti & Coull 1998 give 0.49, 0.94).
    assert wilson_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson_interval(20, 20)[1] == 1.0


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(0, 6))
def test_all_joint_moves_in_order(seed: int, roles: int, states: int) -> None:
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 6, size=roles)
    offsets = [0, *np.cumsum(sizes).tolist()]
    legal = random.random((states, offsets[-1])) < 0.6
    for first in offsets[:-1]:
        legal[:, first] = True
    joint = joint_moves(legal, offsets, np.zeros(states, dtype=np.int64))
    twin = [
        (state, *moves)
        for state in range(states)
        for moves in itertools.product(
            *(np.flatnonzero(legal[state, a:b]).tolist() for a, b in itertools.pairwise(offsets))
        )
    ]
    found = np.concatenate([joint.parent[:, None], joint.moves], axis=1).tolist()
    assert found == [list(row) for row in twin]
    for role, table in enumerate(joint.table):
        assert (table[joint.parent, joint.rank[:, role]] == joint.moves[:, role]).all()


def test_too_many_joint_moves_are_sampled_with_every_move_in_random_company() -> None:
    legal = np.ones((2, 400), dtype=bool)
    legal[1, 1:] = False
    legal[1, 300] = True
    joint = joint_moves(legal, [0, 300, 400], np.array([5, 6]))
    assert np.bincount(joint.parent).tolist() == [JOINT_LIMIT, 1]
    sampled = joint.moves[joint.parent == 0]
    assert set(sampled[:, 0].tolist()) == set(range(300))
    assert set(sampled[:, 1].tolist()) == set(range(100))
    company = {tuple(pair) for pair in sampled.tolist()}
    assert len(company) > JOINT_LIMIT / 2


def test_derived_words_depend_on_every_part_and_are_uniform() -> None:
    words = derive(7, np.arange(20000))
    assert len(set(words.tolist())) == 20000
    assert not (words == derive(8, np.arange(20000))).any()
    assert not (words == derive(np.arange(20000), 7)).all()
    values = uniform(words)
    assert values.min() >= 0
    assert values.max() < 1
    counts, _ = np.histogram(values, bins=20, range=(0, 1))
    # Chi-square with 19 degrees of freedom: above 43.8 in 0.1 % of cases; the words are fixed.
    assert ((counts - 1000.0) ** 2 / 1000.0).sum() < 43.8
