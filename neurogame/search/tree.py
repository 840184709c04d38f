"""What a search needs to know of a game: batches of states and their children.

Everything is an array so that no Python runs per child. ``K`` children, ``N`` parents, ``R``
roles, ``P`` bytes of a packed state, ``Q`` bytes of packed legal moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]
Integers: TypeAlias = npt.NDArray[np.int64]
Reals: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Frontier:
    """The children of ``N`` states, one row per joint move.

    Rows of one parent are in lexicographic order of (move of role 0, move of role 1, ...).

    Attributes:
        start: the children of parent ``n`` are rows ``start[n]:start[n + 1]``; int64 ``[N + 1]``.
        joint: the joint move that leads to each child, as indices into each role's own moves;
            int64 ``[K, R]``.
        states: packed states; two states are equal exactly if their bytes are; uint8 ``[K, P]``.
        legal: packed legal moves, for the tree's own use; uint8 ``[K, Q]``.
        counts: number of legal moves of each role, 0 in terminal states; int64 ``[K, R]``.
        terminal: whether the child is terminal; bool ``[K]``.
        values: per role, in 0..1: the true goal in terminal states, otherwise the evaluator's
            estimate; float64 ``[K, R]``.
    """

    start: Integers
    joint: Integers
    states: Bytes
    legal: Bytes
    counts: Integers
    terminal: Flags
    values: Reals

    def __len__(self) -> int:
        """Return the number of children, ``K``."""
        return len(self.terminal)

    def part(self, parent: int) -> Frontier:
        """Return the children of one parent, as views.

        Args:
            parent: which parent, 0..N-1.
        """
        rows = slice(int(self.start[parent]), int(self.start[parent + 1]))
        return Frontier(
            start=np.array([0, rows.stop - rows.start], dtype=np.int64),
            joint=self.joint[rows],
            states=self.states[rows],
            legal=self.legal[rows],
            counts=self.counts[rows],
            terminal=self.terminal[rows],
            values=self.values[rows],
        )


class SearchTree(Protocol):
    """A game as the search sees it; must be deterministic."""

    @property
    def role_count(self) -> int:
        """Number of roles, ``R``."""

    def expand(self, states: Bytes, legal: Bytes) -> Frontier:
        """Generate and evaluate all children of non-terminal states, as one batch.

        Args:
            states: packed states; uint8 ``[N, P]``.
            legal: their packed legal moves, as a frontier gave them; uint8 ``[N, Q]``.
        """


def joint_moves(legal: list[Flags]) -> tuple[Integers, Integers, Integers]:
    """List the joint moves of many states without a loop over the states.

    Args:
        legal: per role, its legal moves in each state; bool ``[N, moves of the role]``.

    Returns:
        ``start`` int64 ``[N + 1]``, ``parent`` int64 ``[K]`` and ``joint`` int64 ``[K, R]``: the
        joint moves of state ``n`` are rows ``start[n]:start[n + 1]``, lexicographically. A state
        in which some role has no legal move has no joint move.
    """
    counts = np.stack([np.count_nonzero(flags, axis=1) for flags in legal], axis=1)
    children = counts.prod(axis=1)
    start = np.concatenate([[0], np.cumsum(children)])
    parent = np.repeat(np.arange(len(counts)), children)
    rest = np.arange(int(start[-1])) - start[parent]
    joint = np.empty((len(parent), len(legal)), dtype=np.int64)
    for role in range(len(legal) - 1, -1, -1):
        own = counts[parent, role]
        choice = rest % own
        rest = rest // own
        first = np.concatenate([[0], np.cumsum(counts[:, role])])
        moves = np.nonzero(legal[role])[1]
        joint[:, role] = moves[first[parent] + choice]
    return start, parent, joint


def joint_grid(counts: Integers, role: int) -> Integers:
    """Arrange the rows of one parent's children by the move of one role.

    Args:
        counts: number of legal moves of each role; int64 ``[R]``.
        role: the role whose moves become the first axis.

    Returns:
        Row numbers, int64 ``[own moves, joint moves of all the others]``.
    """
    rows = np.arange(int(np.prod(counts)), dtype=np.int64).reshape(tuple(counts))
    return np.moveaxis(rows, role, 0).reshape(int(counts[role]), -1)
