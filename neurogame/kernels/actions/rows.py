"""Reading the rows that are to be scored: packed states and legal moves, as words of lanes."""

from __future__ import annotations

import numpy as np

from neurogame.array_types import UInt64s1
from neurogame.judges.moves import MoveScores
from neurogame.kernels.actions.formulas import Formulas
from neurogame.kernels.actions.gates import LANES
from neurogame.kernels.lane_rows import transpose
from neurogame.kernels.leaves.picking import count_moves
from neurogame.native.compiled import inner

_BLOCK = 64
_ONE = np.uint64(1)


@inner
def _word(scores: MoveScores, row: int, word: int) -> np.uint64:
    """Return a word of a packed state, or behind those of its legal moves."""
    states = scores.states
    bits: np.uint64
    if word < states.shape[1]:
        bits = states[row, word]
    else:
        bits = scores.legal[row, word - states.shape[1]]
    return bits


@inner
def fill_single(
    scores: MoveScores, formulas: Formulas, column: UInt64s1, number: int, lanes: np.uint64
) -> None:
    """Write what the leaves of a role need of one state, into the lanes whose bits are set."""
    row = scores.rows[number]
    for place in range(len(formulas.words)):
        word = _word(scores, row, formulas.words[place])
        for bit in range(_BLOCK):
            held = (word >> np.uint64(bit)) & _ONE
            column[_BLOCK * place + bit] = lanes if held != 0 else np.uint64(0)


@inner
def fill_column(
    scores: MoveScores, formulas: Formulas, column: UInt64s1, begin: int, lanes: int
) -> None:
    """Write what the leaves of a role need of up to 64 states as words of lanes."""
    square, rows = formulas.square, scores.rows
    for place in range(len(formulas.words)):
        word = formulas.words[place]
        for lane in range(lanes):
            square[lane] = _word(scores, rows[begin + lane], word)
        for lane in range(lanes, _BLOCK):
            square[lane] = 0
        transpose(square)
        for bit in range(_BLOCK):
            column[_BLOCK * place + bit] = square[bit]


@inner
def write_chances(
    scores: MoveScores, formulas: Formulas, begin: int, first: int, lanes: int, step: int
) -> None:
    """Write the rows of leaves that are probabilities of moves, from lane ``first`` on.

    Lanes are states that follow each other, or, if ``step`` is 0, all the same one.
    """
    shares, move_bits = formulas.shares, formulas.move_bits
    leaves, legal = formulas.chances, scores.legal
    rows, column = formulas.rows, formulas.column
    for role in range(len(shares)):
        for lane in range(lanes):
            row = scores.rows[begin + step * (first + lane)]
            count = count_moves(legal, row, move_bits[role], move_bits[role + 1])
            shares[role, lane] = np.float32(1) / np.float32(max(count, 1))
    for number in range(len(leaves)):
        place, word, role = leaves[number, 0], leaves[number, 1], leaves[number, 2]
        held = column[word] >> np.uint64(first)
        for lane in range(LANES):
            share = shares[role, lane] if (held >> np.uint64(lane)) & _ONE else np.float32(0)
            rows[place, lane] = np.float32(1) - share if leaves[number, 3] else share
