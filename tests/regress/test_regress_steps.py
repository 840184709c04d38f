"""Regression by several steps, against trying all moves."""

from __future__ import annotations

import numpy as np
import pytest

from neurogame.analysis.analyse import analyse
from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError, LimitError
from neurogame.graph.evaluate import holds
from neurogame.graph.prune import needed
from neurogame.regress.regress_steps import formulas_in_steps
from tests.circuit.random_steps import random_steps
from tests.library import load as library_game
from tests.regress.goals import goals_of_moves
from tests.regress.look_ahead import values_of_moves
from tests.regress.test_regress import shared_game

SMALL = (
    *[("tictactoe", 2), ("tictactoe", 3), ("sum15", 2), ("connectFourSimultaneous", 1)],
    *[("tictactoe_3player", 1), ("coins", 3), ("gt_dollar", 2), ("stateSpaceSmall", 3)],
    *[("biddingTicTacToe", 1), ("kitten_escapes_from_fire", 2)],
)


def goals_of(circuit: Circuit, role: int) -> np.ndarray:
    return np.array([literal for _, literal in circuit.goals[role]], np.int64)


@pytest.mark.parametrize(("name", "plies"), SMALL)
def test_formulas_in_steps_are_what_trying_all_moves_finds(name: str, plies: int) -> None:
    game = library_game(name) if name == "tictactoe" else shared_game(name)
    circuit, analysis = game.circuit, analyse(game.circuit)
    states = random_steps(game, 2, 7, seed=plies).states
    compared, reached = 0, set()
    for role in range(len(game.roles)):
        found = formulas_in_steps(circuit, goals_of(circuit, role), role, plies, analysis)
        read = needed(found.of_moves(np.arange(len(game.moves[role]))))
        assert not read[1 + len(game.fluents) : circuit.input_count].any()
        inputs = np.concatenate(
            [states, np.zeros((len(states), circuit.move_count), np.bool_)], axis=1
        )
        row, move, expected = values_of_moves(game, role, states, plies)
        values = holds(found.graph, inputs).reshape(len(inputs), *found.literals.shape)
        assert (values[row, :, move] == expected).all()
        compared += len(row)
        reached |= set(expected.reshape(-1).tolist())
    assert compared > 20
    assert reached == {False, True}


def test_unknown_moves_of_others_count_as_the_noops_say() -> None:
    """One step with unknown others is the paper's formula; alone, nobody is unknown."""
    circuit = library_game("tictactoe").circuit
    analysis = analyse(circuit)
    inputs = np.random.default_rng(1).random((200, circuit.input_count - 1)) < 0.4
    inputs[:, np.flatnonzero(analysis.never)] = False
    inputs[:, np.flatnonzero(analysis.always)] = True
    for single in goals_of_moves(circuit, analysis.noops):
        literals = goals_of(circuit, single.role)
        found = formulas_in_steps(circuit, literals, single.role, 1, analysis, others="unknown")
        assert (holds(found.graph, inputs) == holds(single.graph, inputs)).all()


def test_without_others_nothing_is_unknown() -> None:
    game = shared_game("coins")
    analysis = analyse(game.circuit)
    states = random_steps(game, 4, 4, seed=3).states
    inputs = np.concatenate([states, np.zeros((len(states), game.circuit.move_count), bool)], 1)
    literals = goals_of(game.circuit, 0)
    least, unknown = (
        formulas_in_steps(game.circuit, literals, 0, 3, analysis, others=others)
        for others in ("least", "unknown")
    )
    found = holds(unknown.graph, inputs)
    assert (found == holds(least.graph, inputs)).all()
    assert found.any()


def test_own_threats_are_found_where_the_reply_is_unknown() -> None:
    """Three plies of tic-tac-toe: with two lines open, and a reply that is not foreseen."""
    game = library_game("tictactoe")
    circuit, analysis = game.circuit, analyse(game.circuit)
    marks = {(1, 1): "x", (3, 3): "x", (2, 2): "o", (1, 2): "o"}
    cells = [f"(cell {m} {n} {marks.get((m, n), 'b')})" for m in range(1, 4) for n in range(1, 4)]
    state = game.state([*cells, f"(control {game.roles[0]})"]).fluents.numpy()
    inputs = np.concatenate([state, np.zeros(circuit.move_count, np.bool_)])[None]
    literals = goals_of(circuit, 0)[:1]
    held = {}
    for others in ("least", "unknown"):
        found = formulas_in_steps(circuit, literals, 0, 3, analysis, others=others)
        values = holds(found.graph, inputs).reshape(found.literals.shape)[0]
        held[others] = {
            move for move, value in zip(game.moves[0], values, strict=True) if value
        } - {"noop"}
    # Only the fork wins whatever the other does; it must stop a threat of the other's, too.
    assert "(mark 3 1)" in held["unknown"]
    assert held["least"] < held["unknown"]


@pytest.mark.parametrize(
    ("steps", "others", "budget", "error", "message"),
    [
        (0, "least", 10**6, ConfigurationError, "at least 1 step"),
        (1, "kind", 10**6, ConfigurationError, "choose one of least, unknown"),
        (2, "least", 100, LimitError, "fewer steps"),
        (2, "unknown", 100, LimitError, "fewer steps"),
    ],
)
def test_what_cannot_be_made_is_refused(
    steps: int, others: str, budget: int, error: type[Exception], message: str
) -> None:
    circuit = library_game("tictactoe").circuit
    with pytest.raises(error, match=message):
        formulas_in_steps(
            circuit, goals_of(circuit, 0), 0, steps, analyse(circuit), others=others, budget=budget
        )
