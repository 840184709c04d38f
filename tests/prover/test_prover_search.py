"""Search by proofs: it finds what there is to find, in time, in games of any shape."""

from __future__ import annotations

import random
import time
from itertools import count

import pytest

from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.prover import search
from neurogame.prover.game import ProverGame
from neurogame.prover.search import ProofSearch
from tests.prover.heavy import HEAVY

TICTACTOE = load_rules("tictactoe")


def state_of(game: ProverGame, *fluents: str) -> frozenset:  # type: ignore[type-arg]
    return frozenset(map(game.term, fluents))


def test_it_wins_and_prevents_at_once() -> None:
    game = ProverGame(TICTACTOE)
    start = game.initial()
    marked = {"(cell 1 1 x)", "(cell 2 2 x)", "(cell 1 3 o)", "(cell 1 2 o)", "(control xplayer)"}
    blank = {game.text(f) for f in start if game.text(f).endswith("b)")}
    taken = {text[:9] for text in marked}
    position = marked | {text for text in blank if text[:9] not in taken}
    found = ProofSearch(TICTACTOE, 1).search(state_of(game, *position), 0, simulations=300)
    assert found is not None
    assert game.text(found.move) == "(mark 3 3)"
    assert found.value > 0.9
    assert found.simulations == 300


def test_the_same_seed_finds_the_same() -> None:
    game = ProverGame(TICTACTOE)
    one, two = (ProofSearch(TICTACTOE, 7).search(game.initial(), 0, simulations=60) for _ in "ab")
    assert one == two
    assert one is not None


@pytest.mark.parametrize("name", ["prisoners", "lightsout", "tictactoe3p", "eightpuzzle"])
def test_games_of_all_shapes_are_searched(name: str) -> None:
    rules = load_rules(name)
    game = ProverGame(rules)
    for role in range(len(game.roles)):
        found = ProofSearch(rules, 3).search(game.initial(), role, simulations=5)
        assert found is not None
        assert found.move in game.legal(game.initial(), role)
        assert 0 <= found.value <= 1


def test_it_beats_random_moves() -> None:
    game, chance = ProverGame(TICTACTOE), random.Random(5)
    points = 0
    for match in range(6):
        own, state = match % 2, game.initial()
        searcher = ProofSearch(TICTACTOE, match)
        while not game.terminal(state):
            joint = []
            for role in range(2):
                moves = sorted(game.legal(state, role), key=game.text)
                move = chance.choice(moves)
                if role == own and len(moves) > 1:
                    found = searcher.search(state, role, simulations=80)
                    assert found is not None
                    move = found.move
                joint.append(move)
            state = game.next(state, joint)
        points += game.goals(state, own)[0]
    assert points >= 500


def test_it_stops_when_it_is_told_to() -> None:
    game, searcher = ProverGame(TICTACTOE), ProofSearch(TICTACTOE, 1)
    asked = count()
    found = searcher.search(game.initial(), 0, stop=lambda: next(asked) > 200)
    assert found is None or found.simulations > 0
    assert searcher.search(game.initial(), 0, until=time.monotonic()) is None or found is not None
    # What was interrupted is no worse for it.
    again = searcher.search(game.initial(), 0, simulations=20)
    assert again is not None
    assert again.simulations == 20


def test_a_full_tree_grows_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_NODES", 10)
    found = ProofSearch(TICTACTOE, 1).search(ProverGame(TICTACTOE).initial(), 0, simulations=100)
    assert found is not None
    assert found.nodes == 10


@pytest.mark.parametrize("name", ["exactly one", "lists"])
def test_what_is_wide_is_searched(name: str) -> None:
    rules = parse_rules(HEAVY[name])
    game = ProverGame(rules)
    found = ProofSearch(rules, 1).search(game.initial(), 0, simulations=3)
    assert found is not None
    assert found.move in game.legal(game.initial(), 0)
