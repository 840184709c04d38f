"""What judges of moves are: many states in, a score of every legal move out.

What :mod:`~neurogame.judges.states` is for states, this is for moves: one interface for action
heuristics, for knowledge of moves, and for anything in Python. Searches and playouts call
:func:`score_moves`; :mod:`~neurogame.kernels.leaves.search_judge` makes what they call it with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from neurogame.array_types import Bools, Float32s, Float32s2, Int64s1, UInt64s2
from neurogame.errors import ConfigurationError
from neurogame.native.compiled import compiled
from neurogame.native.entries import NOTHING, Entry
from neurogame.native.struct import Struct

LINEAR, LOGITS = 0, 1
"""What scores mean: numbers that only their range over the legal moves of a state gives a meaning,
or logarithms of weights."""

NEUTRAL = 0.5
"""The score of every move where a judge has failed."""


class MoveScores(Struct):
    """A judge of moves as compiled code takes it: one type for all; one per thread.

    ``Fw`` and ``Mw`` words of a packed state and of packed legal moves.

    Attributes:
        score: the judge: writes the scores of what is given.
        judge: what that function works with.
        scale: :data:`LINEAR` or :data:`LOGITS`.
        failed: not 0 once the judge has raised an error; see :meth:`.SearchJudge.check`.
        nanoseconds: spent in calls so far, where somebody counts them.
        moves: scored so far, likewise.
        role: given: whose moves.
        count: given: number of states.
        seed: given: of random choices.
        rows: given: which row each state is; int64 ``[>= count]``.
        states: given: packed states; uint64 ``[N, Fw]``.
        legal: given: their packed legal moves, of all roles; uint64 ``[N, Mw]``.
        out: where the scores go; float32 ``[>= count, >= most legal moves]``.
    """

    score: Callable[[MoveScores], None]
    judge: Struct
    scale: int
    failed: int = 0
    nanoseconds: int = 0
    moves: int = 0
    role: int = 0
    count: int = 0
    seed: int = 0
    rows: Int64s1
    states: UInt64s2
    legal: UInt64s2
    out: Float32s2


@compiled
def score_moves(
    scores: MoveScores,
    states: UInt64s2,
    legal: UInt64s2,
    rows: Int64s1,
    count: int,
    role: int,
    seed: int,
    out: Float32s2,
) -> None:
    """Score the legal moves of a role in some states.

    Args:
        scores: the judge.
        states: packed states; uint64 ``[N, Fw]``.
        legal: their packed legal moves, of all roles; uint64 ``[N, Mw]``.
        rows: which rows are meant; int64, at least ``count`` of them.
        count: number of states.
        role: whose moves; it has at least one in every one of these states.
        seed: of random choices, if the judge makes any.
        out: written, row ``i`` for ``rows[i]``: the scores of the legal moves in ascending order
            of their numbers, the higher the better; all 0.5 once the judge has failed; float32
            ``[>= count, >= most legal moves]``.
    """
    if scores.failed == 0 and count > 0:
        scores.role, scores.count, scores.seed = role, count, seed
        scores.rows, scores.states, scores.legal, scores.out = rows, states, legal, out
        scores.score(scores)
    if scores.failed != 0:
        for place in range(count):
            for slot in range(out.shape[1]):
                out[place, slot] = np.float32(NEUTRAL)


def new_scores(score: Callable[[MoveScores], None]) -> MoveScores:
    """Return a judge of moves to which nothing is given yet.

    Args:
        score: see :class:`MoveScores`.
    """
    none = np.zeros((0, 0), np.uint64)
    return MoveScores(
        score=score,
        judge=Struct(),
        scale=LINEAR,
        rows=np.zeros(0, np.int64),
        states=none,
        legal=none,
        out=np.zeros((0, 0), np.float32),
    )


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class CompiledScores:
    """A judge in compiled code.

    Attributes:
        score: see :class:`MoveScores`.
        judge: what that function works with.
        kept: what else must live as long.
        check: raises what Python code below it has raised, and forgets it; None: there is none.
    """

    score: Entry[[MoveScores]]
    judge: Struct
    kept: tuple[object, ...] = ()
    check: Callable[[], None] | None = None


class MoveJudge(Protocol):
    """What a search asks of a judge of moves."""

    @property
    def scale(self) -> int:
        """:data:`LINEAR` or :data:`LOGITS`."""

    def compiled_scores(self) -> CompiledScores | None:
        """Return the judge with its present weights for compiled code, if it has that form.

        Each call returns one of its own, with memory for one thread.
        """

    def move_scores(self, fluents: Bools, legal: Bools, role: int) -> Float32s:
        """Return the scores of a role's moves, as Python computes them.

        Args:
            fluents: which fluents hold in each state; bool ``[B, F]``.
            legal: which moves of the role are legal; bool ``[B, M_r]``.
            role: its index.

        Returns:
            Float32 ``[B, M_r]``; those of moves that are not legal may be anything.
        """


def check_judge(judge: object, what: str) -> None:
    """Refuse what does not score moves.

    Args:
        judge: perhaps a :class:`MoveJudge`.
        what: it is, for the message.

    Raises:
        ConfigurationError: it is of another kind.
    """
    if not hasattr(judge, "move_scores"):
        raise ConfigurationError(
            f"{what}: found {type(judge).__name__}; a judge of moves is needed, such as "
            "checkpoint.judge('action', game)"
        )


def no_scores() -> MoveScores:
    """Return what stands for a judge where there is none and nobody asks."""
    return new_scores(NOTHING)
