"""Features of what is on no board: facts, such as pieces in a pool or latches; numbers; moves.

*Reference:* Kuhlmann and Stone, "Approach"; Michulke and Thielscher, section 2.3 (fluents that stay
as they are once they hold); Draper, "Sancho", the mobility and focus heuristics (focus is mobility
with a minus).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neurogame.array_types import Bools
from neurogame.features.feature import Feature, FeatureKind
from neurogame.features.maker import FeatureMaker
from neurogame.features.roles import owner_of
from neurogame.structure.evidence import split_groups
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
        # One fact at most, such as whose turn it is, is no number.
        if relations.sample[:, relation.fluents].sum(axis=1).max(initial=0) <= 1:
            continue
        everything = np.ones(len(relation.fluents), np.bool_)
        chosen: list[tuple[str, Bools, int | None]] = [(relation.text({}), everything, None)]
        for place, domain in enumerate(relation.domains):
            for code, value in enumerate(domain):
                owner = owner_of(maker.circuit, [value])
                if owner is not None:
                    rows = relation.codes[:, place] == code
                    chosen.append((relation.text({place: value}), rows, owner))
        for text, rows, owner in chosen:
            fluents = relation.fluents[rows]
            held = relations.sample[:, fluents].sum(axis=1)
            if len(held) and held.min() < held.max():
                yield maker.of_fluents(FeatureKind.COUNT, f"number of {text}", fluents, 1.0, owner)


_MOST_QUANTITIES = 32
"""Quantities of one relation that are features, at most: of more, none is."""


def quantity_features(maker: FeatureMaker, relations: Relations) -> Iterator[Feature]:
    """Yield the numbers that the state holds, by their places in their order."""
    for quantity in relations.quantities:
        argument = quantity.argument
        relation = argument.relation
        others = relation.others([argument.place])
        groups = split_groups(np.arange(len(relation.fluents)), relation.groups(others))
        if len(groups) > _MOST_QUANTITIES:
            continue
        place = {code: i for i, code in enumerate(argument.order)}
        for group in groups:
            values = {p: relation.domains[p][int(relation.codes[group[0], p])] for p in others}
            weights = [float(place.get(int(c), 0)) for c in relation.codes[group, argument.place]]
            yield maker.of_fluents(
                FeatureKind.QUANTITY,
                f"n in {relation.text(values, 'n')}",
                relation.fluents[group],
                weights,
                owner_of(maker.circuit, list(values.values())),
            )


def goal_features(maker: FeatureMaker) -> Iterator[Feature]:
    """Yield each role's goal in the state itself, where it has several values."""
    for role, name in enumerate(maker.circuit.roles):
        if len(maker.circuit.goal_values[role]) > 1:
            feature = maker.feature(FeatureKind.GOAL, f"goal of {name} in this state", role)
            feature.goals[role] = 1.0
            yield feature


MOST_KINDS = 6
"""Kinds of moves of a role that are features of their own, at most."""


def move_features(maker: FeatureMaker) -> Iterator[Feature]:
    """Yield the number of legal moves of each role, and of each kind of them."""
    circuit = maker.circuit
    for role, name in enumerate(circuit.roles):
        first, last = circuit.move_offsets[role : role + 2].tolist()
        if last - first < 2:
            continue
        yield maker.of_moves(f"legal moves of {name}", np.arange(first, last), role)
        kinds: dict[str, list[int]] = {}
        for move, text in enumerate(circuit.moves[role]):
            kinds.setdefault(_kind(text), []).append(first + move)
        several = {kind: moves for kind, moves in kinds.items() if len(moves) > 1}
        if 1 < len(several) <= MOST_KINDS or (len(several) == 1 and len(kinds) > 2):
            for kind, moves in several.items():
                yield maker.of_moves(f"legal {kind} of {name}", np.array(moves), role)


def _kind(text: str) -> str:
    """Return a move with its arguments left out."""
    inner = text.strip("() ").split()
    return f"({inner[0]} *)" if len(inner) > 1 else inner[0]
