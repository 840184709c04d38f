"""Step netlists equal their circuits, wherever every role makes one move."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.circuit.compile import compile_rules
from neurogame.gdl.library import load_rules
from neurogame.graph.lanes import pack_lanes
from neurogame.kernels.netlist.build import build_step
from tests.kernels.netlist.checking import check_form, check_step
from tests.kernels.netlist.small_circuits import every_joint_move, every_state, named_circuit
from tests.kernels.twin.random_circuits import one_hot, random_moves

GAMES = ["breakthrough6", "connectfour_simultaneous", "rockpaperscissors", "eightpuzzle", "hex5"]


@given(st.integers(0, 2**32), st.integers(0, 60))
def test_small_circuits_exhaustively(seed: int, gates: int) -> None:
    circuit = named_circuit(seed, gates)
    states, moves = every_state(circuit), every_joint_move(circuit)
    ply = build_step(circuit)
    check_form(ply)
    if len(states) * len(moves) > 1 << 14:
        moves = moves[np.random.default_rng(seed).integers(0, len(moves), 200)]
    both = np.repeat(states, len(moves), axis=0), np.tile(moves, (len(states), 1))
    # In every lane of the last word, too, each role makes one move.
    lanes = np.arange(-(-len(both[0]) // 64) * 64) % len(both[0])
    check_step(circuit, ply, *(pack_lanes(part[lanes].T) for part in both))


@pytest.mark.parametrize("name", GAMES)
def test_games_on_states_reachable_or_not(name: str) -> None:
    circuit = compile_rules(load_rules(name))
    ply = build_step(circuit)
    check_form(ply)
    rng = np.random.default_rng(1)
    states = rng.random((512, len(circuit.fluents))) < rng.random((512, 1))
    moves = one_hot(circuit, random_moves(circuit, 512, rng))
    check_step(circuit, ply, pack_lanes(states.T), pack_lanes(moves.T))


def test_the_result_is_the_same_every_time() -> None:
    circuit = compile_rules(load_rules("breakthrough6"))
    one, other = build_step(circuit), build_step(circuit)
    assert (one.netlist.table == other.netlist.table).all()
    assert (one.netlist.inputs == other.netlist.inputs).all()
