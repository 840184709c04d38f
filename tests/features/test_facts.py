"""Facts that are on no board, and margins of what goals compare."""

from __future__ import annotations

import numpy as np
import pytest

from neurogame.features.candidates import find_candidates
from neurogame.features.evidence import find_evidence
from neurogame.features.evidence_config import EvidenceConfig
from neurogame.features.weights import weigh
from neurogame.gdl.parse import parse_rules
from neurogame.simulate.game import Game

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
    texts = [one.text for one in find_candidates(Game.load("breakthrough6"))]
    assert not any(text == "number of (control *)" for text in texts)
