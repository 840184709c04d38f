"""Least fixpoints of positive cycles, as acyclic gates.

Where every rule has at most one literal inside its cycle (transitive closures, chains), the cycle
is a linear system *x = A x + b* over the Boolean semiring, whose least solution Gaussian
elimination finds: an equation may drop its own variable, since the least *x* of *x = a x + b* is
*b*. The gates of *A* are made once for all cycles that share it. Other cycles are unrolled: from
false, their atoms are derived as often as there are atoms, which reaches the least fixpoint.

*Reference:* Backhouse and Carré, Regular algebra applied to path-finding problems, 1975.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.circuit.definitions import Definitions
from neurogame.graph.graph import AND, FALSE, OR
from neurogame.graph.groups import group_starts
from neurogame.graph.store import GateStore
from neurogame.ground.atoms import AtomTable
from neurogame.ground.limits import Watch

MOST_UNKNOWNS = 1000
"""Larger cycles are unrolled: the order of elimination takes time quadratic in their size."""

CONSTANT = -1
"""The column of the constant part *b* of a row."""

_Shape = tuple[int, tuple[tuple[int, int], ...]]
"""Number of unknowns, and row and column of each coefficient in *A*."""


def solve_cycles(
    components: Sequence[Int64s],
    definitions: Definitions,
    gates: GateStore,
    literal_of: Int64s,
    derive: Callable[[Int64s], None],
    watch: Watch,
) -> None:
    """Set the literals of cyclic components to their least fixpoints.

    Args:
        components: strongly connected components of atoms without negation inside them. All that
            they depend on outside has been derived, so none depends on another.
        definitions: the rules.
        gates: the gates made so far; receives the new ones.
        literal_of: literal of each atom, false in the components; int64 ``[A]``, written to.
        derive: sets the literals of atoms from those of their bodies.
        watch: limits.

    Raises:
        LimitError: if a limit is reached.
    """
    components = [_by_arguments(c, definitions.program.atoms) for c in components]
    systems = _Systems(components, definitions, gates, literal_of)
    for shape, members in systems.linear.items():
        solution = _solve(shape, systems.rows(shape, members), gates, watch)
        for column, member in enumerate(members):
            literal_of[components[member]] = solution[:, column]
    unrolled = [components[i] for i in systems.others]
    rounds = 0
    while unrolled:
        rounds += 1
        atoms = np.concatenate(unrolled)
        before = literal_of[atoms]
        derive(atoms)
        changed = np.split(literal_of[atoms] != before, np.cumsum([len(c) for c in unrolled])[:-1])
        # The gates may grow for ever without a change of what they mean: the rounds are counted.
        unrolled = [
            component
            for component, part in zip(unrolled, changed, strict=True)
            if part.any() and rounds < len(component)
        ]


def _by_arguments(component: Int64s, atoms: AtomTable) -> Int64s:
    """Return the atoms in an order that components about different things have in common."""
    start, arguments = atoms.start, atoms.arguments
    names = [
        (int(atoms.predicate[a]), *arguments[start[a] : start[a + 1]].tolist())
        for a in component.tolist()
    ]
    return component[sorted(range(len(names)), key=names.__getitem__)]


@final
class _Systems:
    """The linear systems of some components, sorted by their shape.

    Attributes:
        linear: shape (size, and the places of the coefficients) -> components of that shape.
        others: components that are not linear, or too large.
    """

    def __init__(
        self,
        components: Sequence[Int64s],
        definitions: Definitions,
        gates: GateStore,
        literal_of: Int64s,
    ) -> None:
        atoms = np.concatenate(components)
        sizes = np.array([len(c) for c in components])
        component = np.full(len(literal_of), -1, np.int64)
        component[atoms] = np.repeat(np.arange(len(components)), sizes)
        local = np.zeros(len(literal_of), np.int64)
        local[atoms] = np.concatenate([np.arange(size) for size in sizes])
        rules, _ = definitions.rules(atoms)
        body, lengths = definitions.body(rules)
        rule = np.repeat(np.arange(len(rules)), lengths)
        head = definitions.program.rule_head[rules].astype(np.int64)
        inside = component[body >> 1] == component[head][rule]
        large = sizes > MOST_UNKNOWNS
        large[component[head[np.bincount(rule[inside], minlength=len(rules)) > 1]]] = True
        self.others = np.flatnonzero(large).tolist()

        column = np.full(len(rules), CONSTANT, np.int64)
        column[rule[inside]] = local[body[inside] >> 1]
        literals = literal_of[body[~inside] >> 1] ^ (body[~inside] & 1)
        factor = gates.make(
            AND,
            literals,
            group_starts(np.bincount(rule[~inside], minlength=len(rules))),
            definitions.program.rule_source[rules].astype(np.int64),
        )
        # One coefficient per component, row and column: the rules' factors joined by OR.
        constant = column == CONSTANT
        order = np.lexsort((column, local[head], constant, component[head]))
        keys = np.stack([component[head], local[head], column], axis=1)[order]
        first = np.flatnonzero(np.append(True, (keys[1:] != keys[:-1]).any(axis=1)))
        self._places = keys[first, 1:]
        self._values = gates.make(OR, factor[order], np.append(first, len(rules)))
        bounds = np.arange(len(components) + 1)
        self._start = np.searchsorted(keys[first, 0], bounds)
        matrix = np.searchsorted(keys[first, 0] * 2 + constant[order][first], 2 * bounds + 1)
        self.linear: dict[_Shape, list[int]] = defaultdict(list)
        for number in np.flatnonzero(~large).tolist():
            places = self._places[self._start[number] : matrix[number]]
            shape = (int(sizes[number]), tuple((int(i), int(j)) for i, j in places))
            self.linear[shape].append(number)

    def rows(self, shape: _Shape, members: Sequence[int]) -> list[dict[int, Int64s]]:
        """Return the rows of some systems of one shape: column -> literals ``[systems]``."""
        size, entries = shape
        first = self._start[members]
        rows: list[dict[int, Int64s]] = [{} for _ in range(size)]
        for i, (row, column) in enumerate(entries):
            rows[row][column] = self._values[first + i]
        constants = np.full((size, len(members)), FALSE, np.int64)
        for system, number in enumerate(members):
            span = slice(self._start[number] + len(entries), self._start[number + 1])
            constants[self._places[span, 0], system] = self._values[span]
        for own_row, values in zip(rows, constants, strict=True):
            own_row[CONSTANT] = values
        return rows


def _solve(shape: _Shape, rows: list[dict[int, Int64s]], gates: GateStore, watch: Watch) -> Int64s:
    """Return the least solutions of systems of one shape; literals, int64 ``[size, systems]``."""
    size, entries = shape
    users: list[set[int]] = [set() for _ in range(size)]
    for row, column in entries:
        if row == column:
            del rows[row][column]
        else:
            users[column].add(row)
    order = []
    left = set(range(size))
    while left:
        # The fewest new products first.
        chosen = min(left, key=lambda i: ((len(rows[i]) - 1) * len(users[i]), i))
        left.remove(chosen)
        order.append(chosen)
        watch.check(f"solving a positive cycle of {size:,} atoms")
        _substitute(chosen, rows, users, gates)
    solution = np.zeros((size, len(rows[0][CONSTANT])), np.int64)
    for row in reversed(order):
        constant = rows[row].pop(CONSTANT)
        terms = _products([(v, solution[column]) for column, v in rows[row].items()], gates)
        solution[row] = gates.rows(OR, np.stack([constant, *terms], axis=1))
    return solution


def _substitute(
    chosen: int, rows: list[dict[int, Int64s]], users: list[set[int]], gates: GateStore
) -> None:
    """Put the equation of one unknown into those of the unknowns that use it."""
    targets = sorted(users[chosen])
    sources = sorted(rows[chosen].items())
    places = [(k, j) for k in targets for j, _ in sources if j != k]
    products = _products(
        [(rows[k][chosen], value) for k in targets for j, value in sources if j != k], gates
    )
    joined = [i for i, (k, j) in enumerate(places) if j in rows[k]]
    pairs = [np.stack([products[i], rows[places[i][0]][places[i][1]]], axis=1) for i in joined]
    if pairs:
        both = gates.rows(OR, np.concatenate(pairs)).reshape(len(pairs), -1)
        for i, value in zip(joined, both, strict=True):
            products[i] = value
    for k in targets:
        del rows[k][chosen]
    for (k, j), value in zip(places, products, strict=True):
        rows[k][j] = value
        if j != CONSTANT:
            users[j].add(k)
    for j, _ in sources:
        if j != CONSTANT:
            users[j].discard(chosen)


def _products(pairs: Sequence[tuple[Int64s, Int64s]], gates: GateStore) -> list[Int64s]:
    """Return the conjunctions of pairs of literals; int64 ``[systems]`` each."""
    if not pairs:
        return []
    literals = np.concatenate([np.stack(pair, axis=1) for pair in pairs])
    return list(gates.rows(AND, literals).reshape(len(pairs), -1))
