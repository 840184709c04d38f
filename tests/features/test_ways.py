"""Ways to goals, against walks on the board."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from neurogame.features.candidates import find_candidates
from neurogame.features.feature import Feature, FeatureKind
from neurogame.features.ways import distances, inputs_read
from neurogame.gdl.parse import parse_rules
from neurogame.simulate.game import Game

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
