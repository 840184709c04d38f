"""The move to play where not even the first ply of a search could be completed.

Children of the root are generated and valued in the order of the searching role's moves. Once time
is up, the moves all of whose answers have been valued are compared as a complete ply would be.
"""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np

from neurogame.array_types import Float64s
from neurogame.search.alphabeta.compiled.memory import Search
from neurogame.search.alphabeta.compiled.records import column
from neurogame.search.cooperation import averaged, preferred, replies


@final
class Evaluated(NamedTuple):
    """The children of a root that have been valued.

    ``N`` of them, from the first joint move on, the searching role's moves outermost; ``R`` roles.

    Attributes:
        values: per role; float64 ``[N, R]``.
        static: what they are worth to the searching role; float64 ``[N]``.
        order: roles, the searching one first.
        counts: number of legal moves of each role, in that order.
        outcomes: number of those of chance; 1 where nobody is chance.
    """

    values: Float64s
    static: Float64s
    order: tuple[int, ...]
    counts: tuple[int, ...]
    outcomes: int = 1


@final
class FirstChoice(NamedTuple):
    """The best of the moves that could be compared.

    Attributes:
        row: the joint move that is expected.
        value: of it, for the searching role.
        values: of it, per role.
        scores: of the moves that were compared, the searching role's first ones; float64 ``[A]``.
        answers: joint moves of the others for each move.
    """

    row: int
    value: float
    values: tuple[float, ...]
    scores: Float64s
    answers: int


def evaluated(search: Search) -> Evaluated:
    """Return the children of the root that have been valued.

    Args:
        search: the generation of the root's children has been interrupted, which is all that it
            has done.
    """
    stack, kept, choices = search.stack, search.kept, search.choices
    order = tuple(choices.order.tolist())
    flags = np.unpackbits(stack.legal[0].view(np.uint8), bitorder="little")
    counts = tuple(int(flags[slice(*choices.offsets[role : role + 2])].sum()) for role in order)
    first = int(search.batch.asked[0].place) % len(kept.rows) if search.nodes else 0
    rows = slice(first, first + search.nodes)
    return Evaluated(
        kept.values[rows].astype(np.float64),
        column(kept.rows, "static")[rows].astype(np.float64),
        order,
        counts,
        counts[-1] if choices.chance >= 0 else 1,
    )


def first_choice(
    children: Evaluated, *, maxn: bool, random: np.random.Generator
) -> FirstChoice | None:
    """Return the best move by what has been valued, None if no move's answers all have been.

    Args:
        children: what has been valued.
        maxn: whether everybody maximises their own value; else all others hold the role down.
        random: decides between equal moves.
    """
    role, answers = children.order[0], int(np.prod(children.counts[1:]))
    moves = len(children.static) // answers
    if moves == 0:
        return None
    values = children.values[: moves * answers]
    if maxn:
        all_counts = (moves, *children.counts[1:])
        values, order, counts = averaged(values, children.order, all_counts, children.outcomes)
        rows = replies(values, order, counts)
        scores = values[rows, role]
        move = preferred(values[rows], role, random.permutation(moves))
        row = int(rows[move])
        return FirstChoice(
            row * children.outcomes,
            float(scores[move]),
            tuple(values[row].tolist()),
            scores,
            answers,
        )
    grid = children.static[: moves * answers].reshape(moves, answers)
    rows = np.arange(moves) * answers + grid.argmin(axis=1)
    scores = grid.min(axis=1)
    move = int(random.choice(np.flatnonzero(scores == scores.max())))
    row = int(rows[move])
    return FirstChoice(row, float(scores[move]), tuple(values[row].tolist()), scores, answers)
