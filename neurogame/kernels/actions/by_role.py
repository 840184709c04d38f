"""Scoring moves where some roles have formulas of each move, and others share one."""

from __future__ import annotations

from neurogame.kernels.actions.part import PART
from neurogame.kernels.leaves.memory import array_at
from neurogame.kernels.leaves.move_scores import SCORES_REQUEST
from neurogame.kernels.native.call_address import call_address


def score_by_role(address: int) -> None:
    """Score the moves of the request at an address by the function of its role."""
    request = array_at(address, (1,), SCORES_REQUEST)[0]
    part = array_at(request.bundle, (request.role + 1,), PART)[request.role]
    call_address(part.at_function, address)
