"""A judge of moves as a search calls it: compiled code, or a call of Python."""

from __future__ import annotations

from typing import final

from neurogame.circuit.circuit import Circuit
from neurogame.judges.moves import CompiledScores, MoveJudge, new_scores
from neurogame.kernels.words.rows import unpack_rows
from neurogame.native.entries import callback
from neurogame.native.struct import Struct, array_of


@final
class SearchJudge:
    """A judge of moves for compiled code, which :attr:`scores` stands for; one per thread.

    Attributes:
        scores: for :func:`~neurogame.judges.moves.score_moves`; it stays the same.
        error: what the judge raised, or None.
    """

    def __init__(self, judge: MoveJudge, circuit: Circuit) -> None:
        """Make it: compiled code where the judge has that form, else a call of Python.

        Args:
            judge: of the game's moves.
            circuit: the game.
        """
        self._called = callback(self._call)
        self.scores = new_scores(self._called)
        self.error: BaseException | None = None
        self._judge = judge
        self._fluents = len(circuit.fluents)
        self._offsets = circuit.move_offsets
        self._compiled: CompiledScores | None = None
        self.refresh()

    @property
    def is_compiled(self) -> bool:
        """Whether no Python runs when moves are scored."""
        return self._compiled is not None

    def refresh(self) -> None:
        """Take the judge's present weights, as is necessary whenever they have changed."""
        scores = self.scores
        self.error, self._compiled = None, self._judge.compiled_scores()
        scores.failed, scores.scale = 0, self._judge.scale
        if self._compiled is None:
            scores.score, scores.judge = self._called, Struct()
        else:
            scores.score, scores.judge = self._compiled.score, self._compiled.judge

    def check(self) -> None:
        """Raise what the judge has raised, if anything, and forget it."""
        if self.error is not None:
            error, self.error = self.error, None
            self.scores.failed = 0
            raise error
        if self.scores.failed != 0 and self._compiled is not None and self._compiled.check:
            self.scores.failed = 0
            self._compiled.check()

    def _call(self) -> None:
        """Score moves with the Python object; called by compiled code."""
        try:
            self._answer()
        except BaseException as error:
            # Compiled code cannot pass it on.
            self.error = error
            self.scores.failed = 1

    def _answer(self) -> None:
        scores = self.scores
        count, role = scores.count, scores.role
        rows = array_of(scores, "rows")[:count]
        fluents = unpack_rows(array_of(scores, "states")[rows], self._fluents).numpy()
        first, last = self._offsets[role], self._offsets[role + 1]
        legal = unpack_rows(array_of(scores, "legal")[rows], last)[:, first:].numpy()
        table = self._judge.move_scores(fluents, legal, role)
        out = array_of(scores, "out")
        for row in range(count):
            marks = table[row, legal[row]]
            out[row, : len(marks)] = marks
