"""Regression by one and more steps, and action formulas: what holds next, said about now."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TypeAlias

import numpy as np
import pytest
import torch

from neurogame.analysis.analyse import AnalysisLimits, GameAnalysis, analyse
from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError, GameError, LimitError
from neurogame.gdl.library import library_names
from neurogame.graph.evaluate import holds
from neurogame.graph.graph import AND, Graph
from neurogame.graph.prune import needed
from neurogame.regress.action_formulas import action_formulas
from neurogame.regress.clockwork import clockwork
from neurogame.regress.regress import regress
from neurogame.regress.regress_steps import formulas_in_steps
from neurogame.regress.specialise import WIDTH, formulas_of_moves
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from tests.circuit.random_steps import Steps, flags_of, random_steps
from tests.conftest import shared
from tests.library import load as library_game
from tests.regress.goals import goals_of_moves, regressed_goals
from tests.regress.look_ahead import values_of_moves

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


SMALL = (
    *[("tictactoe", 2), ("tictactoe", 3), ("sum15", 2), ("connectFourSimultaneous", 1)],
    *[("tictactoe_3player", 1), ("coins", 3), ("gt_dollar", 2), ("stateSpaceSmall", 3)],
    *[("biddingTicTacToe", 1), ("kitten_escapes_from_fire", 2)],
)


def goals_of(circuit: Circuit, role: int) -> np.ndarray:
    return np.array([literal for _, literal in circuit.goals[role]], np.int64)


BOTH_MUST_ACT = """
    (role a) (role b) (init (phase choice))
    (<= (legal a x) (true (phase choice))) (<= (legal a y) (true (phase choice)))
    (<= (legal b noop) (true (phase choice)))
    (<= (legal b x) (true (phase reply))) (<= (legal b y) (true (phase reply)))
    (<= (legal a noop) (true (phase reply)))
    (<= (legal a push) (true (phase forced))) (<= (legal b pull) (true (phase forced)))
    (<= (next (phase reply)) (true (phase choice)))
    (<= (next (phase forced)) (true (phase reply)))
    (<= (next (phase done)) (true (phase forced)))
    (<= (next (won a)) (does a push) (does b noop))
    (<= (next (won b)) (does a push) (does b pull))
    (<= terminal (true (phase done)))
    (<= (goal ?r 100) (role ?r) (true (won ?r)))
    (<= (goal ?r 0) (role ?r) (not (true (won ?r))))
"""
"""In turns, but for an end in which both roles have one move, and that is no noop."""


@pytest.mark.parametrize("plies", [1, 2, 3])
def test_formulas_in_steps_foresee_what_several_roles_must_do(plies: int) -> None:
    game = Game.from_text(BOTH_MUST_ACT, cache=False)
    for limits in (AnalysisLimits(), AnalysisLimits(states=0)):
        analysis = analyse(game.circuit, limits=limits)
        assert analysis.turn_taking.holds
        assert not analysis.one_acts.holds
        assert compare_with_all_moves(game, analysis, plies) > 20


@pytest.mark.parametrize(("name", "plies"), SMALL)
def test_formulas_in_steps_are_what_trying_all_moves_finds(name: str, plies: int) -> None:
    game = library_game(name) if name == "tictactoe" else shared_game(name)
    assert compare_with_all_moves(game, analyse(game.circuit), plies) > 20


def compare_with_all_moves(game: Game, analysis: GameAnalysis, plies: int) -> int:
    """Compare formulas with what trying all moves finds; return the number of comparisons."""
    circuit = game.circuit
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
    assert reached == {False, True}
    return compared


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
