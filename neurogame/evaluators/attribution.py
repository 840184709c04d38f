"""What a value is made of: a base, and what each thing adds to it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias, final

from neurogame.errors import GameError
from neurogame.simulate.game import State
from neurogame.views import show_as

Method: TypeAlias = Literal["exact", "gradients", "shapley", "toggling"]
Unit: TypeAlias = Literal["log-odds", "value", "score", "logit"]
Kind: TypeAlias = Literal[
    "logic", "rule", "pattern", "unit", "limit", "fluent", "move", "condition", "goal", "threshold"
]

UNIT_TEXTS: dict[Unit, str] = {
    "log-odds": "log-odds",
    "value": "values 0..1",
    "score": "scores of moves, 0..1",
    "logit": "logarithms of the weights of moves",
}
"""What people read for a unit."""


@final
@dataclass(frozen=True, kw_only=True)
class Contribution:
    """What one thing adds to a value.

    Attributes:
        kind: ``logic``: the goal networks, or what is computed by logic alone; ``rule``: a hidden
            unit that began as a condition of the rules; ``pattern``: the row that a look-up reads;
            ``unit``: another hidden unit; ``limit``: what is cut off, where
            they add more than a value can show; ``fluent``: one that holds, or does not. Of
            moves: ``move``: what the move is worth whatever the state; ``condition``: one of the
            conditions of which one has to be fulfilled; ``goal``: that of a game that the move
            ends; ``threshold``: biases of the hidden units that are above 0.
        label: for people; the same thing has the same label in all states of a game.
        fluents: indices of the fluents that it reads, of a hidden unit those that its label names;
            empty where it reads the whole state.
        amount: in the unit of the attribution; above 0: good for the role.
    """

    kind: Kind
    label: str
    fluents: tuple[int, ...]
    amount: float


@final
@dataclass(frozen=True, kw_only=True)
class Attribution:
    """What the value of a state for a role is made of.

    The value is ``base`` plus all amounts plus ``gap``.

    Attributes:
        method: ``exact``: the evaluator is a sum, and this is it; ``gradients``: integrated
            gradients, which add up to the value but for an error of the integral; ``shapley``:
            sampled Shapley values, which add up to it for every evaluator and judge; ``toggling``:
            the change of the value when a fluent alone is the other way round, which need not add
            up to anything.
        unit: of all amounts: natural logarithms of odds (``log-odds``), values 0..1 of states
            (``value``), scores of moves (``score``), or scores of moves that are logarithms of
            weights (``logit``).
        role: whose value it is; its index.
        move: of a judge of moves: the move that it scores, an index into the role's moves; None:
            a state is valued.
        value: of the state for the role, 0..1; of a move its score.
        total: the same in the unit.
        base: what is there before anything is added, in the unit.
        contributions: the largest amounts first.
        by_fluent: what each fluent of the game adds, in the unit, for painting boards; ``F``
            numbers. What a pattern adds is shared evenly by the fluents that it reads, what a
            hidden unit adds by those that hold, as they raise or lower it; what no fluent is
            behind, such as a bias, is left out. Where there are conditions, which share fluents,
            integrated gradients from the initial state.
        gap: what is left: rounding where the method is exact, the error of the integral for
            gradients; for toggling without meaning.
        sampling_error: the largest standard error of an amount, in the unit, where they are means
            over random orders (``shapley``); 0 elsewhere. The sum has none.
        state: what is taken apart, or scored; for people, and for painting.
        against: of a :func:`difference`: the other state.
    """

    method: Method
    unit: Unit
    role: int
    value: float
    total: float
    base: float
    contributions: tuple[Contribution, ...]
    by_fluent: tuple[float, ...]
    gap: float
    move: int | None = None
    sampling_error: float = 0.0
    state: State | None = None
    against: State | None = None

    def __repr__(self) -> str:
        """Return what is explained, without the many amounts."""
        move = "" if self.move is None else f", move {self.move}"
        return (
            f"Attribution({self.value:.3f} for role {self.role}{move}: {self.method}, "
            f"{len(self.contributions)} contributions, in {self.unit}, gap {self.gap:.1e})"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dictionary, the states left out."""
        values = asdict(replace(self, state=None, against=None))
        del values["state"], values["against"]
        return values

    def _repr_html_(self) -> str:
        return show_as("html", self)


def sorted_by_size(contributions: Iterable[Contribution]) -> tuple[Contribution, ...]:
    """Return contributions that are not 0, the largest amounts first."""
    return tuple(
        sorted((c for c in contributions if c.amount), key=lambda c: (-abs(c.amount), c.label))
    )


def difference(one: Attribution, other: Attribution) -> Attribution:
    """Return what makes one state better for a role than another: why this move, not that one.

    Amounts are those of the first less those of the second, and so are values and totals; what
    adds the same to both is left out.

    Args:
        one: of the first state.
        other: of the second state, by the same method for the same role.

    Raises:
        GameError: they are of different roles, methods or games.
    """
    mine, yours = (
        (attribution.role, attribution.method, attribution.unit, len(attribution.by_fluent))
        for attribution in (one, other)
    )
    if mine != yours:
        raise GameError(
            "attributions can be compared if role, method, unit and number of fluents are the "
            f"same; found {mine} and {yours}"
        )
    amounts = {_name(contribution): contribution for contribution in one.contributions}
    for contribution in other.contributions:
        before = amounts.get(_name(contribution))
        less = (0.0 if before is None else before.amount) - contribution.amount
        amounts[_name(contribution)] = replace(before or contribution, amount=less)
    return replace(
        one,
        value=one.value - other.value,
        total=one.total - other.total,
        base=one.base - other.base,
        contributions=sorted_by_size(amounts.values()),
        by_fluent=tuple(a - b for a, b in zip(one.by_fluent, other.by_fluent, strict=True)),
        gap=one.gap - other.gap,
        sampling_error=math.hypot(one.sampling_error, other.sampling_error),
        against=other.state,
    )


def _name(contribution: Contribution) -> tuple[str, str]:
    return contribution.kind, contribution.label
