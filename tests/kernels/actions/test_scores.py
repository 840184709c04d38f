"""Compiled action heuristics against torch: all counts, roles, weights and small values."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

from neurogame.analysis.analyse import GameAnalysis, analyse
from neurogame.evaluators.actions.action_circuit import ActionCircuit
from neurogame.evaluators.actions.build import make_action_circuit
from neurogame.evaluators.actions.config import ActionConfig
from neurogame.judges.moves import score_moves
from neurogame.kernels.leaves.search_judge import SearchJudge
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
