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
    case = random_case(3, kind, 70)
    given = arguments(case)
    outputs = goal_networks(*given)
    torch.library.opcheck(goal_networks_backward, (torch.ones_like(outputs), given[0], *given[2:]))
    for tensor in (case.tables, case.edges, case.nodes):
        tensor.requires_grad_()
    torch.library.opcheck(goal_networks, given)


@KINDS
@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 1000])
def test_a_batch_of_any_size_is_a_part_of_a_larger_one(kind: int, size: int) -> None:
    case = random_case(5, kind, 1100)
    given = arguments(case)
    words = case.words[:, : (size + 63) // 64].contiguous()
    whole, found = goal_networks(*given), goal_networks(words, size, *given[2:])
    assert torch.equal(found, whole[:, :, :size])
    signal = torch.linspace(-1, 1, whole.numel()).view(whole.shape)
    signal[:, :, size:] = 0
    all_flows = goal_networks_backward(signal, case.words, *given[2:])
    flows = goal_networks_backward(signal[:, :, :size].contiguous(), words, *given[2:])
    for one, other in zip(all_flows, flows, strict=True):
        assert torch.allclose(one, other, atol=1e-6, rtol=1e-5)
        assert size == 0 or bool(one.any()) or not one.numel()


@KINDS
def test_states_do_not_depend_on_their_lane(kind: int) -> None:
    case = random_case(7, kind, 1000)
    together = goal_networks(*arguments(case))
    last = goal_networks(case.words[:, 15:].contiguous(), 40, *arguments(case)[2:])
    assert torch.equal(together[:, :, 960:], last)


@KINDS
def test_gradients_repeat_exactly(kind: int) -> None:
    case = random_case(11, kind, 1000)
    gradient = torch.ones_like(goal_networks(*arguments(case)))
    given = arguments(case)
    first = goal_networks_backward(gradient, given[0], *given[2:])
    again = goal_networks_backward(gradient, given[0], *given[2:])
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
