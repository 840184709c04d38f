"""Lines: sets of variables that a condition of the goals or of the end reads together.

A row of three cells with the same mark, for one. The circuit shares what conditions have in
common, so each is written out as its alternatives first, as long as these are few and short.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import AND, TRUE, Graph
from neurogame.graph.positive import positive

FEWEST, MOST = 2, 8
"""Variables of a line."""
_ALTERNATIVES = 1024
"""Most alternatives of a condition that is written out."""

Condition = frozenset[int]
"""Literals of fluents that hold together: ``2 * fluent``, or ``2 * fluent + 1`` if it does not."""
_Alternatives = frozenset[Condition]


def find_conditions(circuit: Circuit, outputs: Int64s, *, work: int) -> set[Condition]:
    """Return the short conjunctions of fluents in the cone of some literals.

    Args:
        circuit: the game; conditions that read other inputs than fluents are left out.
        outputs: the literals.
        work: most conditions looked at; if these are not enough, nothing is returned.
    """
    graph = circuit.graph.with_outputs(outputs)
    return set().union(*conditions_by_gate(*positive(graph), len(circuit.fluents), work=work))


def conditions_by_gate(
    graph: Graph, leaves: Int64s, fluents: int, *, work: int
) -> list[frozenset[Condition]]:
    """Return the short conjunctions of fluents that each gate is, of which one has to hold.

    Args:
        graph: without complemented literals.
        leaves: literals of a circuit that its inputs are.
        fluents: of the circuit; conditions that read other inputs are left out.
        work: most conditions looked at; if these are not enough, nothing is returned.

    Returns:
        For each gate; none for disjunctions. ``[G]``.
    """
    known: list[_Alternatives | None] = [frozenset()]
    for literal in leaves.tolist():
        inner = literal >> 1 <= fluents
        leaf = frozenset([frozenset([] if literal == TRUE else [literal - 2])])
        known.append(leaf if inner else None)
    start, inputs = graph.start.tolist(), (graph.inputs >> 1).tolist()
    conditions: list[frozenset[Condition]] = []
    for gate, kind in enumerate(graph.kind.tolist()):
        below = [known[node] for node in inputs[start[gate] : start[gate + 1]]]
        parts = [part for part in below if part is not None]
        made = None
        if len(parts) == len(below):
            made = _both(parts) if kind == AND else _either(parts)
            work -= sum(map(len, parts))
        conditions.append(frozenset() if made is None or kind != AND else made)
        known.append(made)
        if work < 0:
            return []
    return conditions


def find_lines(
    conditions: Iterable[Condition], variable_of: Int64s, *, most: int
) -> tuple[tuple[int, ...], ...]:
    """Return the lines of a game: none is part of another one.

    Args:
        conditions: as :func:`find_conditions` returns them.
        variable_of: variable of each fluent, or -1 for constants; int64 ``[F]``.
        most: if there are more lines than this, there are none.

    Returns:
        Ascending variables, 2 to 8 of them each; in ascending order.
    """
    of = variable_of.tolist()
    sets = {frozenset(of[literal >> 1] for literal in one) - {-1} for one in conditions}
    lines = maximal({s for s in sets if FEWEST <= len(s) <= MOST})
    return tuple(sorted(tuple(sorted(line)) for line in lines)) if len(lines) <= most else ()


def _either(parts: list[_Alternatives]) -> _Alternatives | None:
    made = frozenset[Condition]().union(*parts)
    return made if len(made) <= _ALTERNATIVES else None


def _both(parts: list[_Alternatives]) -> _Alternatives | None:
    """Return the alternatives of a conjunction of which at most one part has several.

    Where several have, they are conditions of their own, such as that no line is complete.
    """
    several = [part for part in parts if len(part) != 1]
    if len(several) > 1:
        return None
    same = Condition().union(*(one for part in parts if len(part) == 1 for one in part))
    made = frozenset(same | one for one in (several[0] if several else [Condition()]))
    return made if all(len(one) <= MOST for one in made) else None


def maximal(sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """Return the sets, none of them empty or there twice, that are part of no other one."""
    holders: dict[int, set[int]] = {}
    kept: list[frozenset[int]] = []
    for one in sorted(sets, key=len, reverse=True):
        # A larger one that holds all of it is among those that hold each of its members.
        of_each = sorted((holders.get(member, set()) for member in one), key=len)
        if not of_each[0].intersection(*of_each[1:]):
            for member in one:
                holders.setdefault(member, set()).add(len(kept))
            kept.append(one)
    return kept


def line_literals(conditions: Iterable[Condition]) -> list[Int64s]:
    """Return the conditions of two or more literals that are part of no other one, as arrays."""
    lines = maximal({one for one in conditions if len(one) >= FEWEST})
    return [np.array(sorted(one), np.int64) for one in lines]
