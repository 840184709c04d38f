"""Writing LLVM's assembly language: blocks, values, loops, and gates on vectors of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import final

import numpy as np

from neurogame.array_types import UInt8s
from neurogame.kernels.codegen.expressions import expression
from neurogame.kernels.netlist.netlist import depends

_WORDS_OF_A_LINE = 64


@final
class Text:
    """The body of one function, written instruction by instruction.

    A *vector* is ``words`` words, one signal of ``bits * words`` games.

    Attributes:
        words: words per vector.
        bits: bits of a word: 64, or 32 in a thread of a GPU that plays half a word of lanes.
        ternary: whether a gate becomes the three-input instruction of AVX-512 where one of two
            inputs does not do.
        stored: whether cells are read and written in memory, that of a thread of a GPU, exactly
            where the schedule says so, whatever an optimiser finds.
        vector: LLVM's name of the vector type.
        wide: that of as many words of 64 bits.
        bytes: size of a vector.
        cells: type of the pointer to the memory of the cells.
        functions: other functions that this one calls.
    """

    def __init__(self, words: int, *, ternary: bool, stored: bool = False, bits: int = 64) -> None:
        """Begin an empty body."""
        self.stored = stored
        self.words = words
        self.ternary = ternary
        self.bits = bits
        self.vector = f"<{words} x i{bits}>"
        self.wide = f"<{words} x i64>"
        self.bytes = bits // 8 * words
        self.cells = "ptr addrspace(5)" if stored else "ptr"
        self._halves = f"<{bits // 32 * words} x i32>"
        self.lines: list[str] = []
        self.functions: list[str] = []
        self._count = 0
        self.label = "entry"

    def new(self, prefix: str = "v") -> str:
        """Return a fresh name of a value."""
        self._count += 1
        return f"%{prefix}{self._count}"

    def let(self, operation: str) -> str:
        """Add an instruction that gives a value; return the value's name."""
        name = self.new()
        self.lines.append(f"  {name} = {operation}")
        return name

    def do(self, operation: str) -> None:
        """Add an instruction without a value."""
        self.lines.append(f"  {operation}")

    def begin(self, label: str) -> None:
        """Begin a block."""
        self.lines.append(f"{label}:")
        self.label = label

    def new_label(self, name: str) -> str:
        """Return a fresh label."""
        self._count += 1
        return f"{name}{self._count}"

    def integer(self, operation: str, left: str, right: str | int) -> str:
        """Return ``left operation right`` of 64-bit integers."""
        return self.let(f"{operation} i64 {left}, {right}")

    def at(self, pointer: str, offset: str | int) -> str:
        """Return a pointer moved by a number of bytes."""
        return self.let(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def load(self, pointer: str, *, aligned: bool = True) -> str:
        """Return the vector at a pointer."""
        return self.let(f"load {self.vector}, ptr {pointer}, align {self.bytes if aligned else 8}")

    def store(self, value: str, pointer: str, *, aligned: bool = True) -> None:
        """Write a vector."""
        align = self.bytes if aligned else 8
        self.do(f"store {self.vector} {value}, ptr {pointer}, align {align}")

    def load_cell(self, memory: str, cell: int) -> str:
        """Return the vector in a cell, as the schedule of the gates says."""
        place = cell * self.bytes
        if not self.stored:
            return self.load(self.at(memory, place))
        loaded = self.let(f"load volatile {self._halves}, {self._cell(memory, place)}")
        return self.let(f"bitcast {self._halves} {loaded} to {self.vector}")

    def store_cell(self, value: str, memory: str, cell: int) -> None:
        """Write a vector to a cell, as the schedule of the gates says."""
        place = cell * self.bytes
        if not self.stored:
            self.store(value, self.at(memory, place))
            return
        halves = self.let(f"bitcast {self.vector} {value} to {self._halves}")
        self.do(f"store volatile {self._halves} {halves}, {self._cell(memory, place)}")

    def _cell(self, memory: str, place: int) -> str:
        """Return a place in the memory of stored cells, as an operand with its type."""
        at = self.let(f"getelementptr i8, {self.cells} {memory}, i64 {place}")
        return f"{self.cells} {at}, align {self.bytes}"

    def load_integer(self, pointer: str) -> str:
        """Return the 64-bit integer at a pointer."""
        return self.let(f"load i64, ptr {pointer}, align 8")

    def store_integer(self, value: str | int, pointer: str) -> None:
        """Write a 64-bit integer."""
        self.do(f"store i64 {value}, ptr {pointer}, align 8")

    def splat(self, value: str | int) -> str:
        """Return a vector of equal words."""
        kind = f"i{self.bits}"
        if isinstance(value, int):
            return f"splat ({kind} {value})"
        if self.bits < 64:
            value = self.let(f"trunc i64 {value} to {kind}")
        first = self.let(f"insertelement {self.vector} poison, {kind} {value}, i64 0")
        return self.let(
            f"shufflevector {self.vector} {first}, {self.vector} poison, "
            f"<{self.words} x i32> zeroinitializer"
        )

    def both(self, operation: str, left: str, right: str) -> str:
        """Return a bitwise or arithmetic operation on two vectors."""
        return self.let(f"{operation} {self.vector} {left}, {right}")

    def gate(self, table: int, a: str, b: str, c: str) -> str:
        """Return a function of three vectors, given by its truth table (see ``Netlist.table``).

        An input that the table does not depend on is not used and may be any name.
        """
        plain = expression(table)
        if self.ternary and len(plain) > 1:
            # An unused input must still be a value; repeating one adds no dependency.
            names = [a, b, c]
            used = [name for place, name in enumerate(names) if depends(table, place)]
            a, b, c = (n if n in used else used[0] for n in names)
            v = self.vector
            return self.let(
                f"call {v} {_ternary(self.words)}({v} {a}, {v} {b}, {v} {c}, i32 {table})"
            )
        values = {0xF0: a, 0xCC: b, 0xAA: c, 0: "zeroinitializer", 255: self.splat(-1)}
        for result, operation, left, right in plain:
            one = values[left]
            if operation == "and not":
                one, operation = self.both("xor", one, values[255]), "and"
            values[result] = self.both(operation, one, values[right])
        return values[table]

    def any(self, value: str) -> str:
        """Return whether some bit of a vector is set; i1."""
        bits = self.bits * self.words
        number = self.let(f"bitcast {self.vector} {value} to i{bits}")
        return self.let(f"icmp ne i{bits} {number}, 0")

    def popcount(self, value: str) -> str:
        """Return the number of ones of each word of a vector."""
        v = self.vector
        return self.let(f"call {v} @llvm.ctpop.v{self.words}i{self.bits}({v} {value})")

    def word(self, pointer: str) -> str:
        """Return the word at a pointer as an i64."""
        word = self.let(f"load i{self.bits}, ptr {pointer}, align {self.bits // 8}")
        return word if self.bits == 64 else self.let(f"zext i{self.bits} {word} to i64")

    def module(self, head: str) -> str:
        """Return the module of this function and those that it calls.

        Args:
            head: the function's result, name and parameters, as LLVM declares them.
        """
        body = "\n".join(self.lines)
        declared = declarations(self.words, ternary=self.ternary)
        return f"{declared}\n{''.join(self.functions)}define {head} {{\n{body}\n}}\n"

    @contextmanager
    def function(self, name: str) -> Iterator[Text]:
        """Write a function of its own with the parameter ``%cells``; yields its body."""
        inner = Text(self.words, ternary=self.ternary, stored=self.stored, bits=self.bits)
        inner.begin("entry")
        yield inner
        inner.do("ret void")
        body = "\n".join(inner.lines)
        # Pieces of a large game stay pieces: one function of them all takes far longer to compile.
        head = f"define internal void {name}({self.cells} %cells) noinline"
        self.functions.append(f"{head} {{\n{body}\n}}\n")

    def machine_code(self, name: str, code: UInt8s) -> None:
        """Add a function with the parameter ``%cells`` whose instructions are known, for ELF."""
        words = np.zeros(-(-len(code) // 8), np.uint64)
        words.view(np.uint8)[: len(code)] = code
        lines = [".text", ".balign 64", f"{name[1:]}:"]
        for at in range(0, len(words), _WORDS_OF_A_LINE):
            lines.append(f".quad {','.join(map(hex, words[at : at + _WORDS_OF_A_LINE].tolist()))}")
        self.functions += [f'module asm "{line}"\n' for line in lines]
        self.functions.append(f"declare void {name}({self.cells})\n")

    @contextmanager
    def when(self, condition: str, name: str = "when") -> Iterator[None]:
        """Write instructions that run only if a condition (i1) holds."""
        inside, after = self.new_label(name), self.new_label("after")
        self.do(f"br i1 {condition}, label %{inside}, label %{after}")
        self.begin(inside)
        yield
        self.do(f"br label %{after}")
        self.begin(after)

    def loop(self, head: str, *values: tuple[str, str, str | int]) -> Callable[..., None]:
        """Begin a block that is run again and again, with values that change.

        Args:
            head: label of the block.
            values: name and type of each, and what it is at first.

        Returns:
            What takes, in the block that leads back to this one, what the values are then.
        """
        before = self.label
        self.do(f"br label %{head}")
        self.begin(head)
        first_line = len(self.lines)
        self.lines += [""] * len(values)

        def again(*following: str) -> None:
            pairs = zip(values, following, strict=True)
            for line, ((name, kind, first), then) in enumerate(pairs, first_line):
                ways = f"[ {first}, %{before} ], [ {then}, %{self.label} ]"
                self.lines[line] = f"  {name} = phi {kind} {ways}"

        return again

    @contextmanager
    def count(self, first: str | int, end: str | int, name: str = "loop") -> Iterator[str]:
        """Write a loop over ``first .. end - 1``, possibly empty; yields the counter."""
        head, body, after = (self.new_label(f"{name}.{part}") for part in ("head", "body", "end"))
        counter, following = self.new("i"), self.new("i")
        again = self.loop(head, (counter, "i64", first))
        more = self.let(f"icmp slt i64 {counter}, {end}")
        self.do(f"br i1 {more}, label %{body}, label %{after}")
        self.begin(body)
        yield counter
        self.lines.append(f"  {following} = add i64 {counter}, 1")
        again(following)
        self.do(f"br label %{head}")
        self.begin(after)


def declarations(words: int, *, ternary: bool, bits: int = 64) -> str:
    """Return the declarations of the intrinsics that :class:`Text` uses."""
    v = f"<{words} x i{bits}>"
    lines = [f"declare {v} @llvm.ctpop.v{words}i{bits}({v})", "declare i64 @llvm.cttz.i64(i64, i1)"]
    if ternary:
        lines.append(f"declare {v} {_ternary(words)}({v}, {v}, {v}, i32)")
    return "\n".join(lines)


def _ternary(words: int) -> str:
    """Return the name of the instruction for any function of three vectors."""
    return f"@llvm.x86.avx512.pternlog.q.{64 * words}"
