"""Compiled scores of moves are those of the definition."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.evaluators.knowledge.knowledge import Knowledge
from neurogame.judges.moves import MoveJudge, score_moves
from neurogame.kernels.leaves.search_judge import SearchJudge
from neurogame.kernels.words.rows import pack_rows
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states
from tests.library import load


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
