"""The kernel against the circuit gate by gate, on the games of the library."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from neurogame.kernels.twin import gates
from neurogame.kernels.words.pack import unpack
from neurogame.simulate.game import Game
from neurogame.simulate.simulator import Simulator
from neurogame.simulate.states import StateBatch
from tests.circuit.evaluate import evaluate_circuit
from tests.kernels.twin.random_circuits import one_hot, random_moves

GAMES = ["bidding_tictactoe", "connectfour_simultaneous", "hex5", "reversi6", "rockpaperscissors"]
SIZES = [1, 63, 64, 65, 200]


def compare(simulator: Simulator, size: int, rng: np.random.Generator) -> None:
    """Compare all outputs on sets of fluents of all densities, reachable or not."""
    circuit = simulator.circuit
    flags = rng.random((size, len(circuit.fluents))) < rng.random((size, 1))
    moves = random_moves(circuit, size, rng)
    expected = evaluate_circuit(circuit, flags, one_hot(circuit, moves))
    states = StateBatch.from_bool(torch.from_numpy(flags))
    derived = simulator.derive(states)
    np.testing.assert_array_equal(derived.legal.numpy(), expected.legal)
    np.testing.assert_array_equal(derived.terminal.numpy(), expected.terminal)
    names = [(r, v) for r, own in zip(circuit.roles, circuit.goals, strict=True) for v, _ in own]
    for row, held in zip(derived.goal_flags.tolist(), expected.goals, strict=True):
        assert {name for name, flag in zip(names, row, strict=True) if flag} == held
    following = simulator.step(states, torch.from_numpy(moves), check=False)
    kept = np.where(expected.terminal[:, None], flags, expected.next)
    np.testing.assert_array_equal(following.to_bool().numpy(), kept)
    unused = unpack(following.words, 64 * following.words.shape[1])[size:]
    assert not bool(unused.any()), "lanes beyond the batch are not zero"


@pytest.mark.parametrize("name", GAMES)
def test_library_games(name: str) -> None:
    simulator = Game.load(name).simulator()
    rng = np.random.default_rng(3)
    for size in SIZES:
        compare(simulator, size, rng)


def test_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    simulator = Simulator(Game.load("bidding_tictactoe").circuit)
    monkeypatch.setattr(gates, "_BLOCK_BYTES", 0)
    monkeypatch.setattr(gates, "_LEAST_WORDS", 2)
    rng = np.random.default_rng(4)
    for size in (128, 129, 300):
        compare(simulator, size, rng)
