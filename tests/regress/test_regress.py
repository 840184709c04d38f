"""Regression: what holds next, said about now; for joint moves and for single moves."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TypeAlias

import numpy as np
import pytest
import torch

from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError
from neurogame.gdl.library import library_names
from neurogame.graph.evaluate import holds
from neurogame.graph.graph import AND, Graph
from neurogame.graph.prune import needed
from neurogame.regress.regress import regress
from neurogame.regress.specialise import WIDTH, formulas_of_moves
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from tests.circuit.random_steps import Steps, flags_of, random_steps
from tests.conftest import shared
from tests.library import load as library_game
from tests.regress.goals import goals_of_moves, regressed_goals

FAST = (
    *("2pttc", "asteroids", "atariGoVariant_7x7", "biddingTicTacToe", "blocker", "bunk_t"),
    *("chineseCheckers2", "coins", "connectFourSimultaneous", "cubicup_3player", "dotsAndBoxes"),
    *("gt_dollar", "knightThrough", "nineBoardTicTacToe", "onestep", "pentago", "quarto"),
    *("stateSpaceSmall", "sum15", "tictactoe_3player", "wallmaze"),
)
Tree: TypeAlias = "str | tuple[str, frozenset[Tree]]"


@cache
def shared_game(name: str) -> Game:
    return Game.load(shared("games", f"{name}.kif"))


def state_formulas(circuit: Circuit) -> Graph:
    """Return all goals, terminal, and the legal moves, which may be state formulas, too."""
    return circuit.graph.with_outputs(
        np.concatenate([circuit.goal_literals, [circuit.terminal], circuit.legal])
    )


def mismatches(game: Game, steps: Steps) -> int:
    """Count where R[F](state, joint move) differs from F in the simulator's next state."""
    regressed = regress(game.circuit, state_formulas(game.circuit))
    now = holds(regressed, np.concatenate([steps.states, steps.does], axis=1))
    after = StateBatch.from_bool(torch.from_numpy(steps.following))
    derived = game.simulator().derive(after)
    parts = [derived.goal_flags, derived.terminal[:, None], derived.legal]
    return int((now != torch.cat(parts, dim=1).numpy()).sum())


@pytest.mark.parametrize("name", library_names())
def test_regression_foretells_random_steps_of_the_library(name: str) -> None:
    game = library_game(name)
    assert mismatches(game, random_steps(game, 32, 12, seed=1)) == 0


@pytest.mark.parametrize("name", FAST)
def test_regression_foretells_random_steps(name: str) -> None:
    game = shared_game(name)
    assert mismatches(game, random_steps(game, 32, 12, seed=2)) == 0


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "reversi"])
def test_regression_is_shared_not_expanded(name: str) -> None:
    circuit = library_game(name).circuit
    both = regress(circuit, state_formulas(circuit))
    # The formula's own gates over new inputs, and the gates of `next`.
    assert both.gate_count <= 2 * circuit.gate_count


def test_what_depends_on_moves_is_no_state_formula() -> None:
    circuit = library_game("tictactoe").circuit
    with pytest.raises(GameError, match="state formulas"):
        regress(circuit, circuit.graph.with_outputs(circuit.next))


def test_a_fluent_without_next_rules_is_false_next() -> None:
    game = Game.from_text(
        "(role r) (init (only first)) (init (stays on)) (legal r go) (<= (next (stays on)) "
        "(true (stays on))) (<= terminal (not (true (only first)))) (<= (goal r 100) "
        "(true (only first))) (<= (goal r 0) (not (true (only first))))",
        cache=False,
    )
    assert regressed_goals(game.circuit).outputs.tolist() == [0, 1]


def after_each_move(game: Game, steps: Steps, role: int, budget: int) -> int:
    """Compare every legal move's formula with the goals after it; return the comparisons."""
    circuit = game.circuit
    single = formulas_of_moves(circuit, regressed_goals(circuit, role), role, (), budget)
    offset = game.move_offsets[role]
    place = sum(len(pairs) for pairs in circuit.goals[:role])
    count = len(circuit.goals[role])
    row, move = np.nonzero(steps.legal[:, offset : offset + len(circuit.moves[role])])
    joint = steps.moves[row].copy()
    joint[:, role] = move
    states = StateBatch.from_bool(torch.from_numpy(steps.states[row]))
    after = game.simulator().step(states, torch.from_numpy(joint), check=False)
    expected = game.simulator().derive(after).goal_flags[:, place : place + count].numpy()
    does = flags_of(game, joint)
    if single.specialised:
        # No move of the role may matter any more.
        does[:, offset : offset + len(circuit.moves[role])] = False
    found = holds(single.graph, np.concatenate([steps.states[row], does], axis=1))
    index = np.arange(count) * len(circuit.moves[role]) + move[:, None]
    assert (np.take_along_axis(found, index, axis=1) == expected).all()
    assert single.specialised == (budget > 0)
    if single.specialised:
        assert single.graph.fan_in.max(initial=0) <= WIDTH
    return expected.size


@pytest.mark.parametrize("budget", [0, 10**7])
@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "breakthrough"])
def test_formulas_of_single_moves_look_one_ply_ahead(name: str, budget: int) -> None:
    game = library_game(name)
    steps = random_steps(game, 6, 12, seed=3)
    assert sum(after_each_move(game, steps, role, budget) for role in (0, 1)) > 100


