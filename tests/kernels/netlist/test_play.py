"""Play netlists against their circuits on reachable states."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.analysis.random_play import WordEvaluator
from neurogame.analysis.state_space import enumerate_states
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from neurogame.graph.lanes import pack_lanes
from neurogame.kernels.netlist.build import build_play
from neurogame.kernels.netlist.facts import find_facts
from neurogame.kernels.netlist.ply import Section
from tests.conftest import shared
from tests.kernels.netlist.checking import check_form, check_play, played_words
from tests.kernels.netlist.small_circuits import named_circuit

LIBRARY = [
    *("bidding_tictactoe", "checkers6", "connectfour_simultaneous", "eightpuzzle", "nim"),
    *("rockpaperscissors", "tictactoe4p", "pursuit", "painters", "arrows4"),
]
SHARED = [
    *("blocker", "breakthroughSmall", "chineseCheckers2", "ghostMaze2p", "pentago"),
    *("sheepAndWolf", "tictactoe_3player", "pacman3p"),
]


def check_game(circuit: Circuit, *, moves: bool, samples: int = 5) -> None:
    """Compare the play netlist of a game with its circuit in random games."""
    facts = find_facts(circuit)
    ply = build_play(circuit, facts, moves=moves)
    check_form(ply)
    random = np.random.default_rng(5)
    states = [state for state, _ in played_words(circuit, seed=2, words=2, plies=60)]
    for state in states[:: max(len(states) // samples, 1)]:
        check_play(circuit, facts, ply, state, random)


@pytest.mark.parametrize("name", LIBRARY)
def test_library_games(name: str) -> None:
    check_game(compile_rules(load_rules(name)), moves=True)


@pytest.mark.parametrize("name", SHARED)
def test_shared_games(name: str) -> None:
    path = shared("games", f"{name}.kif")
    check_game(compile_rules(load_rules(str(path))), moves=False)


@given(st.integers(0, 2**32), st.integers(0, 60), st.booleans())
def test_all_reachable_states_of_random_circuits(seed: int, gates: int, moves: bool) -> None:
    circuit = named_circuit(seed, gates)
    space = enumerate_states(WordEvaluator(circuit), states=1 << 10, steps=1 << 20, work=1 << 30)
    assert space is not None
    facts = find_facts(circuit)
    ply = build_play(circuit, facts, moves=moves)
    check_form(ply)
    random = np.random.default_rng(seed)
    # Padding lanes repeat the last state: a reachable one.
    count = -(-len(space.states) // 64) * 64
    states = space.states[np.minimum(np.arange(count), len(space.states) - 1)]
    for _ in range(3):
        check_play(circuit, facts, ply, pack_lanes(states.T), random)


def test_all_reachable_states_of_tic_tac_toe() -> None:
    """Every state with every rank that can be drawn in it."""
    circuit = compile_rules(load_rules("tictactoe"))
    space = enumerate_states(WordEvaluator(circuit), states=10_000, steps=100_000, work=1 << 30)
    assert space is not None
    assert len(space.states) == 5478
    facts = find_facts(circuit)
    ply = build_play(circuit, facts, moves=True)
    assert [choice.roles for choice in ply.choices] == [(0, 1)]
    number = np.concatenate([np.arange(len(space.states)), np.zeros(26, np.int64)])
    states = pack_lanes(space.states[number].T)
    for rank in range(9):
        check_play(circuit, facts, ply, states, _Fixed((rank + 0.5) / 9))


class _Fixed(np.random.Generator):
    """Draws the same number in every lane."""

    def __init__(self, value: float) -> None:
        super().__init__(np.random.PCG64(0))
        self.value = value

    def random(self, size: object = None, **_: object) -> np.ndarray:  # type: ignore[override]
        return np.full(size, self.value)  # type: ignore[call-overload,no-any-return]


def test_sections_of_a_turn_taking_game() -> None:
    """Two roles that take turns share one choice, and the gates stay few."""
    circuit = compile_rules(load_rules("tictactoe"))
    ply = build_play(circuit, find_facts(circuit))
    assert ply.netlist.gate_count <= 185
    assert len(ply.gates(Section.DESCEND)) > 0
    assert len(ply.legal) == len(ply.does) == 0
