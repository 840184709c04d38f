"""What the goal of a puzzle needs, one thing after the other: a choice of moves to look at first.

A conjunctive goal names many facts, and in a puzzle whose moves do not disturb each other (digits
into cells) they may be brought about in any order. Then one may take the fact first for which the
fewest moves are left, and look at those moves alone: all orders but one are spared. Where moves do
disturb each other that leaves out what is needed, so it is one way to search among others.

*Reference:* Haralick and Elliott, "Increasing tree search efficiency for constraint satisfaction
problems" (1980), section 4 (the variable with the fewest values first); Hoffmann, Porteous and
Sebastia, "Ordered landmarks in planning" (2004), section 3 (facts that every plan makes true).
"""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.array_types import Bools, Int64s
from neurogame.circuit.circuit import Circuit
from neurogame.graph.graph import AND, FALSE, TRUE
from neurogame.graph.positive import positive
from neurogame.regress.specialise import next_of_moves

_FEWEST = 2


@final
class Needs:
    """Facts that the highest goal is a conjunction of, and the moves that may bring them about.

    Attributes:
        count: number of such facts, ``C``; 0 if the goal is no conjunction of facts.
    """

    def __init__(self, circuit: Circuit) -> None:
        """Find them.

        Args:
            circuit: a game of one role; ``F`` fluents, ``M`` moves.
        """
        fluents = len(circuit.fluents)
        facts = _conjuncts(circuit)
        brings = _brings(circuit) if len(facts) >= _FEWEST else None
        if brings is None:
            facts = []
        # float32: products of matrices of flags are counted by the fastest code there is.
        self._facts = np.zeros((len(facts), 2 * fluents), np.float32)
        for row, fact in zip(self._facts, facts, strict=True):
            row[fact] = 1
        self._brings: Bools = np.zeros((len(facts), circuit.move_count), np.bool_)
        for place, fact in enumerate(facts):
            assert brings is not None
            self._brings[place] = brings[fact].any(axis=0)
        self.count = len(facts)

    def narrowed(self, held: Bools, legal: Bools) -> Bools:
        """Return the legal moves that bring about the fact for which the fewest are left.

        Args:
            held: states; bool ``[B, F]``.
            legal: their legal moves; bool ``[B, M]``.

        Returns:
            Bool ``[B, M]``; all legal moves of a state in which none brings about such a fact.
        """
        if not self.count:
            return legal
        met = np.concatenate([held, ~held], axis=1).astype(np.float32) @ self._facts.T > 0
        ways = legal.astype(np.float32) @ self._brings.T.astype(np.float32)
        ways[met | (ways == 0)] = np.inf
        first = ways.argmin(axis=1)
        some = np.isfinite(ways[np.arange(len(ways)), first])
        moves: Bools = legal & (self._brings[first] | ~some[:, None])
        return moves


def _conjuncts(circuit: Circuit) -> list[Int64s]:
    """Return the conditions of the highest goal that are a fluent, or one of several.

    Each as places among the fluents that hold, ``0..F-1``, and that do not, ``F..2F-1``.
    """
    if not len(circuit.goal_literals):
        return []
    graph, leaves = positive(circuit.graph.with_outputs(circuit.goal_literals[:1]))
    fluents = len(circuit.fluents)
    place = np.full(graph.node_count, -1, np.int64)
    place[1 : graph.input_count] = (leaves >> 1) - 1 + fluents * (leaves & 1)
    # The constant is no fact.
    place[1 : graph.input_count][leaves <= TRUE] = -1
    facts, waiting = [], [int(graph.outputs[0]) >> 1]
    while waiting:
        node = waiting.pop()
        if node < graph.input_count:
            children = np.array([node])
        else:
            gate = node - graph.input_count
            children = graph.inputs[graph.start[gate] : graph.start[gate + 1]] >> 1
            if graph.kind[gate] == AND:
                waiting += children.tolist()
                continue
        if (place[children] >= 0).all():
            facts.append(place[children])
    return facts


def _brings(circuit: Circuit) -> Bools | None:
    """Return which moves may bring about that a fluent holds, and that it does not.

    Returns:
        Bool ``[2 F, M]``; None where the game is too large for that.
    """
    formulas = next_of_moves(circuit)
    if not formulas.specialised:
        return None
    changed = formulas.literals != 2 * (1 + np.arange(len(circuit.fluents)))[:, None]
    holds, fails = formulas.literals != FALSE, formulas.literals != TRUE
    return np.concatenate([changed & holds, changed & fails])
