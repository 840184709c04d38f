"""Markers and pieces: what stands on the squares of boards.

*Reference:* Kuhlmann and Stone, "Approach" (markers occupy cells, pieces are markers that can only
be in one cell at a time).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from neurogame.analysis.verdict import Verdict
from neurogame.structure.boards import GameBoard
from neurogame.structure.evidence import GroupEvidence


@final
@dataclass(frozen=True, eq=False)
class Marker:
    """A content that occupies squares of a board.

    Attributes:
        board: the board.
        content: index into ``board.contents``, never the blank one.
        piece: whether it is on at most one square at a time, and how that is known.
    """

    board: GameBoard
    content: int
    piece: Verdict

    @property
    def name(self) -> tuple[str, ...]:
        """The values of the board's content arguments."""
        return self.board.contents[self.content]


def find_markers(boards: Sequence[GameBoard], evidence: GroupEvidence) -> tuple[Marker, ...]:
    """Return the markers of all boards; those that were never seen are not pieces.

    Args:
        boards: the boards.
        evidence: states of the game.
    """
    markers = []
    for board in boards:
        for content in range(len(board.contents)):
            if content == board.blank:
                continue
            fluents = board.relation.fluents[np.flatnonzero(board.content_of == content)]
            piece = evidence.at_most_one([fluents])
            if not evidence.held[fluents].any():
                piece = Verdict(False, piece.evidence, piece.count)
            markers.append(Marker(board, content, piece))
    return tuple(markers)
