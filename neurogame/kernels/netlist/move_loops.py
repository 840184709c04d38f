"""The loops behind sets of moves; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools, Bools1, Int64s, Int64s1, UInt64s, UInt64s2
from neurogame.graph.graph import Graph
from neurogame.native.compiled import compiled, inner
from neurogame.native.struct import Struct

_MOST_OWN = 64
"""Positive sets of one conjunction that are looked at; more of them stay as they are."""

_NONE, _FITS = _MOST_OWN, _MOST_OWN + 1
"""Rows of a table of sets: the moves that are not made, and those that may be."""


class _Conditions(Struct):
    """Conjunctions, and what they say about moves.

    ``I`` inputs, of which the moves are the last, ``G`` gates, ``W`` words of a set of moves. Sets
    are bits in words, so that a question about all moves is one about a few words.

    Attributes:
        first: ``I``.
        moves_begin: node of the first move; the fluents are the nodes before it.
        most_named: a conjunction stays as it is where a set would have to name more moves.
        mark: number of the walk under way.
        gathered: number of sets of the present conjunction, one of whose moves is made.
        raw: the first of its edges that has found no room among them.
        filled: literals written.
        sets: sets written.
        stored: sets of several moves written.
        start: of the conjunctions; ``[G + 1]``.
        inputs: their literals; ``[E]``.
        pure: see :func:`find_pure`; ``[I + G]``.
        implying: per fluent literal the moves that imply it; ``[2 F, W]``.
        roles: per role its moves; ``[R, W]``.
        owners: per choice its moves; ``[K, W]``.
        made_start: written, as :func:`refine` says, like the following four; ``[G + 1]``.
        made: literals.
        single: per set its only move, or -1.
        place_of: per set where its bits are, or -1.
        bits: of the sets of several moves; ``[S, W]``.
        stack: gates under way.
        stamp: mark of the last walk that came to a gate; ``[G]``.
        table: sets of the present conjunction, then :data:`_NONE` and :data:`_FITS`; ``[66, W]``.
    """

    first: int
    moves_begin: int
    most_named: int
    mark: int = 0
    gathered: int = 0
    raw: int = 0
    filled: int = 0
    sets: int = 0
    stored: int = 0
    start: Int64s1
    inputs: Int64s1
    pure: Bools1
    implying: UInt64s2
    roles: UInt64s2
    owners: UInt64s2
    made_start: Int64s1
    made: Int64s1
    single: Int64s1
    place_of: Int64s1
    bits: UInt64s2
    stack: Int64s1
    stamp: Int64s1
    table: UInt64s2


def find_pure(form: Graph, moves_begin: int) -> Bools:
    """Return which conjunctions say that none of some moves is made; bool ``[I + G]``.

    Args:
        form: the conjunctions.
        moves_begin: node of the first move; the fluents are the nodes before it.
    """
    pure = np.zeros(form.node_count, np.bool_)
    _find_pure(form.input_count, moves_begin, form.start, form.inputs, pure)
    return pure


@compiled
def _find_pure(first: int, moves_begin: int, start: Int64s1, inputs: Int64s1, pure: Bools1) -> None:
    """Write what :func:`find_pure` returns."""
    for gate in range(len(start) - 1):
        good = True
        for edge in range(start[gate], start[gate + 1]):
            node = inputs[edge] >> 1
            is_move = inputs[edge] & 1 == 1 and moves_begin <= node < first
            if not is_move and (inputs[edge] & 1 == 1 or not pure[node]):
                good = False
        pure[first + gate] = good


@inner
def _put(work: _Conditions, row: int, move: int) -> None:
    """Put a move into a set."""
    work.table[row, move >> 6] |= np.uint64(1) << np.uint64(move & 63)


@inner
def _collect(work: _Conditions, node: int, row: int) -> None:
    """Add the moves of a pure conjunction to a set."""
    start, stack, stamp = work.start, work.stack, work.stamp
    stack[0] = node
    depth = 1
    while depth > 0:
        depth -= 1
        gate = stack[depth] - work.first
        if stamp[gate] == work.mark:
            continue
        stamp[gate] = work.mark
        for edge in range(start[gate], start[gate + 1]):
            below = work.inputs[edge] >> 1
            if work.inputs[edge] & 1:
                _put(work, row, below - work.moves_begin)
            elif stamp[below - work.first] != work.mark:
                stack[depth] = below
                depth += 1


@inner
def _only(table: UInt64s, row: int) -> int:
    """Return the only member of a set, -1 if it is empty and -2 if it has several."""
    member = -1
    for word in range(table.shape[1]):
        value = table[row, word]
        if value == np.uint64(0):
            continue
        if member >= 0 or (value & (value - np.uint64(1))) != np.uint64(0):
            return -2
        place = 0
        while (value >> np.uint64(place)) & np.uint64(1) == np.uint64(0):
            place += 1
        member = 64 * word + place
    return member


@inner
def _within(table: UInt64s, row: int, others: UInt64s, other: int) -> bool:
    """Return whether one set is part of another."""
    within = True
    for word in range(table.shape[1]):
        within = within and (table[row, word] & ~others[other, word]) == np.uint64(0)
    return within


@inner
def _count(word: np.uint64) -> int:
    """Return the number of ones of a word."""
    count = 0
    while word != np.uint64(0):
        word &= word - np.uint64(1)
        count += 1
    return count


@inner
def _named(work: _Conditions, row: int) -> int:
    """Return how many moves are named where of each choice the smaller part is."""
    total = 0
    for owner in range(len(work.owners)):
        inside, outside = 0, 0
        for word in range(work.table.shape[1]):
            inside += _count(work.table[row, word] & work.owners[owner, word])
            outside += _count(~work.table[row, word] & work.owners[owner, word])
        total += min(inside, outside)
    return total


@inner
def _exclude(work: _Conditions, row: int, gate: int) -> None:
    """Take the moves out of a set that imply the opposite of a fluent of a conjunction."""
    for edge in range(work.start[gate], work.start[gate + 1]):
        node = work.inputs[edge] >> 1
        if 0 < node < work.moves_begin:
            opposite = 2 * (node - 1) + (work.inputs[edge] & 1 ^ 1)
            for word in range(work.table.shape[1]):
                work.table[row, word] &= ~work.implying[opposite, word]


def refine(
    form: Graph,
    moves_begin: int,
    implying: UInt64s,
    roles: UInt64s,
    owners: UInt64s,
    most_named: int,
    most_sets: int,
) -> tuple[Int64s, Int64s, Int64s, Int64s, UInt64s]:
    """Rewrite what conjunctions say about moves, given what each move implies.

    Args:
        form: the conjunctions.
        moves_begin: node of the first move; the fluents are the nodes before it.
        implying: per fluent literal the moves that imply it; uint64 ``[2 F, W]``.
        roles: per role its moves; uint64 ``[R, W]``.
        owners: per choice its moves; uint64 ``[K, W]``.
        most_named: a conjunction stays as it is where a set would have to name more moves.
        most_sets: room for sets of several moves.

    Returns:
        Start and inputs of the conjunctions, in which a set is the literal of a node from
        ``first + G`` on, plain where one of its moves is made, complemented where none is; per
        set its only move, or -1 and where its bits are; and the bits, uint64 ``[S, W]``. Start
        is empty if there was not room enough.
    """
    count, room, words = form.gate_count, form.edge_count + form.gate_count, roles.shape[1]
    made, single, place_of = np.empty((3, room), np.int64)
    work = _Conditions(
        first=form.input_count,
        moves_begin=moves_begin,
        most_named=most_named,
        start=form.start,
        inputs=form.inputs,
        pure=find_pure(form, moves_begin),
        implying=implying,
        roles=roles,
        owners=owners,
        made_start=np.zeros(count + 1, np.int64),
        made=made,
        single=single,
        place_of=place_of,
        bits=np.zeros((most_sets, words), np.uint64),
        stack=np.empty(room + 1, np.int64),
        stamp=np.full(count, -1, np.int64),
        table=np.zeros((_FITS + 1, words), np.uint64),
    )
    start = work.made_start if _refine(work) else form.start[:0]
    sets, bits = work.sets, work.bits[: work.stored]
    return start, made[: work.filled], single[:sets], place_of[:sets], bits


@inner
def _gather(work: _Conditions, gate: int) -> None:
    """Write the sets of moves of which a conjunction says that one of each is made."""
    table, first, words = work.table, work.first, work.table.shape[1]
    number, work.raw = 0, work.start[gate + 1]
    for edge in range(work.start[gate], work.start[gate + 1]):
        literal = work.inputs[edge]
        node = literal >> 1
        is_move = literal & 1 == 0 and work.moves_begin <= node < first
        is_set = literal & 1 == 1 and node >= first and work.pure[node]
        if not (is_move or is_set):
            continue
        if number == _MOST_OWN:
            work.raw = min(work.raw, edge)
            continue
        for word in range(words):
            table[number, word] = 0
        if is_move:
            _put(work, number, node - work.moves_begin)
        else:
            work.mark += 1
            _collect(work, node, number)
        for word in range(words):
            table[number, word] &= table[_FITS, word]
        number = _joined(work, number)
        number += 1
    work.gathered = number


@inner
def _joined(work: _Conditions, number: int) -> int:
    """Join the last set with an earlier one of the same role: the move made is in both.

    Returns:
        The number of the last set, one less where it has been joined.
    """
    table, roles = work.table, work.roles
    for role in range(len(roles)):
        if _within(table, number, roles, role):
            last = number
            for other in range(number):
                if _within(table, other, roles, role):
                    for word in range(table.shape[1]):
                        table[other, word] &= table[number, word]
                    last = number - 1
                    break
            for word in range(table.shape[1]):
                table[_NONE, word] &= ~roles[role, word]
            return last
    return number


@inner
def _find_none(work: _Conditions, gate: int) -> bool:
    """Write the moves that a conjunction says are not made; return whether it says so of any."""
    table, any_none = work.table, False
    for word in range(table.shape[1]):
        table[_NONE, word] = 0
    work.mark += 1
    for edge in range(work.start[gate], work.start[gate + 1]):
        literal = work.inputs[edge]
        node = literal >> 1
        if literal & 1 and work.moves_begin <= node < work.first:
            _put(work, _NONE, node - work.moves_begin)
            any_none = True
        elif literal & 1 == 0 and node >= work.first and work.pure[node]:
            _collect(work, node, _NONE)
            any_none = True
    return any_none


@inner
def _write(work: _Conditions, literal: int) -> None:
    """Write a literal of the present conjunction."""
    work.made[work.filled] = literal
    work.filled += 1


@inner
def _write_rest(work: _Conditions, gate: int) -> None:
    """Write the conditions of a conjunction that say nothing about sets, and follow from none."""
    for edge in range(work.start[gate], work.start[gate + 1]):
        literal = work.inputs[edge]
        node = literal >> 1
        is_set = node >= work.first and work.pure[node]
        if is_set or work.moves_begin <= node < work.first:
            if edge >= work.raw and (literal & 1 == 1) == is_set:
                _write(work, literal)
            continue
        implied = False
        if 0 < node < work.moves_begin:
            for index in range(work.gathered):
                if _within(work.table, index, work.implying, 2 * (node - 1) + (literal & 1)):
                    implied = True
        if not implied:
            _write(work, literal)


@inner
def _write_set(work: _Conditions, row: int, only: int) -> bool:
    """Write a set of moves that is not empty; return whether there was room for it."""
    several = only < 0
    if several and work.stored >= len(work.bits):
        return False
    work.single[work.sets] = -1 if several else only
    work.place_of[work.sets] = work.stored if several else -1
    if several:
        for word in range(work.table.shape[1]):
            work.bits[work.stored, word] = work.table[row, word]
        work.stored += 1
    node = work.first + len(work.stamp) + work.sets
    _write(work, 2 * node + (1 if row == _NONE else 0))
    work.sets += 1
    return True


@compiled
def _refine(work: _Conditions) -> bool:
    """Write what :func:`refine` returns; return whether there was room for it."""
    table = work.table
    for gate in range(len(work.stamp)):
        begin = work.filled
        any_none = _find_none(work, gate)
        for word in range(table.shape[1]):
            table[_FITS, word] = ~np.uint64(0)
        _exclude(work, _FITS, gate)
        for word in range(table.shape[1]):
            table[_FITS, word] &= ~table[_NONE, word]
        _gather(work, gate)
        widest = 0
        if any_none:
            # Moves that the other conditions exclude need not be named.
            _exclude(work, _NONE, gate)
            widest = _named(work, _NONE)
        for index in range(work.gathered):
            if _only(table, index) == -2:
                widest = max(widest, _named(work, index))
        if widest > work.most_named:
            for edge in range(work.start[gate], work.start[gate + 1]):
                _write(work, work.inputs[edge])
            work.made_start[gate + 1] = work.filled
            continue
        _write_rest(work, gate)
        false = False
        for index in range(work.gathered + 1):
            row = _NONE if index == work.gathered else index
            only = _only(table, row)
            if only == -1:
                false = false or row != _NONE
            elif not _write_set(work, row, only):
                return False
        if false:
            work.filled = begin
            _write(work, 0)
        work.made_start[gate + 1] = work.filled
    return True


@compiled(arrays=True)
def levels(first: int, start: Int64s1, inputs: Int64s1) -> Int64s:
    """Return the longest distance of each gate to an input; int64 ``[G]``."""
    result = np.ones(len(start) - 1, np.int64)
    for gate in range(len(result)):
        for edge in range(start[gate], start[gate + 1]):
            below = (inputs[edge] >> 1) - first
            if below >= 0 and result[gate] <= result[below]:
                result[gate] = 1 + result[below]
    return result


def find_moving(form: Graph, moves_begin: int) -> Bools:
    """Return which nodes depend on the moves; bool ``[I + G]``. See :func:`find_pure`."""
    moving = np.zeros(form.node_count, np.bool_)
    moving[moves_begin : form.input_count] = True
    _spread(form.input_count, form.start, form.inputs, moving)
    return moving


@compiled
def _spread(first: int, start: Int64s1, inputs: Int64s1, marked: Bools1) -> None:
    """Mark every gate that reads a marked node, in place."""
    for gate in range(len(start) - 1):
        for edge in range(start[gate], start[gate + 1]):
            if marked[inputs[edge] >> 1]:
                marked[first + gate] = True
