"""Whether a row can be searched further, for compiled code."""

from __future__ import annotations

from typing import Any

from neurogame.kernels.alphabeta.address import choices_at, run_at, stack_at
from neurogame.kernels.alphabeta.moves import joint_count
from neurogame.kernels.alphabeta.records import CLOSED
from neurogame.kernels.native.compiled import merged


@merged
def measured(run: Any, offsets: Any, legal: Any) -> int:
    """Return the number of joint moves of a state, or ``CLOSED`` where that is too many."""
    width = joint_count(legal, offsets)
    return width if width <= run.widest else CLOSED


@merged
def measure(at: int, place: int) -> None:
    """Write the width of a row of the stack that is not terminal."""
    run = run_at(at)[0]
    stack = stack_at(at)
    choices = choices_at(at)
    stack.rows[place].width = measured(run, choices.offsets, stack.legal[place])
