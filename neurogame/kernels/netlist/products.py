"""Conditions on moves taken apart: where a move goes to, and what holds where it comes from.

"The piece that moves to this cell is a rook" is a disjunction over the moves to the cell, each with
the fluent that a rook is where the move begins. As one move is made at most, that is the same as
"the piece that moves is a rook, and one of these moves is made", and the first half serves every
cell: a table of cells by cells becomes two lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from neurogame.array_types import Int64s
from neurogame.graph.groups import gather_groups


@final
@dataclass(frozen=True, eq=False)
class Apart:
    """Conjunctions in which products have been taken apart.

    Attributes:
        start: of the conjunctions, in topological order; int64 ``[G + 1]``.
        inputs: their literals. Nodes are numbered: inputs, sets, more sets, gates.
        roots: the literals wanted.
        more: moves of each further set.
    """

    start: Int64s
    inputs: Int64s
    roots: Int64s
    more: tuple[tuple[int, ...], ...]


_FEWEST_TERMS = 4
_MOST_TERMS = 2_000_000


@final
@dataclass(eq=False)
class Product:
    """Gates whose terms agree on which literal goes with which move.

    Attributes:
        members: moves of each set.
        literals: literal that goes with each move.
        gates: per gate the sets of its terms.
    """

    members: Sequence[tuple[int, ...]]
    literals: dict[int, int] = field(default_factory=dict)
    gates: dict[int, list[int]] = field(default_factory=dict)

    def moves(self, gate: int) -> list[int]:
        """Return the moves of a gate's terms."""
        return sorted(move for term in self.gates[gate] for move in self.members[term])

    def by_literal(self) -> dict[int, list[int]]:
        """Return the moves that go with each literal."""
        result: dict[int, list[int]] = {}
        for move, literal in sorted(self.literals.items()):
            result.setdefault(literal, []).append(move)
        return result

    @property
    def saving(self) -> int:
        """About how many gates taking the terms apart saves."""
        terms = sum(map(len, self.gates.values()))
        return terms - 2 * (len(set(self.literals.values())) + len(self.gates))


def take_apart(
    first: int,
    start: Int64s,
    inputs: Int64s,
    roots: Int64s,
    members: Sequence[tuple[int, ...]],
    owner: Int64s,
    state: np.ndarray,
) -> Apart:
    """Take products apart where that saves gates.

    Args:
        first: number of inputs.
        start: of conjunctions.
        inputs: their literals; nodes from ``first + G`` on stand for sets of moves.
        roots: the literals wanted.
        members: moves of each set; none for sets that are too large.
        owner: choice of each move, or -1; ``[M]``. At most one move of a choice is made.
        state: nodes that depend on no moves; bool ``[first + G]``.
    """
    from neurogame.kernels.netlist import factor_loops

    products, term_set = find_products(first, start, inputs, members, owner, state)
    gates, sets = len(start) - 1, len(members)
    more: dict[tuple[int, ...], int] = {}
    for product in products:
        for moves in (*product.by_literal().values(), *map(product.moves, product.gates)):
            more.setdefault(tuple(moves), len(more))
    base = first + sets + len(more)
    node = np.concatenate([np.arange(first), base + np.arange(gates), first + np.arange(sets)])
    placed = 2 * node[inputs >> 1] + (inputs & 1)
    keep = np.ones(len(inputs), np.bool_)
    added: dict[int, list[int]] = {}
    fresh: list[list[int]] = []

    def gate(literals: list[int]) -> int:
        fresh.append(literals)
        return 2 * (base + gates + len(fresh) - 1)

    for product in products:
        none = []
        for literal, moves in product.by_literal().items():
            factor = 2 * int(node[literal >> 1]) + (literal & 1)
            none.append(gate([factor, 2 * (first + sets + more[tuple(moves)])]) ^ 1)
        whole = gate(none)
        for number, own_sets in product.gates.items():
            factor = 2 * (first + sets + more[tuple(product.moves(number))])
            added.setdefault(number, []).append(gate([whole ^ 1, factor]) ^ 1)
            edges = np.arange(start[number], start[number + 1])
            below = (inputs[edges] >> 1) - first
            terms = (inputs[edges] & 1 == 1) & (below >= 0) & (below < gates)
            terms[terms] = np.isin(term_set[below[terms]], own_sets)
            keep[edges[terms]] = False
    begin, end, parts = _spliced(start, placed, keep, added, fresh)
    wanted = 2 * node[roots >> 1] + (roots & 1)
    return Apart(*factor_loops.in_order(base, begin, end, parts, wanted), tuple(more))


