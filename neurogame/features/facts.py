"""Features of facts that are on no board: how many hold, such as pieces in a pool or latches.

*Reference:* Kuhlmann and Stone, "Approach"; Michulke and Thielscher, section 2.3 (fluents that stay
as they are once they hold).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neurogame.array_types import Bools
from neurogame.features.feature import Feature, FeatureKind
from neurogame.features.maker import FeatureMaker
from neurogame.features.roles import owner_of
from neurogame.structure.relations import Relations


def fact_features(maker: FeatureMaker, relations: Relations) -> Iterator[Feature]:
    """Yield the number of facts of each relation that is no board, quantity or counter.

    Of a relation in which roles stand, the facts of each role are counted as well. A number that
    is the same in all states looked at is no feature: one of them always holds.
    """
    known = {board.relation for board in relations.boards}
    known |= {quantity.argument.relation for quantity in relations.quantities}
    known |= {counter.argument.relation for counter in relations.counters}
    for relation in relations.state:
        if relation in known:
            continue
        numbers = [*range(relation.arity)]
        inner = " ".join("*" for _ in numbers)
        name = f"({relation.name} {inner})" if numbers else relation.name
        # One fact at most, such as whose turn it is, is no number.
        if relations.sample[:, relation.fluents].sum(axis=1).max(initial=0) <= 1:
            continue
        everything = np.ones(len(relation.fluents), np.bool_)
        chosen: list[tuple[str, Bools, int | None]] = [(name, everything, None)]
        for place in numbers:
            for code, value in enumerate(relation.domains[place]):
                owner = owner_of(maker.circuit, [value])
                if owner is not None:
                    inner = " ".join(value if p == place else "*" for p in numbers)
                    rows = relation.codes[:, place] == code
                    chosen.append((f"({relation.name} {inner})", rows, owner))
        for text, rows, owner in chosen:
            fluents = relation.fluents[rows]
            held = relations.sample[:, fluents].sum(axis=1)
            if len(held) and held.min() < held.max():
                yield maker.of_fluents(FeatureKind.COUNT, f"number of {text}", fluents, 1.0, owner)
