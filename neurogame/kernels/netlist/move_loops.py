"""The loops behind sets of moves; import this module only where it is needed."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Bools, Bools1, Int64s, Int64s1, UInt64s, UInt64s2
from neurogame.kernels.netlist.compiled import callee, compiled

_MOST_OWN = 64
"""Positive sets of one conjunction that are looked at; more of them stay as they are."""

_NONE, _FITS = _MOST_OWN, _MOST_OWN + 1
"""Rows of a table of sets: the moves that are not made, and those that may be."""


def find_pure(first: int, moves_begin: int, start: Int64s, inputs: Int64s) -> Bools:
    """Return which conjunctions say that none of some moves is made; bool ``[I + G]``.

    Args:
        first: number of inputs, ``I``.
        moves_begin: node of the first move; the fluents are the nodes before it.
        start: of the conjunctions; int64 ``[G + 1]``.
        inputs: their literals; int64 ``[E]``.
    """
    pure = np.zeros(first + len(start) - 1, np.bool_)
    _find_pure(first, moves_begin, start, inputs, pure)
    return pure


@compiled
def _find_pure(
    first: int,
    moves_begin: int,
    start: Int64s1,
    inputs: Int64s1,
    pure: Bools1,
) -> None:
    """Write what :func:`find_pure` returns."""
    for gate in range(len(start) - 1):
        good = True
        for edge in range(start[gate], start[gate + 1]):
            node = inputs[edge] >> 1
            is_move = inputs[edge] & 1 == 1 and moves_begin <= node < first
            if not is_move and (inputs[edge] & 1 == 1 or not pure[node]):
                good = False
        pure[first + gate] = good


@callee
def _collect(
    node: int,
    first: int,
    moves_begin: int,
    start: Int64s,
    inputs: Int64s,
    table: UInt64s,
    row: int,
    stack: Int64s,
    stamp: Int64s,
    mark: int,
) -> None:
    """Add the moves of a pure conjunction to the set in a row of a table."""
    stack[0] = node
    depth = 1
    while depth > 0:
        depth -= 1
        gate = stack[depth] - first
        if stamp[gate] == mark:
            continue
        stamp[gate] = mark
        for edge in range(start[gate], start[gate + 1]):
            below = inputs[edge] >> 1
            if inputs[edge] & 1:
                move = below - moves_begin
                table[row, move >> 6] |= np.uint64(1) << np.uint64(move & 63)
            elif stamp[below - first] != mark:
                stack[depth] = below
                depth += 1


@callee
def _only(table: UInt64s, row: int) -> int:
    """Return the only member of a set, -1 if it is empty and -2 if it has several."""
    found = -1
    for word in range(table.shape[1]):
        value = table[row, word]
        if value == np.uint64(0):
            continue
        if found >= 0 or (value & (value - np.uint64(1))) != np.uint64(0):
            return -2
        place = 0
        while (value >> np.uint64(place)) & np.uint64(1) == np.uint64(0):
            place += 1
        found = 64 * word + place
    return found


@callee
def _within(table: UInt64s, row: int, others: UInt64s, other: int) -> bool:
    """Return whether one set is part of another."""
    within = True
    for word in range(table.shape[1]):
        within = within and (table[row, word] & ~others[other, word]) == np.uint64(0)
    return within


@callee
def _named(table: UInt64s, row: int, owners: UInt64s) -> int:
    """Return how many moves are named where of each choice the smaller part is."""
    total = 0
    for owner in range(len(owners)):
        inside, outside = 0, 0
        for word in range(table.shape[1]):
            here = table[row, word] & owners[owner, word]
            while here != np.uint64(0):
                here &= here - np.uint64(1)
                inside += 1
            here = ~table[row, word] & owners[owner, word]
            while here != np.uint64(0):
                here &= here - np.uint64(1)
                outside += 1
        total += inside if inside < outside else outside
    return total


@callee
def _exclude(
    table: UInt64s,
    row: int,
    gate: int,
    moves_begin: int,
    start: Int64s,
    inputs: Int64s,
    implying: UInt64s,
    flip: int,
) -> None:
    """Take the moves out of a set that imply a fluent of a conjunction, or its opposite."""
    for edge in range(start[gate], start[gate + 1]):
        literal = inputs[edge]
        node = literal >> 1
        if 0 < node < moves_begin:
            fluent = 2 * (node - 1) + ((literal & 1) ^ flip)
            for word in range(table.shape[1]):
                table[row, word] &= ~implying[fluent, word]


def refine(
    first: int,
    moves_begin: int,
    start: Int64s,
    inputs: Int64s,
    pure: Bools,
    implying: UInt64s,
    roles: UInt64s,
    owners: UInt64s,
    most_named: int,
    most_sets: int,
) -> tuple[Int64s, Int64s, Int64s, Int64s, UInt64s]:
    """Rewrite what conjunctions say about moves, given what each move implies.

    Args:
        first: number of inputs.
        moves_begin: node of the first move; the fluents are the nodes before it.
        start: of the conjunctions.
        inputs: their literals.
        pure: of :func:`find_pure`.
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
    count, room = len(start) - 1, len(inputs) + len(start) - 1
    made_start, made = np.zeros(count + 1, np.int64), np.empty(room, np.int64)
    single, place_of = np.empty(room, np.int64), np.empty(room, np.int64)
    bits = np.zeros((most_sets, roles.shape[1]), np.uint64)
    stack, stamp = np.empty(room + 1, np.int64), np.full(count, -1, np.int64)
    table = np.zeros((_FITS + 1, roles.shape[1]), np.uint64)
    filled, sets, stored = _refine(
        first, moves_begin, start, inputs, pure, implying, roles, owners, most_named,
        made_start, made, single, place_of, bits, stack, stamp, table,
    )  # fmt: skip
    if filled < 0:
        return start[:0], made, single[:sets], place_of[:sets], bits
    return made_start, made[:filled], single[:sets], place_of[:sets], bits[:stored]


