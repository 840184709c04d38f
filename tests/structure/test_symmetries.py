"""Symmetries and patterns: the image of a state has the same children and values."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from neurogame.analysis.verdict import Evidence
from neurogame.array_types import Bools, Float64s, Int64s
from neurogame.gdl.check import valid_rules
from neurogame.gdl.coloured_graph import with_both_ways
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from neurogame.structure.automorphisms import find_chain
from neurogame.structure.game_graph import GameGraph
from neurogame.structure.patterns import PatternLimits, PatternSet, draw_patterns
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


def rows_read(patterns: PatternSet, states: Bools) -> Int64s:
    """Return the row that each look-up reads, the plain definition; int64 ``[S, L]``."""
    weights = np.zeros((states.shape[1], patterns.lookup_count), np.int64)
    owner = np.repeat(np.arange(patterns.lookup_count), np.diff(patterns.start))
    weights[patterns.fluent, owner] = patterns.addend
    entries: Int64s = np.minimum(states @ weights, patterns.table_size[patterns.table] - 1)
    return entries


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


GAMES = ["tictactoe", "connectfour", "breakthrough6", "hex5", "tictactoe3p", "rockpaperscissors"]


@cache
def loaded(name: str) -> tuple[Game, Bools]:
    """Return a game and states of it."""
    game = Game.load(name)
    return game, sampled(game, 100)


limits_drawn = st.builds(
    PatternLimits,
    lookups=st.integers(0, 200),
    length=st.integers(1, 9),
    most_values=st.integers(2, 30_000),
    images=st.integers(1, 40),
    line_share=st.floats(0, 1),
    exchange=st.booleans(),
)


@settings(max_examples=25)
@given(st.sampled_from(GAMES), st.integers(0, 99), limits_drawn)
def test_the_image_of_a_state_has_the_same_values(
    name: str, seed: int, limits: PatternLimits
) -> None:
    game, states = loaded(name)
    patterns = draw_patterns(game.structure, seed=seed, limits=limits)
    check_shape(patterns, limits)
    rows = rows_read(patterns, states)
    assert ((rows >= 0) & (rows < patterns.table_size[patterns.table])).all()
    random = np.random.default_rng(seed)
    roles, modes = len(game.roles), patterns.modes.shape[1]
    weights = [random.random((roles, modes, size)) for size in patterns.table_size.tolist()]
    before = values(patterns, weights, rows)
    for index in sorted(set(patterns.symmetry.tolist())):
        symmetry = game.structure.symmetries[index]
        images = np.zeros_like(states)
        images[:, symmetry.fluents] = states
        there = rows_read(patterns, images)
        key = patterns.table * 10**6
        assert (np.sort(key + there, axis=1) == np.sort(key + rows, axis=1)).all()
        after = values(patterns, weights, there)
        mode = mode_images(game, symmetry)
        assert np.allclose(after[:, symmetry.roles][:, :, mode], before)


def check_shape(patterns: PatternSet, limits: PatternLimits) -> None:
    """Assert what the limits and the description of the fields say."""
    assert patterns.lookup_count <= limits.lookups
    assert (patterns.table_size <= limits.most_values).all()
    assert patterns.line_count <= len(patterns.patterns) == len(patterns.table_size)
    assert set(patterns.table.tolist()) == set(range(len(patterns.table_size)))
    assert (np.diff(patterns.start) >= 0).all()
    assert (patterns.addend > 0).all()
    walks = patterns.patterns[patterns.line_count :]
    assert all(len(set(walk)) == len(walk) <= limits.length for walk in walks)


def values(patterns: PatternSet, weights: list[Float64s], rows: Int64s) -> Float64s:
    """Return the sum of the weights read, for every role in every mode; ``[S, R, K]``."""
    roles, modes = patterns.roles.shape[1], patterns.modes.shape[1]
    total = np.zeros((len(rows), roles, modes))
    for lookup, table in enumerate(patterns.table.tolist()):
        own = weights[table][patterns.roles[lookup]][:, patterns.modes[lookup]]
        total += own[:, :, rows[:, lookup]].transpose(2, 0, 1)
    return total


def mode_images(game: Game, symmetry: Symmetry) -> Int64s:
    """Return the number of the image of each value of the mode."""
    mode = game.structure.mode
    if mode is None:
        return np.zeros(1, np.int64)
    fluents = game.structure.variables[mode.variable].fluents
    found: Int64s = np.searchsorted(fluents, symmetry.fluents[fluents])
    return found


@pytest.mark.parametrize("name", GAMES)
def test_rows_tell_all_values_apart(name: str) -> None:
    game, states = loaded(name)
    structure = game.structure
    patterns = draw_patterns(structure, limits=PatternLimits(images=1, lookups=40))
    rows = rows_read(patterns, states)
    for lookup, table in enumerate(patterns.table.tolist()):
        own = [structure.variables[v].fluents for v in patterns.patterns[table]]
        seen = np.concatenate([states[:, fluents] for fluents in own], axis=1)
        assert len(np.unique(seen, axis=0)) == len(np.unique(rows[:, lookup]))
        joined = np.column_stack([rows[:, lookup], seen])
        assert len(np.unique(joined, axis=0)) == len(np.unique(rows[:, lookup]))
        size = np.prod([structure.variables[v].value_count for v in patterns.patterns[table]])
        assert patterns.table_size[table] == size
        mode = structure.mode
        assert mode is None or mode.variable not in patterns.patterns[table]


def test_the_same_seed_draws_the_same_and_another_one_does_not() -> None:
    structure = loaded("breakthrough6")[0].structure
    first, again = draw_patterns(structure, seed=1), draw_patterns(structure, seed=1)
    assert first.patterns == again.patterns
    assert first.patterns != draw_patterns(structure, seed=2).patterns


def test_lines_of_tic_tac_toe_come_first() -> None:
    structure = loaded("tictactoe")[0].structure
    patterns = draw_patterns(structure, limits=PatternLimits(line_share=1, images=1, lookups=8))
    assert patterns.line_count == 8
    assert {tuple(sorted(p)) for p in patterns.patterns} == set(structure.lines)


def test_a_walk_goes_from_neighbour_to_neighbour() -> None:
    structure = loaded("connectfour")[0].structure
    patterns = draw_patterns(structure, limits=PatternLimits(line_share=0))
    assert patterns.line_count == 0
    for walk in patterns.patterns:
        for place, variable in enumerate(walk[1:]):
            near = (structure.geometry.neighbours(earlier)[0] for earlier in walk[: place + 1])
            assert any(variable in other for other in near)
