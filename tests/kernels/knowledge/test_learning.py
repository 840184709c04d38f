"""Learning from recorded games, against the equations written out."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.kernels.knowledge.learning import EARLY, FLAT, LATE, learn_moves, learn_tuples
from neurogame.kernels.knowledge.recorded_games import RecordedGames

FLUENTS, ROLES = 70, 2


def some_games(seed: int, lengths: list[int]) -> tuple[np.ndarray, RecordedGames]:
    """Return the flags of states, and games that mean nothing."""
    random = np.random.default_rng(seed)
    begins = np.cumsum([0, *(length + 1 for length in lengths)])
    flags = random.random((begins[-1], FLUENTS)) < 0.3
    packed = np.zeros((len(flags), 2), np.uint64)
    for fluent in range(FLUENTS):
        packed[:, fluent // 64] |= flags[:, fluent].astype(np.uint64) << np.uint64(fluent % 64)
    moves = np.stack([random.integers(0, 3, len(flags)), random.integers(3, 6, len(flags))], axis=1)
    moves[begins[1:] - 1] = -1
    results = random.integers(0, 5, (len(lengths), ROLES)) / 4
    return flags, recorded(packed, moves, begins, results)


def recorded(
    packed: np.ndarray, moves: np.ndarray, begins: np.ndarray, results: np.ndarray
) -> RecordedGames:
    return RecordedGames(
        states=packed, moves=moves.astype(np.int32), begins=begins, results=results
    )


@settings(max_examples=20)
@given(st.integers(0, 1000), st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_tuples_learn_one_state_after_the_other(seed: int, lengths: list[int]) -> None:
    flags, games = some_games(seed, lengths)
    begins, results = games.begins, games.results
    psi = np.random.default_rng(seed).normal(size=(ROLES, FLUENTS))
    expected = psi.copy()
    for game, result in enumerate(results):
        rate = 0.8 / (1 + (5 + game) / 10)
        for row in range(begins[game], begins[game + 1]):
            held = [fluent for fluent in range(FLUENTS) if flags[row, fluent]]
            for role in range(ROLES):
                value = 1 / (1 + math.exp(-sum(expected[role, fluent] for fluent in held)))
                for fluent in held:
                    expected[role, fluent] += rate * (result[role] - value) / len(held)
    learn_tuples(psi, games, np.arange(ROLES), 0.8, 10.0, 5, 1.0)
    np.testing.assert_allclose(psi, expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=20)
@given(
    st.integers(0, 1000),
    st.lists(st.integers(0, 4), min_size=1, max_size=4),
    st.sampled_from([0.0, 0.6, 1.0]),
)
def test_targets_are_lambda_returns(seed: int, lengths: list[int], trace: float) -> None:
    flags, games = some_games(seed, lengths)
    begins, results = games.begins, games.results
    psi = np.random.default_rng(seed).normal(size=(ROLES, FLUENTS)) / 5
    features, weights = flags.astype(float), psi.copy()

    def value(role: int, row: int) -> float:
        return float(1 / (1 + np.exp(-weights[role] @ features[row])))

    for game, result in enumerate(results):
        rows = range(begins[game], begins[game + 1])
        for role in range(ROLES):
            values = [value(role, row) for row in rows]
            targets = [result[role]]
            for later in reversed(values[1:]):
                targets.insert(0, (1 - trace) * later + trace * targets[0])
            for row, target in zip(rows, targets, strict=True):
                if flags[row].any():
                    step = 0.8 / (1 + (5 + game) / 10) * (target - value(role, row))
                    weights[role] += step * features[row] / (features[row] @ features[row])
    learn_tuples(psi, games, np.arange(ROLES), 0.8, 10.0, 5, trace)
    np.testing.assert_allclose(psi, weights, rtol=1e-9, atol=1e-12)


def test_a_step_is_the_gradient_of_the_log_loss_divided_by_the_size_of_the_state() -> None:
    flags, games = some_games(3, [0])
    weights = torch.randn(ROLES, FLUENTS, dtype=torch.float64, requires_grad=True)
    value = torch.sigmoid(weights @ torch.from_numpy(flags[0].astype(np.float64)))
    result = torch.from_numpy(games.results[0])
    loss = -(result * value.log() + (1 - result) * (1 - value).log()).sum() / int(flags[0].sum())
    loss.backward()  # type: ignore[no-untyped-call]
    psi = weights.detach().clone().numpy()
    learn_tuples(psi, games, np.arange(ROLES), 0.5, 1e9, 0, 1.0)
    assert weights.grad is not None
    moved = psi - weights.detach().numpy()
    np.testing.assert_allclose(moved, -0.5 * weights.grad.numpy(), rtol=1e-9, atol=1e-12)


def test_a_state_without_fluents_teaches_nothing() -> None:
    psi = np.ones((1, 3))
    state, moves = np.zeros((1, 1), np.uint64), np.zeros((1, 1))
    games = recorded(state, moves, np.array([0, 1]), np.ones((1, 1)))
    learn_tuples(psi, games, np.arange(1), 1, 9, 0, 0.5)
    assert (psi == 1).all()


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("history", [EARLY, LATE, FLAT])
def test_moves_have_the_mean_of_their_weighted_results(history: int, first: int) -> None:
    _, games = some_games(history, [4, 1, 0, 7])
    moves, begins, results = games.moves, games.begins, games.results
    returns, plays = np.zeros(6), np.zeros(6)
    learn_moves(returns, plays, games, np.arange(ROLES), history, first)
    for move in range(6):
        rewards = []
        for game, (begin, end) in enumerate(pairwise(begins)):
            length = end - begin - 1
            for ply in range(length):
                place = ply + first
                power = {EARLY: (length - place) / length, LATE: place / length, FLAT: 0.0}
                rewards += [
                    2 ** power[history] * results[game, role]
                    for role in range(ROLES)
                    if moves[begin + ply, role] == move
                ]
        assert plays[move] == len(rewards)
        assert returns[move] == pytest.approx(sum(rewards))


def test_game_by_game_is_the_same_as_all_at_once() -> None:
    _, games = some_games(9, [3, 5, 2, 6])
    begins, roles = games.begins, np.arange(ROLES)
    together = np.zeros((ROLES, FLUENTS)), np.zeros(6), np.zeros(6)
    learn_tuples(together[0], games, roles, 0.3, 3.0, 0, 0.7)
    learn_moves(*together[1:], games, roles, EARLY, 1)
    alone = np.zeros((ROLES, FLUENTS)), np.zeros(6), np.zeros(6)
    for game in range(len(games)):
        own = slice(begins[game], begins[game + 1])
        bounds = np.array([0, begins[game + 1] - begins[game]])
        one = recorded(games.states[own], games.moves[own], bounds, games.results[game : game + 1])
        learn_tuples(alone[0], one, roles, 0.3, 3.0, game, 0.7)
        learn_moves(*alone[1:], one, roles, EARLY, 1)
    for whole, parts in zip(together, alone, strict=True):
        np.testing.assert_array_equal(whole, parts)
