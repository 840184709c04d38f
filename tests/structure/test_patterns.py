"""Patterns: what the look-ups read in the image of a state is what they read in the state."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurogame.array_types import Bools, Float64s, Int64s
from neurogame.simulate.game import Game
from neurogame.structure.patterns import PatternLimits, PatternSet, draw_patterns
from neurogame.structure.symmetries import Symmetry
from tests.structure.states import sampled

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
    rows = patterns.rows(states)
    assert ((rows >= 0) & (rows < patterns.table_size[patterns.table])).all()
    random = np.random.default_rng(seed)
    roles, modes = len(game.roles), patterns.modes.shape[1]
    weights = [random.random((roles, modes, size)) for size in patterns.table_size.tolist()]
    before = values(patterns, weights, rows)
    for index in sorted(set(patterns.symmetry.tolist())):
        symmetry = game.structure.symmetries[index]
        images = np.zeros_like(states)
        images[:, symmetry.fluents] = states
        there = patterns.rows(images)
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
    rows = patterns.rows(states)
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
