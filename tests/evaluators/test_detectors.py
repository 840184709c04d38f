"""First weights of hidden units: they count what holds of a condition of the goals."""

from __future__ import annotations

import numpy as np
import torch

from neurogame.evaluators.parts.detectors import first_embedding
from neurogame.gdl.scramble import scramble
from neurogame.simulate.game import Game


def test_conditions_are_the_lines_of_either_mark() -> None:
    game = Game.load("tictactoe")
    names = {frozenset(game.fluents[fluent] for fluent in one) for one in game.structure.conditions}
    assert len(names) == 16
    assert frozenset({"(cell 1 1 o)", "(cell 2 2 o)", "(cell 3 3 o)"}) in names


def test_a_detector_counts_and_is_silenced() -> None:
    """It answers from a number of its fluents on, and not where one cannot hold any more."""
    game = Game.load("tictactoe")
    embedding, bias = first_embedding(game.structure, len(game.fluents), 32, 0.5, seed=1)
    conditions = [set(one) for one in game.structure.conditions]
    for unit in range(16):
        excited = set(np.flatnonzero(embedding[:, unit] > 0.7).tolist())
        assert excited in conditions
        state = np.zeros(len(game.fluents))
        answers = []
        for fluent in sorted(excited):
            state[fluent] = 1
            answers.append(max(0.0, float(state @ embedding[:, unit] + bias[unit])))
        assert answers == sorted(answers)
        assert answers[-1] > 0.3
        assert answers[0] < 1
        other = game.structure.variables[int(game.structure.variable_of[fluent])].fluents
        state[fluent] = 0
        state[next(f for f in other if f != fluent)] = 1
        assert float(state @ embedding[:, unit] + bias[unit]) < answers[-2] - 1
    # All other units begin at random.
    assert np.abs(embedding[:, 16:]).mean() > 0.15


def test_without_conditions_all_units_begin_at_random() -> None:
    game = Game.load("breakthrough6")
    first = first_embedding(game.structure, len(game.fluents), 8, 1.0, seed=2)
    second = first_embedding(None, len(game.fluents), 8, 1.0, seed=2)
    if not game.structure.conditions:
        assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_names_have_no_part_in_conditions() -> None:
    game = Game.load("connectfour5")
    other = Game.from_rules(scramble(game.rules, seed=3).rules, "scrambled")
    sizes = [sorted(map(len, one.structure.conditions)) for one in (game, other)]
    assert sizes[0] == sizes[1] != []
    assert torch.is_tensor(game.initial_state().fluents)
