"""Symmetries against plain torch: children, ends and goals are the same in the image of a state."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from neurogame.analysis.verdict import Evidence
from neurogame.gdl.check import valid_rules
from neurogame.gdl.coloured_graph import with_both_ways
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from neurogame.structure.automorphisms import find_chain
from neurogame.structure.game_graph import GameGraph
from neurogame.structure.structure import Structure, find_structure
from neurogame.structure.symmetries import Symmetry
from tests.structure.states import sampled

# Of the others a search over argument permutations found 4, 4, 4, 16 and 16.
COUNTS = {
    "tictactoe": 16,
    "connectfour": 4,
    "breakthrough6": 4,
    "hex5": 4,
    "reversi6": 16,
    "pentago": 16,
    "loa5": 16,
    # A torus of 25 cells, and three players in a circle.
    "tictactoe3p": 25 * 8 * 3,
    # Two players, and three throws in a circle.
    "rockpaperscissors": 2 * 3,
}
TRIED = 6


@pytest.mark.parametrize("name", [*COUNTS, "eightpuzzle", "fishery"])
def test_the_image_of_a_state_is_the_same_game(name: str) -> None:
    game = Game.load(name)
    structure = game.structure
    assert len(structure.symmetries) == COUNTS.get(name, len(structure.symmetries))
    states = torch.from_numpy(sampled(game, 256))
    for symmetry in structure.symmetries[:: max(len(structure.symmetries) // TRIED, 1)]:
        check_symmetry(game, symmetry, states)


def check_symmetry(game: Game, symmetry: Symmetry, states: Tensor) -> None:
    """Assert by the plain simulator that a symmetry changes nothing but numbers."""
    simulator = game.simulator()
    fluents, moves = torch.from_numpy(symmetry.fluents), torch.from_numpy(symmetry.moves)
    batch, images = StateBatch.from_bool(states), torch.zeros_like(states)
    images[:, fluents] = states
    there = StateBatch.from_bool(images)
    mine, other = simulator.derive(batch), simulator.derive(there)
    assert torch.equal(mine.terminal, other.terminal)
    offsets = torch.tensor(game.move_offsets)
    goals = np.cumsum([0, *(len(values) for values in game.circuit.goal_values)])
    for role, image in enumerate(symmetry.roles.tolist()):
        own = mine.goal_flags[:, goals[role] : goals[role + 1]]
        assert torch.equal(own, other.goal_flags[:, goals[image] : goals[image + 1]])
    going = ~mine.terminal
    assert torch.equal(mine.legal[going], other.legal[going][:, moves])
    children = simulator.expand(batch)
    joint = children.joint + offsets[:-1]
    mapped = torch.empty_like(joint)
    mapped[:, torch.from_numpy(symmetry.roles)] = moves[joint]
    after = simulator.step(there.select(children.parent), mapped - offsets[:-1])
    expected = torch.zeros((len(joint), states.shape[1]), dtype=torch.bool)
    expected[:, fluents] = children.states.to_bool()
    assert torch.equal(after.to_bool(), expected)


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "reversi6", "rockpaperscissors"])
def test_symmetries_are_a_group_with_the_identity_first(name: str) -> None:
    symmetries = Game.load(name).structure.symmetries
    keys = {s.fluents.tobytes() + s.moves.tobytes() + s.roles.tobytes() for s in symmetries}
    assert len(keys) == len(symmetries)
    first = symmetries[0]
    for image in (first.fluents, first.moves, first.roles):
        assert (image == np.arange(len(image))).all()
    for a in symmetries:
        for b in symmetries:
            parts = a.fluents[b.fluents], a.moves[b.moves], a.roles[b.roles]
            assert b"".join(part.tobytes() for part in parts) in keys


def test_evidence_and_initial_state() -> None:
    connect_four = Game.load("connectfour").structure.symmetries
    # The goals are written as lines in one direction; the exchange of players is in the rules.
    proved = [s for s in connect_four if s.verdict.evidence is Evidence.PROVED]
    others = [s for s in connect_four if s.verdict.evidence is Evidence.SAMPLED]
    assert len(proved) == len(others) == 2
    assert all(s.verdict.count >= 256 for s in others)
    exchanging = [s for s in connect_four if (s.roles != np.arange(2)).any()]
    # The first player is to move at the start: an exchange does not leave that alone.
    assert len(exchanging) == 2
    assert [s.initial for s in connect_four].count(True) == 2
    assert not any(s.initial for s in exchanging)


def test_a_goal_that_breaks_a_symmetry_is_noticed() -> None:
    """Two coins that may both be taken; only the second one counts."""
    rules = """(role r) (init (coin 1)) (init (coin 2)) (<= (legal r (take ?c)) (true (coin ?c)))
    (legal r wait) (<= (next (coin ?c)) (true (coin ?c)) (not (does r (take ?c))))
    (init (step 0)) (<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1)))
    (<= terminal (true (step 2)))
    (<= (goal r 0) (true (coin 1))) (<= (goal r 100) (not (true (coin 1))))"""
    alike = rules.replace("(true (coin 1))", "(true (coin ?any))").replace(
        "(not (true (coin ?any)))", "(not (true (coin 1))) (not (true (coin 2)))"
    )
    assert len(structure_of(rules).symmetries) == 1
    assert len(structure_of(alike).symmetries) == 2


def structure_of(text: str) -> Structure:
    """Return the structure of the rules in a text."""
    game = Game.from_rules(valid_rules(text, source="text"), "text", cache=False)
    return find_structure(game.circuit, game.rules)


@given(st.integers(2, 6), st.lists(st.tuples(*[st.integers(0, 5)] * 3), max_size=14))
def test_all_automorphisms_of_a_small_graph_are_found(
    count: int, drawn: list[tuple[int, int, int]]
) -> None:
    edges = {(a % count, b % count, label % 3) for a, b, label in drawn}
    graph = graph_of(count, edges)
    group, whole = find_chain(graph, work=10**7).group(1000)
    assert whole
    expected = {
        image
        for image in permutations(range(count))
        if {(image[a], image[b], label) for a, b, label in edges} == edges
    }
    assert {tuple(one) for one in group.tolist()} == expected
    assert len(group) == len(expected)


def graph_of(count: int, edges: set[tuple[int, int, int]]) -> GameGraph:
    """Return a graph in which all nodes are fluents."""
    above, below, labels = np.array(sorted(edges), np.int64).reshape(-1, 3).T
    graph = with_both_ways(np.zeros(count, np.int64), above, labels, below, 3)
    return GameGraph(graph, 0, (count, 0, 0), np.ones(count, np.bool_))
