"""The operators of torch: their schemas, their gradients, and odd batches."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch import Tensor

from neurogame.kernels.neural.lane_math import (
    lane_exp,
    lane_exp_parts,
    lane_log,
    lane_parts,
    lane_power,
    lane_tanh,
)
from neurogame.kernels.neural.layout import FILLER, NEGATED, TRUE, Layout
from neurogame.kernels.neural.merge import merge_patterns
from neurogame.kernels.neural.operators import goal_networks, goal_networks_backward
from neurogame.kernels.neural.pack_flags import pack_flags
from neurogame.kernels.words.pack import pack
from tests.kernels.neural.random_networks import Case, random_case, random_layout, random_wiring

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


TOLERANCE = 1e-6


def applied(function: Any, x: npt.NDArray[Any]) -> torch.Tensor:
    """Return a lane function of all numbers, in float64."""

    @numba.njit
    def loop(x: Any, y: Any) -> None:
        for i in range(len(x)):
            y[i] = function(x[i])

    y = np.empty_like(x)
    loop(x, y)
    return torch.from_numpy(y).double()


def numbers(first: float, last: float) -> npt.NDArray[Any]:
    return np.linspace(first, last, 200_001).astype(np.float32)


def test_exponentials_are_relatively_exact() -> None:
    x = numbers(-87.0, 88.0)
    wanted = torch.from_numpy(x).double().exp()
    assert ((applied(lane_exp, x) - wanted).abs() / wanted).max() < TOLERANCE


def test_exponentials_beyond_the_range_count_as_its_ends() -> None:
    x = np.array([-1e30, -200.0, -87.0, 88.0, 1e4], np.float32)
    found = applied(lane_exp, x)
    assert found[0] == found[1] == found[2]
    assert 0 < float(found[0]) < 1e-37
    assert found[3] == found[4]


def test_logarithms_are_exact() -> None:
    x = np.concatenate([numbers(0.2, 4.0), np.exp(numbers(-86.0, 86.0))])
    wanted = torch.from_numpy(x).double().log()
    error = (applied(lane_log, x) - wanted).abs()
    assert (error / wanted.abs().clamp_min(1.0)).max() < TOLERANCE


def test_tangents_are_exact() -> None:
    x = np.concatenate([numbers(-12.0, 12.0), numbers(-0.1, 0.1), numbers(-1e4, 1e4)])
    wanted = torch.from_numpy(x).double().tanh()
    assert (applied(lane_tanh, x) - wanted).abs().max() < TOLERANCE


def parts(function: Any, x: npt.NDArray[Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return both results of a lane function of all numbers, in float64."""
    first = applied(numba.njit(lambda y: function(y)[0]), x)
    return first, applied(numba.njit(lambda y: function(y)[1]), x)


def test_numbers_are_their_parts() -> None:
    x = np.exp(numbers(-86.0, 86.0))
    mantissa, exponent = parts(lane_parts, x)
    assert torch.equal(mantissa * 2.0**exponent, torch.from_numpy(x).double())
    assert 0.7071 < float(mantissa.min()) < float(mantissa.max()) < 1.4143


def test_exponentials_in_parts_have_no_ends() -> None:
    x = numbers(-2000.0, 2000.0)
    mantissa, exponent = parts(lane_exp_parts, x)
    assert torch.equal(exponent, exponent.round())
    assert 0.7 < float(mantissa.min()) < float(mantissa.max()) < 1.42
    error = mantissa.log() + math.log(2.0) * exponent - torch.from_numpy(x).double()
    assert error.abs().max() < 2000 * TOLERANCE


def test_powers_of_two_end_at_zero() -> None:
    x = np.array([-1e9, -2000, -127, -126, -1, 0, 5, 127], np.float32)
    assert applied(lane_power, x).tolist() == [0, 0, 0, 2**-126, 0.5, 1, 32, 2**127]


SEEDS = pytest.mark.parametrize("seed", range(12))
SHARES = pytest.mark.parametrize("share", ["network", "game"])


@SEEDS
def test_merged_functions_find_their_columns(seed: int) -> None:
    generator = np.random.default_rng(seed)
    parent = np.sort(generator.integers(0, 4, 60))
    columns = np.full((60, 5), -1, dtype=np.int64)
    for row in columns:
        count = generator.integers(1, 6)
        row[:count] = generator.permutation(8)[:count]
    table, bits = merge_patterns(parent, columns)
    assert set(table.tolist()) == set(range(len(bits)))
    assert len(bits) < 60
    for i in range(60):
        assert set(columns[i][columns[i] >= 0]) <= set(bits[table[i]].tolist())
    assert all(len(set(parent[table == t].tolist())) == 1 for t in range(len(bits)))
    assert bool((np.diff(parent[np.unique(table, return_index=True)[1]]) >= 0).all())


