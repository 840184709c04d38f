"""The operators of torch: their schemas, their gradients, and odd batches."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

pytest.importorskip("numba")

from neurogame.kernels.neural.operators import goal_networks, goal_networks_backward
from tests.kernels.neural.random_networks import Case, random_case

KINDS = pytest.mark.parametrize("kind", [0, 1], ids=["plain", "sound"])


def arguments(case: Case, **changed: Tensor) -> tuple[Any, ...]:
    """Return the operator's arguments, some of them exchanged."""
    given = {name: changed.get(name, getattr(case, name)) for name in ("tables", "edges", "nodes")}
    return (
        *(case.words, case.size, given["tables"], given["edges"], given["nodes"], case.offsets),
        *(list(case.layout.structure), case.kind, case.steep),
    )


@KINDS
def test_operators_pass_torch_s_own_check(kind: int) -> None:
    case = random_case(3, kind, 70, torch.float32)
    given = arguments(case)
    outputs = goal_networks(*given)
    torch.library.opcheck(goal_networks_backward, (torch.ones_like(outputs), given[0], *given[2:]))
    for tensor in (case.tables, case.edges, case.nodes):
        tensor.requires_grad_()
    torch.library.opcheck(goal_networks, given)


@KINDS
def test_gradients_are_those_of_differences(kind: int) -> None:
    case = random_case(1, kind, 3, torch.float64)
    names = ["tables", "edges", "nodes"]
    inputs = [getattr(case, name).requires_grad_() for name in names]

    def outputs(*tensors: Tensor) -> Tensor:
        found: Tensor = goal_networks(*arguments(case, **dict(zip(names, tensors, strict=True))))
        return found

    assert torch.autograd.gradcheck(outputs, inputs, eps=1e-6, atol=1e-6)


@KINDS
@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 1000])
def test_float32_is_float64_on_any_batch(kind: int, size: int) -> None:
    exact, case = (random_case(5, kind, size, d) for d in (torch.float64, torch.float32))
    wanted, found = goal_networks(*arguments(exact)), goal_networks(*arguments(case))
    assert found.shape == wanted.shape
    assert found.dtype == torch.float32
    assert torch.allclose(found.double(), wanted, atol=1e-5, rtol=1e-5)
    gradient = torch.linspace(-1, 1, wanted.numel(), dtype=torch.float64).view(wanted.shape)
    flows = [
        goal_networks_backward(gradient.to(x.tables.dtype), given[0], *given[2:])
        for x in (exact, case)
        for given in [arguments(x)]
    ]
    for one, other in zip(*flows, strict=True):
        scale = one.abs().max() if one.numel() else one.sum()
        assert torch.allclose(other.double(), one, atol=1e-5 * float(scale) + 1e-12, rtol=1e-4)


@KINDS
def test_states_do_not_depend_on_their_lane(kind: int) -> None:
    case = random_case(7, kind, 1000, torch.float32)
    together = goal_networks(*arguments(case))
    last = goal_networks(case.words[:, 15:].contiguous(), 40, *arguments(case)[2:])
    assert torch.equal(together[:, :, 960:], last)


@KINDS
def test_gradients_repeat_exactly(kind: int) -> None:
    case = random_case(11, kind, 1000, torch.float32)
    gradient = torch.ones_like(goal_networks(*arguments(case)))
    given = arguments(case)
    first = goal_networks_backward(gradient, given[0], *given[2:])
    again = goal_networks_backward(gradient, given[0], *given[2:])
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
