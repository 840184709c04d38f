"""The function that makes given moves and looks at states: inputs in, any parts, outputs out."""

from __future__ import annotations

from enum import IntEnum

from neurogame.kernels.codegen.frame import GateCode, Part
from neurogame.kernels.codegen.text import Text


class Input(IntEnum):
    """Places in the table of arguments; see :class:`~neurogame.kernels.codegen.frame.Argument`.

    The routine and the tables stand where the playouts have them.
    """

    BLOCK = 0
    """First block."""
    BLOCK_END = 1
    """One past the last block."""
    PARTS = 2
    """Sum of ``1 << part`` of the parts to run: first the moves are made, which are written over
    the state; then it is looked at; goals need a look."""
    STRIDE = 3
    """Bytes from one row of words to the next, of inputs and outputs."""
    FROM = 4
    """The inputs, one row of words each."""
    FROM_CELLS = 5
    """Byte offset of each input's cell, int64."""
    FROM_COUNT = 6
    """Number of inputs."""
    TO = 7
    """Where the outputs are written, one row of words each."""
    TO_CELLS = 8
    """Byte offset of each output's cell, int64."""
    TO_COUNT = 9
    """Number of outputs."""
    CELLS = 10
    """Memory of the cells."""


def write_evaluation(code: GateCode, words: int, *, ternary: bool) -> str:
    """Write the module of the function ``evaluate(arguments)``.

    Args:
        code: the gates.
        words: words of a vector.
        ternary: see :class:`Text`.
    """
    text = Text(words, ternary=ternary)
    text.begin("entry")
    given = {a: text.load_integer(text.at("%arguments", 8 * a)) for a in Input}
    cells = text.let(f"inttoptr i64 {given[Input.CELLS]} to ptr")
    with text.count(given[Input.BLOCK], given[Input.BLOCK_END], "block") as block:
        column = text.integer("mul", block, code.width * text.bytes)
        _copy(text, code, given, column, cells, inward=True)
        for part in (Part.MOVE, Part.LOOK, Part.GOALS):
            chosen = text.integer("and", given[Input.PARTS], 1 << part)
            with text.when(text.let(f"icmp ne i64 {chosen}, 0"), part.name.lower()):
                code.write(text, part, cells)
        _copy(text, code, given, column, cells, inward=False)
    text.do("ret void")
    return text.module("void @evaluate(ptr noalias %arguments)")


def _copy(
    text: Text,
    code: GateCode,
    given: dict[Input, str],
    column: str,
    cells: str,
    *,
    inward: bool,
) -> None:
    """Copy the block's words between the caller's rows and the cells."""
    rows, places, count = (
        (Input.FROM, Input.FROM_CELLS, Input.FROM_COUNT)
        if inward
        else (Input.TO, Input.TO_CELLS, Input.TO_COUNT)
    )
    base = text.let(f"inttoptr i64 {given[rows]} to ptr")
    table = text.let(f"inttoptr i64 {given[places]} to ptr")
    with text.count(0, given[count], "row") as row:
        offset = text.load_integer(text.at(table, text.integer("shl", row, 3)))
        outside = text.at(base, text.integer("mul", row, given[Input.STRIDE]))
        outside, inside = text.at(outside, column), text.at(cells, offset)
        for vector in range(code.width):
            far, near = (text.at(p, vector * text.bytes) for p in (outside, inside))
            if inward:
                text.store(text.load(far, aligned=False), near)
            else:
                text.store(text.load(near), far, aligned=False)