@callee
def _gather(
    gate: int,
    first: int,
    moves_begin: int,
    start: Int64s,
    inputs: Int64s,
    pure: Bools,
    roles: UInt64s,
    stack: Int64s,
    stamp: Int64s,
    mark: int,
    table: UInt64s,
) -> tuple[int, int, int]:
    """Write the sets of moves of which a conjunction says that one of each is made.

    Returns:
        How many sets there are, the first edge that found no room, and the next mark.
    """
    words = table.shape[1]
    own, raw = 0, start[gate + 1]
    for edge in range(start[gate], start[gate + 1]):
        literal = inputs[edge]
        node = literal >> 1
        is_move = literal & 1 == 0 and moves_begin <= node < first
        is_set = literal & 1 == 1 and node >= first and pure[node]
        if not (is_move or is_set):
            continue
        if own == _MOST_OWN:
            raw = edge if edge < raw else raw
            continue
        for word in range(words):
            table[own, word] = 0
        if is_move:
            move = node - moves_begin
            table[own, move >> 6] |= np.uint64(1) << np.uint64(move & 63)
        else:
            mark += 1
            _collect(node, first, moves_begin, start, inputs, table, own, stack, stamp, mark)
        for word in range(words):
            table[own, word] &= table[_FITS, word]
        # Two sets of one role: the move made is in both.
        for role in range(len(roles)):
            if _within(table, own, roles, role):
                for other in range(own):
                    if _within(table, other, roles, role):
                        for word in range(words):
                            table[other, word] &= table[own, word]
                        own -= 1
                        break
                for word in range(words):
                    table[_NONE, word] &= ~roles[role, word]
                break
        own += 1
    return own, raw, mark


