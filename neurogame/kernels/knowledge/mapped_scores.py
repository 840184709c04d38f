"""Compiled scores of a judge for the same game under other names.

States and legal moves are written as the judge's own game has them, and scores are read back.
"""

from __future__ import annotations

import numpy as np

from neurogame.array_types import Float32s1, Int64s, Int64s1, UInt64s2
from neurogame.kernels.leaves.move_scores import CompiledScores, MoveScores, new_scores
from neurogame.kernels.leaves.picking import masked
from neurogame.kernels.native.arrays import cast
from neurogame.kernels.native.bits import lowest_bit
from neurogame.kernels.native.compiled import inner
from neurogame.kernels.native.entries import entry
from neurogame.kernels.native.struct import Struct

_ONE = np.uint64(1)
_ROWS = 64


class MappedScores(Struct):
    """What :func:`score_mapped` works with; one per thread.

    ``F`` fluents, ``M`` moves of all roles, ``R`` roles.

    Attributes:
        inner: the judge of its own game, with 64 rows.
        fluents: where those of this game stand in the judge's own; int64 ``[F]``.
        moves: likewise; int64 ``[M]``.
        roles: likewise; int64 ``[R]``.
        offsets: first move of each role in this game, and the total; int64 ``[R + 1]``.
        own_offsets: the same in the judge's own; int64 ``[R + 1]``.
        by_move: scores of moves of the judge's game; float32 ``[M]``.
    """

    inner: MoveScores
    fluents: Int64s1
    moves: Int64s1
    roles: Int64s1
    offsets: Int64s1
    own_offsets: Int64s1
    by_move: Float32s1


_mapped_scores = cast(MappedScores)


def map_scores(
    judge: CompiledScores, fluents: Int64s, moves: Int64s, roles: Int64s, sizes: Int64s
) -> CompiledScores:
    """Return a compiled judge for a game under other names.

    Args:
        judge: of its own game.
        fluents: for each fluent of this game its number in the judge's own; ``[F]``.
        moves: for each move of this game, those of all roles, its number there; ``[M]``.
        roles: for each role of this game its index there; ``[R]``.
        sizes: number of moves of each role of this game; ``[R]``.
    """
    own_sizes = np.empty_like(sizes)
    own_sizes[roles] = sizes
    own = new_scores(
        judge.score,
        judge.judge,
        states=np.zeros((_ROWS, -(-len(fluents) // 64)), np.uint64),
        legal=np.zeros((_ROWS, -(-len(moves) // 64)), np.uint64),
        rows=np.arange(_ROWS),
        out=np.zeros((_ROWS, int(sizes.max())), np.float32),
    )
    mapped = MappedScores(
        inner=own,
        fluents=np.array(fluents, np.int64),
        moves=np.array(moves, np.int64),
        roles=np.array(roles, np.int64),
        offsets=np.cumsum([0, *sizes]).astype(np.int64),
        own_offsets=np.cumsum([0, *own_sizes]).astype(np.int64),
        by_move=np.zeros(len(moves), np.float32),
    )
    return CompiledScores(score=entry(score_mapped), judge=mapped, kept=judge.kept)


def score_mapped(scores: MoveScores) -> None:
    """Score the given moves with the judge of another game."""
    own = _mapped_scores(scores.judge)
    judge, fluents, moves, role = own.inner, own.fluents, own.moves, scores.role
    rows, states, legal = scores.rows, scores.states, scores.legal
    for first in range(0, scores.count, _ROWS):
        count = min(scores.count - first, _ROWS)
        for place in range(count):
            _write_bits(states, rows[first + place], fluents, judge.states, place)
            _write_bits(legal, rows[first + place], moves, judge.legal, place)
        judge.role, judge.count, judge.seed = own.roles[role], count, scores.seed + first
        judge.score(judge)
        for place in range(count):
            _read_scores(scores, own, first + place, place)


@inner
def _write_bits(bits: UInt64s2, row: int, places: Int64s1, found: UInt64s2, to: int) -> None:
    """Write a packed row in another order."""
    for word in range(found.shape[1]):
        found[to, word] = 0
    for word in range(found.shape[1]):
        rest = bits[row, word]
        while rest:
            place = places[64 * word + lowest_bit(rest)]
            rest &= rest - _ONE
            found[to, place >> 6] |= _ONE << np.uint64(place & 63)


@inner
def _read_scores(scores: MoveScores, own: MappedScores, number: int, place: int) -> None:
    """Write the scores of one state in the order of this game's moves."""
    found, own_legal, by_move, moves = own.inner.out, own.inner.legal, own.by_move, own.moves
    row, role, legal, out = scores.rows[number], scores.role, scores.legal, scores.out
    begin, end = own.own_offsets[own.roles[role]], own.own_offsets[own.roles[role] + 1]
    slot = 0
    for word in range(begin >> 6, (end + 63) >> 6):
        bits = masked(own_legal[place, word], word, begin, end)
        while bits:
            by_move[64 * word + lowest_bit(bits)] = found[place, slot]
            bits &= bits - _ONE
            slot += 1
    begin, end = own.offsets[role], own.offsets[role + 1]
    slot = 0
    for word in range(begin >> 6, (end + 63) >> 6):
        bits = masked(legal[row, word], word, begin, end)
        while bits:
            out[number, slot] = by_move[moves[64 * word + lowest_bit(bits)]]
            bits &= bits - _ONE
            slot += 1
