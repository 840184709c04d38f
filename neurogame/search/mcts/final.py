"""What a search answers: the final move, the values, and the line it expects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from neurogame.native.entries import entry
from neurogame.search.mcts.compiled.reading import (
    Moves,
    RootReading,
    choose,
    exact_value,
    read_line,
    read_root,
)
from neurogame.search.mcts.compiled.tree import BOUND
from neurogame.search.mcts.tree import MctsTree


@final
class RootResult(NamedTuple):
    """What the trees of all threads together say of their root.

    Attributes:
        move: of the searching role, an index into its own moves.
        value: per role.
        proved: whether the value is.
        scores: own move -> mean value; of a proved move its value.
        plies: own move -> plies to the end, at most, of moves whose value is proved.
        tries: own move -> simulations.
        line: joint moves, as indices into each role's own moves.
    """

    move: int
    value: tuple[float, ...]
    proved: bool
    scores: dict[int, float]
    plies: dict[int, int]
    tries: dict[int, int]
    line: tuple[tuple[int, ...], ...]


def answer(trees: Sequence[MctsTree], role: int) -> RootResult:
    """Return what trees with the same root say together.

    Args:
        trees: at least one; the first that has proved its root, or else the first of all, tells
            the line. The values of the other roles are the means of all trees, too.
        role: whose move is wanted.
    """
    readings = [tree.reading for tree in trees]
    for reading in readings:
        reading.role = role
        entry(read_root)(reading)
    first, moves = next((one for one in readings if one.proved), readings[0]), readings[0].root
    together = len(trees) > 1 and moves.count > 0
    if together:
        made = [_visits(reading.root) for reading in readings]
        _add(readings)
        entry(choose)(readings[0])
    count, best = moves.count, moves.chosen
    own, tries, known, means, plies = (
        array[:count].tolist()
        for array in (moves.moves, moves.visits, moves.known, moves.means, moves.plies)
    )
    proved = bool(known[best] if count else first.proved)
    move = own[best] if count else first.move
    scores = {
        m: exact_value(mean) if k else mean
        for m, n, k, mean in zip(own, tries, known, means, strict=True)
        if n
    }
    first.move, first.settled = move, int(not count or (proved and first.proved != 0))
    entry(read_line)(first)
    value = first.values.tolist()
    if together and not proved:
        value = _means(readings, first, [visits.get(move, 0) for visits in made])
    if proved:
        value = list(map(exact_value, value))
    value[role] = scores.get(move, value[role])
    found = {m: n + 1 for m, n in zip(own, plies, strict=True) if n >= 0}
    return RootResult(
        move=move,
        value=tuple(value),
        proved=proved,
        scores=scores,
        plies=found if count or not proved else {move: first.plies},
        tries=dict(zip(own, tries, strict=True)),
        line=tuple(map(tuple, first.line[: first.length].tolist())),
    )


def _visits(moves: Moves) -> dict[int, int]:
    """Return how often each move was made."""
    count = moves.count
    return dict(zip(moves.moves[:count].tolist(), moves.visits[:count].tolist(), strict=True))


def _means(
    readings: Sequence[RootReading], first: RootReading, visits: Sequence[int]
) -> list[float]:
    """Return the values of all roles after a move, as the simulations of all trees have them.

    Args:
        readings: of the trees.
        first: that of them whose line, after the move, has been read.
        visits: how often each tree has made it.
    """
    for reading in readings:
        if reading is not first:
            reading.move, reading.settled = first.move, 0
            entry(read_line)(reading)
    rows = np.array([reading.values for reading in readings])
    means: list[float] = np.average(rows, axis=0, weights=np.maximum(visits, 1e-9)).tolist()
    return means


def _add(readings: Sequence[RootReading]) -> None:
    """Make the moves of several trees those of the first; a value that one has proved holds."""
    first = readings[0].root
    count, several = first.count, [reading.root for reading in readings if reading.root.count]
    orders = [np.argsort(one.moves[:count]) for one in several]
    ranks = np.argsort(orders[0])

    def of(name: str) -> npt.NDArray[Any]:
        found = zip(several, orders, strict=True)
        return np.array([getattr(one, name)[order][ranks] for one, order in found])

    visits, known, means, plies = of("visits"), of("known") > 0, of("means"), of("plies")
    first.visits[:count] = visits.sum(0)
    sums, total = np.where(visits > 0, means * visits, 0.0).sum(0), first.visits[:count]
    first.means[:count] = np.where(total > 0, sums / np.maximum(total, 1), -1.0)
    columns = np.arange(count)
    # The last one's value, and the plies of the nearest: every proof is an upper bound.
    last = len(known) - 1 - np.argmax(known[::-1], 0)
    nearest = np.argmin(np.where(plies < 0, BOUND + 1, plies), 0)
    first.known[:count] = known.any(0)
    first.means[:count] = np.where(known.any(0), means[last, columns], first.means[:count])
    first.plies[:count] = plies[nearest, columns]
    first.before[:count] = of("before")[nearest, columns]
