"""What a search found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class SearchResult:
    """The outcome of one search, of its last complete iteration.

    Attributes:
        role: the searching role.
        move: the chosen move, an index into the role's own moves.
        value: per role, in 0..1, of the chosen move under best play as the search understands
            it: the searching role's entry is the search value, the others are those of the
            principal line's last state.
        proved: whether the value rests on terminal states alone, not on the evaluator.
        depth: plies of the last complete iteration; 0 if not even one ply was completed, the
            move is then a random legal one.
        nodes: states generated.
        visits: nodes visited, all iterations together.
        seconds: wall-clock time.
        line: principal line, joint moves as indices into each role's own moves.
        scores: own move -> value in 0..1. Exact for the chosen move and after a search of depth
            1; an upper bound for moves that were refuted.
        proved_states: packed state -> exact per-role values, every state proved so far by this
            player in this match (a live view, see :func:`neurogame.search.packing.pack_states`
            for the key). Exact minimax of terminal states: one role, or two roles with a
            goal sum of 100; elsewhere only the searching role's forced wins, with NaN for other
            roles whose goals do not follow; under max^n states whose value no tie-break could
            change.
    """

    role: int
    move: int
    value: tuple[float, ...]
    proved: bool
    depth: int
    nodes: int
    visits: int
    seconds: float
    line: tuple[tuple[int, ...], ...]
    scores: Mapping[int, float]
    proved_states: Mapping[bytes, tuple[float, ...]]
