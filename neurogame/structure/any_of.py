"""Conditions in which a square may hold any of several things: four pieces that are all tall.

Written out, such a condition is thousands of combinations. A disjunction whose parts read the same
few variables is tabulated instead: which combinations of their values make it hold. The table is
then covered by as few boxes as a greedy search needs, each of them a set of values for every
variable.

*Reference:* Rudell and Sangiovanni-Vincentelli, "Multiple-valued minimization for PLA
optimization" (1987): cubes of multiple-valued variables, expanded and chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

import numpy as np

from neurogame.array_types import Bools, Int64s, UInt8s
from neurogame.graph.graph import AND, Graph
from neurogame.structure.lines import FEWEST, MOST
from neurogame.structure.variables import StateVariable

_ROWS, _GATES = 1 << 17, 1 << 17
"""Rows of a table, and gates of a graph, at most."""
_STARTS, _BOXES = 64, 32
"""Combinations that are tried as the beginning of a box, and boxes of a table, at most."""
_Variables = frozenset[int]


def any_of_conditions(
    graph: Graph, leaves: Int64s, variables: Sequence[StateVariable], variable_of: Int64s
) -> Iterator[tuple[int, Int64s]]:
    """Yield the conditions of a graph, each with the fluents that its variables may have.

    Args:
        graph: without complemented literals.
        leaves: literals of a circuit that its inputs are.
        variables: of the game.
        variable_of: variable of each fluent, or -1 for constants; int64 ``[F]``.

    Yields:
        A gate that is part of the condition, and literals ``2 * fluent``, ascending: of two to
        eight variables, of which one of their fluents each has to hold. Combinations without a
        fluent of each are left out.
    """
    if graph.gate_count > _GATES:
        return
    for read, parts in _disjunctions(graph, leaves, variable_of).items():
        group = [variables[one] for one in sorted(read)]
        shape = tuple(one.value_count for one in group)
        if prod(shape) > _ROWS:
            continue
        for box in _boxes(_table(graph, leaves, parts, group, shape)):
            chosen = list(zip(group, box, strict=True))
            if all(values[-1] < len(variable.fluents) for variable, values in chosen):
                fluents = np.concatenate([variable.fluents[values] for variable, values in chosen])
                yield parts[0] - graph.input_count, np.sort(2 * fluents)


def _disjunctions(
    graph: Graph, leaves: Int64s, variable_of: Int64s
) -> Mapping[_Variables, list[int]]:
    """Return the gates of which one has to hold, by the variables that each of them reads.

    Variables that are part of those of another disjunction are left out.
    """
    inputs, start = (graph.inputs >> 1).tolist(), graph.start.tolist()
    read: list[_Variables | None] = [frozenset()]
    for literal in (leaves >> 1).tolist():
        of = int(variable_of[literal - 1]) if 0 < literal <= len(variable_of) else -1
        read.append(frozenset([of]) if of >= 0 else None)
    parts: dict[_Variables, list[int]] = {}
    for gate, kind in enumerate(graph.kind.tolist()):
        below = inputs[start[gate] : start[gate + 1]]
        known = [one for node in below if (one := read[node]) is not None]
        joined = frozenset[int]().union(*known) if len(known) == len(below) else None
        read.append(joined if joined is not None and len(joined) <= MOST else None)
        if kind == AND:
            continue
        groups: dict[_Variables, list[int]] = {}
        for node in below:
            if (one := read[node]) is not None and len(one) >= FEWEST:
                groups.setdefault(one, []).append(node)
        for one, nodes in groups.items():
            if len(nodes) > 1:
                parts.setdefault(one, []).extend(nodes)
    return {one: nodes for one, nodes in parts.items() if not any(one < other for other in parts)}


def _table(
    graph: Graph,
    leaves: Int64s,
    parts: Sequence[int],
    group: Sequence[StateVariable],
    shape: tuple[int, ...],
) -> Bools:
    """Return for which combinations of values one of some nodes holds; bool, of the shape."""
    fluents: dict[int, UInt8s] = {}
    combinations = np.indices(shape, np.int32).reshape(len(shape), -1)
    for variable, values in zip(group, combinations, strict=True):
        for place, fluent in enumerate(variable.fluents.tolist()):
            fluents[fluent] = np.packbits(values == place, bitorder="little")
    rows: dict[int, UInt8s] = {0: np.zeros(-(-combinations.shape[1] // 8), np.uint8)}
    first = graph.input_count
    for node in _cone(graph, parts):
        if node < first:
            literal = int(leaves[node - 1])
            row = fluents[(literal >> 1) - 1]
            rows[node] = ~row if literal & 1 else row
            continue
        gate = node - first
        below = [rows[one] for one in (graph.inputs_of(np.array([gate]))[0] >> 1).tolist()]
        operation = np.bitwise_and if graph.kind[gate] == AND else np.bitwise_or
        rows[node] = operation.reduce(below)
    either = np.bitwise_or.reduce([rows[node] for node in parts])
    bits = np.unpackbits(either, bitorder="little", count=combinations.shape[1])
    return bits.reshape(shape).astype(np.bool_)


def _cone(graph: Graph, nodes: Sequence[int]) -> list[int]:
    """Return what nodes are made of and they themselves, what is read first."""
    needed: set[int] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node in needed or node == 0:
            continue
        needed.add(node)
        if node >= graph.input_count:
            waiting += (graph.inputs_of(np.array([node - graph.input_count]))[0] >> 1).tolist()
    return sorted(needed)


def _boxes(holds: Bools) -> Iterator[tuple[Int64s, ...]]:
    """Yield boxes that cover a table, the largest ones first; nothing if it takes too many."""
    left, random = holds.copy(), np.random.default_rng(0)
    boxes: list[tuple[Int64s, ...]] = []
    while left.any() and len(boxes) <= _BOXES:
        places = np.argwhere(left)
        starts = places[np.sort(random.permutation(len(places))[:_STARTS])].tolist()
        grown = (_grown(holds, start) for start in starts)
        boxes.append(max(grown, key=lambda box: prod(map(len, box))))
        left[np.ix_(*boxes[-1])] = False
    if len(boxes) <= _BOXES:
        yield from boxes


def _grown(holds: Bools, start: Sequence[int]) -> tuple[Int64s, ...]:
    """Return a box around a combination to which no value can be added."""
    box = [np.array([value]) for value in start]
    for axis, length in enumerate(holds.shape):
        others = tuple(one for one in range(holds.ndim) if one != axis)
        wide = [*box[:axis], np.arange(length), *box[axis + 1 :]]
        box[axis] = np.flatnonzero(holds[np.ix_(*wide)].all(axis=others))
    return tuple(box)
