"""Reading the rows of a request: packed states and legal moves, as words of lanes."""

from __future__ import annotations

from typing import Any

import numpy as np

from neurogame.kernels.actions.gates import LANES
from neurogame.kernels.lane_rows import transpose
from neurogame.kernels.leaves.bits import first_ones, ones
from neurogame.kernels.leaves.memory import array_at
from neurogame.kernels.native.compiled import inner

_BLOCK = 64
_ONE = np.uint64(1)


@inner
def row_number(request: Any, number: Any) -> Any:
    """Return which row the state with a number is."""
    return array_at(request.rows + 8 * number, (1,), np.int64)[0]


@inner
def legal_row(request: Any, number: Any) -> Any:
    """Return the address of the packed legal moves of the state with a number."""
    return request.legal + row_number(request, number) * request.legal_stride


@inner
def legal_word(legal: Any, word: Any, first: Any, last: Any) -> Any:
    """Return the bits ``first`` up to ``last`` of a word of packed legal moves."""
    inside = first_ones(last - _BLOCK * word) & ~first_ones(first - _BLOCK * word)
    return array_at(legal + 8 * word, (1,), np.uint64)[0] & inside


@inner
def _source(request: Any, word: Any) -> Any:
    """Return where a word lies in row 0, and how far apart rows are, in bytes."""
    if word < request.state_words:
        return request.states + 8 * word, request.state_stride
    return request.legal + 8 * (word - request.state_words), request.legal_stride


@inner
def fill_single(request: Any, part: Any, column: Any, number: Any, lanes: Any) -> None:
    """Write what the leaves of a role need of one state, into the lanes whose bits are set."""
    words = array_at(part.at_words, (part.words,), np.int64)
    for place in range(part.words):
        base, stride = _source(request, words[place])
        word = array_at(base + row_number(request, number) * stride, (1,), np.uint64)[0]
        for bit in range(_BLOCK):
            held = (word >> np.uint64(bit)) & _ONE
            column[_BLOCK * place + bit] = lanes if held != 0 else np.uint64(0)


@inner
def fill_column(request: Any, part: Any, column: Any, begin: Any, lanes: Any) -> None:
    """Write what the leaves of a role need of up to 64 states as words of lanes."""
    words = array_at(part.at_words, (part.words,), np.int64)
    square = array_at(part.at_square, (_BLOCK,), np.uint64)
    for place in range(part.words):
        base, stride = _source(request, words[place])
        for lane in range(lanes):
            row = row_number(request, begin + lane)
            square[lane] = array_at(base + row * stride, (1,), np.uint64)[0]
        for lane in range(lanes, _BLOCK):
            square[lane] = 0
        transpose(square)
        for bit in range(_BLOCK):
            column[_BLOCK * place + bit] = square[bit]


@inner
def write_chances(
    request: Any, part: Any, rows: Any, column: Any, begin: Any, first: Any, lanes: Any, step: Any
) -> None:
    """Write the rows of leaves that are probabilities of moves, from lane ``first`` on.

    Lanes are states that follow each other, or, if ``step`` is 0, all the same one.
    """
    shares = array_at(part.at_shares, (part.roles, LANES), np.float32)
    move_bits = array_at(part.at_move_bits, (part.roles + 1,), np.int64)
    for role in range(part.roles):
        for lane in range(lanes):
            legal = legal_row(request, begin + step * (first + lane))
            count = _count(legal, move_bits[role], move_bits[role + 1])
            shares[role, lane] = np.float32(1) / np.float32(max(count, 1))
    leaves = array_at(part.at_chances, (part.chances, 4), np.int64)
    for number in range(part.chances):
        row, word, role = leaves[number, 0], leaves[number, 1], leaves[number, 2]
        held = column[word] >> np.uint64(first)
        for lane in range(LANES):
            share = shares[role, lane] if (held >> np.uint64(lane)) & _ONE else np.float32(0)
            rows[row, lane] = np.float32(1) - share if leaves[number, 3] else share


@inner
def _count(legal: Any, first: Any, last: Any) -> Any:
    """Return how many of the bits ``first`` up to ``last`` are set."""
    total = 0
    for word in range(first >> 6, (last + 63) >> 6):
        total += ones(legal_word(legal, word, first, last))
    return total
