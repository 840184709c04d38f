"""Learning from recorded games, against the equations written out."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.array_types import Bools, Float32s
from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.judges.moves import LINEAR, CompiledScores, MoveJudge, score_moves
from neurogame.kernels.backends import VARIABLE
from neurogame.kernels.knowledge.learning import EARLY, FLAT, LATE, learn_moves, learn_tuples
from neurogame.kernels.knowledge.recorded_games import GameRecorder, RecordedGames
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.kernels.words.rows import pack_rows, unpack_rows
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states
from neurogame.simulate.states import StateBatch
from tests.library import load

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


GAMES = ["tictactoe", "connectfour_simultaneous", "breakthrough6", "nim"]


@cache
def recorder(name: str, plies: int = 1000) -> GameRecorder:
    return GameRecorder(load(name).circuit, plies=plies)


@pytest.mark.parametrize("name", GAMES)
def test_every_state_follows_from_the_one_before(name: str) -> None:
    game, games = load(name), recorder(name).play(60, 3)
    simulator = game.simulator()
    states = unpack_rows(games.states, len(game.fluents))
    last = np.zeros(len(states), bool)
    last[games.begins[1:] - 1] = True
    local = torch.from_numpy(games.moves - np.array(game.move_offsets[:-1]))
    before = StateBatch.from_bool(states[torch.from_numpy(~last)])
    after = simulator.step(before, local[torch.from_numpy(~last)].long()).to_bool()
    assert torch.equal(after, states[1:][torch.from_numpy(~last[:-1])])
    assert torch.equal(states[games.begins[:-1]], game.initial_state().fluents.expand(60, -1))
    ends = simulator.look(StateBatch.from_bool(states[torch.from_numpy(last)]))
    assert bool(ends.terminal.all())
    np.testing.assert_allclose(games.results, ends.goals.numpy(), atol=1e-6)
    assert (games.moves[last] == -1).all()
    assert len(games) == 60
    assert games.lengths.sum() + 60 == len(states)


def test_a_game_depends_on_the_seed_and_its_number_alone() -> None:
    own = recorder("breakthrough6")
    whole, parts = own.play(9, 5), [own.play(4, 5), own.play(5, 5, first=4)]
    np.testing.assert_array_equal(whole.states, np.concatenate([part.states for part in parts]))
    assert not np.array_equal(own.play(9, 6).moves[:5], whole.moves[:5])


def test_rules_in_plain_torch_give_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = recorder("tictactoe").play(30, 5)
    monkeypatch.setenv(VARIABLE, "torch")
    plain = GameRecorder(load("tictactoe").circuit).play(30, 5)
    np.testing.assert_array_equal(plain.states, compiled.states)
    np.testing.assert_array_equal(plain.moves, compiled.moves)
    np.testing.assert_array_equal(plain.results, compiled.results)


def test_games_are_cut() -> None:
    games = recorder("breakthrough6", 7).play(20, 1)
    assert (games.lengths == 7).all()


class LikesHighNumbers:
    """Prefers the legal move with the highest number."""

    scale = LINEAR

    def compiled_scores(self) -> CompiledScores | None:
        return None

    def move_scores(self, fluents: Bools, legal: Bools, role: int) -> Float32s:
        return np.broadcast_to(np.arange(legal.shape[1], dtype=np.float32), legal.shape)


def best_share(games: RecordedGames, game: Game) -> tuple[float, float]:
    """Return how often the highest move is made, and how often it would be by chance, in ply 1."""
    legal = game.simulator().look(game.initial_state().batch).legal[0].numpy()
    own = np.flatnonzero(legal[: game.move_offsets[1]])
    made = games.moves[games.begins[:-1], 0]
    return float((made == own.max()).mean()), 1 / len(own)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.7])
def test_a_share_of_the_moves_is_random(epsilon: float) -> None:
    games = recorder("tictactoe").play(2000, 8, judge=LikesHighNumbers(), epsilon=epsilon)
    share, chance = best_share(games, load("tictactoe"))
    expected = 1 - epsilon + epsilon * chance
    assert abs(share - expected) <= 4 * (expected * (1 - expected) / 2000) ** 0.5


def test_random_moves_are_equally_likely() -> None:
    games = recorder("tictactoe").play(4000, 2)
    made = games.moves[games.begins[:-1], 0]
    counts = np.bincount(made, minlength=10)
    counts = counts[counts > 0]
    assert len(counts) == 9
    # 26.1 is exceeded once in a thousand.
    assert ((counts - 4000 / 9) ** 2 / (4000 / 9)).sum() < 26.1


def random_knowledge(game: Game, **settings: Any) -> Knowledge:
    """Return knowledge that nobody has learned."""
    knowledge = Knowledge(game, KnowledgeConfig(**settings))
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in knowledge.parameters():
            parameter.copy_(0.3 * torch.randn(parameter.shape, generator=generator))
        knowledge.plays += torch.randint(0, 5, knowledge.plays.shape, generator=generator)
        knowledge.returns += knowledge.plays * torch.rand(
            knowledge.plays.shape, generator=generator
        )
    return knowledge


def compiled(judge: MoveJudge, game: Game, flags: torch.Tensor, role: int) -> list[np.ndarray]:
    """Return the scores of the legal moves of each state, in reverse order of the states."""
    port = SearchJudge(judge, game.circuit)
    assert port.is_compiled
    legal = game.simulator().look(sample(game)).legal
    rows = np.arange(len(flags))[::-1].copy()
    counts = legal[:, game.move_offsets[role] : game.move_offsets[role + 1]].sum(dim=1).numpy()
    out = np.full((len(rows), int(counts.max())), np.nan, np.float32)
    score_moves(port.scores, pack_rows(flags), pack_rows(legal), rows, len(rows), role, 7, out)
    return [own[: counts[row]] for row, own in zip(rows, out, strict=True)]


@cache
def sample(game: Game) -> Any:
    return sample_states(game.simulator(), 150, seed=2)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("connectfour", {}),
        ("connectfour", {"hidden": 5, "history": "late"}),
        ("breakthrough6", {"true_goals": False, "history": "flat", "move_weight": 0.3}),
        ("connectfour_simultaneous", {"replies": 1}),
        ("connectfour_simultaneous", {"replies": 3, "hidden": 2}),
        ("bidding_tictactoe", {"replies": 2}),
        ("tictactoe", {"move_weight": 0.0}),
        ("tictactoe", {"state_weight": 0.0}),
    ],
)
def test_compiled_scores_are_those_of_the_definition(name: str, settings: dict[str, Any]) -> None:
    game = load(name)
    knowledge = random_knowledge(game, **settings)
    flags = sample(game).to_bool()
    legal = game.simulator().look(sample(game)).legal
    for role in range(len(game.roles)):
        own = legal[:, game.move_offsets[role] : game.move_offsets[role + 1]].numpy()
        expected = knowledge.move_scores(flags.numpy(), own, role)
        assert ((expected >= 0) & (expected <= 1)).all()
        found = compiled(knowledge, game, flags, role)
        for row, scores in zip(range(len(flags))[::-1], found, strict=True):
            np.testing.assert_allclose(scores, expected[row, own[row]], atol=1e-5)


def test_more_children_than_a_block_holds() -> None:
    game = load("breakthrough6")
    knowledge = random_knowledge(game)
    found = compiled(knowledge, game, sample(game).to_bool(), 0)
    assert sum(len(own) for own in found) > 2 * 256


def test_present_weights_count_after_a_refresh() -> None:
    game = load("tictactoe")
    knowledge = random_knowledge(game)
    port = SearchJudge(knowledge, game.circuit)
    state = game.initial_state()
    legal = pack_rows(game.simulator().look(state.batch).legal)
    out = np.zeros((2, 9), np.float32)
    rows, states = np.zeros(1, np.int64), pack_rows(state.fluents[None])
    score_moves(port.scores, states, legal, rows, 1, 0, 0, out)
    with torch.no_grad():
        knowledge.psi.neg_()
    port.refresh()
    score_moves(port.scores, states, legal, rows, 1, 0, 0, out[1:])
    assert not np.allclose(out[0], out[1])
