"""Quantities: fluents that hold exactly one number of a row: scores, coins, heaps.

*Reference:* Michulke and Thielscher, section 2.3.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import final

from neurogame.analysis.verdict import Verdict
from neurogame.structure.coordinates import OrderedArgument
from neurogame.structure.evidence import GroupEvidence, split_groups


@final
@dataclass(frozen=True, eq=False)
class Quantity:
    """A relation of the state that holds one number of a row for each value of its other arguments.

    Attributes:
        argument: the ordered argument that is the number; it has three or more values.
        verdict: how it is known that exactly one number holds in every state.
    """

    argument: OrderedArgument
    verdict: Verdict


def find_quantities(
    ordered: Sequence[OrderedArgument],
    counters: Collection[OrderedArgument],
    evidence: GroupEvidence,
) -> tuple[Quantity, ...]:
    """Return the quantities among the ordered arguments.

    Args:
        ordered: the ordered arguments.
        counters: those that count steps; they are no quantities.
        evidence: states of the game.
    """
    quantities = []
    for argument in ordered:
        relation = argument.relation
        if argument in counters or len(argument.order) < 3:
            continue
        key = relation.groups(relation.others([argument.place]))
        groups = split_groups(relation.fluents, key)
        groups = [group for group in groups if evidence.held[group].any()]
        verdict = evidence.exactly_one(groups)
        if groups and verdict.holds:
            quantities.append(Quantity(argument, verdict))
    return tuple(quantities)
