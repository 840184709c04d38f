"""The memory of one thread of a GPU: its own, for half a word of lanes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from neurogame.kernels.codegen.frame import Argument, Counter, GateCode, Offset, PlayoutFrame
from neurogame.kernels.codegen.text import Text

_GIVEN = (
    *(Argument.BLOCK_END, Argument.LOOKS, Argument.STEP, Argument.STATE, Argument.STRIDE),
    *(Argument.BASE, Argument.OPEN, Argument.LEFT, Argument.LEFT_BITS, Argument.MAX_PLIES),
    *(Argument.COUNTS, Argument.FINAL, Argument.START, Argument.PLIES, Argument.LENGTHS),
    *(Argument.EPOCH, Argument.GIVEN_UP, Argument.LOOKED, Argument.PAUSE),
)
"""Arguments that are read; the others are 0."""

THREAD_LANES = 32
"""Lanes of a thread: the lower half of a word, or the upper one, as it has an even number or not.
A register of a GPU has as many bits."""

THREADS = 64 // THREAD_LANES
"""Threads of a word."""

GROUP = 32
"""Words whose rows lie together: the threads of a warp, 32, read neighbours at once."""

_ROW = 8
"""Bytes of a word in rows."""

_KEPT = ("fresh", "far", "recent", "age")


@final
class ThreadFrame(PlayoutFrame):
    """Cells and counters on the thread's own stack, of which the optimiser makes registers.

    Those of the gates are apart from those of the loop, which always become registers.

    What lanes may begin (:attr:`Argument.LEFT`) stays in the caller's rows of words, of which the
    threads of a warp read neighbours. Between two calls, what a thread keeps is in rows as well:
    those of :attr:`Argument.STATE` are its fluents and behind them :meth:`kept`.

    States and final states have many rows, and an address for each would take the registers that
    the game needs. So each warp has its rows together, at distances that are known in advance:
    int64 ``[warps, rows, 32]``.
    """

    def __init__(self, text: Text, code: GateCode, age_bits: int) -> None:
        """Lay out the memory."""
        super().__init__(text, code, age_bits)
        self._rows_at: dict[Argument, str] = {}
        self._loop = self._base = ""

    def begin(self) -> None:
        """Read the arguments and reserve memory, in the first block of the function."""
        text = self.text
        counters = Counter.GOALS + len(self.goal_rows)
        gates = self.code.cell_count
        word = f"i{text.bits}"
        self.memory = text.let(f"alloca [{gates} x {word}], align 8")
        if text.stored:
            self.memory = text.let(f"call {text.cells} @near(ptr {self.memory})")
        self._loop = text.let(f"alloca [{self.cells - gates} x {word}], align 8")
        self.counts = text.let(f"alloca [{counters} x i64], align 8")
        self.argument = dict.fromkeys(Argument, "0")
        for argument in _GIVEN:
            self.argument[argument] = text.load_integer(text.at("%arguments", 8 * argument))

    def pointer(self, argument: Argument) -> str:
        """Return an argument as a pointer to memory that all threads see."""
        text = self.text
        far = text.let(f"inttoptr i64 {self.argument[argument]} to ptr addrspace(1)")
        return text.let(f"addrspacecast ptr addrspace(1) {far} to ptr")

    def set_block(self, block: str) -> None:
        """Say which thread this is."""
        super().set_block(block)
        text = self.text
        group = text.integer("udiv", block, GROUP * THREADS)
        lane = text.integer("and", block, GROUP * THREADS - 1)
        word = text.integer("udiv", block, THREADS)
        seed = text.at(self.pointer(Argument.BASE), text.integer("mul", word, _ROW))
        self._base = text.let(f"load {text.wide}, ptr {seed}, align 8")
        self.upper = text.let(f"trunc i64 {block} to i1")
        rows = {Argument.STATE: self.fluents + len(self.kept()), Argument.FINAL: self.fluents}
        for argument, count in rows.items():
            place = text.integer("mul", group, count * GROUP * _ROW)
            place = text.integer("add", place, text.integer("mul", lane, text.bytes))
            self._rows_at[argument] = text.at(self.pointer(argument), place)

    def columns(self, argument: Argument, offset: Offset, row: str | None = None) -> str:
        """Return a pointer to the thread's word in a caller's row of words."""
        if argument not in self._rows_at:
            return super().columns(argument, offset, row)
        assert row is not None
        return self.text.at(self._rows_at[argument], int(row) * GROUP * _ROW)

    def cell(self, cell: int, offset: Offset, index: str | None = None) -> str:
        """Return a pointer to a cell of the loop, or to the ``index``-th cell after it."""
        at = self.text.at(self._loop, (cell - self.code.cell_count) * self.size)
        return at if index is None else self.text.at(at, int(index) * self.size)

    def own(self, name: str, offset: Offset, index: str | None = None) -> str:
        """Return a pointer to a vector of the loop's own memory."""
        if name == "left":
            return self.columns(Argument.LEFT, offset, index)
        return super().own(name, offset, index)

    def own_number(self, name: str, number: int, offset: Offset) -> str:
        """Return a pointer to a vector of the ``number``-th cell of a name."""
        if name == "left":
            return self.own(name, offset, str(number))
        return super().own_number(name, number, offset)

    def base(self, offset: Offset) -> str:
        """Return the scrambled seed of the thread's word."""
        return self._base

    def add(self, counter: int, lanes: str, times: str | None = None) -> None:
        """Add the number of lanes, ``times`` a number (an i64), to a counter.

        A launch is too short for more ends of games than a register counts.
        """
        text = self.text
        kind = self._kind(counter)
        number = text.let(f"bitcast {text.vector} {text.popcount(lanes)} to i{text.bits}")
        if times is not None:
            number = text.integer("mul", text.let(f"zext i{text.bits} {number} to i64"), times)
        at = text.at(self.counts, 8 * counter)
        total = text.let(f"add {kind} {text.let(f'load {kind}, ptr {at}, align 8')}, {number}")
        text.do(f"store {kind} {total}, ptr {at}, align 8")

    def _kind(self, counter: int) -> str:
        """Return the type of a counter."""
        return "i64" if counter == Counter.LOOKS else f"i{self.text.bits}"

    def each_fluent(self) -> Iterator[str]:
        """Write code for each fluent: a place that is computed cannot be a register."""
        yield from map(str, range(self.fluents))

    def give_up(self) -> None:
        """Write that the call gives up; whichever threads do, write the same."""
        self.text.store_integer(1, self.pointer(Argument.GIVEN_UP))

    def count_length(self, pointer: str) -> None:
        """Add one to the number of games of a length, which all threads count."""
        self.text.do(_add(pointer, "1"))

    def kept(self) -> list[str]:
        """Return pointers to the cells that are kept between calls, besides the fluents."""
        numbers = {"recent": 2, "age": self.age_bits}
        return [
            self.own_number(name, number, 0)
            for name in _KEPT
            for number in range(numbers.get(name, 1))
        ]

    def row(self, row: int, offset: Offset) -> str:
        """Return a row's vector."""
        if row == 0:
            return "zeroinitializer"
        return self.text.load_cell(self.memory, self.code.cell[row])

    def set_row(self, row: int, value: str, offset: Offset) -> None:
        """Set a row that the loop gives to the gates."""
        self.text.store_cell(value, self.memory, self.code.cell[row])

    def fluent(self, fluent: str, offset: Offset) -> str:
        """Return a fluent's vector."""
        return self.text.load_cell(self.memory, int(fluent))

    def enter(self) -> None:
        """Read what the thread begins with."""
        text = self.text
        text.store(text.load(self.columns(Argument.OPEN, 0)), self.own("open", 0))
        for fluent in self.each_fluent():
            word = text.load(self.columns(Argument.STATE, 0, fluent))
            text.store_cell(word, self.memory, int(fluent))
        for number, cell in enumerate(self.kept(), self.fluents):
            text.store(text.load(self.columns(Argument.STATE, 0, str(number))), cell)
        for counter in range(Counter.GOALS + len(self.goal_rows)):
            at = text.at(self.counts, 8 * counter)
            text.do(f"store {self._kind(counter)} 0, ptr {at}, align 8")

    def leave(self) -> None:
        """Write what the thread goes on with, and add what it has counted to that of the others."""
        text = self.text
        text.store(text.load(self.own("open", 0)), self.columns(Argument.OPEN, 0))
        for fluent in self.each_fluent():
            text.store(self.fluent(fluent, 0), self.columns(Argument.STATE, 0, fluent))
        for number, cell in enumerate(self.kept(), self.fluents):
            text.store(text.load(cell), self.columns(Argument.STATE, 0, str(number)))
        for counter in range(Counter.GOALS + len(self.goal_rows)):
            place, kind = 8 * counter, self._kind(counter)
            number_of = text.let(f"load {kind}, ptr {text.at(self.counts, place)}, align 8")
            if kind != "i64":
                number_of = text.let(f"zext {kind} {number_of} to i64")
            text.do(_add(text.at(self.pointer(Argument.COUNTS), place), number_of))


def _add(pointer: str, number: str) -> str:
    """Return the instruction that adds to a number which other threads add to at the same time."""
    return f"atomicrmw add ptr {pointer}, i64 {number} monotonic, align 8"
