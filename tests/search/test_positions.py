"""Positions with known good moves, found by search alone: the evaluator is blind."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from neurogame.gdl.parse import parse_term
from neurogame.gdl.terms import Compound
from neurogame.gdl.write import term_text
from neurogame.search.alphabeta.alphabeta import AlphaBeta
from neurogame.search.limit import Limit
from neurogame.simulate.game import Game, State
from tests.conftest import shared
from tests.search.test_real_games import Blind


def _state(game: Game, text: str) -> State:
    listed = parse_term(f"(state {text.strip()[1:-1]})")
    assert isinstance(listed, Compound)
    fluents = torch.zeros(len(game.fluents), dtype=torch.bool)
    for term in listed.arguments:
        fluents[game.fluent_index(term_text(term))] = True
    return State(game, fluents)


@pytest.mark.parametrize("number", range(18))
def test_a_good_move_is_found(number: int) -> None:
    lines = shared("positions.jsonl").read_text(encoding="utf-8").splitlines()
    position: dict[str, Any] = json.loads(lines[number])
    game = Game.load(shared("games", f"{position['game']}.kif"))
    role = int(position["role_index"])
    state = _state(game, position["state"])
    found = AlphaBeta(game, Blind(game)).search(state, role, Limit(nodes=100_000, depth=6))
    good = {game.move_index(game.roles[role], move) for move in position["good_moves"]}
    assert found.move in good
