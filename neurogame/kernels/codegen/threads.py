"""Playouts by many threads, each with one word of lanes: the same loop, in a frame of its own.

The text leaves a few things open, which :func:`gpu_module` and :func:`cpu_module` fill in: the
number of the thread that runs it, its memory, and the gates of three inputs. So what a GPU runs
can be run on a processor, thread after thread, but for these few lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from neurogame.kernels.codegen.driver import play_lanes
from neurogame.kernels.codegen.expressions import expression
from neurogame.kernels.codegen.frame import ARGUMENTS, Argument, GateCode
from neurogame.kernels.codegen.text import Text, declarations, gate_name
from neurogame.kernels.codegen.thread_frame import ThreadFrame

_WORD = "<1 x i64>"
_HALVES = "<2 x i32>"


@final
@dataclass(frozen=True)
class ThreadText:
    """The function ``play(arguments)`` of one thread.

    Attributes:
        functions: the pieces of the gates that it calls.
        body: its instructions.
        gates: how many gates of each truth table the text has.
        kept: rows that are kept between calls behind those of the fluents.
        cells: words that the thread's gates share, in memory or registers.
    """

    functions: str
    body: str
    gates: Counter[int]
    kept: int
    cells: int


def write_threads(code: GateCode, age_bits: int, *, stored: bool) -> ThreadText:
    """Write what one thread does; see :class:`Argument` and :class:`ThreadFrame`.

    Args:
        code: the gates, straight-line.
        age_bits: see :func:`~neurogame.kernels.codegen.driver.write_module`.
        stored: whether the cells of the gates are memory; else the optimiser makes registers of
            them.
    """
    text = Text(1, ternary=True, stored=stored)
    frame = ThreadFrame(text, code, age_bits)
    text.begin("entry")
    frame.begin()
    thread = text.let("call i64 @thread(ptr %arguments)")
    end = frame.argument[Argument.BLOCK_END]
    with text.when(text.let(f"icmp slt i64 {thread}, {end}"), "inside"):
        frame.set_block(thread)
        open_ = text.load(frame.columns(Argument.OPEN, 0))
        with text.when(text.any(open_), "open"):
            frame.enter()
            paused = text.new_label("paused")
            pause = (frame.argument[Argument.PAUSE], paused)
            play_lanes(frame, frame.argument[Argument.LOOKED], pause)
            text.do(f"br label %{paused}")
            text.begin(paused)
            frame.leave()
    text.do("ret void")
    return ThreadText(
        functions="".join(text.functions),
        body="\n".join(text.lines),
        gates=text.gates,
        kept=len(frame.kept()),
        cells=code.cell_count,
    )


def gpu_module(text: ThreadText) -> str:
    """Return the module for an NVIDIA GPU: a kernel, with the arguments by value."""
    thread = """
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %own = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %before = mul i32 %block, %size
  %narrow = add i32 %before, %own
  %number = zext i32 %narrow to i64"""
    registers = "".join(
        f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()\n" for name in ("tid", "ntid", "ctaid")
    )
    head = f"ptx_kernel void @play(ptr byval([{ARGUMENTS} x i64]) align 8 %arguments)"
    # The optimiser does not see through this, so one register leads to all cells.
    near = '%near = call ptr addrspace(5) asm "cvta.to.local.u64 $0, $1;", "=l,l"(ptr %memory)'
    return registers + _module(text, head, thread, near, _lop3)


def cpu_module(text: ThreadText) -> str:
    """Return the module for a processor: the thread's number is the argument ``BLOCK``."""
    thread = f"""
  %at = getelementptr i8, ptr %arguments, i64 {8 * Argument.BLOCK}
  %number = load i64, ptr %at, align 8"""
    head = "void @play(ptr noalias %arguments)"
    near = "%near = addrspacecast ptr %memory to ptr addrspace(5)"
    return _module(text, head, thread, near, _plain)


def _module(text: ThreadText, head: str, thread: str, near: str, gate: Callable[[int], str]) -> str:
    """Put a module together."""
    words = f"{_WORD} %a, {_WORD} %b, {_WORD} %c"
    return "\n".join(
        [
            declarations(1, ternary=True),
            f"define internal i64 @thread(ptr %arguments) alwaysinline {{{thread}",
            "  ret i64 %number\n}",
            "define internal ptr addrspace(5) @near(ptr %memory) alwaysinline {",
            f"  {near}\n  ret ptr addrspace(5) %near\n}}",
            *(
                f"define internal {_WORD} {gate_name(table)}({words}) alwaysinline {{\n"
                f"{gate(table)}\n  ret {_WORD} %result\n}}"
                for table in sorted(text.gates)
            ),
            f"{text.functions}define {head} {{\n{text.body}\n}}\n",
        ]
    )


def _lop3(table: int) -> str:
    """Return a gate as two instructions of 32 lanes, whose immediate is the truth table."""
    lines = [f"  %{name}h = bitcast {_WORD} %{name} to {_HALVES}" for name in "abc"]
    for half in range(2):
        for name in "abc":
            lines.append(f"  %{name}{half} = extractelement {_HALVES} %{name}h, i32 {half}")
        inputs = ", ".join(f"i32 %{name}{half}" for name in "abc")
        lines.append(
            f'  %r{half} = call i32 asm "lop3.b32 $0, $1, $2, $3, {table};", "=r,r,r,r"({inputs})'
        )
    return "\n".join(
        [
            *lines,
            f"  %low = insertelement {_HALVES} poison, i32 %r0, i32 0",
            f"  %both = insertelement {_HALVES} %low, i32 %r1, i32 1",
            f"  %result = bitcast {_HALVES} %both to {_WORD}",
        ]
    )


def _plain(table: int) -> str:
    """Return a gate as instructions of two inputs."""
    names = {0xF0: "%a", 0xCC: "%b", 0xAA: "%c", 0: "zeroinitializer", 255: "splat (i64 -1)"}
    lines = []
    for result, operation, left, right in expression(table):
        names[result] = "%result" if result == table else f"%v{result}"
        lines.append(f"  {names[result]} = {operation} {_WORD} {names[left]}, {names[right]}")
    return "\n".join(lines)
