"""Candidates: what the rules suggest, whatever things are called."""

from __future__ import annotations

import numpy as np
import pytest

from neurogame.array_types import Int64s
from neurogame.features.candidates import MOST, find_candidates
from neurogame.features.feature import Feature, FeatureKind
from neurogame.gdl.library import load_rules
from neurogame.gdl.renaming import renamed_text
from neurogame.gdl.scramble import scramble
from neurogame.simulate.game import Game
from tests.conftest import shared

SCRAMBLED = (
    *("biddingTicTacToe", "atariGoVariant_7x7", "sheepAndWolf", "tictactoe_3player", "onestep"),
    *("doubletictactoe", "coins", "mummyMaze2p_2007", "nim3", "eightPuzzle"),
)


@pytest.mark.parametrize("name", SCRAMBLED)
def test_a_scrambled_game_has_the_same_candidates(name: str) -> None:
    rules = load_rules(shared("games", f"{name}.kif"))
    renamed = scramble(rules, seed=8)
    game, other = Game.from_rules(rules, name), Game.from_rules(renamed.rules, name)
    index = {text.lower(): number for number, text in enumerate(other.circuit.fluents)}
    texts = (renamed_text(text, renamed.to_scrambled) for text in game.circuit.fluents)
    to = np.array([index[text] for text in texts], np.int64)
    back = np.argsort(to)
    own = sorted(described(feature, np.arange(len(to))) for feature in find_candidates(game))
    assert own == sorted(described(feature, back) for feature in find_candidates(other))


def described(feature: Feature, name: Int64s) -> tuple[str, ...]:
    """Return what a feature counts, up to its sign, with other numbers for fluents."""
    read = np.flatnonzero(feature.fluents)
    fluents = sorted((int(name[f]), float(feature.fluents[f])) for f in read)
    tables, rows = feature.lookups, []
    for number in range(0 if tables is None else len(tables.first)):
        assert tables is not None
        mine = tables.lookup == number
        addends = tables.addend[mine].tolist()
        if feature.kind is FeatureKind.APART:
            # Which of two pieces comes first is all the same.
            addends = [0 for _ in addends]
        of = sorted(zip(name[tables.fluent[mine]].tolist(), addends, strict=True))
        rows.append((of, round(float(np.abs(tables.values).sum()), 3)))
    sums = min(str([(f, sign * w) for f, w in fluents]) for sign in (1, -1))
    moves = sorted(np.abs(feature.moves[feature.moves != 0]).tolist())
    return feature.kind.value, sums, str(moves), str(sorted(rows))


def test_no_candidate_says_the_same_as_another_one_or_nothing() -> None:
    for name in ("tictactoe", "reversi6", "minichess5"):
        found = find_candidates(Game.load(name))
        assert 0 < len(found) <= MOST
        assert not any(feature.constant for feature in found)
        assert len({feature.text for feature in found}) == len(found)


@pytest.mark.parametrize(
    ("name", "kind", "some"),
    [
        ("breakthrough", FeatureKind.COUNT, "number of (cell * * white)"),
        ("breakthrough", FeatureKind.MOBILITY, "legal moves of black"),
        ("checkers6", FeatureKind.COUNT, "number of (cell * * "),
        ("connectfour", FeatureKind.LINES, "open lines of 4 with 3 of "),
        ("bidding_tictactoe", FeatureKind.QUANTITY, "n in (coins "),
        ("pursuit", FeatureKind.APART, "distance of "),
        ("nothello", FeatureKind.COUNT, "number of (cell * * "),
    ],
)
def test_what_people_would_count_is_found(name: str, kind: FeatureKind, some: str) -> None:
    found = [one for one in find_candidates(Game.load(name)) if one.kind is kind]
    assert any(one.text.startswith(some) for one in found), [one.text for one in found]


def test_differences_of_roles_belong_to_both() -> None:
    for feature in find_candidates(Game.load("breakthrough6")):
        if feature.text == "number of (cell * * black), less that of white":
            assert (feature.owner, feature.against) == (1, 0)
            assert feature.fluents.sum() == 0
            return
    pytest.fail("there is no such feature")
