"""The uniform choice among the legal slots, as gates.

The slots are the leaves of a tree. On the way up each node counts its legal slots; on the way down
the node that holds the slot of the drawn rank is found, one level at a time for all nodes at once:
the counts of the active node's children are gathered by ORs, subtracted from the rank one after
the other, and the first that the rank is below is the child to go to. How many children the nodes
of a level have is chosen so that the number of gates is smallest.

*Reference:* Jacobson, "Space-efficient static trees and graphs" (1989) (rank and select by a
directory of counts).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias, final

from neurogame.kernels.netlist.builder import TRUE, Builder, Literal
from neurogame.kernels.netlist.netlist import OR_AND

Number: TypeAlias = list[Literal]
"""A number bit by bit, least significant first."""

_MOST_CHILDREN = 24


@final
class Selection:
    """One choice among slots.

    Attributes:
        total: number of legal slots.
        mask: the smallest ``2^j - 1 >= total - 1``, of as many bits as ``slots - 1`` has.
        some: whether a slot is legal.
    """

    def __init__(self, builder: Builder, slots: Sequence[Literal]) -> None:
        """Make the gates that count.

        Args:
            builder: where the gates are made.
            slots: whether each slot is legal; at least one.
        """
        self._builder = builder
        self._slots = list(slots)
        self._plan = plan(len(slots))
        # Per level the counts of its nodes, from the slots to the root.
        self._counts: list[list[Number]] = [[[slot] for slot in slots]]
        size = 1
        for children in self._plan:
            size = min(size * children, len(slots))
            below = self._counts[-1]
            self._counts.append(
                [
                    _sum(builder, below[begin : begin + children], size)
                    for begin in range(0, len(below), children)
                ]
            )
        self.total = self._counts[-1][0]
        self.some = builder.disjunction(*self.total)
        self.mask = self._mask(_bits(len(slots) - 1))

    def _mask(self, width: int) -> Number:
        """Return the mask: bit ``i`` is set where the total is greater than ``2^i``."""
        builder, total = self._builder, self.total
        mask: Number = []
        low: Literal = 0
        high: Literal = 0
        above = [0] * (len(total) + 1)
        for bit in reversed(range(len(total))):
            above[bit] = high
            high = builder.disjunction(high, total[bit])
        for bit in range(width):
            mask.append(builder.table(OR_AND, above[bit], total[bit], low))
            low = builder.disjunction(low, total[bit])
        return mask

    def descend(self, rank: Sequence[Literal]) -> list[Literal]:
        """Make the gates that find the slot of a rank.

        Args:
            rank: number below the total, or 0; of :func:`rank_bits` bits.

        Returns:
            Whether each slot is chosen; none is where none is legal.
        """
        builder = self._builder
        active: list[Literal] = [self.some]
        for level in reversed(range(len(self._plan))):
            children = self._plan[level]
            below = self._counts[level]
            gathered = self._gather(active, below, children)
            chosen: list[Literal]
            if level == 0:
                chosen = self._leaf([number[0] for number in gathered], rank)
            else:
                chosen, rank = self._branch(gathered, rank, _bits(self._size(level) - 1))
            alone = len(active) == 1
            active = [
                builder.conjunction(chosen[place % children], active[place // children])
                if not alone or place == children - 1
                else chosen[place]
                for place in range(len(below))
            ]
            if alone:
                # The last child of the root is the only one that no comparison guards.
                active[-1] = builder.conjunction(chosen[len(below) - 1], self.some)
        return active

    def _size(self, level: int) -> int:
        """Return the most slots of a node of a level."""
        size = 1
        for children in self._plan[:level]:
            size *= children
        return min(size, len(self._slots))

    def _gather(self, active: list[Literal], below: list[Number], children: int) -> list[Number]:
        """Return the counts of the active node's children, the last one's left out as zeros."""
        if len(active) == 1:
            return below
        builder = self._builder
        result = []
        for place in range(children - 1):
            width = len(below[place])
            number = [0] * width
            for node, is_active in enumerate(active):
                index = node * children + place
                if index < len(below):
                    for bit, literal in enumerate(below[index]):
                        number[bit] = builder.table(OR_AND, number[bit], is_active, literal)
            result.append(number)
        return [*result, [0]]

    def _branch(
        self, counts: list[Number], rank: Sequence[Literal], width: int
    ) -> tuple[list[Literal], Number]:
        """Return which child has the rank, and the rank within it of some bits."""
        builder = self._builder
        left = list(rank)
        remaining = [left]
        below = []
        for number in counts[:-1]:
            borrow: Literal = 0
            difference = []
            for bit, literal in enumerate(left):
                other = number[bit] if bit < len(number) else 0
                digit, borrow = builder.subtract(literal, other, borrow)
                difference.append(digit)
            below.append(borrow)
            left = difference
            remaining.append(left)
        inner = remaining[-1][:width]
        for borrow, number in zip(reversed(below), reversed(remaining[:-1]), strict=True):
            inner = [
                builder.mux(borrow, before, rest)
                for before, rest in zip(number[:width], inner, strict=True)
            ]
        chosen = []
        open_: Literal = TRUE
        for borrow in below:
            chosen.append(builder.conjunction(open_, borrow))
            open_ = builder.conjunction(open_, borrow ^ 1)
        return [*chosen, open_], inner

    def _leaf(self, legal: list[Literal], rank: Sequence[Literal]) -> list[Literal]:
        """Return which of a few slots has the rank; the last is taken if no other is."""
        builder = self._builder
        count = len(legal)
        # at[k]: k legal slots are still to be passed over.
        at = [
            builder.conjunction(*(bit ^ (value >> place & 1 ^ 1) for place, bit in enumerate(rank)))
            for value in range(count)
        ]
        chosen = []
        for place, literal in enumerate(legal[:-1]):
            chosen.append(builder.conjunction(at[0], literal))
            at = [builder.mux(literal, at[k + 1], at[k]) for k in range(count - 1 - place)]
        return [*chosen, at[0]]


def rank_bits(slots: int) -> int:
    """Return the number of bits of a rank among slots."""
    return _bits(slots - 1)


def plan(slots: int) -> tuple[int, ...]:
    """Return how many children the nodes of each level have, from the leaves to the root."""
    return _best(slots, 1, slots)[1]


@cache
def _best(nodes: int, size: int, slots: int) -> tuple[int, tuple[int, ...]]:
    """Return the fewest gates above some nodes of a size, and the numbers of children."""
    if nodes == 1:
        return 0, ()
    best: tuple[int, tuple[int, ...]] | None = None
    for children in range(2, min(_MOST_CHILDREN, nodes) + 1):
        cost = _level_cost(nodes, size, children, slots)
        if best is not None and cost >= best[0]:
            continue
        above, rest = _best(-(-nodes // children), min(size * children, slots), slots)
        if best is None or cost + above < best[0]:
            best = (cost + above, (children, *rest))
    assert best is not None
    return best


def _level_cost(nodes: int, size: int, children: int, slots: int) -> int:
    """Return about how many gates a level of the tree takes, going up and down."""
    parents = -(-nodes // children)
    width = _bits(size)
    rank = _bits(min(size * children, slots) - 1)
    cost = parents * _sum_cost(children, width)
    if size == 1:
        cost += children * (children - 1) // 2 + 2 * children
    else:
        cost += (children - 1) * (2 * rank + 2 + _bits(size - 1))
    if parents > 1:
        cost += nodes + nodes * (children - 1) // children * width
    return cost


@cache
def _sum_cost(children: int, width: int) -> int:
    """Return the number of gates that add some numbers of some bits."""
    columns = [children] * width
    cost = 0
    bit = 0
    while bit < len(columns):
        count = columns[bit]
        if count > 1 and bit + 1 == len(columns):
            columns.append(0)
        while count > 1:
            count -= 2 if count > 2 else 1
            columns[bit + 1] += 1
            cost += 2
        bit += 1
    return cost


def _sum(builder: Builder, numbers: list[Number], most: int) -> Number:
    """Return the sum of some numbers, which is at most ``most``."""
    columns: list[list[Literal]] = [[] for _ in range(_bits(most) + 1)]
    for number in numbers:
        for bit, literal in enumerate(number):
            columns[bit].append(literal)
    result = []
    for bit in range(_bits(most)):
        column = columns[bit]
        while len(column) > 1:
            part, column = column[:3], column[3:]
            total, carry = builder.add(*part, *(0,) * (3 - len(part)))
            column.append(total)
            columns[bit + 1].append(carry)
        result.append(column[0] if column else 0)
    return result


def _bits(number: int) -> int:
    return number.bit_length()
