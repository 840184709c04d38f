"""Values that are sums: what they are made of, to the last bit."""

from __future__ import annotations

from collections.abc import Sequence

from neurogame.evaluators.attribution import (
    Attribution,
    Contribution,
    Kind,
    Unit,
    sorted_by_size,
)


def exact(
    unit: Unit,
    role: int,
    total: float,
    contributions: Sequence[Contribution],
    by_fluent: Sequence[float],
    *,
    move: int | None = None,
    value: float | None = None,
    base: float = 0.0,
) -> Attribution:
    """Return an exact attribution.

    Args:
        unit: of all amounts.
        role: whose value it is; its index.
        total: the value in the unit.
        contributions: in any order.
        by_fluent: what each fluent adds.
        move: what is scored, or None.
        value: for people, where it is not the total.
        base: what is there before anything is added.
    """
    return Attribution(
        method="exact",
        unit=unit,
        role=role,
        move=move,
        value=total if value is None else value,
        total=total,
        base=base,
        contributions=sorted_by_size(contributions),
        by_fluent=tuple(by_fluent),
        gap=total - base - sum(contribution.amount for contribution in contributions),
    )


def adds(kind: Kind, label: str, amount: float, fluents: Sequence[int] = ()) -> Contribution:
    """Return a contribution; see its fields."""
    return Contribution(kind=kind, label=label, fluents=tuple(fluents), amount=amount)
