"""A learned policy: its compiled scores are those of its formula, written out move by move."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from neurogame.errors import ConfigurationError, GameError
from neurogame.evaluators.policy.policy import LearnedPolicy
from neurogame.judges.moves import score_moves
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.kernels.words.rows import pack_rows
from neurogame.simulate.game import Game
from tests.evaluators.rules_networks import network_of, states_in_play
from tests.library import load


def random_policy(game: Game) -> LearnedPolicy:
    """Return a policy that nobody has taught."""
    policy = LearnedPolicy.above(game.circuit, network_of(game))
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return policy


def slow_score(policy: LearnedPolicy, held: np.ndarray, move: int) -> float:
    """Return the score of a move, fluent by fluent."""
    layout, mode = policy.layout, 0
    for number, fluent in enumerate(layout.mode_fluent):
        if held[fluent]:
            mode = number
            break
    embedding = policy.embedding.detach().numpy()[layout.weights[mode]]
    units = policy.bias.detach().numpy()[mode].astype(float)
    for fluent in np.flatnonzero(held):
        seen = layout.seen_as[mode, fluent]
        if seen >= 0:
            units = units + embedding[seen]
    readout = policy.readout.detach().numpy()[move]
    return float(policy.moves.detach()[move]) + float(np.maximum(units, 0) @ readout)


@pytest.mark.parametrize("name", ["connectfour", "breakthrough6", "bidding_tictactoe", "nim"])
def test_compiled_scores_and_torch_are_the_formula(name: str) -> None:
    game = load(name)
    policy, states = random_policy(game), states_in_play(game, 60)
    port = SearchJudge(policy, game.circuit)
    assert port.is_compiled
    fluents, offsets = states.to_bool(), game.move_offsets
    legal = game.simulator().look(states).legal
    for role in range(len(game.roles)):
        own = legal[:, offsets[role] : offsets[role + 1]].numpy()
        torch_scores = policy.move_scores(fluents.numpy(), own, role)
        rows = np.arange(len(fluents))[::-1].copy()
        out = np.full((len(rows), int(own.sum(axis=1).max())), np.nan, np.float32)
        words = pack_rows(fluents), pack_rows(legal)
        score_moves(port.scores, *words, rows, len(rows), role, 0, out)
        for row, found in zip(rows, out, strict=True):
            moves = np.flatnonzero(own[row]).tolist()
            expected = [slow_score(policy, fluents[row].numpy(), offsets[role] + m) for m in moves]
            np.testing.assert_allclose(found[: len(moves)], expected, rtol=1e-4, atol=1e-4)
            np.testing.assert_allclose(torch_scores[row, moves], expected, rtol=1e-4, atol=1e-4)


def test_all_moves_are_alike_before_learning() -> None:
    game = load("connectfour")
    evaluator = network_of(game)
    policy = LearnedPolicy.above(game.circuit, evaluator)
    assert torch.equal(policy.embedding, evaluator.embedding)
    assert not policy(states_in_play(game, 20).to_bool(), 0).any()


def test_it_is_what_its_description_and_weights_say() -> None:
    game = load("breakthrough6")
    policy, states = random_policy(game), states_in_play(game, 20).to_bool()
    again = LearnedPolicy.rebuild(game, policy.describe())
    again.load_state_dict(policy.state_dict())
    assert torch.equal(policy(states, 1), again(states, 1))
    with pytest.raises(ConfigurationError, match="learned policy"):
        LearnedPolicy.rebuild(game, {"hidden": 3})
    with pytest.raises(GameError, match="another game's"):
        policy(states[:, 1:], 0)