@compiled
def _refine(
    first: int,
    moves_begin: int,
    start: Int64s1,
    inputs: Int64s1,
    pure: Bools1,
    implying: UInt64s2,
    roles: UInt64s2,
    owners: UInt64s2,
    most_named: int,
    made_start: Int64s1,
    made: Int64s1,
    single: Int64s1,
    place_of: Int64s1,
    bits: UInt64s2,
    stack: Int64s1,
    stamp: Int64s1,
    table: UInt64s2,
) -> tuple[int, int, int]:
    """Write what :func:`refine` returns; return how much of each, -1 first if room lacked."""
    count = len(start) - 1
    words = roles.shape[1]
    sets, stored, filled, mark = 0, 0, 0, 0
    for gate in range(count):
        begin = filled
        for word in range(words):
            table[_NONE, word] = 0
            table[_FITS, word] = ~np.uint64(0)
        mark += 1
        any_none = False
        for edge in range(start[gate], start[gate + 1]):
            literal = inputs[edge]
            node = literal >> 1
            if literal & 1 and moves_begin <= node < first:
                move = node - moves_begin
                table[_NONE, move >> 6] |= np.uint64(1) << np.uint64(move & 63)
                any_none = True
            elif literal & 1 == 0 and node >= first and pure[node]:
                _collect(node, first, moves_begin, start, inputs, table, _NONE, stack, stamp, mark)
                any_none = True
        _exclude(table, _FITS, gate, moves_begin, start, inputs, implying, 1)
        for word in range(words):
            table[_FITS, word] &= ~table[_NONE, word]
        own, raw, mark = _gather(
            gate, first, moves_begin, start, inputs, pure, roles, stack, stamp, mark, table
        )
        # Moves that the other conditions exclude need not be named.
        if any_none:
            _exclude(table, _NONE, gate, moves_begin, start, inputs, implying, 1)
        widest = _named(table, _NONE, owners) if any_none else 0
        for index in range(own):
            if _only(table, index) == -2:
                named = _named(table, index, owners)
                widest = named if named > widest else widest
        if widest > most_named:
            for edge in range(start[gate], start[gate + 1]):
                made[filled] = inputs[edge]
                filled += 1
            made_start[gate + 1] = filled
            continue
        for edge in range(start[gate], start[gate + 1]):
            literal = inputs[edge]
            node = literal >> 1
            is_move = moves_begin <= node < first
            is_set = node >= first and pure[node]
            if is_move or is_set:
                if edge >= raw and (literal & 1 == 1) == is_set:
                    made[filled] = literal
                    filled += 1
                continue
            if 0 < node < moves_begin:
                implied = False
                for index in range(own):
                    if _within(table, index, implying, 2 * (node - 1) + (literal & 1)):
                        implied = True
                if implied:
                    continue
            made[filled] = literal
            filled += 1
        false = False
        for index in range(own + 1):
            row = _NONE if index == own else index
            only = _only(table, row)
            if only == -1:
                if index < own:
                    false = True
                continue
            if only >= 0:
                single[sets] = only
                place_of[sets] = -1
            else:
                if stored >= len(bits):
                    return -1, sets, stored
                single[sets] = -1
                place_of[sets] = stored
                for word in range(words):
                    bits[stored, word] = table[row, word]
                stored += 1
            made[filled] = 2 * (first + count + sets) + (1 if index == own else 0)
            filled += 1
            sets += 1
        if false:
            filled = begin
            made[filled] = 0
            filled += 1
        made_start[gate + 1] = filled
    return filled, sets, stored


def levels(first: int, start: Int64s, inputs: Int64s) -> Int64s:
    """Return the longest distance of each gate to an input; int64 ``[G]``."""
    result = np.ones(len(start) - 1, np.int64)
    _levels(first, start, inputs, result)
    return result


@compiled
def _levels(first: int, start: Int64s1, inputs: Int64s1, result: Int64s1) -> None:
    """Write what :func:`levels` returns."""
    for gate in range(len(result)):
        for edge in range(start[gate], start[gate + 1]):
            below = (inputs[edge] >> 1) - first
            if below >= 0 and result[gate] <= result[below]:
                result[gate] = 1 + result[below]


def find_moving(first: int, moves_begin: int, start: Int64s, inputs: Int64s) -> Bools:
    """Return which nodes depend on the moves; bool ``[I + G]``. See :func:`find_pure`."""
    moving = np.zeros(first + len(start) - 1, np.bool_)
    moving[moves_begin:first] = True
    _spread(first, start, inputs, moving)
    return moving


@compiled
def _spread(first: int, start: Int64s1, inputs: Int64s1, marked: Bools1) -> None:
    """Mark every gate that reads a marked node, in place."""
    for gate in range(len(start) - 1):
        for edge in range(start[gate], start[gate + 1]):
            if marked[inputs[edge] >> 1]:
                marked[first + gate] = True
