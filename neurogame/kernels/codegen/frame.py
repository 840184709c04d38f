"""The memory of a block of lanes, and the arguments of the function that plays it.

The loop over plies is written once. Where it has its memory is its *frame*: given to a block of
lanes by the caller (:mod:`~neurogame.kernels.codegen.block_frame`), or a GPU thread's own
(:mod:`~neurogame.kernels.codegen.thread_frame`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Protocol, TypeAlias

import numpy as np

from neurogame.kernels.codegen.text import Text
from neurogame.kernels.netlist.emit import cone
from neurogame.kernels.netlist.ply import Ply, Section

Offset: TypeAlias = str | int
"""Bytes from the first vector of a cell: a number, or the name of an i64."""


class Argument(IntEnum):
    """Places in the table of arguments; pointers are given as integers, 0 for none."""

    BLOCK = 0
    """First block."""
    BLOCK_END = 1
    """One past the last block."""
    LOOKS = 2
    """Times that a lane's state is looked at; between two looks one step is made."""
    STEP = 3
    """Number of the first step, for the random words."""
    STATE = 4
    """States to begin with, one row of words per fluent; 0: the initial state."""
    STRIDE = 5
    """Bytes from one row of words to the next."""
    INITIAL = 6
    """The initial state, one word per fluent: 0 or -1."""
    BASE = 7
    """Scrambled seed of each lane word."""
    OPEN = 8
    """Lanes that play; those that have ended their last game are removed."""
    LEFT = 9
    """Bit-sliced number of games that each lane may begin after its first; rows of words."""
    LEFT_BITS = 10
    """Number of these rows; 0: lanes never stop."""
    MAX_PLIES = 11
    """Plies at which a game is cut, in code that keeps ages; 0: no game is cut."""
    COUNTS = 12
    """One vector per counter, added to: see :class:`Counter`."""
    CELLS = 13
    """Memory of the cells."""
    FINAL = 14
    """Where the states at the ends of games are written (one game per lane); 0: nowhere."""
    START = 15
    """Step at which each lane's game began, int32; 0: lengths are not wanted."""
    PLIES = 16
    """Length of each lane's last game, int32."""
    LENGTHS = 17
    """Number of games by length, int64."""
    DOES = 18
    """Byte offset of each move's cell, int64; only in code made for counting moves."""
    MADE = 19
    """Per move one vector for the games in which it was made, and one per different goal; 0: they
    are not counted."""
    ROUTINE = 20
    """The routine that runs tables."""
    EPOCH = 21
    """In code without ages, the number of looks within which every lane must end a game, or the
    call gives up; 0: no matter how long games are."""
    GIVEN_UP = 22
    """Set to 1 by a call that has given up, in code for threads where it points to; what has been
    counted is to be thrown away."""
    REACHED = 23
    """Where the goals of lanes are added that have ended (one game per lane), a row of words per
    goal row; with it a lane that still plays at the last look ends there; 0: nowhere."""
    LOOKED = 24
    """In code for threads, the looks that earlier calls have made."""
    PAUSE = 25
    """In code for threads, the looks after which the call ends; a later one goes on."""
    PLAYED = 26
    """Where the moves of lanes are written (one game per lane), a row of words per move, in code
    made for counting moves; 0: nowhere."""
    TABLES = 27
    """From here per part: runs, their number, gates."""


class Part(IntEnum):
    """What runs without a break: sections of a ply."""

    LOOK = 0
    """Legal moves, ends, and the numbers of legal moves."""
    GOALS = 1
    """Only where some game is over."""
    MOVE = 2
    """From the ranks to the moves made and the next state."""


SECTIONS = {
    Part.LOOK: (Section.STATUS, Section.COUNT),
    Part.GOALS: (Section.GOALS,),
    Part.MOVE: (Section.DESCEND, Section.NEXT),
}


def part_gates(ply: Ply, part: Part) -> list[int]:
    """Return the gates of a part in topological order.

    Where moves are given, the part that makes them needs nothing of the other parts: the gates
    that it has in common with them belong to both.
    """
    if part is Part.MOVE and not ply.reset:
        return np.flatnonzero(cone(ply.netlist, ply.next)).tolist()
    return [gate for section in SECTIONS[part] for gate in ply.gates(section)]


ARGUMENTS = Argument.TABLES + 3 * len(Part)


class Counter(IntEnum):
    """What is counted, one vector each; the goals follow."""

    GAMES = 0
    CUT = 1
    STUCK = 2
    SEVERAL = 3
    LOOKS = 4
    """Looks at lanes that were open: plies played, and one for every game ended."""
    GOALS = 5


class GateCode(Protocol):
    """Gates of a ply, ready to be run: straight-line code or tables."""

    ply: Ply
    width: int
    cell_count: int
    cell: dict[int, int]

    def write(self, text: Text, part: Part, memory: str) -> None:
        """Write what runs one part of a ply."""
        ...


