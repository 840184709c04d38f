"""Step netlists in Triton: what the circuit derives from states of games and given moves."""

from __future__ import annotations

from itertools import accumulate

import pytest
import torch
from torch import Tensor

from neurogame.circuit.netlist.build import build_step
from neurogame.kernels.pack import lane_mask, pack_one_hot, unpack
from neurogame.kernels.random_words import RandomWords
from neurogame.kernels.step import GOALS
from neurogame.kernels.torch_playout import TorchPlayouts
from neurogame.kernels.triton.steps import TritonSteps
from neurogame.simulate.game import Game
from neurogame.simulate.replay import replay
from neurogame.simulate.simulator import Derived, Simulator
from neurogame.simulate.states import StateBatch
from neurogame.simulate.trace_backends import CircuitBackend
from tests.conftest import shared


@pytest.mark.parametrize("name", ["tictactoe", "bidding_tictactoe"])
def test_states_of_random_games(name: str) -> None:
    circuit = Game.load(name).circuit
    player = TorchPlayouts(circuit)
    steps = TritonSteps(build_step(circuit), "cpu")
    parts = [
        player.finish(player.ply.initial.repeat(1, 12), torch.arange(12), 3, steps=made).words
        for made in (0, 2, 5)
    ]
    words = torch.cat(parts, dim=1)
    look = player.look(words)
    random = RandomWords(4, torch.arange(words.shape[1]))
    moves, following = player.move(look, ~look.terminal & ~look.stuck, random, 0)
    moves = moves.clone()
    goals = player.look(words).space.run(GOALS)
    found = steps.evaluate(words, moves)
    going = ~look.terminal & ~look.stuck
    assert torch.equal(found.legal, look.legal)
    assert torch.equal(found.terminal, look.terminal)
    assert torch.equal(found.goals, goals)
    assert torch.equal(found.next & going, following & going)


class StepSimulator:
    """What replaying a trace wants of a simulator, computed by the step netlist."""

    def __init__(self, simulator: Simulator) -> None:
        circuit = simulator.circuit
        self.initial = simulator.initial
        self.offsets = list(accumulate((len(own) for own in circuit.moves), initial=0))
        self.steps = TritonSteps(build_step(circuit), "cpu")

    def derive(self, states: StateBatch) -> Derived:
        none = states.words.new_zeros(self.offsets[-1], states.words.shape[1])
        found, size = self.steps.evaluate(states.words, none), len(states)
        terminal = unpack(found.terminal[None], size)[:, 0]
        return Derived(unpack(found.legal, size), terminal, unpack(found.goals, size))

    def step(self, states: StateBatch, moves: Tensor, *, check: bool) -> StateBatch:
        rows = moves + torch.tensor(self.offsets[:-1])
        found = self.steps.evaluate(states.words, pack_one_hot(rows, self.offsets[-1]))
        return StateBatch(found.next & lane_mask(len(states)), len(states))


@pytest.mark.parametrize("name", ["ticTacToe", "connectFour"])
def test_traces_are_replayed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, trace = shared("games", f"{name}.kif"), shared("traces", f"{name}.jsonl.gz")
    game = Game.load(rules)
    backend = CircuitBackend(game)
    monkeypatch.setattr(backend, "_simulator", StepSimulator(game.simulator()))
    report = replay(trace, backend, batch=100_000)
    assert report.states > 10
    assert report.mismatches == 0
