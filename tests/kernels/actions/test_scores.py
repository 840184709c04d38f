"""Compiled action heuristics against torch: all counts, roles, weights and small values."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

from neurogame.analysis.analyse import GameAnalysis, analyse
from neurogame.evaluators.actions.action_circuit import ActionCircuit, enlarged
from neurogame.evaluators.actions.build import action_circuit_of, make_action_circuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.judges.moves import LINEAR, score_moves
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.regress.action_formulas import action_formulas
from neurogame.simulate.game import Game
from tests.circuit.random_steps import Steps, random_steps
from tests.conftest import REPOSITORY, shared

TRAINED = ActionConfig(trainable=True)
CHANCES = ActionConfig(unknown="legal", goals="all", persistence=False)


@cache
def game_of(name: str) -> tuple[Game, GameAnalysis, Steps]:
    """Return a game of the library, or a shared one, its analysis, and random steps."""
    path = REPOSITORY / "games" / f"{name}.kif"
    game = Game.load(path if path.exists() else shared("games", f"{name}.kif"))
    return game, analyse(game.circuit), random_steps(game, 8, 20, 5)


def packed(flags: np.ndarray) -> np.ndarray:
    """Return flags as packed rows of words, with a word more than is needed."""
    octets = np.zeros((len(flags), 8 * (flags.shape[1] // 64 + 2)), np.uint8)
    some = np.packbits(flags, axis=1, bitorder="little")
    octets[:, : some.shape[1]] = some
    return octets.view(np.uint64)


def made(name: str, config: ActionConfig) -> ActionCircuit:
    """Return a heuristic, with random weights if it has any."""
    game, analysis, _ = game_of(name)
    judge = make_action_circuit(game, config, analysis=analysis)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in judge.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator))
    return judge


def compare(
    name: str, judge: ActionCircuit, port: SearchJudge, role: int, rows: np.ndarray
) -> None:
    """Check the compiled scores of some states against those of torch."""
    game, _, steps = game_of(name)
    first, last = game.move_offsets[role : role + 2]
    legal = steps.legal[rows][:, first:last]
    out = np.full((len(rows), last - first + 3), -7, np.float32)
    fluents = -(-len(game.fluents) // 64)
    states = np.ascontiguousarray(packed(steps.states)[:, :fluents])
    score_moves(port.scores, states, packed(steps.legal), rows, len(rows), role, 0, out)
    port.check()
    expected = judge.move_scores(steps.states[rows], legal, role)
    for found, slow, own in zip(out, expected, legal, strict=True):
        count = own.sum()
        np.testing.assert_allclose(found[:count], slow[own], rtol=1e-5, atol=2e-5 * judge.scale)
        assert (found[count:] == -7).all()


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("tictactoe", ActionConfig()),
        ("tictactoe3p", CHANCES),
        ("bidding_tictactoe", TRAINED),
        ("bidding_tictactoe", CHANCES),
        ("connectfour", ActionConfig(goals="all")),
        ("connectfour", TRAINED),
        ("breakthrough6", ActionConfig()),
        ("breakthrough6", TRAINED),
        ("lightsout", ActionConfig()),
        ("pursuit", CHANCES),
        ("rockpaperscissors", CHANCES),
        ("pentago", ActionConfig()),
        ("battle", ActionConfig()),
        ("battle", CHANCES),
        ("battle", ActionConfig(unknown="legal", trainable=True)),
    ],
)
def test_compiled_scores_are_those_of_torch(name: str, config: ActionConfig) -> None:
    game, _, steps = game_of(name)
    judge = made(name, config)
    port = SearchJudge(judge, game.circuit)
    assert port.is_compiled
    random = np.random.default_rng(4)
    for role in range(len(game.roles)):
        for count in (1, 2, 15, 16, 17, 33, 64, 65, 130):
            compare(name, judge, port, role, random.integers(0, len(steps.states), count))


@pytest.mark.parametrize("config", [ActionConfig(), TRAINED])
def test_every_count_up_to_a_block(config: ActionConfig) -> None:
    judge = made("tictactoe", config)
    port = SearchJudge(judge, game_of("tictactoe")[0].circuit)
    steps = game_of("tictactoe")[2]
    for count in range(1, 65):
        compare("tictactoe", judge, port, count % 2, (7 * np.arange(count)) % len(steps.states))


def test_values_too_small_for_float32_keep_their_order() -> None:
    # Twenty-five lamps that must all change: at p this close to 1 nothing is left in float32.
    config = ActionConfig(p=1 - 1e-7, persistence=False)
    judge = made("lightsout", config)
    game, _, steps = game_of("lightsout")
    assert judge.of_role(0).is_careful
    with torch.no_grad():
        truths = judge(torch.from_numpy(steps.states), 0).numpy()
    best = np.where(steps.legal, truths, 0).max(axis=1)
    assert (best < 1e-40).any()
    found = judge.move_scores(steps.states, steps.legal, 0)
    assert (np.where(steps.legal, found, 0).max(axis=1)[best < 1e-40] >= 0.5).all()
    port = SearchJudge(judge, game.circuit)
    compare("lightsout", judge, port, 0, np.arange(40))


def test_new_weights_are_taken_at_a_refresh() -> None:
    judge = made("tictactoe", TRAINED)
    port = SearchJudge(judge, game_of("tictactoe")[0].circuit)
    with torch.no_grad():
        for parameter in judge.parameters():
            parameter.mul_(0.7)
    port.refresh()
    compare("tictactoe", judge, port, 0, np.arange(9))


CAREFUL = ActionConfig(p=1 - 1e-7, persistence=False)


def made_within(
    name: str, config: ActionConfig, budgets: tuple[int, ...] = (0, 0)
) -> ActionCircuit:
    """Return a heuristic, with random weights if it has any; shared formulas without a budget."""
    game, analysis, _ = game_of(name)
    found = [
        action_formulas(
            game.circuit, analysis, goals=config.goals, unknown=config.unknown, budget=budget
        )[role]
        for role, budget in zip(range(len(game.roles)), budgets, strict=False)
    ]
    judge = action_circuit_of(game.circuit, tuple(found), analysis, config)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in judge.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator))
    return judge


@pytest.mark.parametrize(
    ("name", "config", "budgets"),
    [
        ("tictactoe", ActionConfig(), (0, 0)),
        ("tictactoe", ActionConfig(), (10**6, 0)),
        ("bidding_tictactoe", TRAINED, (0, 10**6)),
        ("bidding_tictactoe", CHANCES, (0, 0)),
        ("rockpaperscissors", CHANCES, (0, 0)),
        ("breakthrough6", ActionConfig(goals="all"), (0, 0)),
        ("breakthrough6", TRAINED, (0, 0)),
        ("lightsout", ActionConfig(), (0,)),
        ("lightsout", CAREFUL, (0,)),
        ("battle", ActionConfig(), (0, 0)),
        ("battle", CHANCES, (0, 0)),
    ],
)
def test_scores_of_shared_formulas_are_those_of_torch(
    name: str, config: ActionConfig, budgets: tuple[int, ...]
) -> None:
    game, _, steps = game_of(name)
    judge = made_within(name, config, budgets)
    for graph, budget in zip(judge.graphs, budgets, strict=True):
        assert graph.is_shared == (budget == 0)
    port = SearchJudge(judge, game.circuit)
    assert port.is_compiled
    random = np.random.default_rng(4)
    for role in range(len(game.roles)):
        for count in (1, 3):
            compare(name, judge, port, role, random.integers(0, len(steps.states), count))


@pytest.mark.parametrize("config", [ActionConfig(), CHANCES, TRAINED, CAREFUL])
def test_all_counts_of_legal_moves(config: ActionConfig) -> None:
    game, _, steps = game_of("battle")
    judge = made_within("battle", config)
    port = SearchJudge(judge, game.circuit)
    first, last = game.move_offsets[1], game.move_offsets[2]
    random = np.random.default_rng(6)
    for count in (1, 7, 8, 9, 15, 16, 17, 32, 33, 65, 130):
        legal = steps.legal[:2].copy()
        legal[:, first:last] = False
        own = np.sort(random.choice(last - first, count, replace=False))
        legal[:, first + own] = True
        states = np.ascontiguousarray(packed(steps.states[-2:])[:, : -(-len(game.fluents) // 64)])
        out = np.full((2, count + 1), -7, np.float32)
        score_moves(port.scores, states, packed(legal), np.arange(2), 2, 1, 0, out)
        port.check()
        with torch.no_grad():
            told = torch.from_numpy(steps.states[-2:]), 1, torch.from_numpy(legal)
            expected = judge(*told).numpy()[:, own]
        if judge.scale == LINEAR:
            expected = enlarged(expected, np.ones_like(expected, np.bool_))
        np.testing.assert_allclose(out[:, :count], expected, rtol=1e-4, atol=2e-5 * judge.scale)
        assert (out[:, count] == -7).all()


def test_they_are_the_scores_of_each_moves_own_formula() -> None:
    game, _, steps = game_of("breakthrough6")
    outs = []
    for budget in (0, 10**7):
        port = SearchJudge(
            made_within("breakthrough6", ActionConfig(), (budget, budget)), game.circuit
        )
        out = np.zeros((20, 64), np.float32)
        states = np.ascontiguousarray(packed(steps.states)[:, : -(-len(game.fluents) // 64)])
        score_moves(port.scores, states, packed(steps.legal), np.arange(20), 20, 0, 0, out)
        outs.append(out)
    assert (outs[0] > 0).any()
    np.testing.assert_allclose(outs[0], outs[1], rtol=1e-5)
