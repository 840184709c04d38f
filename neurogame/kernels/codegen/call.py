"""Calling compiled playouts: memory of a thread, and the table of arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import final

import numpy as np
import numpy.typing as npt

from neurogame.array_types import Int64s
from neurogame.kernels.codegen.frame import ARGUMENTS, Argument, Counter
from neurogame.kernels.codegen.kernel import Kernel
from neurogame.kernels.codegen.table import point_to
from neurogame.kernels.playout import Tally

_ALIGN = 64


@final
class Caller:
    """What one thread needs to run a kernel: cells, counters and arguments.

    Attributes:
        kernel: the compiled game.
        counts: one vector per counter.
    """

    def __init__(
        self, kernel: Kernel, initial: Int64s, lengths: int = 0, *, moves: bool = False
    ) -> None:
        """Reserve memory.

        Args:
            kernel: the compiled game.
            initial: the initial state, one word per fluent: 0 or -1.
            lengths: longest game to count by length, plus one; 0: lengths are not counted.
            moves: whether moves are counted, for which the kernel must be made.
        """
        self.kernel, self._moves = kernel, moves
        words = kernel.vector_words
        self.counts = aligned(words * (Counter.GOALS + kernel.goal_rows))
        self.made = aligned(words * len(kernel.does) * (1 + kernel.goal_rows))
        self.lengths = np.zeros(lengths, np.int64)
        self._initial = initial
        self._cells = aligned(kernel.memory // 8)
        self._arguments = np.zeros(ARGUMENTS, np.int64)
        self._play = kernel.code.function("play")
        self.set(Argument.INITIAL, initial)
        self.set(Argument.COUNTS, self.counts)
        self.set(Argument.CELLS, self._cells)
        self.set(Argument.DOES, kernel.does)
        self.set(Argument.MADE, self.made)
        self.set(Argument.LENGTHS, self.lengths if lengths else 0)
        point_to(kernel.tables, kernel.routine, self._arguments)

    def set(self, argument: Argument, value: int | npt.NDArray[np.generic]) -> None:
        """Set an argument; of an array its address, so it must live until the call."""
        number = value if isinstance(value, int) else value.ctypes.data
        self._arguments[argument] = number

    def play(self, blocks: int) -> None:
        """Play the first blocks of the words that the arguments point to."""
        self._arguments[Argument.BLOCK_END] = blocks
        self._play(self._arguments.ctypes.data)

    @property
    def given_up(self) -> bool:
        """Whether a game was too long for code that does not count plies."""
        return bool(self._arguments[Argument.GIVEN_UP])

    def tally(self) -> Tally:
        """Return what has been counted so far."""
        kernel = self.kernel
        totals = self.counts.reshape(-1, kernel.vector_words).sum(axis=1)
        made = made_goals = None
        if self._moves:
            shape = len(kernel.does), 1 + kernel.goal_rows, kernel.vector_words
            table = self.made.reshape(shape).sum(axis=2)
            made, made_goals = table[:, 0], table[:, 1:][:, kernel.goal_index]
        lengths = self.lengths if len(self.lengths) else None
        counted = tally_of(totals, kernel.goal_index, lengths)
        return replace(counted, made=made, made_goals=made_goals)


def tally_of(totals: Int64s, goal_index: Int64s, lengths: Int64s | None) -> Tally:
    """Return what counters say, without moves.

    Args:
        totals: of all lanes, see :class:`Counter`; int64 ``[GOALS + goal rows]``.
        goal_index: which of the counted goal rows each goal is; int64 ``[V]``.
        lengths: number of games of each length, maybe with zeros behind; None: not counted.
    """
    return Tally(
        games=int(totals[Counter.GAMES]),
        cut=int(totals[Counter.CUT]),
        stuck=int(totals[Counter.STUCK]),
        several=int(totals[Counter.SEVERAL]),
        played=int(totals[Counter.LOOKS] - totals[Counter.GAMES]),
        goals=totals[Counter.GOALS :][goal_index],
        lengths=None if lengths is None else np.trim_zeros(lengths, "b"),
    )


def aligned(words: int) -> Int64s:
    """Return zeroed 64-bit words that begin at a multiple of a vector's size."""
    space = np.zeros(words + _ALIGN // 8, np.int64)
    begin = -space.ctypes.data % _ALIGN // 8
    return space[begin : begin + words]
