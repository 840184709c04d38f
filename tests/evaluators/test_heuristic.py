"""Heuristics of one feature: equations (1) and (2) of Kuhlmann and Stone, slowly and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
import torch

pytest.importorskip("numba")

from neurogame.errors import GameError
from neurogame.evaluators.heuristic.evaluator import HeuristicEvaluator
from neurogame.evaluators.heuristic.heuristic import (
    FeatureHeuristic,
    all_heuristics,
    blind,
    for_all_roles,
    for_one_role,
    value_range,
)
from neurogame.evaluators.heuristic.named import named_evaluator
from neurogame.features.bounds import feature_bounds
from neurogame.features.candidates import find_candidates
from neurogame.features.feature import Feature, FeatureKind
from neurogame.judges.states import PROGRAM, evaluate
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.players.players import make_player
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State
from tests.features.twin import value, walked
from tests.library import load as game

GAMES = ("breakthrough6", "bidding_tictactoe", "tictactoe3p")


@cache
def candidates(name: str) -> tuple[Feature, ...]:
    return find_candidates(game(name))


@cache
def some_states(name: str) -> tuple[State, ...]:
    states = [state for own in walked(game(name), 3, 3) for state in own]
    return tuple(state for state in states[::3] if not state.is_terminal)


def by_the_equations(of: Game, heuristic: FeatureHeuristic, role: int, state: State) -> float:
    """Return H(s) / 100 in the words of the paper."""
    worst, best = min(of.circuit.goal_values[role]), max(of.circuit.goal_values[role])
    low, high = feature_bounds(heuristic.feature)
    scaled = (value(heuristic.feature, of, state) - low) / (high - low)
    if not heuristic.maximise:
        scaled = 1 - scaled
    return (1 + worst + (best - worst - 2) * scaled) / 100


def last(kinds: Sequence[FeatureKind], kind: FeatureKind) -> int:
    return len(kinds) - 1 - kinds[::-1].index(kind)


def compiled_values(
    of: Game, heuristics: Sequence[FeatureHeuristic], states: Sequence[State]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Return what searches see."""
    flags = torch.stack([state.fluents for state in states]).numpy()
    words = np.zeros((len(states), 8 * -(-flags.shape[1] // 64)), np.uint8)
    packed = np.packbits(flags, axis=1, bitorder="little")
    words[:, : packed.shape[1]] = packed
    found = SearchEvaluator(HeuristicEvaluator(of, heuristics), of.circuit)
    assert found.kind == PROGRAM
    out = np.zeros((len(states), len(of.roles)), np.float32)
    lanes = np.zeros((0, 0), np.int64)
    evaluate(found.values, words.view(np.uint64), lanes, len(states), out)
    found.check()
    return out


def test_there_are_two_for_each_feature() -> None:
    features = candidates("breakthrough6")
    found = all_heuristics(features)
    assert len(found) == 2 * len(features)
    for feature in features:
        own = [one.maximise for one in found if one.feature is feature]
        assert sorted(own) == [False, True]


@pytest.mark.parametrize("name", GAMES)
def test_values_are_those_of_the_equations(name: str) -> None:
    own, states = game(name), some_states(name)
    flags = torch.stack([state.fluents for state in states])
    kinds = [feature.kind for feature in candidates(name)]
    # Of every kind the first and the last.
    chosen = {number for kind in kinds for number in (kinds.index(kind), last(kinds, kind))}
    for number in sorted(chosen):
        heuristic = FeatureHeuristic(candidates(name)[number], maximise=number % 3 > 0)
        role = number % len(own.roles)
        heuristics = for_one_role(own, heuristic, role)
        expected = [
            [by_the_equations(own, one, r, state) for r, one in enumerate(heuristics)]
            for state in states
        ]
        found = HeuristicEvaluator(own, heuristics)(flags).numpy()
        assert found == pytest.approx(np.array(expected), abs=1e-5), str(heuristic)
        assert compiled_values(own, heuristics, states) == pytest.approx(found, abs=1e-6)


def test_the_ends_are_a_point_inside_the_goals() -> None:
    own = game("breakthrough6")
    for heuristic in all_heuristics(candidates("breakthrough6")):
        low, high = feature_bounds(heuristic.feature)
        base, slope = heuristic.line((0, 50, 100))
        ends = [base + slope * low, base + slope * high]
        assert ends == pytest.approx([0.01, 0.99] if heuristic.maximise else [0.99, 0.01])
    assert value_range((30, 60)) == (0.31, 0.59)
    for heuristic in all_heuristics(candidates("breakthrough6"))[::5]:
        values = compiled_values(own, for_one_role(own, heuristic, 0), some_states("breakthrough6"))
        assert values.min() >= np.float32(0.01)
        assert values.max() <= np.float32(0.99)


def test_goals_that_lie_close_leave_room_between_them() -> None:
    low, high = value_range((50, 51))
    assert 0.5 < low < high < 0.51
    assert value_range((70,)) == (0.7, 0.7)


@pytest.mark.parametrize("name", GAMES)
def test_bounds_hold(name: str) -> None:
    for feature in candidates(name):
        low, high = feature_bounds(feature)
        seen = [value(feature, game(name), state) for state in some_states(name)]
        assert low - 1e-5 <= min(seen) <= max(seen) <= high + 1e-5, feature.text
        assert low < high


def test_every_role_has_what_is_its_own() -> None:
    own = game("breakthrough6")
    feature = next(f for f in candidates("breakthrough6") if f.text == "number of (cell * * white)")
    heuristics = for_all_roles(own, FeatureHeuristic(feature))
    for state in some_states("breakthrough6"):
        counts = [
            sum(text.startswith("(cell") and role in text for text in state.fluent_texts)
            for role in own.roles
        ]
        assert [value(one.feature, own, state) for one in heuristics] == counts


def test_texts_name_heuristics() -> None:
    own = game("breakthrough6")
    features = {feature.text: feature for feature in candidates("breakthrough6")}
    flags = torch.stack([state.fluents for state in some_states("breakthrough6")])
    for text, whole in (
        ("min(number of (cell * * BLACK))", "number of (cell * * black)"),
        ("MIN( legal  moves of white,)", "legal moves of white, less that of black"),
    ):
        heuristics = for_all_roles(own, FeatureHeuristic(features[whole], maximise=False))
        expected = HeuristicEvaluator(own, heuristics)(flags)
        assert torch.equal(named_evaluator(own, text)(flags), expected)
    with pytest.raises(GameError, match=r"the nearest are 'number of \(cell"):
        named_evaluator(own, "max(number of (cells * * black))")
    with pytest.raises(GameError, match=r"3 features .* write more of one"):
        named_evaluator(own, "max(legal moves)")
    with pytest.raises(GameError, match=r"max\(TEXT\)"):
        named_evaluator(own, "number")


def test_who_is_blind_sees_no_difference() -> None:
    own = game("tictactoe3p")
    values = compiled_values(own, blind(own), some_states("tictactoe3p"))
    assert len(np.unique(values, axis=0)) == 1
    for role, goals in enumerate(own.circuit.goal_values):
        assert values[0, role] == pytest.approx((min(goals) + max(goals)) / 200)


def test_a_player_string_may_name_a_heuristic() -> None:
    own = game("breakthrough6")
    text = "alphabeta:max(number of (cell * * black), less that of white),depth=3"
    player = make_player(text, own)
    assert player.name == text
    player.start(MatchStart(own, 0, 1))
    state = own.initial_state()
    assert player.choose(state, Limit()) in state.legal_moves[0]
    player.stop()
