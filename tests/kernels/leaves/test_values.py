"""Evaluators in compiled searches have the values of their torch modules, and fail aloud."""

from __future__ import annotations

import copy
import threading
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from neurogame.circuit.circuit import Circuit
from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.graph.lanes import pack_lanes
from neurogame.judges.states import CALLBACK, NONE, PROGRAM, evaluate
from neurogame.kernels.leaves.evaluator import SearchEvaluator
from neurogame.kernels.neural.backend import VARIABLE
from neurogame.native.compiled import compiled
from neurogame.simulate.game import Game
from neurogame.simulate.samples import sample_states
from tests.conftest import shared
from tests.evaluators.hand_made import random_circuit, random_states, red_line_circuit

KINDS = ("cilp", "cilp-paper", "fuzzy", "fluxplayer", "mlp")
COUNTS = (1, 2, 7, 17, 33, 63, 64, 65, 200)


@compiled
def from_compiled_code(values: Any, states: Any, lanes: Any, count: int, out: Any) -> bool:
    """Stands in for a search."""
    evaluate(values, states, lanes, count, out)
    return bool(values.failed != 0)


def packed(flags: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return states as packed rows and as lane words whose unused lanes are ones."""
    size, fluents = flags.shape
    lanes = np.ones((fluents, 64 * (-(-size // 64) + 2)), np.uint8)
    lanes[:, :size] = flags.T
    return pack_lanes(flags), np.packbits(lanes, axis=1, bitorder="little").view(np.int64)


def valued(port: SearchEvaluator, flags: np.ndarray, count: int, *, rows: bool) -> np.ndarray:
    """Return the values of the first states, and check that nothing else is written."""
    states, lanes = packed(flags)
    if rows:
        lanes = lanes[:, :0].copy()
    out = np.full((len(flags), port.roles), -7, np.float32)
    assert not from_compiled_code(port.values, states, lanes, count, out)
    assert (out[count:] == -7).all()
    return out[:count]


def check(evaluator: Evaluator, circuit: Circuit, flags: np.ndarray, kind: int) -> None:
    """Compare all ways with the torch module, which the environment variable asks for."""
    with pytest.MonkeyPatch.context() as patch, torch.no_grad():
        patch.setenv(VARIABLE, "torch")
        wanted = evaluator(torch.from_numpy(flags)).numpy()
        patch.setenv(VARIABLE, "auto")
        port = SearchEvaluator(evaluator, circuit)
        assert port.kind == kind
        for count in (n for n in COUNTS if n <= len(flags)):
            for rows in (False, True):
                found = valued(port, flags, count, rows=rows)
                assert np.abs(found - wanted[:count]).max() <= 1e-5
        patch.setenv(VARIABLE, "torch")
        port.refresh()
        assert port.kind == CALLBACK
        assert np.abs(valued(port, flags, 70, rows=False) - wanted[:70]).max() <= 1e-6


def moved(evaluator: Evaluator) -> Evaluator:
    """Return the evaluator with weights moved about."""
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in evaluator.parameters():
            size = 0.1 * float(parameter.abs().mean())
            parameter.add_(size * torch.randn(parameter.shape, generator=generator))
    return evaluator


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "neurons"),
    [
        *(("connectFour", 10**6), ("connectFour", 12), ("breakthrough", 10**6)),
        *(("chineseCheckers3", 10**6), ("connectFourSimultaneous", 10**6)),
    ],
)
def test_shared_games(kind: str, name: str, neurons: int) -> None:
    check_game(Game.load(shared("games", f"{name}.kif")), kind, neurons)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "neurons"), [("reversi6", 400), ("hex5", 200)])
def test_goals_with_redirected_leaves(kind: str, name: str, neurons: int) -> None:
    check_game(Game.load(name), kind, neurons)


def check_game(game: Game, kind: str, neurons: int) -> None:
    flags = sample_states(game.simulator(), 200, seed=1).to_bool().numpy()
    config = EvaluatorConfig(kind=kind, neurons=neurons)
    evaluator = moved(make_evaluator(game, config, seed=3))
    if isinstance(evaluator, GoalNetworks):
        assert (evaluator.reasoner.count > 0) == (neurons < 10**6)
    check(evaluator, game.circuit, flags, CALLBACK if kind in ("fuzzy", "mlp") else PROGRAM)


@pytest.mark.parametrize("fluents", [5, 63, 64, 65, 130])
def test_any_number_of_fluents(fluents: int) -> None:
    for kind in ("cilp-paper", "fluxplayer"):
        circuit = random_circuit(fluents, fluents, 30, 7)
        flags = random_states(130, fluents, 2)
        for neurons in (8, 1000):
            evaluator = make_evaluator(circuit, EvaluatorConfig(kind=kind, neurons=neurons))
            check(evaluator, circuit, flags, PROGRAM)


def test_no_evaluator() -> None:
    circuit = random_circuit(1)
    port = SearchEvaluator(None, circuit)
    assert port.kind == NONE
    assert (valued(port, random_states(9, 8, 1), 5, rows=False) == 0.5).all()


def test_searches_are_compiled_once_for_all_evaluators() -> None:
    circuit = random_circuit(1)
    flags = random_states(70, 8, 1)
    evaluators = [make_evaluator(circuit, kind) for kind in KINDS]
    for evaluator in [None, *evaluators]:
        valued(SearchEvaluator(evaluator, circuit), flags, 70, rows=False)
    compiled_code: Any = from_compiled_code
    assert len(compiled_code.signatures) == 1


def test_new_weights_are_taken_by_refreshing() -> None:
    circuit = random_circuit(1, fluents=12, gates=20)
    flags = random_states(70, 12, 1)
    evaluator = make_evaluator(circuit, "cilp")
    port = SearchEvaluator(evaluator, circuit)
    before = valued(port, flags, 70, rows=False)
    values = port.values
    moved(evaluator)
    assert np.array_equal(valued(port, flags, 70, rows=False), before)
    port.refresh()
    assert port.values is values
    with torch.no_grad():
        wanted = evaluator(torch.from_numpy(flags)).numpy()
    assert np.abs(valued(port, flags, 70, rows=False) - wanted).max() <= 1e-5


def test_weights_too_wide_for_the_compiled_form_are_left_to_torch() -> None:
    circuit = red_line_circuit()
    evaluator = make_evaluator(circuit, "cilp")
    port = SearchEvaluator(evaluator, circuit)
    assert port.kind == PROGRAM
    with torch.no_grad():
        next(evaluator.parameters()).add_(2.0)
    port.refresh()
    assert port.kind == CALLBACK
    flags = random_states(70, 72, 1)
    with torch.no_grad():
        wanted = evaluator(torch.from_numpy(flags)).numpy()
    assert np.array_equal(valued(port, flags, 70, rows=False), wanted)


class Custom(Evaluator):
    """A module of a user's own, which may misbehave."""

    def __init__(self, fluents: int, roles: int) -> None:
        super().__init__(fluents, roles, {"kind": "custom"})
        self.layer = torch.nn.Linear(fluents, roles).double()
        self.trouble: BaseException | None = None
        self.width = roles
        self.batches: list[int] = []

    def forward(self, fluents: Tensor) -> Tensor:
        if self.trouble is not None:
            raise self.trouble
        assert fluents.dtype == torch.bool
        assert not torch.is_grad_enabled()
        self.batches.append(len(fluents))
        values: Tensor = torch.sigmoid(self.layer(fluents.double()))[:, : self.width]
        return values


def test_a_module_of_one_s_own() -> None:
    circuit = random_circuit(1)
    flags = random_states(70, 8, 1)
    evaluator = Custom(8, 2)
    port = SearchEvaluator(evaluator, circuit)
    assert port.kind == CALLBACK
    found = valued(port, flags, 70, rows=True)
    with torch.no_grad():
        assert np.abs(found - evaluator(torch.from_numpy(flags)).numpy()).max() <= 1e-6
    assert evaluator.batches == [70, 70]
    assert valued(port, flags, 0, rows=True).shape == (0, 2)
    assert evaluator.batches == [70, 70]


@pytest.mark.parametrize("trouble", [ZeroDivisionError("by zero"), KeyboardInterrupt()])
def test_what_a_module_raises_is_kept(trouble: BaseException) -> None:
    circuit = random_circuit(1)
    states, lanes = packed(random_states(9, 8, 1))
    evaluator = Custom(8, 2)
    port = SearchEvaluator(evaluator, circuit)
    evaluator.trouble = trouble
    out = np.zeros((9, 2), np.float32)
    assert from_compiled_code(port.values, states, lanes, 9, out)
    assert (out == 0.5).all()
    evaluator.trouble = None
    assert from_compiled_code(port.values, states, lanes, 9, out)
    assert evaluator.batches == []
    with pytest.raises(type(trouble)):
        port.check()
    port.check()
    assert not from_compiled_code(port.values, states, lanes, 9, out)
    assert evaluator.batches == [9]


def test_values_of_another_shape_are_refused() -> None:
    circuit = random_circuit(1)
    states, lanes = packed(random_states(9, 8, 1))
    evaluator = Custom(8, 2)
    evaluator.width = 1
    port = SearchEvaluator(evaluator, circuit)
    assert from_compiled_code(port.values, states, lanes, 9, np.zeros((9, 2), np.float32))
    with pytest.raises(GameError, match=r"\[9, 1\] for 9 states of a game with 2 roles"):
        port.check()


@pytest.mark.parametrize("kind", ["cilp", "mlp"])
def test_threads_have_ports_of_their_own(kind: str) -> None:
    circuit = random_circuit(1, fluents=12, gates=20)
    evaluators = [moved(make_evaluator(circuit, kind, s)) for s in (1, 2)]
    flags = [random_states(200, 12, seed) for seed in (1, 2)]
    wanted = [
        valued(SearchEvaluator(e, circuit), f, 200, rows=False)
        for e, f in zip(evaluators, flags, strict=True)
    ]
    wrong: list[int] = []

    def work(number: int) -> None:
        port = SearchEvaluator(copy.deepcopy(evaluators[number]), circuit)
        for _ in range(100):
            if not np.array_equal(valued(port, flags[number], 200, rows=False), wanted[number]):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
