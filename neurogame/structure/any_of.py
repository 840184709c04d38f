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

from neurogame.array_types import Bools, Int64s
from neurogame.graph.evaluate import holds
from neurogame.graph.graph import AND, Graph
from neurogame.graph.prune import prune
from neurogame.structure.lines import FEWEST, MOST, maximal
from neurogame.structure.variables import StateVariable

_ROWS, _GATES, _TOGETHER = 1 << 17, 1 << 17, 1 << 13
"""Rows of a table, and gates of a graph, at most; rows that are computed together."""
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
    kept = set(maximal(parts))
    return {one: nodes for one, nodes in parts.items() if one in kept}


def _table(
    graph: Graph,
    leaves: Int64s,
    parts: Sequence[int],
    group: Sequence[StateVariable],
    shape: tuple[int, ...],
) -> Bools:
    """Return for which combinations of values one of some gates holds; bool, of the shape."""
    small = prune(graph.with_outputs(2 * np.array(parts)))
    fluent, turned = (leaves >> 1) - 1, (leaves & 1).astype(np.bool_)
    reads = [[np.flatnonzero(fluent == f) for f in one.fluents.tolist()] for one in group]
    combinations = np.indices(shape).reshape(len(shape), -1)
    held = []
    for chunk in np.array_split(combinations, -(-combinations.shape[1] // _TOGETHER), axis=1):
        inputs = np.repeat(turned[:, None], chunk.shape[1], axis=1)
        for leaves_of, values in zip(reads, chunk, strict=True):
            for place, rows in enumerate(leaves_of):
                inputs[rows] ^= values == place
        held.append(holds(small, inputs.T).any(axis=1))
    return np.concatenate(held).reshape(shape)


def _boxes(table: Bools) -> Iterator[tuple[Int64s, ...]]:
    """Yield boxes that cover a table, the largest ones first; nothing if it takes too many."""
    left, random = table.copy(), np.random.default_rng(0)
    boxes: list[tuple[Int64s, ...]] = []
    while left.any() and len(boxes) <= _BOXES:
        places = np.argwhere(left)
        starts = places[np.sort(random.permutation(len(places))[:_STARTS])].tolist()
        grown = (_grown(table, start) for start in starts)
        boxes.append(max(grown, key=lambda box: prod(map(len, box))))
        left[np.ix_(*boxes[-1])] = False
    if len(boxes) <= _BOXES:
        yield from boxes


def _grown(table: Bools, start: Sequence[int]) -> tuple[Int64s, ...]:
    """Return a box around a combination to which no value can be added."""
    box = [np.array([value]) for value in start]
    for axis in range(table.ndim):
        others = tuple(one for one in range(table.ndim) if one != axis)
        inside = table
        for other in others:
            inside = inside.take(box[other], axis=other)
        box[axis] = np.flatnonzero(inside.all(axis=others))
    return tuple(box)