@pytest.mark.parametrize("name", ["biddingTicTacToe", "pentago", "tictactoe_3player", "2pttc"])
def test_formulas_of_single_moves_with_several_movers(name: str) -> None:
    game = shared_game(name)
    steps = random_steps(game, 4, 10, seed=4)
    for role in range(len(game.roles)):
        assert after_each_move(game, steps, role, 10**7) > 0


def test_noops_of_others_are_known_but_for_the_own_noop() -> None:
    """F13: rule 2(c) does not hold where the role's move is its own noop."""
    game = library_game("tictactoe")
    circuit = game.circuit
    noops = [game.move_index(role, "noop") for role in game.roles]
    steps = random_steps(game, 16, 8, seed=5)
    for single in goals_of_moves(circuit, [[noop] for noop in noops]):
        role, other = single.role, 1 - single.role
        own, others = (game.move_offsets[r] for r in (role, other))
        moves = np.arange(len(circuit.moves[role]))
        for move in moves.tolist():
            part = single.of_moves(np.array([move]))
            read = needed(part)[1 + len(circuit.fluents) : circuit.input_count]
            assert not read[own : own + len(moves)].any()
            assert read[others : others + len(circuit.moves[other])].any() == (move == noops[role])
            replies = range(len(circuit.moves[other])) if move == noops[role] else [noops[other]]
            for reply in replies:
                joint = np.empty((len(steps.states), 2), np.int64)
                joint[:, role], joint[:, other] = move, reply
                inputs = np.concatenate([steps.states, flags_of(game, joint)], axis=1)
                expected = holds(regressed_goals(circuit, role), inputs)
                assert (holds(part, inputs) == expected).all()


def test_the_worked_example() -> None:
    """Formulas (2) to (7) of Trutman and Schiffel: mark(1,1) where only diagonals win."""
    cells = list(product("123", "123"))
    marks = " ".join(
        f"(<= (next (cell {m} {n} x)) (does xplayer (mark {m} {n})) (true (cell {m} {n} b)))"
        f"(<= (next (cell {m} {n} ?w)) (true (cell {m} {n} ?w)) (distinct ?w b))"
        f"(<= (next (cell {m} {n} b)) (true (cell {m} {n} b)) (not (does xplayer (mark {m} {n}))))"
        f"(init (cell {m} {n} b)) (<= (legal xplayer (mark {m} {n})) (true (cell {m} {n} b)))"
        for m, n in cells
    )
    game = Game.from_text(
        "(role xplayer) (<= terminal (goal xplayer 100))"
        "(<= (goal xplayer 100) (true (cell 1 1 x)) (true (cell 2 2 x)) (true (cell 3 3 x)))"
        "(<= (goal xplayer 100) (true (cell 1 3 x)) (true (cell 2 2 x)) (true (cell 3 1 x)))"
        + marks,
        cache=False,
    )
    circuit = game.circuit
    (single,) = goals_of_moves(circuit)
    names = ["false", *circuit.fluents]

    def tree(literal: int) -> Tree:
        graph, node = single.graph, literal >> 1
        assert literal & 1 == 0
        if node < len(names):
            return names[node]
        gate = node - graph.input_count
        below = [tree(x) for x in graph.inputs[graph.start[gate] : graph.start[gate + 1]]]
        kind = "and" if graph.kind[gate] == AND else "or"
        flat: list[Tree] = []
        for child in below:
            flat += child[1] if isinstance(child, tuple) and child[0] == kind else [child]
        return kind, frozenset(flat)

    def cell(m: int, n: int, content: str) -> str:
        return f"(cell {m} {n} {content})"

    found = tree(int(single.literals[0, game.move_index("xplayer", "(mark 1 1)")]))
    corner = ("or", frozenset({cell(1, 1, "b"), cell(1, 1, "x")}))
    one = ("and", frozenset({corner, cell(2, 2, "x"), cell(3, 3, "x")}))
    other = ("and", frozenset({cell(1, 3, "x"), cell(2, 2, "x"), cell(3, 1, "x")}))
    assert found == ("or", frozenset({one, other}))


def test_several_noops_of_a_role_stay_unknown() -> None:
    game = library_game("tictactoe")
    circuit = game.circuit
    role, other = 0, 1
    waiting = [game.move_index(game.roles[other], "noop"), 0]
    noops = [[game.move_index(game.roles[role], "noop")], waiting]
    single = goals_of_moves(circuit, noops)[role]
    move = next(i for i in range(len(circuit.moves[role])) if i not in noops[role])
    read = needed(single.of_moves(np.array([move])))[1 + len(circuit.fluents) :]
    places = game.move_offsets[other] + np.arange(len(circuit.moves[other]))
    assert set(np.flatnonzero(read[places]).tolist()) <= set(waiting)
    steps = random_steps(game, 8, 6, seed=6)
    for reply in waiting:
        joint = np.empty((len(steps.states), 2), np.int64)
        joint[:, role], joint[:, other] = move, reply
        inputs = np.concatenate([steps.states, flags_of(game, joint)], axis=1)
        expected = holds(regressed_goals(circuit, role), inputs)
        assert (holds(single.of_moves(np.array([move])), inputs) == expected).all()
