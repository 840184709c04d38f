"""Action formulas: the regressed goals of each move, ready for fuzzy logic."""

from __future__ import annotations

import numpy as np
import pytest

from neurogame.analysis.analyse import analyse
from neurogame.errors import ConfigurationError
from neurogame.graph.evaluate import holds
from neurogame.regress.action_formulas import action_formulas
from neurogame.regress.clockwork import clockwork
from tests.circuit.random_steps import random_steps
from tests.library import load as library_game
from tests.regress.look_ahead import values_of_moves
from tests.regress.test_regress import shared_game


@pytest.mark.parametrize("goals", ["top", "all"])
@pytest.mark.parametrize(
    ("name", "others", "steps"),
    [("connectfour", "unknown", 1), ("breakthrough", "unknown", 1), ("tictactoe", "least", 1)],
)
def test_with_certain_leaves_they_look_ahead(
    name: str, others: str, steps: int, goals: str
) -> None:
    """Leaves of truth 0 and 1: then the formula of a legal move says what it leads to."""
    game = library_game(name)
    circuit, analysis = game.circuit, analyse(game.circuit)
    states = random_steps(game, 4, 8, seed=1).states
    found = action_formulas(circuit, analysis, goals=goals, others=others, steps=steps)
    compared = 0
    for own in found:
        assert own.specialised
        assert own.goals.tolist() == [v for v, _ in circuit.goals[own.role]][: len(own.goals)]
        assert (len(own.goals) == 1) == (goals == "top")
        leaves = own.leaves
        assert (leaves >> 1 <= len(circuit.fluents)).all()
        inputs = np.zeros((len(states), 1 + len(circuit.fluents) + circuit.move_count), bool)
        inputs[:, 1 : 1 + len(circuit.fluents)] = states
        held = holds(own.graph, inputs[:, leaves >> 1] ^ (leaves & 1 == 1))
        values = held.T.reshape(*own.outputs.shape, len(states))
        row, move, expected = values_of_moves(game, own.role, states, steps)
        # Where the role waits, others move: that is left out.
        waits = np.isin(move, analysis.noops[own.role]) & (others == "unknown")
        value = values[:, move, row].T
        count = len(own.goals)
        assert (value[~waits] == expected[~waits, :count]).all()
        compared += int((~waits).sum())
    assert compared > 50


def test_unknown_moves_stay_leaves_where_they_are_wanted() -> None:
    game = shared_game("biddingTicTacToe")
    circuit, analysis = game.circuit, analyse(game.circuit)
    for unknown in ("neutral", "half", "legal"):
        for own in action_formulas(circuit, analysis, goals="all", unknown=unknown):
            moves = (own.leaves >> 1) - 1 - len(circuit.fluents)
            moves = moves[moves >= 0]
            begin = game.move_offsets[own.role]
            mine = (moves >= begin) & (moves < begin + len(game.moves[own.role]))
            assert not mine.any()
            assert bool(len(moves)) == (unknown != "neutral")


@pytest.mark.parametrize(("name", "value"), [("goals", "best"), ("unknown", "zero")])
def test_other_options_are_refused(name: str, value: str) -> None:
    circuit = library_game("tictactoe").circuit
    with pytest.raises(ConfigurationError, match=f"{name} of action formulas is '{value}'"):
        action_formulas(circuit, analyse(circuit), **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "prefixes"),
    [("tictactoe", ("(control",)), ("breakthrough", ("(control",)), ("pentago", ("(",))],
)
def test_clocks_are_the_same_in_every_game(name: str, prefixes: tuple[str, ...]) -> None:
    game = library_game(name)
    found = clockwork(game.circuit)
    texts = [text for text, flag in zip(game.fluents, found, strict=True) if flag]
    assert texts
    assert all(text.startswith(prefixes) for text in texts)
    first, second = (random_steps(game, 1, 6, seed=seed).states for seed in (1, 2))
    assert (first[:, found] == second[:, found]).all()
    assert (first[:, ~found] != second[:, ~found]).any()


def test_a_step_counter_is_a_clock_and_what_moves_change_is_not() -> None:
    game = shared_game("coins")
    found = clockwork(game.circuit)
    texts = [text for text, flag in zip(game.fluents, found, strict=True) if flag]
    assert {text.split()[0] for text in texts} == {"(step"}
