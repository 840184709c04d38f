"""What proofs may cost, so that no rules end the process."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from neurogame.prover.values import Value

DEEPEST_TERM = 300
"""Nesting of a term: what reads, compares and writes terms calls itself for each level, on Python's
stack and on the processor's, which holds some tens of thousands."""

MOST_PARTS = 10_000
"""Names in a term: where it holds the same part twice it doubles with every step, and so does the
time to compare it."""

DEEPEST_QUESTIONS = 20_000
"""Most questions that may wait for one another."""

DEEPEST_LAZY = 300
"""Most questions whose answers come one by one that may wait for one another: each takes some room
on the processor's stack."""

MOST_ANSWERS = 2_000_000
"""Most questions and answers that are kept at a time, some 150 bytes each."""

CHECK_EVERY = 16
"""Questions, or rounds, from one look at the clock to the next."""

FEW_ROWS = 1_000
"""So many answers are looked at in every round; of more, some."""


Nested: TypeAlias = tuple[Value, ...]
"""A term with arguments."""


def excess(values: Iterable[Value]) -> str | None:
    """Return what is wrong with terms that nest too deep or are too long; None of all others.

    Args:
        values: ground terms.
    """
    level: list[tuple[Nested, int]] = [(v, 1) for v in values if not isinstance(v, str)]
    parts = 0
    for _ in range(DEEPEST_TERM):
        if not level:
            return None
        # Parts that are the same object are looked at once, and counted as often as they occur.
        below: dict[int, tuple[Nested, int]] = {}
        for value, count in level:
            parts += count * len(value)
            for part in value[1:]:
                if not isinstance(part, str):
                    below[id(part)] = part, count + below.get(id(part), (part, 0))[1]
        if parts > MOST_PARTS:
            return f"terms have more than {MOST_PARTS:,} parts"
        level = list(below.values())
    return f"terms nest more than {DEEPEST_TERM:,} deep"
