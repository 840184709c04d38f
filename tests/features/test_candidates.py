"""Candidates that the rules suggest, and their values: distances, ways, facts and margins."""

from __future__ import annotations

from collections import deque
from functools import cache

import numpy as np
import pytest
import torch

from neurogame.array_types import Int64s
from neurogame.features.candidates import MOST, find_candidates
from neurogame.features.evidence import find_evidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.feature import Feature, FeatureKind
from neurogame.features.maker import look_ups
from neurogame.features.values import FeatureValues
from neurogame.features.ways import distances, inputs_read
from neurogame.features.weights import weigh
from neurogame.gdl.library import load_rules
from neurogame.gdl.parse import parse_rules
from neurogame.gdl.renaming import renamed_text
from neurogame.gdl.scramble import scramble
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from tests.conftest import shared
from tests.features.twin import value, walked
from tests.library import load

SCRAMBLED = (
    *("biddingTicTacToe", "sheepAndWolf", "tictactoe_3player", "onestep"),
    *("doubletictactoe", "coins", "nim3"),
)


@cache
def candidates(name: str) -> tuple[Feature, ...]:
    """Return what is found for a game of the library."""
    return find_candidates(load(name))


@pytest.mark.parametrize("name", SCRAMBLED)
def test_a_scrambled_game_has_the_same_candidates(name: str) -> None:
    rules = load_rules(shared("games", f"{name}.kif"))
    renamed = scramble(rules, seed=5)
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
        found = candidates(name)
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
    found = [one for one in candidates(name) if one.kind is kind]
    assert any(one.text.startswith(some) for one in found), [one.text for one in found]


def test_differences_of_roles_belong_to_both() -> None:
    for feature in candidates("breakthrough6"):
        if feature.text == "number of (cell * * black), less that of white":
            assert (feature.owner, feature.against) == (1, 0)
            assert feature.fluents.sum() == 0
            return
    pytest.fail("there is no such feature")


GAMES = ("breakthrough6", "reversi6", "minichess5", "bidding_tictactoe", "tictactoe3p", "pursuit")


@pytest.mark.parametrize("name", GAMES)
def test_values_are_those_of_the_definition(name: str) -> None:
    game, features = load(name), candidates(name)
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
    game = load("breakthrough6")
    named = {feature.text: feature for feature in candidates("breakthrough6")}
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
    game = load("connectfour")
    named = {feature.text: feature for feature in candidates("connectfour")}
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
    game = load("minichess5")
    apart = [
        f for f in candidates("minichess5") if f.kind is FeatureKind.APART and f.against is None
    ]
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


def test_look_ups_that_are_joined_keep_their_own_rows() -> None:
    # Of the first two fluents one holds at most: not all of their addends count together.
    one = look_ups([(np.array([0, 1]), np.array([1, 2]), [0.0, 1.0, 2.0])])
    other = look_ups([(np.array([2]), np.array([1]), [5.0, 6.0])])
    joined = one.joined(other.scaled(-1.0))
    assert [rows.tolist() for _, _, rows in joined.tables()] == [[0, 1, 2], [-5, -6]]


# Each role draws one or no stone of three heaps in every step; who has more in the end wins.
MARGIN = """
(role left) (role right)
(init (step 0)) (init (has left 0)) (init (has right 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (greater ?a ?b) (succ ?b ?a))
(<= (greater ?a ?c) (succ ?b ?a) (greater ?b ?c))
(<= (legal ?r draw) (role ?r)) (<= (legal ?r pass) (role ?r))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (has ?r ?n)) (true (has ?r ?m)) (does ?r draw) (succ ?m ?n))
(<= (next (has ?r ?n)) (true (has ?r ?n)) (does ?r pass))
(<= (next (taken ?r ?m)) (does ?r draw) (true (step ?m)))
(<= (next (taken ?r ?m)) (true (taken ?r ?m)))
(<= terminal (true (step 6)))
(<= more (true (has left ?a)) (true (has right ?b)) (greater ?a ?b))
(<= fewer (true (has left ?a)) (true (has right ?b)) (greater ?b ?a))
(<= (goal left 100) more) (<= (goal left 0) fewer)
(<= (goal right 0) more) (<= (goal right 100) fewer)
(<= (goal ?r 50) (role ?r) (not more) (not fewer))
"""


def test_what_a_goal_compares_is_graded_by_its_margin() -> None:
    game = Game.from_rules(parse_rules(MARGIN), "margin")
    named = {one.text: one for one in find_candidates(game)}
    margin = named["n in (has left n), less that of right"]
    for left in range(7):
        for right in range(7):
            held = [f"(has left {left})", f"(has right {right})"]
            numbers = [game.circuit.fluents.index(text) for text in held]
            assert margin.fluents[numbers].sum() == left - right
    found = find_evidence(game, EvidenceConfig(games=2048, seconds=60))
    own = weigh(found)
    weights = own.weights @ np.stack([feature.fluents for feature in own.features])

    def value(left: int, right: int) -> float:
        held = [f"(has left {left})", f"(has right {right})"]
        numbers = [game.circuit.fluents.index(text) for text in held]
        return float(weights[0, numbers].sum())

    # Winning by more is worth more, although the goal is the same.
    assert value(4, 1) > value(3, 1) > value(2, 1) > value(1, 1) > value(1, 3)


