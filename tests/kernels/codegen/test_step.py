"""Compiled evaluation of given states against plain torch and against recorded matches."""

from __future__ import annotations

import pytest
import torch

from neurogame.circuit.circuit import Circuit
from neurogame.kernels.codegen.step import LlvmStep
from neurogame.kernels.step import GOALS, NEXT, STATUS
from neurogame.kernels.twin.torch_ply import TorchPly
from neurogame.kernels.words.pack import pack_one_hot
from neurogame.simulate.game import Game
from neurogame.simulate.replay import replay
from neurogame.simulate.trace_backends import CircuitBackend
from tests.conftest import shared

LIBRARY = ["tictactoe", "bidding_tictactoe", "tictactoe4p", "pegs", "breakthrough6"]
RECORDED = ["ticTacToe", "blocker", "chineseCheckers2", "ghostMaze2p", "pentago"]


SHARING = ["stateSpaceLarge", "duplicateStateLarge", "pacman3p"]
"""Gates of the status and of the next state are the same, and goals read them, too."""


@pytest.mark.parametrize("variant", ["straight", "table"])
@pytest.mark.parametrize("name", LIBRARY)
def test_any_state_and_moves_are_evaluated_as_plain_torch_does(name: str, variant: str) -> None:
    _compare(Game.load(name).circuit, variant)


@pytest.mark.parametrize("name", SHARING)
def test_gates_of_several_parts_keep_their_cells(name: str) -> None:
    _compare(Game.load(shared("games", f"{name}.kif")).circuit, "straight")


def _compare(circuit: Circuit, variant: str) -> None:
    """Compare compiled code with plain torch on states and moves of any kind."""
    ply, compiled = TorchPly(circuit), LlvmStep(circuit, variant)
    generator = torch.Generator().manual_seed(4)
    for width in (1, 9, 40):
        shape = (len(circuit.fluents), width)
        words = torch.randint(-(2**63), 2**63 - 1, shape, generator=generator)
        moves = [
            torch.randint(len(own), (64 * width,), generator=generator) for own in circuit.moves
        ]
        chosen = torch.stack(moves, dim=1) + torch.tensor(ply.move_offsets[:-1])
        does = pack_one_hot(chosen, circuit.move_count)
        expected = ply.run(words, (STATUS, GOALS, NEXT), does)
        found = compiled.run(words, (STATUS, GOALS, NEXT), does)
        assert all(torch.equal(*pair) for pair in zip(found, expected, strict=True))
        assert torch.equal(compiled.run(words, (GOALS,))[0], expected[1])


@pytest.mark.parametrize("backend", ["llvm-straight", "llvm-table"])
@pytest.mark.parametrize("name", RECORDED)
def test_recorded_matches_are_replayed(name: str, backend: str) -> None:
    game = Game.load(shared("games", f"{name}.kif"))
    report = replay(shared("traces", f"{name}.jsonl.gz"), CircuitBackend(game, backend=backend))
    assert report.states > 0
    assert report.mismatches == 0


def test_no_words_at_all() -> None:
    circuit = Game.load("tictactoe").circuit
    none = torch.zeros((len(circuit.fluents), 0), dtype=torch.int64)
    status, goals = LlvmStep(circuit).run(none, (STATUS, GOALS))
    assert status.shape == (circuit.move_count + 1, 0)
    assert goals.shape == (sum(map(len, circuit.goals)), 0)
