"""Values of features in batches, against their definition and against what rules mean."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from neurogame.features.candidates import find_candidates
from neurogame.features.feature import FeatureKind
from neurogame.features.values import FeatureValues
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from tests.features.twin import value, walked

GAMES = ("breakthrough6", "reversi6", "minichess5", "bidding_tictactoe", "tictactoe3p", "pursuit")


@pytest.mark.parametrize("name", GAMES)
def test_values_are_those_of_the_definition(name: str) -> None:
    game = Game.load(name)
    features = find_candidates(game)
    states = [state for own in walked(game, 3, 2) for state in own][::5][:12]
    # More than a word of lanes, the last of them not full.
    order = np.random.default_rng(3).integers(len(states), size=150)
    batch = StateBatch.from_bool(torch.stack([states[number].fluents for number in order]))
    found = FeatureValues(features).of(batch, game.simulator().look(batch))
    table = [[value(feature, game, state) for feature in features] for state in states]
    expected = np.array(table)[order]
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-4)
    # What is the same everywhere would prove nothing.
    assert (found.std(axis=0) > 0).sum() >= len(features) // 2


def test_pieces_and_rows_of_breakthrough() -> None:
    game = Game.load("breakthrough6")
    named = {feature.text: feature for feature in find_candidates(game)}
    for state in walked(game, 4, 1)[0]:
        cells = [text.strip("()").split() for text in state.fluent_texts if "cell" in text]
        of = {c: [(int(x), int(y)) for _, x, y, k in cells if k == c] for c in ("white", "black")}
        count = value(named["number of (cell * * white)"], game, state)
        assert count == len(of["white"])
        more = value(named["number of (cell * * black), less that of white"], game, state)
        assert more == len(of["black"]) - len(of["white"])
        rows = value(
            named["way of (cell * * white) to the goal of white, 0 to 1 each"], game, state
        )
        assert rows == pytest.approx(sum(y - 1 for _, y in of["white"]) / 5)
        moves = value(named["legal moves of white"], game, state)
        assert moves == (0 if state.is_terminal else len(state.legal_moves[0]))


def test_open_lines_of_connect_four() -> None:
    game = Game.load("connectfour")
    named = {feature.text: feature for feature in find_candidates(game)}
    lines = [
        [(x + i * dx, y + i * dy) for i in range(4)]
        for x in range(1, 8)
        for y in range(1, 7)
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
        if 1 <= x + 3 * dx <= 7 and 1 <= y + 3 * dy <= 6
    ]
    assert len(lines) == 69
    state = walked(game, 6, 1)[0][14]
    cells = [text.strip("()").split() for text in state.fluent_texts if "cell" in text]
    at = {(int(x), int(y)): k for _, x, y, k in cells}
    colours = set(at.values()) & {"red", "black", "white", "yellow", "x", "o"}
    assert len(colours) == 2
    for taken in (1, 2, 3):
        for own in colours:
            (other,) = colours - {own}
            expected = sum(
                sum(at.get(s) == own for s in line) == taken
                and not any(at.get(s) == other for s in line)
                for line in lines
            )
            text = f"open lines of 4 with {taken} of (cell * * {own})"
            assert value(named[text], game, state) == expected


def test_distances_are_manhattan() -> None:
    game = Game.load("minichess5")
    apart = [f for f in find_candidates(game) if f.kind is FeatureKind.APART and f.against is None]
    feature = next(f for f in apart if "king" in f.text and "black king" in f.text)
    assert feature.lookups is not None
    state = game.initial_state()
    names = feature.text.removeprefix("distance of ").split(" and ")
    places = []
    for name in names:
        kind = name.strip("()").split()[3:]
        cells = [text.strip("()").split() for text in state.fluent_texts]
        (own,) = [c for c in cells if c[0] == "cell" and c[3:] == kind]
        places.append((ord(own[1][-1]), ord(own[2][-1])))
    (a, b), (c, d) = places
    assert value(feature, game, state) == abs(a - c) + abs(b - d)
