"""Symmetries and patterns: the image of a state has the same children and values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import islice, permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from neurogame.analysis.verdict import Evidence
from neurogame.array_types import Bools, Int64s
from neurogame.gdl.check import valid_rules
from neurogame.gdl.coloured_graph import with_both_ways
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from neurogame.structure.automorphisms import find_chain
from neurogame.structure.game_graph import GameGraph
from neurogame.structure.patterns import PatternSet, draw_patterns
from neurogame.structure.structure import Structure, find_structure
from neurogame.structure.symmetries import Symmetry
from neurogame.structure.walks import walks
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
    sums = states.astype(np.int64) @ patterns.addends
    entries: Int64s = np.minimum(sums, patterns.table_size[patterns.table] - 1)
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


def keeping_roles(game: Game) -> tuple[Symmetry, ...]:
    """Return the symmetries that exchange neither roles nor whose turn it is."""
    mode = game.structure.mode
    none = np.zeros(0, np.int64)
    turns = none if mode is None else game.structure.variables[mode.variable].fluents
    return tuple(
        g
        for g in game.structure.symmetries
        if (g.roles == np.arange(len(g.roles))).all() and (g.fluents[turns] == turns).all()
    )


def drawn(
    structure: Structure,
    symmetries: Sequence[Symmetry] = (),
    seed: int = 0,
    *,
    lookups: int = 160,
    length: int = 8,
    most_values: int = 20_000,
    line_share: float = 0.5,
) -> PatternSet:
    """Return patterns, drawn under the identity alone if no symmetries are given."""
    return draw_patterns(
        structure,
        symmetries or structure.symmetries[:1],
        seed=seed,
        lookups=lookups,
        length=length,
        most_values=most_values,
        line_share=line_share,
    )


def variables_read(structure: Structure, patterns: PatternSet) -> list[set[int]]:
    """Return the variables that each look-up reads; each has at least two values."""
    return [set(structure.variable_of[np.flatnonzero(c)].tolist()) for c in patterns.addends.T]


@settings(max_examples=25)
@given(
    name=st.sampled_from(GAMES),
    seed=st.integers(0, 99),
    lookups=st.integers(0, 200),
    length=st.integers(1, 9),
    most_values=st.integers(2, 30_000),
    line_share=st.floats(0, 1),
)
def test_the_image_of_a_state_has_the_same_values(
    name: str, seed: int, lookups: int, length: int, most_values: int, line_share: float
) -> None:
    game, states = loaded(name)
    kept = keeping_roles(game)
    patterns = draw_patterns(
        game.structure,
        kept,
        seed=seed,
        lookups=lookups,
        length=length,
        most_values=most_values,
        line_share=line_share,
    )
    assert len(patterns.table) <= lookups
    assert (patterns.table_size <= most_values).all()
    assert set(patterns.table.tolist()) == set(range(len(patterns.table_size)))
    assert (patterns.addends >= 0).all()
    rows = rows_read(patterns, states)
    assert ((rows >= 0) & (rows < patterns.table_size[patterns.table])).all()
    for symmetry in kept[:: max(len(kept) // TRIED, 1)]:
        images = np.zeros_like(states)
        images[:, symmetry.fluents] = states
        there = rows_read(patterns, images)
        key = patterns.table * 10**6
        assert (np.sort(key + there, axis=1) == np.sort(key + rows, axis=1)).all()


@pytest.mark.parametrize("name", GAMES)
def test_rows_tell_all_values_apart(name: str) -> None:
    game, states = loaded(name)
    structure = game.structure
    patterns = drawn(structure, lookups=40)
    rows = rows_read(patterns, states)
    read = variables_read(structure, patterns)
    for lookup, table in enumerate(patterns.table.tolist()):
        own = [structure.variables[v].fluents for v in read[lookup]]
        seen = np.concatenate([states[:, fluents] for fluents in own], axis=1)
        assert len(np.unique(seen, axis=0)) == len(np.unique(rows[:, lookup]))
        joined = np.column_stack([rows[:, lookup], seen])
        assert len(np.unique(joined, axis=0)) == len(np.unique(rows[:, lookup]))
        size = np.prod([structure.variables[v].value_count for v in read[lookup]])
        assert patterns.table_size[table] == size
        mode = structure.mode
        assert mode is None or mode.variable not in read[lookup]


def test_the_same_seed_draws_the_same_and_another_one_does_not() -> None:
    structure = loaded("breakthrough6")[0].structure
    first, again, other = (drawn(structure, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.addends, again.addends)
    assert not np.array_equal(first.addends, other.addends)


def test_lines_of_tic_tac_toe_come_first() -> None:
    structure = loaded("tictactoe")[0].structure
    patterns = drawn(structure, line_share=1, lookups=8)
    assert {tuple(sorted(p)) for p in variables_read(structure, patterns)} == set(structure.lines)


def test_a_walk_goes_from_neighbour_to_neighbour() -> None:
    structure = loaded("connectfour")[0].structure
    values = np.array([v.value_count for v in structure.variables], np.int64)
    starts = np.flatnonzero(values == 3)
    random = np.random.default_rng(0)
    made = walks(structure.geometry, values, starts, length=6, most_values=20_000, random=random)
    for walk in islice(made, 200):
        assert len(set(walk)) == len(walk) <= 6
        for place, variable in enumerate(walk[1:]):
            near = (structure.geometry.neighbours(earlier)[0] for earlier in walk[: place + 1])
            assert any(variable in other for other in near)
