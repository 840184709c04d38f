"""What belongs to which role, and what another role has in its place.

Two ways tell so, neither by spelling: a symmetry of the rules that exchanges roles, and terms in
which the symbol of a role stands, which is the same symbol in scrambled rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.simulate.game import Game
from neurogame.structure.fluent_relations import FluentRelation
from neurogame.structure.symmetries import Symmetry


@final
@dataclass(frozen=True, eq=False)
class RoleImage:
    """What one role's things are for another one.

    Attributes:
        source: the role.
        target: the other one.
        fluents: image of each fluent, -1 where it has none; int64 ``[F]``.
        moves: image of each move of all roles, -1 where it has none; int64 ``[M]``.
    """

    source: int
    target: int
    fluents: Int64s
    moves: Int64s


def role_images(game: Game) -> tuple[tuple[RoleImage, ...], ...]:
    """Return what each role's things are for each other one, where that can be said.

    Of the symmetries that exchange two roles those count that change the fewest arguments of
    fluents: where a board may also be turned, the others say the same of another place.

    Returns:
        For each ordered pair of roles of which something can be said its images, at least one:
        several where nothing tells which of them is meant.
    """
    circuit, relations, symmetries = game.circuit, game.relations.state, game.structure.symmetries
    images = []
    for source in range(len(circuit.roles)):
        for target in range(len(circuit.roles)):
            if source == target:
                continue
            nearest = _nearest(relations, [g for g in symmetries if g.roles[source] == target])
            if nearest:
                images.append(tuple(RoleImage(source, target, g.fluents, g.moves) for g in nearest))
                continue
            fluents = _swapped(circuit, relations, source, target)
            if fluents is not None:
                moves = np.full(circuit.move_count, -1, np.int64)
                images.append((RoleImage(source, target, fluents, moves),))
    return tuple(images)


def _nearest(relations: Sequence[FluentRelation], symmetries: Sequence[Symmetry]) -> list[Symmetry]:
    """Return the symmetries that change the fewest arguments."""
    changes = [sum(_changed(r, g.fluents) for r in relations) for g in symmetries]
    return [g for g, many in zip(symmetries, changes, strict=True) if many == min(changes)]


def _changed(relation: FluentRelation, image: Int64s) -> int:
    """Return how many arguments of a relation's fluents a map changes; all where it leaves it."""
    places = np.searchsorted(relation.fluents, image[relation.fluents])
    places = places.clip(max=len(relation.fluents) - 1)
    stays = relation.fluents[places] == image[relation.fluents]
    differing = (relation.codes[places] != relation.codes).sum(axis=1)
    return int(np.where(stays, differing, relation.arity + 1).sum())


def owner_of(circuit: Circuit, values: Sequence[str]) -> int | None:
    """Return the only role whose symbol is among some arguments, or None."""
    names = [role.lower() for role in circuit.roles]
    roles = {names.index(value.lower()) for value in values if value.lower() in names}
    return roles.pop() if len(roles) == 1 else None


def _swapped(
    circuit: Circuit, relations: Sequence[FluentRelation], source: int, target: int
) -> Int64s | None:
    """Return the fluents with the symbols of two roles exchanged, None if none has any."""
    names = {
        circuit.roles[source].lower(): circuit.roles[target].lower(),
        circuit.roles[target].lower(): circuit.roles[source].lower(),
    }
    images = np.full(len(circuit.fluents), -1, np.int64)
    some = False
    for relation in relations:
        rows = {tuple(row): int(f) for row, f in zip(relation.codes, relation.fluents, strict=True)}
        change = []
        for domain in relation.domains:
            number = {value.lower(): i for i, value in enumerate(domain)}
            change.append([number.get(names.get(v.lower(), v.lower()), -1) for v in domain])
        for row, fluent in rows.items():
            image = tuple(change[place][code] for place, code in enumerate(row))
            images[fluent] = rows.get(image, -1)
            some |= image != row and image in rows
    return images if some else None
