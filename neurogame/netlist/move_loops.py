"""The loops behind sets of moves; import this module only where it is needed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from neurogame.graph.lanes import Words
from neurogame.ground.atoms import IntArray
from neurogame.netlist.compiled import compiled


@compiled
def find_pure(
    first: int, moves_begin: int, start: IntArray, inputs: IntArray
) -> npt.NDArray[np.bool_]:
    """Return which conjunctions say that none of some moves is made; bool per node."""
    pure = np.zeros(first + len(start) - 1, np.bool_)
    for gate in range(len(start) - 1):
        good = True
        for edge in range(start[gate], start[gate + 1]):
            node = inputs[edge] >> 1
            is_move = inputs[edge] & 1 == 1 and moves_begin <= node < first
            if not is_move and (inputs[edge] & 1 == 1 or not pure[node]):
                good = False
        pure[first + gate] = good
    return pure


@compiled
def _collect(
    node: int,
    first: int,
    moves_begin: int,
    start: IntArray,
    inputs: IntArray,
    bits: Words,
    stack: IntArray,
    stamp: IntArray,
    mark: int,
) -> None:
    """Add the moves of a pure conjunction to a set."""
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
                bits[move >> 6] |= np.uint64(1) << np.uint64(move & 63)
            elif stamp[below - first] != mark:
                stack[depth] = below
                depth += 1


@compiled
def _only(bits: Words) -> int:
    """Return the only member of a set, -1 if it is empty and -2 if it has several."""
    found = -1
    for word in range(len(bits)):
        value = bits[word]
        if value == np.uint64(0):
            continue
        if found >= 0 or (value & (value - np.uint64(1))) != np.uint64(0):
            return -2
        place = 0
        while (value >> np.uint64(place)) & np.uint64(1) == np.uint64(0):
            place += 1
        found = 64 * word + place
    return found


@compiled
def _within(bits: Words, other: Words) -> bool:
    """Return whether one set is part of another."""
    within = True
    for word in range(len(bits)):
        within = within and (bits[word] & ~other[word]) == np.uint64(0)
    return within


@compiled
def _named(bits: Words, owners: Words) -> int:
    """Return how many moves are named where of each choice the smaller part is."""
    total = 0
    for owner in range(len(owners)):
        inside, outside = 0, 0
        for word in range(len(bits)):
            here = bits[word] & owners[owner, word]
            while here != np.uint64(0):
                here &= here - np.uint64(1)
                inside += 1
            here = ~bits[word] & owners[owner, word]
            while here != np.uint64(0):
                here &= here - np.uint64(1)
                outside += 1
        total += min(inside, outside)
    return total


@compiled
def refine(
    first: int,
    moves_begin: int,
    start: IntArray,
    inputs: IntArray,
    pure: npt.NDArray[np.bool_],
    implying: Words,
    roles: Words,
    owners: Words,
    most_named: int,
    most_sets: int,
) -> tuple[IntArray, IntArray, IntArray, IntArray, Words]:
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
    count = len(start) - 1
    words = roles.shape[1]
    made_start = np.zeros(count + 1, np.int64)
    made = np.empty(len(inputs) + count, np.int64)
    single = np.empty(len(inputs) + count, np.int64)
    place_of = np.empty(len(inputs) + count, np.int64)
    bits = np.zeros((most_sets, words), np.uint64)
    sets, stored, filled = 0, 0, 0
    stack = np.empty(len(inputs) + count + 1, np.int64)
    stamp = np.full(count, -1, np.int64)
    mark = 0
    none = np.zeros(words, np.uint64)
    fits = np.zeros(words, np.uint64)
    some = np.zeros((64, words), np.uint64)
    for gate in range(count):
        begin = filled
        none[:] = 0
        fits[:] = ~np.uint64(0)
        own = 0
        mark += 1
        any_none = False
        for edge in range(start[gate], start[gate + 1]):
            literal = inputs[edge]
            node = literal >> 1
            if 0 < node < moves_begin:
                for word in range(words):
                    fits[word] &= ~implying[2 * (node - 1) + (1 - (literal & 1)), word]
            if literal & 1 and moves_begin <= node < first:
                move = node - moves_begin
                none[move >> 6] |= np.uint64(1) << np.uint64(move & 63)
                any_none = True
            elif literal & 1 == 0 and node >= first and pure[node]:
                _collect(node, first, moves_begin, start, inputs, none, stack, stamp, mark)
                any_none = True
        for word in range(words):
            fits[word] &= ~none[word]
        false = False
        raw = start[gate + 1]
        for edge in range(start[gate], start[gate + 1]):
            literal = inputs[edge]
            node = literal >> 1
            is_move = literal & 1 == 0 and moves_begin <= node < first
            is_set = literal & 1 == 1 and node >= first and pure[node]
            if not (is_move or is_set):
                continue
            if own == len(some):
                raw = min(raw, edge)
                continue
            some[own, :] = 0
            if is_move:
                move = node - moves_begin
                some[own, move >> 6] |= np.uint64(1) << np.uint64(move & 63)
            else:
                mark += 1
                _collect(node, first, moves_begin, start, inputs, some[own], stack, stamp, mark)
            for word in range(words):
                some[own, word] &= fits[word]
            # Two sets of one role: the move made is in both.
            for role in range(len(roles)):
                if _within(some[own], roles[role]):
                    for other in range(own):
                        if _within(some[other], roles[role]):
                            for word in range(words):
                                some[other, word] &= some[own, word]
                            own -= 1
                            break
                    for word in range(words):
                        none[word] &= ~roles[role, word]
                    break
            own += 1
        # Moves that the other conditions exclude need not be named.
        if any_none:
            for edge in range(start[gate], start[gate + 1]):
                literal = inputs[edge]
                node = literal >> 1
                if 0 < node < moves_begin:
                    for word in range(words):
                        none[word] &= ~implying[2 * (node - 1) + (1 - (literal & 1)), word]
        widest = _named(none, owners) if any_none else 0
        for index in range(own):
            if _only(some[index]) == -2:
                widest = max(widest, _named(some[index], owners))
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
                    if _within(some[index], implying[2 * (node - 1) + (literal & 1)]):
                        implied = True
                if implied:
                    continue
            made[filled] = literal
            filled += 1
        for index in range(own + 1):
            part = none if index == own else some[index]
            only = _only(part)
            if only == -1:
                if index < own:
                    false = True
                continue
            if only >= 0:
                single[sets] = only
                place_of[sets] = -1
            else:
                if stored >= most_sets:
                    return start[:0], made, single[:sets], place_of[:sets], bits
                single[sets] = -1
                place_of[sets] = stored
                bits[stored] = part
                stored += 1
            made[filled] = 2 * (first + count + sets) + (1 if index == own else 0)
            filled += 1
            sets += 1
        if false:
            filled = begin
            made[filled] = 0
            filled += 1
        made_start[gate + 1] = filled
    return made_start, made[:filled], single[:sets], place_of[:sets], bits[:stored]


@compiled
def levels(first: int, start: IntArray, inputs: IntArray) -> IntArray:
    """Return the longest distance of each gate to an input."""
    result = np.ones(len(start) - 1, np.int64)
    for gate in range(len(result)):
        for edge in range(start[gate], start[gate + 1]):
            below = (inputs[edge] >> 1) - first
            if below >= 0:
                result[gate] = max(result[gate], 1 + result[below])
    return result


@compiled
def find_moving(
    first: int, moves_begin: int, start: IntArray, inputs: IntArray
) -> npt.NDArray[np.bool_]:
    """Return which nodes depend on the moves; bool per node."""
    moving = np.zeros(first + len(start) - 1, np.bool_)
    moving[moves_begin:first] = True
    for gate in range(len(start) - 1):
        for edge in range(start[gate], start[gate + 1]):
            if moving[inputs[edge] >> 1]:
                moving[first + gate] = True
    return moving
