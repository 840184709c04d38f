"""How much memory the processes of a match may take."""

from __future__ import annotations

from neurogame.machine_memory import machine_memory

GUARD_MEMORY = 2**30
"""Bytes that interpreting the rules may take; rulesheets need a hundredth of it."""


def thinker_memory(wanted: int | None) -> int | None:
    """Return the bytes that a thinker may take; None: no limit, where the system tells nothing.

    Args:
        wanted: bytes, above 0; None: half of what the machine has.
    """
    if wanted is not None:
        return wanted
    machine = machine_memory()
    return None if machine is None else machine // 2


def guard_memory(wanted: int | None) -> int:
    """Return the bytes that a guard may take.

    Args:
        wanted: what a match may take; None: nothing was said.
    """
    return GUARD_MEMORY if wanted is None else min(GUARD_MEMORY, wanted)
