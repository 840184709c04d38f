"""Evaluators by the compiled kernel are evaluators by torch: values, networks and gradients."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import pytest
import torch

from neurogame.circuit.circuit import Circuit
from neurogame.errors import ConfigurationError
from neurogame.evaluators import kernel_networks
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.kernels.neural.backend import VARIABLE
from neurogame.kernels.neural.program import make_space
from neurogame.simulate.game import Game
from neurogame.simulate.states import StateBatch
from tests.conftest import shared
from tests.evaluators.hand_made import CircuitDraft, random_circuit, random_states, red_line_circuit
from tests.kernels.one_by_one import evaluate_one_by_one

T = TypeVar("T")
KINDS = ("cilp-paper", "random", "cilp", "fluxplayer")
TOLERANCE = 1e-5


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], T]], tuple[T, T]]:
    """Return what a function returns with torch, and with the kernel."""

    def run(function: Callable[[], T]) -> tuple[T, T]:
        monkeypatch.setenv(VARIABLE, "torch")
        wanted = function()
        monkeypatch.setenv(VARIABLE, "kernel")
        return wanted, function()

    return run


def trained(game: Game | Circuit, kind: str, **settings: Any) -> GoalNetworks:
    """Return an evaluator whose weights have been moved about."""
    evaluator = make_evaluator(game, EvaluatorConfig(kind=kind, **settings), seed=3)
    assert isinstance(evaluator, GoalNetworks)
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in evaluator.parameters():
            size = 0.1 * float(parameter.abs().mean())
            parameter.add_(size * torch.randn(parameter.shape, generator=generator))
    return evaluator


def states(count: int, fluents: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(random_states(count, fluents, seed))


def agree(one: torch.Tensor, other: torch.Tensor, tolerance: float = TOLERANCE) -> bool:
    """Say whether two results differ by no more than the tolerance."""
    return one.shape == other.shape and bool(((one - other).abs() <= tolerance).all())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [0, 1, 63, 65, 1000])
def test_any_batch(kind: str, size: int, both: Any) -> None:
    evaluator = trained(random_circuit(1, fluents=12, gates=20), kind)
    x = states(size, 12)
    with torch.no_grad():
        assert agree(*both(lambda: evaluator(x)))
        assert agree(*both(lambda: evaluator.networks(x)))
        assert agree(*both(lambda: evaluator(x.to(torch.uint8))))
        assert agree(*both(lambda: evaluator.values(StateBatch.from_bool(x))))
    assert agree(*both(lambda: evaluator(x).detach()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", ["network", "game"])
def test_random_circuits(kind: str, share: str, both: Any) -> None:
    compiled = 0
    for seed in range(12):
        evaluator = trained(random_circuit(seed, 10, 18, 7), kind, share=share)
        x = states(200, 10, seed)
        with torch.no_grad():
            assert agree(*both(lambda e=evaluator, x=x: e.networks(x)))
            assert agree(*both(lambda e=evaluator, x=x: e(x)))
        compiled += evaluator.program() is not None
    assert compiled > 6


@pytest.mark.parametrize("kind", ["cilp-paper", "cilp"])
@pytest.mark.parametrize("share", ["network", "game"])
def test_gradients(kind: str, share: str, both: Any) -> None:
    for seed in range(4):
        evaluator = trained(random_circuit(seed, 10, 18, 7), kind, share=share)
        x = states(130, 10, seed)
        signal = torch.linspace(-1, 1, 130 * len(evaluator.network_keys)).view(130, -1)

        def gradients(e: GoalNetworks = evaluator, x: Any = x, s: Any = signal) -> Any:
            e.zero_grad()
            ((e.networks(x) * s).sum() + e(x).sum()).backward()
            return [p.grad.clone() for p in e.parameters() if p.grad is not None]

        for wanted, found in zip(*both(gradients), strict=True):
            assert agree(wanted, found, 2e-5 * max(1.0, float(wanted.abs().max())))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["connectFour", "breakthrough", "nineBoardTicTacToe"])
def test_public_games(kind: str, name: str, both: Any) -> None:
    """Torch, kernel and exported program have the values of torch in float64."""
    game = Game.load(shared("games", f"{name}.kif"))
    evaluator = trained(game, kind)
    x = states(300, len(game.fluents))
    with torch.no_grad():
        exact = copy.deepcopy(evaluator).double()(x)
        by_torch, by_kernel = both(lambda: evaluator(x))
    assert agree(by_kernel.double(), exact)
    assert agree(by_torch, by_kernel)
    assert agree(one_by_one(evaluator, x[:40]).double(), exact[:40])


def one_by_one(evaluator: GoalNetworks, x: torch.Tensor) -> torch.Tensor:
    """Return values by the exported program, called state by state from compiled code."""
    program = evaluator.program()
    assert program is not None
    flags = np.zeros((len(x), 64 * (program.columns // 64 + 1)), np.uint8)
    everything = evaluator.reasoner(x)
    flags[:, : everything.shape[1]] = everything.numpy()
    values = np.zeros((len(x), evaluator.role_count), np.float32)
    packed = np.packbits(flags, axis=1, bitorder="little").view(np.int64)
    evaluate_one_by_one(program, make_space(program), packed, values)
    return torch.from_numpy(values)


@pytest.mark.parametrize("kind", ["cilp", "cilp-paper"])
@pytest.mark.parametrize("name", ["connectfour", "pentago"])
def test_neurons_that_are_the_same_are_computed_once(
    kind: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Game.load(name)
    made = [make_evaluator(game, kind, seed=1) for _ in range(2)]
    made.append(trained(game, kind))
    x = states(40, len(game.fluents))
    values, counts = [], []
    for number, evaluator in enumerate(made):
        assert isinstance(evaluator, GoalNetworks)
        with monkeypatch.context() as patch:
            if number == 1:
                patch.setattr(kernel_networks, "merge_neurons", lambda *given: given)
            program = evaluator.program()
            assert program is not None
            counts.append(program.network.nodes.shape[1])
            values.append(one_by_one(evaluator, x))
    assert torch.equal(values[0], values[1])
    assert counts[0] < counts[1] == counts[2]


def test_redirected_leaves_are_computed_first(both: Any) -> None:
    game = Game.load("breakthrough6")
    evaluator = trained(game, "cilp", neurons=8)
    x = states(100, len(game.fluents))
    with torch.no_grad():
        assert agree(*both(lambda: evaluator(x)))
        assert agree(*both(lambda: evaluator.values(StateBatch.from_bool(x))))


def test_values_follow_the_weights(both: Any) -> None:
    evaluator = trained(random_circuit(1, fluents=12, gates=20), "cilp")
    x = states(50, 12)
    before = both(lambda: evaluator.values(StateBatch.from_bool(x)).detach())[1]
    with torch.no_grad():
        for parameter in evaluator.parameters():
            parameter.add_(0.3)
        wanted, found = both(lambda: evaluator(x))
    assert agree(wanted, found)
    assert not agree(before, found)


def test_copies_have_programs_of_their_own(both: Any) -> None:
    evaluator = trained(random_circuit(1, fluents=12, gates=20), "cilp")
    x = states(50, 12)
    with torch.no_grad():
        both(lambda: evaluator(x))
        other = copy.deepcopy(evaluator)
        next(other.parameters()).add_(0.5)
        assert agree(*both(lambda: other(x)))
        assert agree(*both(lambda: evaluator(x)))


@pytest.mark.parametrize("wider", [1.0, 1.2])
def test_sums_of_far_different_sizes_keep_their_digits(wider: float, both: Any) -> None:
    evaluator = make_evaluator(red_line_circuit(), EvaluatorConfig(kind="cilp"))
    assert isinstance(evaluator, GoalNetworks)
    with torch.no_grad():
        # A neuron's summands then differ by factors of e ** 90 and more.
        next(evaluator.parameters()).add_(wider)
        assert evaluator.program() is not None
        x = states(300, 72)
        exact = copy.deepcopy(evaluator).double()(x)
        assert agree(one_by_one(evaluator, x).double(), exact)
    signal = torch.linspace(-1, 1, 600).view(300, 2)

    def gradient() -> Any:
        evaluator.zero_grad()
        (evaluator(x) * signal).sum().backward()
        flow = next(evaluator.parameters()).grad
        return None if flow is None else flow.clone()

    wanted, found = both(gradient)
    assert bool(wanted.any())
    assert agree(wanted, found, 1e-4 * float(wanted.abs().max()))


def test_weights_too_wide_for_float32_are_left_to_torch(both: Any) -> None:
    evaluator = trained(red_line_circuit(), "cilp")
    assert evaluator.program() is not None
    with torch.no_grad():
        next(evaluator.parameters()).add_(2.0)
        assert evaluator.program() is None
        x = states(50, 72)
        assert torch.equal(*both(lambda: evaluator(x)))
    assert torch.equal(*both(lambda: evaluator(x).detach()))


def test_goals_that_are_fluents(both: Any) -> None:
    draft = CircuitDraft(["f0", "f1"])
    circuit = draft.circuit(("x",), (((100, draft.fluent(1)), (50, draft.fluent(0) ^ 1)),))
    evaluator = trained(circuit, "cilp-paper")
    x = torch.tensor([[False, False], [True, False], [False, True], [True, True]])
    with torch.no_grad():
        assert agree(*both(lambda: evaluator.networks(x)))


def test_float64_and_fuzzy_inputs_are_left_to_torch(both: Any) -> None:
    evaluator = trained(random_circuit(1, fluents=12, gates=20), "cilp-paper")
    x = states(20, 12)
    with torch.no_grad():
        assert torch.equal(*both(lambda: evaluator(0.3 * x)))
        evaluator.double()
        assert torch.equal(*both(lambda: evaluator(x)))


def test_kinds_without_a_kernel_are_left_to_torch(both: Any) -> None:
    evaluator = trained(random_circuit(1, fluents=12, gates=20), "fuzzy")
    assert evaluator.program() is None
    assert evaluator.compiled_values() is None
    x = states(20, 12)
    assert torch.equal(*both(lambda: evaluator.values(StateBatch.from_bool(x))))


def test_the_choice_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluator = trained(random_circuit(1, fluents=12, gates=20), "cilp-paper")
    monkeypatch.setenv(VARIABLE, "gpu")
    with pytest.raises(ConfigurationError, match="must be one of auto, torch, kernel"):
        evaluator(states(2, 12))


@pytest.mark.parametrize("name", ["tictactoe", "qubic", "pentago"])
def test_trained_weights(name: str, both: Any) -> None:
    evaluator = make_evaluator(Game.load(name))
    assert isinstance(evaluator, GoalNetworks)
    before = copy.deepcopy(evaluator.state_dict())
    x = states(300, evaluator.fluent_count)
    optimiser = torch.optim.SGD(evaluator.parameters(), lr=0.3)
    targets = torch.ones(len(x), len(evaluator.network_keys))
    targets[::2] = -1
    for _ in range(10):
        optimiser.zero_grad()
        (evaluator.networks(x) - targets).square().sum(dim=1).mean().backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    moved = [(evaluator.state_dict()[key] - old).abs().max() for key, old in before.items()]
    assert max(moved) > 0.1
    evaluator.eval()
    with torch.no_grad():
        assert agree(*both(lambda: evaluator(x)))
        # Outputs of large sums are compared in float64: torch's own float32 is off by 4e-5.
        exact = copy.deepcopy(evaluator).double().networks(x)
        assert agree(evaluator.networks(x).double(), exact)
        assert agree(one_by_one(evaluator, x), evaluator(x))
