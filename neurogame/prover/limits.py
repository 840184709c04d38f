"""What proofs may cost, so that no rules end the process."""

from __future__ import annotations

from collections.abc import Iterable

from neurogame.reference.joins import Value

DEEPEST_TERM = 300
"""Nesting of a term: what reads, compares and writes terms calls itself for each level, on Python's
stack and on the processor's, which holds some tens of thousands."""

DEEPEST_QUESTIONS = 20_000
"""Most questions that may wait for one another."""

MOST_ANSWERS = 2_000_000
"""Most questions and answers that are kept at a time, some 150 bytes each."""

CHECK_EVERY = 16
"""Questions, or rounds, from one look at clock and terms to the next: a rule nests a term by no
more than the deepest that is read, so what is built between two looks is far from a stack's end."""


def is_too_deep(values: Iterable[Value]) -> bool:
    """Return whether a term nests deeper than is safe.

    Args:
        values: ground terms.
    """
    level = [value for value in values if not isinstance(value, str)]
    for _ in range(DEEPEST_TERM):
        if not level:
            return False
        # Parts that are the same object are looked at once: terms may double at each level.
        parts = {id(part): part for value in level for part in value[1:]}
        level = [part for part in parts.values() if not isinstance(part, str)]
    return True
