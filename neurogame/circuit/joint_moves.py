"""All joint moves of many states at once, as flat arrays.

The order is lexicographic in the roles' moves: the last role's move changes first. Simulators list
them on their own device, see :mod:`neurogame.kernels.joint_moves`; compiled searches write one
after the other into a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from neurogame.array_types import Bools, Float64s, Int64s
from neurogame.graph.groups import places_in_groups


@final
@dataclass(frozen=True, eq=False)
class LegalMoves:
    """The legal moves of ``A`` states by their *rank* among those of their role.

    Attributes:
        choices: number of legal moves per state and role, int64 ``[A, R]``.
        table: the legal moves of each role: move index by (state, rank), -1 beyond the last;
            one int64 array ``[A, max choices]`` per role.
    """

    choices: Int64s
    table: tuple[Int64s, ...]

    @property
    def joint_counts(self) -> Float64s:
        """Number of joint moves of each state: many roles overflow integers; float64 ``[A]``."""
        counts: Float64s = np.prod(self.choices.astype(np.float64), axis=1)
        return counts

    def ranks(self, counts: Int64s) -> tuple[Int64s, Int64s, Int64s]:
        """Return the first joint moves of each state.

        Args:
            counts: how many of each state; beyond the last one it begins again; int64 ``[A]``.

        Returns:
            The state of each of the ``K``, ascending, its number in that state, both int64
            ``[K]``, and the rank of each role's move, int64 ``[K, R]``.
        """
        parent = np.repeat(np.arange(len(counts)), counts)
        number = places_in_groups(counts)
        ranks = np.empty((len(parent), len(self.table)), np.int64)
        rest = number
        for role in reversed(range(len(self.table))):
            rest, ranks[:, role] = np.divmod(rest, self.choices[:, role][parent])
        return parent, number, ranks

    def moves(self, parent: Int64s, ranks: Int64s) -> Int64s:
        """Return joint moves as indices within the roles' moves.

        Args:
            parent: state of each; int64 ``[K]``.
            ranks: of each role's move; int64 ``[K, R]``.

        Returns:
            int64 ``[K, R]``.
        """
        columns = [table[parent, ranks[:, role]] for role, table in enumerate(self.table)]
        return np.stack(columns, axis=1)


def list_legal_moves(legal: Bools, offsets: Sequence[int]) -> LegalMoves:
    """List the legal moves of each role in each state.

    Args:
        legal: legal moves of all roles, bool ``[A, M]``.
        offsets: where each role's moves start, and ``M``; ``[R + 1]``.
    """
    tables = [_move_table(legal[:, a:b]) for a, b in pairwise(offsets)]
    choices = np.stack([(table >= 0).sum(axis=1) for table in tables], axis=1)
    return LegalMoves(choices.astype(np.int64), tuple(tables))


def _move_table(legal: Bools) -> Int64s:
    """Return the indices of the true columns of each row, filled up with -1."""
    count = legal.sum(axis=1)
    table = np.full((len(legal), max(1, int(count.max(initial=0)))), -1, dtype=np.int64)
    row, column = np.nonzero(legal)
    table[row, places_in_groups(count)] = column
    return table
