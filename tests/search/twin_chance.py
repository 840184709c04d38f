"""Chance in the twin of the tree search: which outcome is next, and what outcomes are worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tests.search.twin_nodes import Edge, Node
from tests.search.twin_random import random_word

Real = np.float32


def outcome(seed: int, node: Node, edges: Sequence[Edge]) -> int:
    """One of those taken least often; where others choose at the same time, any one."""
    word = random_word(seed, node.index, 256 + node.visits + node.pending)
    taken = [edge.visits + edge.pending for edge in edges]
    open_ = [n for n, count in enumerate(taken) if count == min(taken)]
    if len(node.edges) > 1:
        open_ = list(range(len(edges)))
    return open_[((word >> 32) * len(open_)) >> 32]


def averaged(outcomes: Iterable[Iterable[Real]]) -> tuple[Real, ...]:
    """The mean of what outcomes are worth to each role."""
    columns = zip(*outcomes, strict=True)
    return tuple(Real(np.mean([float(value) for value in own])) for own in columns)


def best_hint(parent: Node, newest: Edge) -> None:
    """Give a node the best child's hints, as far as there are children; at chance their mean."""
    ((role, edges),) = parent.edges.items()
    best = newest
    if role == parent.state.game.chance:
        seen = [parent.children[(e.move,)].hints for e in edges if e.visits]
        parent.hints = list(averaged(seen))
        return
    for edge in edges:
        if edge.visits and edge.hint > best.hint:
            best = edge
    parent.hints = list(parent.children[(best.move,)].hints)
