"""Compiled scores of a judge for the same game under other names.

States and legal moves are written as the judge's own game has them, and scores are read back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neurogame.kernels.knowledge.records import record_at, scores_request_at
from neurogame.kernels.leaves.bits import lowest_bit
from neurogame.kernels.leaves.memory import array_at
from neurogame.kernels.leaves.move_scores import SCORES_REQUEST, CompiledScores
from neurogame.kernels.leaves.picking import masked
from neurogame.kernels.native.call_address import call_address
from neurogame.kernels.native.compiled import entry, inner

Integers = npt.NDArray[np.int64]

_ONE = np.uint64(1)
_MANY = 1 << 40
_ROWS = 64

BUNDLE = np.dtype(
    [
        *((name, np.int64) for name in ("fluent_count", "move_count", "role_count", "most")),
        *((name, np.int64) for name in ("fluents", "moves", "roles", "offsets", "own_offsets")),
        *(
            (name, np.int64)
            for name in ("request", "states", "legal", "order", "scores", "by_move")
        ),
    ]
)
"""What :func:`score_mapped` works with: numbers, and addresses of arrays; one per thread.

``most``: most moves of a role; ``fluents``, ``moves``, ``roles``: where those of this game stand in
the judge's own, int64; ``offsets``, ``own_offsets``: first move of each role in this game and in
the judge's own, int64 ``[R + 1]``; ``request``: to the judge; ``states``, ``legal``, ``order``,
``scores``: what it works on, 64 rows; ``by_move``: float32 ``[M]``.
"""

_bundle_at = record_at(BUNDLE)


def map_scores(
    judge: CompiledScores, fluents: Integers, moves: Integers, roles: Integers, sizes: Integers
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
    arrays: dict[str, Any] = {
        "fluents": np.array(fluents, np.int64),
        "moves": np.array(moves, np.int64),
        "roles": np.array(roles, np.int64),
        "offsets": np.cumsum([0, *sizes]).astype(np.int64),
        "own_offsets": np.cumsum([0, *own_sizes]).astype(np.int64),
        "request": np.zeros(1, SCORES_REQUEST),
        "states": np.zeros((_ROWS, -(-len(fluents) // 64)), np.uint64),
        "legal": np.zeros((_ROWS, -(-len(moves) // 64)), np.uint64),
        "order": np.arange(_ROWS),
        "scores": np.zeros((_ROWS, int(sizes.max())), np.float32),
        "by_move": np.zeros(len(moves), np.float32),
    }
    request = arrays["request"]
    request["function"], request["bundle"] = judge.function, judge.bundle
    for name in ("states", "legal"):
        request[name] = arrays[name].ctypes.data
        request["state_stride" if name == "states" else "legal_stride"] = arrays[name].strides[0]
    request["state_words"], request["legal_words"] = (
        arrays["states"].shape[1],
        arrays["legal"].shape[1],
    )
    request["rows"], request["out"] = arrays["order"].ctypes.data, arrays["scores"].ctypes.data
    request["out_stride"] = arrays["scores"].strides[0]
    bundle = np.zeros(1, BUNDLE)
    bundle["fluent_count"], bundle["move_count"] = len(fluents), len(moves)
    bundle["role_count"], bundle["most"] = len(roles), int(sizes.max())
    for name, array in arrays.items():
        bundle[name] = array.ctypes.data
    return CompiledScores(
        function=entry(score_mapped, counted=False),
        bundle=bundle.ctypes.data,
        kept=(bundle, arrays, judge),
    )


def score_mapped(address: int) -> None:
    """Score the legal moves of a role in the states of the request at an address."""
    asked = scores_request_at(address)[0]
    own = _bundle_at(asked.bundle)[0]
    request = scores_request_at(own.request)[0]
    rows = array_at(asked.rows, (asked.count,), np.int64)
    states = array_at(asked.states, (_MANY, asked.state_stride >> 3), np.uint64)
    legal = array_at(asked.legal, (_MANY, asked.legal_stride >> 3), np.uint64)
    out = array_at(asked.out, (_MANY, asked.out_stride >> 2), np.float32)
    fluents = array_at(own.fluents, (own.fluent_count,), np.int64)
    moves = array_at(own.moves, (own.move_count,), np.int64)
    own_states = array_at(own.states, (_ROWS, (own.fluent_count + 63) >> 6), np.uint64)
    own_legal = array_at(own.legal, (_ROWS, (own.move_count + 63) >> 6), np.uint64)
    for first in range(0, asked.count, _ROWS):
        count = min(asked.count - first, _ROWS)
        for place in range(count):
            _write_bits(states[rows[first + place]], fluents, own_states[place])
            _write_bits(legal[rows[first + place]], moves, own_legal[place])
        request.role = array_at(own.roles, (own.role_count,), np.int64)[asked.role]
        request.count, request.seed = count, asked.seed + first
        call_address(request.function, own.request)
        for place in range(count):
            row = rows[first + place]
            _read_scores(own, place, asked.role, own_legal, moves, legal[row], out[first + place])


@inner
def _write_bits(bits: Any, places: Any, found: Any) -> None:
    """Write a packed row in another order."""
    for word in range(len(found)):
        found[word] = 0
    for word in range(len(found)):
        rest = bits[word]
        while rest:
            place = places[64 * word + lowest_bit(rest)]
            rest &= rest - _ONE
            found[place >> 6] |= _ONE << np.uint64(place & 63)


@inner
def _read_scores(
    own: Any, place: Any, role: Any, own_legal: Any, moves: Any, legal: Any, out: Any
) -> None:
    """Write the scores of one state in the order of this game's moves."""
    scores = array_at(own.scores, (_ROWS, own.most), np.float32)
    by_move = array_at(own.by_move, (own.move_count,), np.float32)
    own_role = array_at(own.roles, (own.role_count,), np.int64)[role]
    bounds = array_at(own.own_offsets, (own.role_count + 1,), np.int64)
    slot = 0
    for word in range(bounds[own_role] >> 6, (bounds[own_role + 1] + 63) >> 6):
        bits = masked(own_legal[place, word], word, bounds[own_role], bounds[own_role + 1])
        while bits:
            by_move[64 * word + lowest_bit(bits)] = scores[place, slot]
            bits &= bits - _ONE
            slot += 1
    ends = array_at(own.offsets, (own.role_count + 1,), np.int64)
    slot = 0
    for word in range(ends[role] >> 6, (ends[role + 1] + 63) >> 6):
        bits = masked(legal[word], word, ends[role], ends[role + 1])
        while bits:
            out[slot] = by_move[moves[64 * word + lowest_bit(bits)]]
            bits &= bits - _ONE
            slot += 1