def upper_values(layout: Layout, state: int, weights: torch.Tensor) -> list[float]:
    """Return linear neurons: each upper one sums weights times what it reads, given by bits."""
    bits = [state >> column & 1 for column in range(layout.columns)] + [0]
    values: list[float] = []
    for n in range(len(layout.unit)):
        total = 0.0
        for part in (layout.small_parent == n).nonzero().view(-1).tolist():
            entry = entry_of(layout, int(layout.small_table[part]), bits)
            inner = 0.0
            for edge, choice in zip(
                layout.small_inner[part], layout.small_choice[part, :, entry], strict=True
            ):
                inner += read(float(weights[edge]) if int(edge) < len(weights) else 0.0, choice)
            sign = -1.0 if layout.small_negated[part] else 1.0
            total += sign * float(weights[layout.small_edge[part]]) * inner
        for part in (layout.leaf_parent == n).nonzero().view(-1).tolist():
            entry = entry_of(layout, int(layout.leaf_table[part]), bits)
            total += read(float(weights[layout.leaf_edge[part]]), layout.leaf_choice[part, entry])
        for e in range(int(layout.edge_start[n]), int(layout.edge_start[n + 1])):
            child = int(layout.edge_child[e])
            sign = -1.0 if child & 1 else 1.0
            total += sign * float(weights[layout.edge[e]]) * values[child >> 1]
        values.append(total)
    return values


def entry_of(layout: Layout, table: int, bits: list[int]) -> int:
    pattern = layout.pattern[int(layout.table_pattern[table])].tolist()
    return sum(bits[column] << place for place, column in enumerate(pattern))


def read(weight: float, choice: torch.Tensor) -> float:
    """Return the weight where a leaf holds, its negative where not, signed by the negation."""
    if int(choice) == FILLER:
        return 0.0
    negated = int(choice) > TRUE
    held = int(choice) - (NEGATED if negated else 0) == TRUE
    return (weight if held else -weight) * (-1.0 if negated else 1.0)


@SEEDS
@SHARES
def test_linear_networks_are_those_of_the_wiring(seed: int, share: str) -> None:
    wiring, layout = random_wiring(seed, share=share), random_layout(seed, share)
    weights = torch.rand(
        wiring.edge_count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    )
    for state in (0, 127, 85, 44, 19):
        rows = [0.0]
        rows += [1.0 if state >> column & 1 else -1.0 for column in wiring.leaves.tolist()]
        for unit in range(wiring.unit_count):
            edges = range(int(wiring.start[unit]), int(wiring.start[unit + 1]))
            rows.append(
                sum(
                    float(weights[e]) * rows[wiring.row[e]] * (-1.0 if wiring.negated[e] else 1.0)
                    for e in edges
                )
            )
        found = upper_values(layout, state, weights)
        for place, row in zip(layout.output.tolist(), wiring.output_row.tolist(), strict=True):
            if place >= 0:
                assert found[place] == pytest.approx(rows[row])


@SEEDS
def test_what_is_shared_is_computed_once(seed: int) -> None:
    """The upper neurons of a game's one network are different neurons."""
    layout = random_layout(seed, share="game")
    assert len(set(layout.unit.tolist())) == len(layout.unit)
    parts = torch.cat([layout.small_edge, layout.leaf_edge, layout.edge])
    assert len(set(parts.tolist())) == len(parts)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 1000])
@pytest.mark.parametrize("signals", [0, 1, 63, 64, 65, 130])
def test_words_are_those_of_torch(size: int, signals: int) -> None:
    generator = torch.Generator().manual_seed(size + signals)
    flags = torch.rand(size, signals, generator=generator) < 0.4
    assert torch.equal(pack_flags(flags), pack(flags))
    assert torch.equal(pack_flags(flags.to(torch.uint8) * 7), pack(flags))


def test_flags_need_not_be_contiguous() -> None:
    flags = torch.rand(130, 70, generator=torch.Generator().manual_seed(1)) < 0.5
    assert torch.equal(pack_flags(flags.t()), pack(flags.t()))
    assert torch.equal(pack_flags(flags[::3, 5:]), pack(flags[::3, 5:]))