@pytest.mark.parametrize("owner", ["left", "right"])
def test_facts_of_a_role_are_counted(owner: str) -> None:
    game = Game.from_rules(parse_rules(MARGIN), "margin")
    feature = {one.text: one for one in find_candidates(game)}[f"number of (taken {owner} *)"]
    counted = {game.circuit.fluents[f] for f in np.flatnonzero(feature.fluents)}
    assert counted == {f"(taken {owner} {step})" for step in range(7)}
    assert game.circuit.roles[feature.owner or 0] == owner


def test_who_is_in_control_is_no_number() -> None:
    texts = [one.text for one in candidates("breakthrough6")]
    assert not any(text == "number of (control *)" for text in texts)


MAZE = """
(role walker) (role other)
(init (at walker 1 1)) (init (at other 2 3)) (init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(door 1 1 2 1) (door 2 1 1 1) (door 2 1 3 1) (door 3 1 2 1) (door 3 1 4 1) (door 4 1 3 1)
(door 2 1 2 2) (door 2 2 2 1) (door 2 3 3 3) (door 3 3 2 3)
(<= (legal ?r (go ?u ?v)) (true (at ?r ?x ?y)) (door ?x ?y ?u ?v))
(<= (next (at ?r ?u ?v)) (does ?r (go ?u ?v)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 6)))
(<= terminal (true (at walker 4 1)))
(<= (goal walker 100) (true (at walker 4 1)))
(<= (goal walker 0) (not (true (at walker 4 1))))
(<= (goal other 0) (true (at walker 4 1)))
(<= (goal other 100) (not (true (at walker 4 1))))
"""


def ways(game: Game) -> dict[str, Feature]:
    found = find_candidates(game)
    return {one.text: one for one in found if one.kind is FeatureKind.DISTANCE}


def weights(game: Game, feature: Feature) -> dict[str, float]:
    return {
        text: float(feature.fluents[fluent])
        for fluent, text in enumerate(game.circuit.fluents)
        if feature.fluents[fluent]
    }


def test_knights_go_as_knights() -> None:
    game = Game.load("knightthrough")
    feature = ways(game)["way of (knight * * white) to the goal of white, 0 to 1 each"]
    found = weights(game, feature)
    # Knights move forward only; from the last row backwards.
    size = round(max(int(text.strip("()").split()[2]) for text in found))
    jumps = [(dx, dy) for dx in (-2, -1, 1, 2) for dy in (1, 2) if abs(dx) != dy]
    far = {(x, size): 0 for x in range(1, size + 1)}
    queue = deque(far)
    while queue:
        x, y = queue.popleft()
        for dx, dy in jumps:
            before = (x - dx, y - dy)
            if 1 <= before[0] <= size and 1 <= before[1] <= size and before not in far:
                far[before] = far[x, y] + 1
                queue.append(before)
    longest = max(far.values())
    for text, weight in found.items():
        _, column, row, _ = text.strip("()").split()
        assert weight == pytest.approx(1 - far[int(column), int(row)] / longest)


def test_a_maze_is_walked_through_its_doors() -> None:
    game = Game.from_rules(parse_rules(MAZE), "maze")
    circuit = game.circuit
    own = [f for f, text in enumerate(circuit.fluents) if "walker" in text]
    (goal,) = inputs_read(circuit, [circuit.goals[0][0][1]])
    assert goal == 1 << circuit.fluents.index("(at walker 4 1)")
    after, legal = (inputs_read(circuit, own.tolist()) for own in (circuit.next, circuit.legal))
    far = distances(np.array(own), goal, after, legal, len(circuit.fluents))
    # Three doors from the first square, and from (2, 2).
    expected = {"1 1": 3, "2 1": 2, "3 1": 1, "4 1": 0, "2 2": 3}
    found = dict(zip((circuit.fluents[f] for f in own), far.tolist(), strict=True))
    assert found == {f"(at walker {place})": steps for place, steps in expected.items()}
    nowhere = distances(np.array(own), 0, after, legal, len(circuit.fluents))
    assert (nowhere == -1).all()


def test_squares_read_by_moves_and_by_next_states() -> None:
    """One step to the right or up: as moves of their own, and as moves from anywhere."""
    for may, becomes in (
        ("(<= (legal r (go ?u)) (true (at ?x)) (s ?x ?u))", "(<= (next (at ?u)) (does r (go ?u)))"),
        (
            "(<= (legal r on) (true (at ?x)) (s ?x ?u))",
            "(<= (next (at ?u)) (does r on) (true (at ?x)) (s ?x ?u))",
        ),
    ):
        text = f"""
        (role r) (init (at a)) (s a b) (s b c) (s c d) {may} {becomes}
        (<= terminal (true (at d))) (<= (goal r 100) (true (at d)))
        (<= (goal r 0) (not (true (at d))))
        """
        circuit = Game.from_rules(parse_rules(text), "walk").circuit
        assert circuit.fluents == ("(at a)", "(at b)", "(at c)", "(at d)")
        after, legal = (inputs_read(circuit, own.tolist()) for own in (circuit.next, circuit.legal))
        assert distances(np.arange(4), 0b1000, after, legal, 4).tolist() == [3, 2, 1, 0]


def test_where_every_square_is_wanted_there_is_no_way() -> None:
    assert ways(Game.load("tictactoe")) == {}
    assert ways(Game.load("reversi6")) == {}
