"""The history heuristic: moves that were best elsewhere are tried first."""

from __future__ import annotations

from typing import final

import numpy as np

from neurogame.search.tree import Integers, Reals


@final
class History:
    """One score per (role, move), raised whenever the move was best or caused a cutoff.

    *Reference:* Schaeffer, The history heuristic and alpha-beta search enhancements in practice,
    IEEE PAMI 11 (1989): weight ``2^depth`` there; ``depth^2`` here, which deep forced lines
    cannot overflow.
    """

    def __init__(self, role_count: int) -> None:
        """Start with no preference.

        Args:
            role_count: number of roles, ``R``.
        """
        self._scores = [np.zeros(1) for _ in range(role_count)]

    def reward(self, joint: Integers, counts: Integers, depth: int) -> None:
        """Raise the scores of the moves that were chosen (not of forced ones).

        Args:
            joint: the joint move; int64 ``[R]``.
            counts: legal moves of each role; int64 ``[R]``.
            depth: remaining depth of the node at which it was best.
        """
        for role, (move, choices) in enumerate(zip(joint.tolist(), counts.tolist(), strict=True)):
            if choices > 1:
                if move >= len(self._scores[role]):
                    self._grow(role, move)
                self._scores[role][move] += depth * depth

    def scores(self, joint: Integers, role: int) -> Reals:
        """Return the relative scores of one role's moves, in 0..1.

        Args:
            joint: joint moves; int64 ``[K, R]``.
            role: whose moves are scored.
        """
        table = self._scores[role]
        moves = joint[:, role]
        largest = int(moves.max())
        if largest >= len(table):
            table = self._grow(role, largest)
        top = float(table.max())
        return table[moves] / top if top > 0 else np.zeros(len(moves))

    def fade(self) -> None:
        """Halve every score: a new search starts, old preferences count less."""
        for table in self._scores:
            table *= 0.5

    def _grow(self, role: int, move: int) -> Reals:
        """Make room for a move number."""
        grown = np.zeros(move + 1 + len(self._scores[role]))
        grown[: len(self._scores[role])] = self._scores[role]
        self._scores[role] = grown
        return grown