def _spliced(
    start: Int64s,
    inputs: Int64s,
    keep: np.ndarray,
    added: dict[int, list[int]],
    fresh: list[list[int]],
) -> tuple[Int64s, Int64s, Int64s]:
    """Return begin and end of each gate, old and fresh, and all inputs."""
    gate_of = np.repeat(np.arange(len(start) - 1), np.diff(start))
    rows = [(len(start) - 1 + index, part) for index, part in enumerate(fresh)]
    rows += sorted(added.items())
    owners = np.repeat([row for row, _ in rows], [len(part) for _, part in rows])
    gate_of = np.concatenate([gate_of[keep], owners.astype(np.int64)])
    more = [literal for _, part in rows for literal in part]
    parts = np.concatenate([inputs[keep], np.array(more, np.int64)])
    order = np.argsort(gate_of, kind="stable")
    ends = np.cumsum(np.bincount(gate_of, minlength=len(start) - 1 + len(fresh)))
    return np.append(0, ends[:-1]), ends, parts[order]


def find_products(
    first: int,
    start: Int64s,
    inputs: Int64s,
    members: Sequence[tuple[int, ...]],
    owner: Int64s,
    state: np.ndarray,
) -> tuple[list[Product], Int64s]:
    """Find gates with terms of a move and one other literal that can be taken apart.

    Args:
        first: number of inputs.
        start: of conjunctions.
        inputs: their literals; nodes from ``first + G`` on stand for sets of moves.
        members: moves of each set; none for sets that are too large.
        owner: choice of each move, or -1; ``[M]``.
        state: nodes that depend on no moves; bool ``[first + G]``.

    Returns:
        The products that save gates, and the set of each gate that is such a term, or -1.
    """
    term_set, literal = _terms(first, start, inputs, members, owner, state)
    gates = len(start) - 1
    gate_of = np.repeat(np.arange(gates), np.diff(start))
    below = (inputs >> 1) - first
    edges = np.flatnonzero((inputs & 1 == 1) & (below >= 0) & (below < gates))
    edges = edges[term_set[below[edges]] >= 0]
    products: list[Product] = []
    if not _FEWEST_TERMS <= len(edges) <= _MOST_TERMS:
        return products, term_set
    choice_of = np.array([owner[group[0]] if group else -1 for group in members], np.int64)
    with_literal: dict[tuple[int, int], set[int]] = {}
    for gate, terms in _gates(gate_of[edges], below[edges], choice_of[term_set]):
        own_sets = term_set[terms].tolist()
        pairs: dict[int, int] = {}
        size = 0
        for term, one in zip(own_sets, literal[terms].tolist(), strict=True):
            size += len(members[term])
            pairs.update(dict.fromkeys(members[term], one))
        if len(pairs) < size:
            continue
        choice = int(choice_of[own_sets[0]])
        # The product of the same choice that has most literals in common, if they agree.
        overlap = Counter(
            index for one in set(pairs.values()) for index in with_literal.get((one, choice), ())
        )
        index = next(
            (
                index
                for index, _ in sorted(overlap.items(), key=lambda item: (-item[1], item[0]))
                if all(products[index].literals.get(m, x) == x for m, x in pairs.items())
            ),
            len(products),
        )
        if index == len(products):
            products.append(Product(members))
        products[index].literals.update(pairs)
        products[index].gates[gate] = own_sets
        for one in set(pairs.values()):
            with_literal.setdefault((one, choice), set()).add(index)
    return [product for product in products if product.saving > 0], term_set


def _terms(
    first: int,
    start: Int64s,
    inputs: Int64s,
    members: Sequence[tuple[int, ...]],
    owner: Int64s,
    state: np.ndarray,
) -> tuple[Int64s, Int64s]:
    """Return the set and the other literal of each gate that is a term; set -1 if it is none."""
    gates = len(start) - 1
    term_set = np.full(gates, -1, np.int64)
    literal = np.zeros(gates, np.int64)
    choices = [set(owner[list(group)].tolist()) for group in members]
    usable = np.array([len(choice) == 1 and min(choice) >= 0 for choice in choices], np.bool_)
    pairs = np.flatnonzero(np.diff(start) == 2)
    both = gather_groups(start, inputs, pairs).reshape(-1, 2)
    for side, other in ((0, 1), (1, 0)):
        sets = (both[:, side] >> 1) - first - gates
        node = both[:, other] >> 1
        good = (sets >= 0) & (both[:, side] & 1 == 0) & (node < first + gates)
        good[good] = usable[sets[good]] & state[node[good]]
        term_set[pairs[good]] = sets[good]
        literal[pairs[good]] = both[good, other]
    return term_set, literal


def _gates(gate: Int64s, term: Int64s, choice: Int64s) -> Iterator[tuple[int, Int64s]]:
    """Yield gates with enough terms of one choice, and these terms."""
    order = np.lexsort((term, choice[term], gate))
    gate, term = gate[order], term[order]
    bounds = np.flatnonzero((np.diff(gate) != 0) | (np.diff(choice[term]) != 0)) + 1
    seen: set[int] = set()
    for part in np.split(np.arange(len(gate)), bounds):
        number = int(gate[part[0]])
        if len(part) >= _FEWEST_TERMS and number not in seen:
            seen.add(number)
            yield number, term[part]
