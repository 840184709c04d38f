"""Features of boards: how many stand there, how far they have come, who stands by whom."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neurogame.array_types import Int64s
from neurogame.features.feature import Feature, FeatureKind
from neurogame.features.maker import FeatureMaker, look_ups
from neurogame.features.roles import owner_of
from neurogame.structure.boards import GameBoard
from neurogame.structure.pieces import Marker
from neurogame.structure.relations import Relations
from neurogame.structure.structure import Structure

MOST_PAIRS = 20_000
"""Pairs of squares of a feature about pairs, at most."""
_MOST_REGIONS = 12
"""Kinds of squares, at most: where there are more, almost each square is one of its own."""
_MOST_APART = 32
"""Pairs of pieces whose distances are features, at most: of more, none is."""


def board_features(
    maker: FeatureMaker, structure: Structure, relations: Relations
) -> Iterator[Feature]:
    """Yield what boards suggest; Kuhlmann and Stone, "Approach"."""
    for board in relations.boards:
        markers = [marker for marker in relations.markers if marker.board is board]
        for marker in markers:
            yield from _of_marker(maker, structure, relations, marker)
        yield from _of_kinds(maker, board, markers)
    yield from _apart(maker, relations)


def marker_text(marker: Marker) -> str:
    """Return a marker as a term of the rules with ``*`` for its squares."""
    board = marker.board
    return board.relation.text(dict(zip(board.content, marker.name, strict=True)))


def marker_fluents(marker: Marker) -> Int64s:
    """Return the fluents of a marker, one for each square that it can stand on."""
    board = marker.board
    fluents: Int64s = board.relation.fluents[np.flatnonzero(board.content_of == marker.content)]
    return fluents


def _of_marker(
    maker: FeatureMaker, structure: Structure, relations: Relations, marker: Marker
) -> Iterator[Feature]:
    """Yield number, coordinates and neighbours of one marker."""
    fluents, text = marker_fluents(marker), marker_text(marker)
    owner = owner_of(maker.circuit, marker.name)
    yield maker.of_fluents(FeatureKind.COUNT, f"number of {text}", fluents, 1.0, owner)
    for region in _regions(structure, fluents):
        one = min(maker.circuit.fluents[fluent] for fluent in region)
        squares = "1 square" if len(region) == 1 else f"{len(region)} squares"
        words = f"number of {text} on {squares} like {one}"
        yield maker.of_fluents(FeatureKind.REGION, words, np.array(region), 1.0, owner)
    relation = marker.board.relation
    rows = np.searchsorted(relation.fluents, fluents)
    for axis in marker.board.axes:
        order = relations.order_of(relation, axis)
        if order is None:
            continue
        place = {code: i / (len(order.order) - 1) for i, code in enumerate(order.order)}
        weights = [place.get(code, 0.0) for code in relation.codes[rows, axis].tolist()]
        words = f"sum of argument {axis + 1} of {text}, 0 to 1 each"
        yield maker.of_fluents(FeatureKind.COORDINATE, words, fluents, weights, owner)
    pairs = _neighbours(structure, fluents)
    if 0 < len(pairs) <= MOST_PAIRS and not marker.piece.holds:
        words = f"neighbouring pairs of {text}"
        ones = np.ones(2, np.int64)
        tables = look_ups([(np.array(pair), ones, (0.0, 0.0, 1.0)) for pair in pairs])
        yield maker.of_look_ups(FeatureKind.SUPPORT, words, tables, owner)


def _of_kinds(maker: FeatureMaker, board: GameBoard, markers: list[Marker]) -> Iterator[Feature]:
    """Yield the number of all markers with a value in common, such as the colour."""
    if len(board.content) < 2:
        return
    for number, place in enumerate(board.content):
        values = dict.fromkeys(marker.name[number] for marker in markers)
        if not 1 < len(values) < len(markers):
            continue
        for value in values:
            fluents = np.concatenate(
                [marker_fluents(marker) for marker in markers if marker.name[number] == value]
            )
            text = f"number of {board.relation.text({place: value})}"
            owner = owner_of(maker.circuit, [value])
            yield maker.of_fluents(FeatureKind.COUNT, text, fluents, 1.0, owner)


def _regions(structure: Structure, fluents: Int64s) -> list[list[int]]:
    """Return squares that symmetries take to each other, such as corners and edges.

    Only symmetries count that keep the roles and the marker; none is returned where all squares
    are alike, or nearly each is one of its own.
    """
    members, least = set(fluents.tolist()), {int(fluent): int(fluent) for fluent in fluents}
    # The symmetries are a group: what one takes a square to is all of its region.
    for symmetry in structure.symmetries:
        keeps = bool((symmetry.roles == np.arange(len(symmetry.roles))).all())
        images = symmetry.fluents[fluents].tolist()
        if keeps and set(images) == members:
            for fluent, image in zip(fluents.tolist(), images, strict=True):
                least[fluent] = min(least[fluent], image)
    regions: dict[int, list[int]] = {}
    for fluent, first in least.items():
        regions.setdefault(first, []).append(fluent)
    return list(regions.values()) if 1 < len(regions) <= _MOST_REGIONS else []


def _neighbours(structure: Structure, fluents: Int64s) -> list[tuple[int, int]]:
    """Return pairs of fluents whose variables rules read together as often as any others."""
    of = structure.variable_of
    at = {int(of[fluent]): int(fluent) for fluent in fluents if of[fluent] >= 0}
    pairs: set[tuple[int, int]] = set()
    for variable, fluent in at.items():
        other, weight = structure.geometry.neighbours(variable)
        near = [(int(o), float(w)) for o, w in zip(other, weight, strict=True) if int(o) in at]
        best = max((w for _, w in near), default=0.0)
        for o, w in near:
            if w >= 0.5 * best and o != variable:
                pairs.add((min(fluent, at[o]), max(fluent, at[o])))
    return sorted(pairs)


def _apart(maker: FeatureMaker, relations: Relations) -> Iterator[Feature]:
    """Yield the Manhattan distance of any two pieces of one board with ordered coordinates."""
    pieces = [marker for marker in relations.pieces if _ordered(relations, marker.board)]
    pairs = [
        (one, other)
        for i, one in enumerate(pieces)
        for other in pieces[i + 1 :]
        if one.board is other.board
    ]
    for one, other in pairs if len(pairs) <= _MOST_APART else []:
        first, second = _squares(relations, one), _squares(relations, other)
        if len(first) * len(second) > MOST_PAIRS:
            continue
        text = f"distance of {marker_text(one)} and {marker_text(other)}"
        # Rows: the first piece's square, 0 if it is nowhere, then the second one's.
        wide = len(second) + 1
        values = np.zeros((len(first) + 1, wide), np.float32)
        for i, (_, here) in enumerate(first):
            for j, (_, there) in enumerate(second):
                values[i + 1, j + 1] = sum(abs(a - b) for a, b in zip(here, there, strict=True))
        fluents = np.array([f for f, _ in first] + [f for f, _ in second])
        addends = np.array(
            [wide * (i + 1) for i in range(len(first))] + [j + 1 for j in range(len(second))]
        )
        tables = look_ups([(fluents, addends, values.reshape(-1).tolist())])
        yield maker.of_look_ups(FeatureKind.APART, text, tables)


def _ordered(relations: Relations, board: GameBoard) -> bool:
    return all(relations.order_of(board.relation, axis) is not None for axis in board.axes)


def _squares(relations: Relations, marker: Marker) -> list[tuple[int, tuple[int, ...]]]:
    """Return a piece's fluents with the places of their coordinates in their orders."""
    board, squares = marker.board, []
    rows = {int(fluent): i for i, fluent in enumerate(board.relation.fluents)}
    orders = [relations.order_of(board.relation, axis) for axis in board.axes]
    for fluent in marker_fluents(marker).tolist():
        codes = board.relation.codes[rows[fluent]]
        place = tuple(
            order.order.index(int(codes[axis]))
            for axis, order in zip(board.axes, orders, strict=True)
            if order is not None and int(codes[axis]) in order.order
        )
        if len(place) == len(board.axes):
            squares.append((fluent, place))
    return squares
