"""The memory of a block of lanes that a processor plays: given by the caller, in the cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from neurogame.kernels.codegen.frame import Argument, PlayoutFrame

_ELSEWHERE = (
    Argument.ROUTINE,
    Argument.GIVEN_UP,
    Argument.LOOKED,
    Argument.PAUSE,
    Argument.TABLES,
)
"""Arguments that are not read when the function begins, or not at all."""


@final
class BlockFrame(PlayoutFrame):
    """Cells and counters of one thread of a processor, which plays block after block with them."""

    def begin(self) -> None:
        """Read the arguments, in the first block of the function."""
        text = self.text
        self.argument = {
            a: text.load_integer(text.at("%arguments", 8 * a))
            for a in Argument
            if a not in _ELSEWHERE
        }
        self.memory = self.pointer(Argument.CELLS)
        self.counts = self.pointer(Argument.COUNTS)

    def each_fluent(self) -> Iterator[str]:
        """Write a loop over the fluents."""
        with self.text.count(0, self.fluents) as fluent:
            yield fluent

    def give_up(self) -> None:
        """Write that the call gives up."""
        self.text.store_integer(1, self.text.at("%arguments", 8 * Argument.GIVEN_UP))

    def count_length(self, pointer: str) -> None:
        """Add one to the number of games of a length, which no other thread counts."""
        counted = self.text.integer("add", self.text.load_integer(pointer), 1)
        self.text.store_integer(counted, pointer)
