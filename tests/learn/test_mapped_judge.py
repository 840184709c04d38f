"""Judges of moves follow a renaming to a scrambled game, to the last bit."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

from neurogame.evaluators.knowledge.config import KnowledgeConfig
from neurogame.gdl.scramble import scramble
from neurogame.kernels.leaves.move_scores import MoveJudge, make_scores, score_moves
from neurogame.kernels.twin.expand import pack_rows
from neurogame.learn.knowledge.learning import learn_knowledge
from neurogame.learn.mapped_judge import MappedJudge, map_judge
from neurogame.simulate.game import Game
from neurogame.simulate.game_mapping import map_game
from neurogame.simulate.playouts import sample_states
from neurogame.simulate.states import StateBatch
from tests.gdl.slow_renaming import shuffled


@cache
def games(name: str) -> tuple[Game, Game]:
    """Return a game, and the same game scrambled."""
    own = Game.load(name)
    scrambled = scramble(own.rules, 11, numbers=True)
    return own, Game.from_rules(shuffled(scrambled.rules, 12), "scrambled", cache=False)


def compiled(judge: MoveJudge, game: Game, states: torch.Tensor, role: int) -> np.ndarray:
    """Return the compiled scores of all moves of a role, 0 where they are not legal."""
    port = make_scores(judge, game.circuit)
    assert port.is_compiled
    legal = game.simulator().look(StateBatch.from_bool(states)).legal
    own = legal[:, game.move_offsets[role] : game.move_offsets[role + 1]].numpy()
    rows = np.arange(len(states))
    out = np.zeros((len(rows), int(own.sum(axis=1).max())), np.float32)
    score_moves(port.scores, pack_rows(states), pack_rows(legal), rows, len(rows), role, 3, out)
    found = np.zeros(own.shape, np.float32)
    for row in rows:
        found[row, own[row]] = out[row, : own[row].sum()]
    return found


@pytest.mark.parametrize("name", ["bidding_tictactoe", "breakthrough6"])
def test_a_scrambled_game_has_the_same_scores(name: str) -> None:
    own, other = games(name)
    judge = learn_knowledge(own, KnowledgeConfig(games=100, replies=2))
    mapped = map_judge(judge, own, other)
    assert isinstance(mapped, MappedJudge)
    mapping = map_game(own, other)
    states = sample_states(own.simulator(), 100, seed=5).to_bool()
    twins = torch.zeros_like(states)
    twins[:, list(mapping.fluents)] = states
    for role, there in enumerate(mapping.roles):
        places = list(mapping.moves[role])
        legal = own.simulator().look(StateBatch.from_bool(states)).legal
        legal = legal[:, own.move_offsets[role] : own.move_offsets[role + 1]]
        renamed = torch.zeros_like(legal)
        renamed[:, places] = legal
        expected = judge.move_scores(states.numpy(), legal.numpy(), role)
        found = mapped.move_scores(twins.numpy(), renamed.numpy(), there)
        np.testing.assert_array_equal(found[:, places], expected)
        fast = compiled(mapped, other, twins, there)
        np.testing.assert_array_equal(fast[:, places], compiled(judge, own, states, role))
    assert mapped.scale == judge.scale


def test_the_same_game_needs_no_mapping() -> None:
    own = games("breakthrough6")[0]
    judge = learn_knowledge(own, KnowledgeConfig(games=1))
    assert map_judge(judge, own, Game.load("breakthrough6")) is judge
