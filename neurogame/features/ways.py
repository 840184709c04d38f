"""Features of ways: how far things have come to where a goal needs them.

The distance is that of the rules, not of a board: the least number of moves after which a marker
could stand on a square that the highest goal of a role reads, if nothing stood in its way.

*Reference:* Draper, "Sancho", distance to win; Günther, Schiffel and Thielscher, "Factoring general
games" (dependencies of propositions).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.features.feature import Feature, FeatureKind
from neurogame.features.maker import FeatureMaker
from neurogame.features.on_boards import marker_fluents, marker_text
from neurogame.features.roles import owner_of
from neurogame.graph.graph import TRUE
from neurogame.graph.positive import positive
from neurogame.structure.relations import Relations

MOST_GATES = 100_000
"""Gates of a circuit whose ways are looked for, at most."""
_MOST_TARGETS = 0.5
"""Share of a marker's squares that a goal may read, if it is to be a place to go to."""


def way_features(maker: FeatureMaker, relations: Relations) -> Iterator[Feature]:
    """Yield, marker by marker, how far those on the board have come to the goal of a role."""
    circuit = maker.circuit
    if circuit.gate_count > MOST_GATES:
        return
    # The highest goal value of a role comes first; a role without goals wants nothing.
    best = [pairs[0][1] if pairs else 0 for pairs in circuit.goals]
    goals = inputs_read(circuit, best)
    wanted = [
        (marker, role, targets)
        for marker in relations.markers
        for role in range(len(circuit.roles))
        if owner_of(circuit, marker.name) in (None, role)
        if (targets := goals[role] & _mask(marker_fluents(marker)))
        if targets.bit_count() <= _MOST_TARGETS * len(marker_fluents(marker))
    ]
    if not wanted:
        return
    after = inputs_read(circuit, circuit.next.tolist())
    legal = inputs_read(circuit, circuit.legal.tolist())
    for marker, role, targets in wanted:
        fluents = marker_fluents(marker)
        far = distances(fluents, targets, after, legal, len(circuit.fluents))
        longest = far.max()
        if longest <= 0:
            continue
        weights = np.where(far >= 0, 1 - far / longest, 0.0)
        words = f"way of {marker_text(marker)} to the goal of {circuit.roles[role]}, 0 to 1 each"
        yield maker.of_fluents(FeatureKind.DISTANCE, words, fluents, weights.tolist(), role)


def distances(
    fluents: Int64s, targets: int, after: Sequence[int], legal: Sequence[int], count: int
) -> Int64s:
    """Return the least number of moves from each square to a target, -1 where there is no way.

    A marker can go from one square to another if what makes the other one true next reads the first
    one; where it reads no other square, if it reads a move whose legality reads the first one.

    Args:
        fluents: of a marker, one for each square; int64 ``[S]``.
        targets: which of them are; bit ``f`` for fluent ``f``.
        after: what each fluent's next state reads; see :func:`inputs_read`.
        legal: what each move's legality reads.
        count: of fluents, ``F``; bit ``F + m`` stands for move ``m``.
    """
    squares = _mask(fluents)
    mine = [read & squares for read in legal]
    moving = sum(1 << move for move, read in enumerate(mine) if read)
    comes_from: dict[int, int] = {}
    for fluent in fluents.tolist():
        read = after[fluent]
        sources = read & squares & ~(1 << fluent)
        # Where moves are steps from anywhere, next states say from where; else moves do.
        for move in () if sources else _bits((read >> count) & moving):
            sources |= mine[move]
        comes_from[fluent] = sources
    far, edge, steps, seen = dict.fromkeys(fluents.tolist(), -1), targets, 0, 0
    while edge:
        seen |= edge
        below = 0
        for fluent in _bits(edge):
            far[fluent] = steps
            below |= comes_from[fluent]
        edge, steps = below & ~seen, steps + 1
    return np.array([far[fluent] for fluent in fluents.tolist()], np.int64)


def inputs_read(circuit: Circuit, literals: Sequence[int]) -> list[int]:
    """Return which fluents and moves each literal can be made true by, as they hold or are made.

    Returns:
        A set of bits for each: ``f`` for a fluent, ``F + m`` for a move.
    """
    graph, leaves = positive(circuit.graph.with_outputs(np.array(literals, np.int64)))
    known = [0]
    for literal in leaves.tolist():
        known.append(0 if literal <= TRUE or literal & 1 else 1 << ((literal >> 1) - 1))
    start, inputs = graph.start.tolist(), (graph.inputs >> 1).tolist()
    for gate in range(len(start) - 1):
        bits = 0
        for node in inputs[start[gate] : start[gate + 1]]:
            bits |= known[node]
        known.append(bits)
    return [known[literal >> 1] for literal in graph.outputs.tolist()]


def _mask(fluents: Int64s) -> int:
    return sum(1 << fluent for fluent in fluents.tolist())


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
