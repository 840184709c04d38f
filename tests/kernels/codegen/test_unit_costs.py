"""The costs of instructions: loops that are not optimised away, and the bound made from them."""

from __future__ import annotations

import pytest

from neurogame.kernels.codegen.unit_costs import UnitCosts, unit_costs


def test_no_loop_is_optimised_away() -> None:
    """No processor does ten such instructions per cycle, and none takes a hundred cycles."""
    found = unit_costs()
    assert 1e8 < found.clock < 2e10
    assert 0.1 < found.gate < 100
    assert 0.1 < found.load < 100
    assert 0.1 < found.store < 100
    assert unit_costs() is found


@pytest.mark.parametrize(
    ("counts", "cycles"), [((100, 10, 10), 50), ((10, 100, 10), 100), ((10, 10, 100), 200)]
)
def test_the_busiest_unit_bounds(counts: tuple[int, int, int], cycles: float) -> None:
    assert UnitCosts(clock=1e9, gate=0.5, load=1.0, store=2.0).bound(*counts) == cycles
