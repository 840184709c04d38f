"""Goal networks in Triton: outputs and gradients of the definition in float64 and in torch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from neurogame.errors import ConfigurationError
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.config import EvaluatorConfig
from neurogame.evaluators.goal_networks import GoalNetworks
from neurogame.kernels.triton import goal_networks as module
from neurogame.simulate.game import Game
from tests.kernels.neural.random_networks import Case, random_case

KINDS = pytest.mark.parametrize("kind", [0, 1, 2], ids=["plain", "sound", "fuzzy"])


def arguments(case: Case) -> tuple[Any, ...]:
    numbers = (case.tables, case.edges, case.nodes, case.offsets)
    return (case.words, case.size, *numbers, list(case.layout.structure), case.kind, case.steep)


@KINDS
@pytest.mark.parametrize(("seed", "size"), [(5, 1), (5, 130), (8, 300)])
def test_outputs_and_gradients_are_those_of_float64(kind: int, seed: int, size: int) -> None:
    pytest.importorskip("numba", reason="the definition in float64 needs numba")
    from neurogame.kernels.neural import operators

    exact, case = (random_case(seed, kind, size, d) for d in (torch.float64, torch.float32))
    wanted = operators.goal_networks(*arguments(exact))
    found = module.goal_networks(*arguments(case))
    assert found.shape == wanted.shape
    assert torch.allclose(found.double(), wanted, atol=1e-5, rtol=1e-5)
    gradient = torch.linspace(-1, 1, wanted.numel(), dtype=torch.float64).view(wanted.shape)
    words, _, *rest = arguments(exact)
    flows = operators.goal_networks_backward(gradient, words, *rest)
    words, _, *rest = arguments(case)
    mine = module.goal_networks_backward(gradient.float(), words, *rest)
    for one, other in zip(flows[: 2 if kind == 2 else 3], mine, strict=False):
        scale = float(one.abs().max()) if one.numel() else 0.0
        assert one.shape == other.shape
        assert torch.allclose(other.double(), one, atol=1e-5 * scale + 1e-12, rtol=1e-4)


class Networks(torch.autograd.Function):
    """The kernels as one operator with its gradient."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        ctx.inputs = inputs
        return module.goal_networks(*inputs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        words, _, *rest = ctx.inputs
        tables, edges, nodes = module.goal_networks_backward(gradients[0], words, *rest)
        return (None, None, tables, edges, nodes, None, None, None, None)


@pytest.mark.parametrize("kind", ["cilp-paper", "cilp", "fuzzy"])
def test_evaluators_are_those_of_plain_torch(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="evaluators use their kernels where numba is")
    game = Game.load("tictactoe")
    evaluator = make_evaluator(game, EvaluatorConfig(kind=kind))
    assert isinstance(evaluator, GoalNetworks)
    states = torch.rand(70, len(game.fluents), generator=torch.Generator().manual_seed(1)) < 0.4
    found: list[list[Tensor]] = []
    for backend in ("torch", "kernel"):
        monkeypatch.setenv("NEUROGAME_EVALUATOR", backend)
        monkeypatch.setattr("neurogame.kernels.neural.operators.goal_networks", Networks.apply)
        evaluator.zero_grad()
        outputs = evaluator.networks(states)
        if outputs.requires_grad:
            weights = torch.linspace(-1, 1, outputs.numel()).view(outputs.shape)
            torch.autograd.backward((outputs * weights).sum())
        flows = [p.grad for p in evaluator.parameters() if p.grad is not None]
        found.append([outputs.detach(), *(flow.clone() for flow in flows)])
    assert len(found[0]) == len(found[1]) > (kind != "fuzzy")
    for one, other in zip(*found, strict=True):
        assert torch.allclose(one, other, atol=1e-4 * float(one.abs().max()), rtol=1e-3)


def test_other_types_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="float32"):
        module.goal_networks(*arguments(random_case(1, 0, 3, torch.float64)))