class PlayoutFrame(ABC):
    """Where the function that plays finds everything: its arguments and its cells in memory.

    Blocks of lanes that a processor plays one after another and the threads of a GPU have
    their memory in different places.

    Attributes:
        text: the body of the function.
        code: the gates.
        ply: the netlist.
        memory: pointer to the cells.
        counts: pointer to the counters.
        upper: whether the lanes are the upper half of a word; an i1, empty where words are whole.
        argument: names of the arguments' values.
        goal_rows: the different rows of goals, in ascending order.
        age_bits: bits of the steps at which games began.
        size: bytes of a cell.
    """

    def __init__(self, text: Text, code: GateCode, age_bits: int) -> None:
        """Lay out the memory."""
        self.text, self.code, self.ply, self.age_bits = text, code, code.ply, age_bits
        self.fluents = len(code.ply.next)
        self.moves = len(code.ply.does)
        self.goal_rows = sorted(set(code.ply.goals.tolist()))
        self.size = code.width * text.bytes
        self.argument: dict[Argument, str] = {}
        self.memory = self.counts = self.upper = ""
        self._values: dict[str, str] = {}
        names = ("zero", "base", "open", "over", "ended", "any", "fresh", "far")
        self._place = {name: code.cell_count + index for index, name in enumerate(names)}
        self._place["age"] = code.cell_count + len(names)
        self._place["recent"] = self._place["age"] + age_bits
        self._place["left"] = self._place["recent"] + 2
        self._place["made"] = self._place["left"] + 32
        self.cells = self._place["made"] + self.moves

    @abstractmethod
    def begin(self) -> None:
        """Read the arguments and find the memory, in the first block of the function."""

    @abstractmethod
    def each_fluent(self) -> Iterator[str]:
        """Write code for each fluent, once in a loop or once for each; yields its number."""

    @abstractmethod
    def give_up(self) -> None:
        """Write that the call gives up."""

    @abstractmethod
    def count_length(self, pointer: str) -> None:
        """Add one to the number of games of a length."""

    def pointer(self, argument: Argument) -> str:
        """Return an argument as a pointer."""
        return self.text.let(f"inttoptr i64 {self.argument[argument]} to ptr")

    def given(self, argument: Argument) -> str:
        """Return whether an argument is not 0; i1."""
        return self.text.let(f"icmp ne i64 {self.argument[argument]}, 0")

    @contextmanager
    def vectors(self) -> Iterator[Offset]:
        """Write code for each vector of the block; yields its offset within a cell."""
        if self.code.width == 1:
            yield 0
            return
        with self.text.count(0, self.code.width, "vector") as index:
            yield self.text.integer("mul", index, self.text.bytes)

    def cell(self, cell: int, offset: Offset, index: str | None = None) -> str:
        """Return a pointer to a vector of a cell, or of the ``index``-th cell after it."""
        text = self.text
        at = text.at(self.memory, cell * self.size)
        if offset != 0:
            at = text.at(at, offset)
        return at if index is None else text.at(at, text.integer("mul", index, self.size))

    def own(self, name: str, offset: Offset, index: str | None = None) -> str:
        """Return a pointer to a vector of the loop's own memory."""
        return self.cell(self._place[name], offset, index)

    def base(self, offset: Offset) -> str:
        """Return the scrambled seeds of a vector's words, 64 bits each."""
        return self.text.load(self.own("base", offset))

    def own_number(self, name: str, number: int, offset: Offset) -> str:
        """Return a pointer to a vector of the ``number``-th cell of a name."""
        return self.cell(self._place[name] + number, offset)

    def does_offsets(self) -> list[int]:
        """Return the byte offset of the cell that tells, after a step, whether a move was made.

        A move may be told by a fluent, which the step has overwritten; see :meth:`early_moves`.
        """
        zero = self._place["zero"]
        return [
            self.size * (self.code.cell[row] if row > self.fluents else zero)
            for row in self.ply.does.tolist()
        ]

    def early_moves(self) -> list[tuple[int, int]]:
        """Return the moves that are made exactly where a fluent holds, and the fluents' rows."""
        does = self.ply.does.tolist()
        return [(move, row) for move, row in enumerate(does) if 0 < row <= self.fluents]

    def keep(self, name: str, value: str, offset: Offset) -> None:
        """Remember a vector until :meth:`get`: in a register, if a block is one vector."""
        if self.code.width == 1:
            self._values[name] = value
        else:
            self.text.store(value, self.own(name, offset))

    def get(self, name: str, offset: Offset) -> str:
        """Return a vector that was kept."""
        if self.code.width == 1:
            return self._values[name]
        return self.text.load(self.own(name, offset))

    def row(self, row: int, offset: Offset) -> str:
        """Return a row's vector."""
        if row == 0:
            return "zeroinitializer"
        return self.text.load(self.cell(self.code.cell[row], offset))

    def set_row(self, row: int, value: str, offset: Offset) -> None:
        """Set a row that the loop gives to the gates."""
        self.text.store(value, self.cell(self.code.cell[row], offset))

    def fluent(self, fluent: str, offset: Offset) -> str:
        """Return a fluent's vector; ``fluent`` is its number, an i64."""
        return self.text.load(self.cell(0, offset, fluent))

    def columns(self, argument: Argument, offset: Offset, row: str | None = None) -> str:
        """Return a pointer to a vector's words in a caller's row of words."""
        text = self.text
        at = text.at(text.at(self.pointer(argument), self.column), offset)
        if row is None:
            return at
        return text.at(at, text.integer("mul", row, self.argument[Argument.STRIDE]))

    def set_block(self, block: str) -> None:
        """Say which block is played."""
        self.column = self.text.integer("mul", block, self.size)

    def add(self, counter: int, lanes: str, times: str | None = None) -> None:
        """Add the number of lanes, ``times`` a number (an i64), to a counter."""
        self.add_at(self.text.at(self.counts, counter * self.text.bytes), lanes, times)

    def add_at(self, pointer: str, lanes: str, times: str | None = None) -> None:
        """Add the number of lanes, ``times`` a number (an i64), to the counter at a pointer."""
        text = self.text
        number = text.popcount(lanes)
        if times is not None:
            number = text.both("mul", number, text.splat(times))
        text.store(text.both("add", text.load(pointer), number), pointer)
