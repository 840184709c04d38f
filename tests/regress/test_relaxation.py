"""The relaxed game covers what can happen; partial evaluation with three truth values."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
import torch

from neurogame.errors import GameError
from neurogame.graph.evaluate import holds
from neurogame.graph.graph import AND, FALSE, OR, TRUE, Graph
from neurogame.graph.prune import needed
from neurogame.graph.rewrite import rewrite
from neurogame.graph.store import GateStore
from neurogame.regress.relaxation import relaxed
from neurogame.search.puzzles.outlook import Outlook
from neurogame.simulate.game import Game, State
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch
from tests.circuit.by_hand import graph_of
from tests.conftest import shared

PUZZLES = ["futoshiki6", "hidato19", "nonogram_5x5_1", "queens", "wargame01", "firefighter"]


def _random_game(game: Game, seed: int) -> tuple[list[State], list[int]]:
    """Return the states of a random game and its moves."""
    random = np.random.default_rng(seed)
    states, moves = [game.initial_state()], []
    while not states[-1].is_terminal and states[-1].legal_moves[0]:
        moves.append(int(random.choice(states[-1].legal_moves[0])))
        states.append(states[-1].next([moves[-1]]))
    return states, moves


@pytest.mark.parametrize("name", PUZZLES)
def test_no_game_comes_to_more_or_makes_other_moves(name: str) -> None:
    game = Game.load(shared("games", f"{name}.kif"))
    outlook = Outlook(game.circuit)
    for seed in range(3):
        states, moves = _random_game(game, seed)
        batch = StateBatch.from_bool(torch.stack([state.fluents for state in states[:-1]]))
        goals, numbers = outlook.of(batch)
        assert (goals >= int(states[-1].goals[0] or 0)).all()
        later = [len(set(moves[place:])) for place in range(len(moves))]
        assert (numbers >= later).all()


@pytest.mark.parametrize("name", PUZZLES)
def test_a_relaxed_step_covers_all_steps(name: str) -> None:
    game = Game.load(shared("games", f"{name}.kif"))
    simulator = game.simulator()
    wide = Simulator(relaxed(game.circuit))
    states, _ = _random_game(game, 7)
    for state in states[:-1]:
        held = state.fluents
        start = StateBatch.from_bool(torch.cat([held, ~held])[None])
        step = wide.step(start, torch.zeros((1, 1), dtype=torch.int64), check=False).to_bool()[0]
        after = simulator.children(state.batch).states.to_bool()
        can, fails = step[: len(held)], step[len(held) :]
        assert torch.equal(can, held | after.any(dim=0))
        assert torch.equal(fails, ~held | (~after).any(dim=0))


def test_a_cell_without_digits_is_found() -> None:
    game = Game.load(shared("games", "futoshiki6.kif"))
    outlook = Outlook(game.circuit)
    states = _filled(game)
    goals, _ = outlook.of(StateBatch.from_bool(torch.stack([state.fluents for state in states])))
    assert goals[0] == 100
    assert goals[-1] == 0
    for state, goal in zip(states, goals.tolist(), strict=True):
        assert goal == 0 or not _blocked(game, state)


def _filled(game: Game) -> list[State]:
    """Return states in which one cell after the other is filled at random, while that goes."""
    random = np.random.default_rng(1)
    leaving = game.move_index("robot", "quit")
    states = [game.initial_state()]
    while moves := [move for move in states[-1].legal_moves[0] if move != leaving]:
        states.append(states[-1].next([int(random.choice(moves))]))
    return states


def _blocked(game: Game, state: State) -> set[str]:
    """Return the blank cells for which no digit is left."""
    texts = [game.moves[0][move] for move in state.legal_moves[0]]
    open_ = {" ".join(text.split()[1:3]) for text in texts if text.startswith("(place")}
    blank = {" ".join(t.split()[1:3]) for t in state.fluent_texts if t.endswith("blank)")}
    return blank - open_


def test_several_roles_are_refused() -> None:
    with pytest.raises(GameError, match="2 roles cannot be relaxed"):
        relaxed(Game.load("tictactoe").circuit)


def test_another_relaxed_game_has_another_key() -> None:
    one, other = (relaxed(Game.load(name).circuit) for name in ("pegs", "lightsout"))
    assert one.key != other.key
    assert relaxed(Game.load("pegs").circuit).key == one.key


INPUTS = 3


def all_small_formulas() -> Graph:
    """Return every formula of two levels of binary gates over three inputs and their negations."""
    literals = range(2, 2 + 2 * INPUTS)
    low = [(k, pair) for k in (AND, OR) for pair in combinations(literals, 2)]
    first = 1 + INPUTS
    inner = [2 * (first + g) + sign for g in range(len(low)) for sign in (0, 1)]
    high = [(k, pair) for k in (AND, OR) for pair in combinations([*literals, *inner], 2)]
    gates = low + high
    kinds, rows = [kind for kind, _ in gates], [pair for _, pair in gates]
    return graph_of(first, kinds, rows, 2 * (first + np.arange(len(gates))))


def kleene(formulas: Graph, known: np.ndarray) -> np.ndarray:
    """Return the truth of each formula, 0, 1/2 or 1, by the strong three-valued logic."""
    values = np.zeros(formulas.node_count)
    values[1 : formulas.input_count] = known
    for gate in range(formulas.gate_count):
        read = formulas.inputs[formulas.start[gate] : formulas.start[gate + 1]]
        below = np.where(read & 1, 1 - values[read >> 1], values[read >> 1])
        combine = np.min if formulas.kind[gate] == AND else np.max
        values[formulas.input_count + gate] = combine(below)
    found: np.ndarray = values[formulas.outputs >> 1]
    return found


def test_partial_evaluation_is_exact_on_all_small_formulas() -> None:
    formulas = all_small_formulas()
    everything = np.array(list(product([False, True], repeat=INPUTS)))
    for known in product([0.0, 0.5, 1.0], repeat=INPUTS):
        leaves = 2 * np.arange(formulas.input_count)
        for place, value in enumerate(known, 1):
            leaves[place] = {0.0: FALSE, 0.5: leaves[place], 1.0: TRUE}[value]
        store = GateStore(formulas.input_count)
        literals = rewrite(formulas, leaves, store)
        partly = store.graph(literals)
        unknown = np.array(known) == 0.5
        assert not needed(partly)[1 : formulas.input_count][~unknown].any()
        completed = np.where(unknown, everything, np.array(known) == 1)
        assert (holds(partly, everything) == holds(formulas, completed)).all()
        # What three-valued logic decides has become a constant.
        decided = kleene(formulas, np.array(known))
        assert (literals[decided == 0] == FALSE).all()
        assert (literals[decided == 1] == TRUE).all()
