"""Reading what a tree says of a node: its moves, their visits and values, and where they lead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from neurogame.kernels.mcts.layout import (
    CLOSED,
    COUNT,
    DECIDERS,
    EXACT,
    FLAGS,
    JUDGED,
    KNOWN,
    MOVE,
    NO_LINK,
    OWN_ENDS,
    RECORD,
    ROLE,
    SLOT_LINKS,
    SLOT_MOVES,
    SLOT_SUMS,
    STATUS,
    STUB,
    SUMS,
    VALUES,
    VISITS,
    slot_start,
)
from neurogame.kernels.mcts.root import child_by_joint
from neurogame.kernels.mcts.tree import Options, Tree

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """The moves that a deciding role has tried, or may try, at a node.

    Attributes:
        role: who decides.
        moves: numbers of the moves among those of all roles; int64 ``[A]``.
        visits: simulations of each; int64 ``[A]``.
        sums: of their results for the role; float64 ``[A]``.
        known: whether the move's value is proved; bool ``[A]``.
        links: where it leads, if nobody else decides; int64 ``[A]``.
        priors: what a judge says of it, 0..1, None where it was not asked; float64 ``[A]``.
    """

    role: int
    moves: npt.NDArray[np.int64]
    visits: npt.NDArray[np.int64]
    sums: Floats
    known: npt.NDArray[np.bool_]
    links: npt.NDArray[np.int64]
    priors: Floats | None = None

    @property
    def means(self) -> Floats:
        """Mean result of each move, NaN where there is none."""
        with np.errstate(invalid="ignore"):
            means: Floats = self.sums / self.visits
        return means


def choices(tree: Tree, options: Options, node: int) -> list[Choice]:
    """Return the choices of the roles that decide at a node; none if it has no record.

    Args:
        tree: the tree.
        options: with which it was made.
        node: its name.
    """
    heap, record = tree.heap, int(tree.heap[node + RECORD])
    if record == 0:
        return []
    roles, deciders = len(tree.best), int(heap[record + STATUS]) >> DECIDERS
    base, found = record + slot_start(roles, deciders), []
    for place in range(record + SUMS + roles, record + SUMS + roles + 2 * deciders, 2):
        role, count = int(heap[place]) >> ROLE, int(heap[place]) & COUNT
        pad = (count + 7) & ~7
        own = heap[base : base + options.width * pad].reshape(options.width, pad)[:, :count]
        reals = tree.reals[base : base + options.width * pad].reshape(options.width, pad)
        words = own[SLOT_MOVES].astype(np.int64)
        judged = options.prior and int(heap[record + STATUS]) & JUDGED
        found.append(
            Choice(
                role=role,
                moves=(words & ~KNOWN) >> MOVE,
                visits=own[0].astype(np.int64),
                sums=reals[SLOT_SUMS, :count].astype(np.float64),
                known=words & KNOWN != 0,
                links=own[SLOT_LINKS].astype(np.int64),
                priors=reals[options.prior, :count].astype(np.float64) if judged else None,
            )
        )
        base += options.width * pad
    return found


def child(tree: Tree, node: int, decided: Sequence[Choice], picks: Sequence[int]) -> int:
    """Return the node to which a joint move leads, 0 if it is not in the tree.

    Args:
        tree: the tree.
        node: from which.
        decided: its choices.
        picks: of each of them, the number of the move.
    """
    if len(decided) == 1:
        link = int(decided[0].links[picks[0]])
        if link == NO_LINK:
            return 0
        return int(tree.heap[link + STUB]) if link >= 0 else CLOSED - link
    moves = np.array([c.moves[p] for c, p in zip(decided, picks, strict=True)], np.int64)
    return int(child_by_joint(tree.joints, node, moves))


def is_exact(tree: Tree, node: int) -> bool:
    """Return whether a node's values are proved."""
    return bool(tree.heap[node + FLAGS] & EXACT)


def node_values(tree: Tree, node: int) -> Floats | None:
    """Return a node's proved values, or its mean results; None if there are none.

    Args:
        tree: the tree.
        node: its name.

    Returns:
        float64 ``[R]``.
    """
    heap, roles = tree.heap, len(tree.best)
    record = int(heap[node + RECORD])
    total, visits = node + VALUES, 1
    if not is_exact(tree, node):
        total, visits = (
            (record + SUMS, int(heap[record + VISITS]))
            if record > 0
            else (node + VALUES, int(heap[node + OWN_ENDS]))
        )
    if visits == 0:
        return None
    values: Floats = tree.reals[total : total + roles].astype(np.float64) / visits
    return values


def exact_value(value: float) -> float:
    """Return a goal / 100 without the error of single precision."""
    return round(value * 100) / 100


def only_moves(tree: Tree, options: Options, node: int) -> list[int]:
    """Return the first legal move of each role, numbered among those of all roles.

    Args:
        tree: the tree.
        options: with which it was made.
        node: one that is not terminal.
    """
    roles = len(tree.best)
    counts = node + VALUES + (2 * roles if options.hinted else roles)
    found, number = [], 0
    for role in range(roles):
        found.append(_listed(tree, counts + roles, number, options.wide))
        number += int(tree.heap[counts + role])
    return found


def _listed(tree: Tree, start: int, number: int, wide: int) -> int:
    if wide:
        return int(tree.heap[start + number])
    return int(tree.heap[start + (number >> 1)]) >> ((number & 1) << 4) & 0xFFFF
